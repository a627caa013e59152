#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The order of code: one program whose functions a linker laid out by first use, from the end, and
# at random (fixtures/programs/ordered.c).
load common

# Each order in a folder of its own.
stage() {
	need_bpf
	need setarch nm python3
	[ -x "$PROGRAMS/ordered-first-use" ] || skip "the program was not built: it needs lld"
	small 64m
	local order
	for order in "$@"; do
		mkdir "small/$order"
		cp "$PROGRAMS/ordered-$order" "small/$order/ordered"
		hold
		"small/$order/ordered"
		setarch -R "$ELFAULT" record --backend bpf -o "$order.trace" -- "small/$order/ordered" \
			>out 2>messages || fail "$(cat messages)"
	done
}

# figures BEFORE AFTER: into the file `figures`, after they were made a second time.
figures() {
	python3 "$tests/support/locality.py" "$ELFAULT" ordered "$1.trace" "small/$1/ordered" \
		"$2.trace" "small/$2/ordered" >figures 2>messages || fail "$(cat messages)"
}

# is FIGURE CONDITION: of the numbers `before` and `after`.
is() {
	awk -v figure="$1" '$1 == figure { before = $2; after = $3; seen = 1 }
		END { exit !(seen && ('"$2"')) }' figures ||
		fail "not $2: $(grep "^$1 " figures)"
}

@test "laid out by first use, code takes fewer pages, sooner, and faults go forward" {
	stage shuffled first-use
	figures shuffled first-use
	# main calls half of the functions; with _start and the like a few more are seen.
	is functions 'before == after && after >= 101 && after <= 110'
	is code_pages 'after * 4 < before * 3'
	is area 'after * 3 < before * 2'
	is least_area 'before == after && after * 100 > 95 * '"$(awk '$1 == "area" { print $3 }' figures)"
	is random 'after < before'
	is next 'after > before'
	# Nothing but the order is another.
	"$ELFAULT" diff --format json shuffled.trace first-use.trace |
		jq -e 'all(.objects[]; .label == "ordered" or .locality == null or .locality.moved == [])' >/dev/null ||
		fail "another file moved"
	# analyze tells the same of one of them.
	"$ELFAULT" analyze --full first-use.trace | tr -d , >out
	grep -q "^  order      $(awk '
		{ after[$1] = $3 }
		END { print after["functions"], "functions seen to run on", after["code_pages"], "code pages",
			"area", after["area"] }' figures) packing 0.9[0-9]; $(awk '$1 == "random" { print $3 }' figures) random step" out ||
		fail "no such order: $(grep "^  order" out)"
	[ "$("$ELFAULT" analyze --format json first-use.trace | jq '.objects[0].locality.area')" = \
		"$(awk '$1 == "area" { print $3 }' figures)" ] || fail "another area in JSON"
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema"
	"$tests/support/schema.py" "$(dirname "$ELFAULT")/../docs/schema/diff.schema.json" \
		"$ELFAULT" diff --format json shuffled.trace first-use.trace >out ||
		fail "$(cat out)"
}

@test "reversed, the same pages are needed, but faults go backward and all but one moved" {
	stage first-use reversed
	figures first-use reversed
	is code_pages 'after <= before + 1 && before <= after + 1'
	is area 'after < before * 1.05'
	is backward 'after >= before + 3'
	is next 'after + 3 <= before'
	is moved 'before == 99'
}

@test "a build has not moved against itself" {
	stage shuffled
	mkdir small/again
	cp small/shuffled/ordered small/again
	hold
	setarch -R "$ELFAULT" record --backend bpf -o again.trace -- small/again/ordered >out 2>messages
	figures shuffled again
	is moved 'before == 0'
	is area 'before == after'
}
