#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One program of some forty files of C++ in several builds, compared: fixtures/programs/codecs.differences
# says by hand what each changes, and that nothing else does. And a build compared with itself: nothing.
load common

# Program and libraries on the tmpfs, so that what a fault maps is known. Both sides have paths of one length, since the stack holds them.
stage() {
	need_bpf
	need setarch readelf nm jq ldd
	[ -x "$PROGRAMS/codecs-plain" ] || skip "no g++: codecs was not built"
	small 96m
	mkdir small/{a,b,lib}
	ldd "$PROGRAMS"/codecs-plain "$PROGRAMS"/libcodecs-plain.so | awk '$2 == "=>" && $3 ~ /^\/(lib|usr\/lib)/ { print $3 }' | sort -u |
		xargs -I{} cp -L {} small/lib
}

# put SIDE BUILD: that build, in the folder of that side, run once.
put() {
	[ -x "$PROGRAMS/codecs-$2" ] || skip "codecs-$2 was not built"
	cp "$PROGRAMS/codecs-$2" "small/$1/codecs"
	cp "$PROGRAMS/libcodecs-$2.so" "small/$1/libcodecs.so"
	hold
	LD_LIBRARY_PATH=$T/small/lib "small/$1/codecs" >out || fail "codecs-$2 does not run"
}

# run_one SIDE OUT ARGUMENTS...: record it at fixed addresses.
run_one() {
	local side=$1 out=$2
	shift 2
	LD_LIBRARY_PATH=$T/small/lib setarch -R "$ELFAULT" record --backend bpf -o "$out" -- \
		"small/$side/codecs" "$@" >out 2>messages || fail "$(cat messages)"
}

compare() {
	"$ELFAULT" diff --debug-dir /nonexistent "$@"
}

# differs PAIR BEFORE AFTER: the two builds, as the table says.
differs() {
	stage
	put a "$2"
	put b "$3"
	run_one a a.trace
	run_one b b.trace
	compare --format json a.trace b.trace >diff.json
	python3 "$tests/support/differences.py" "$fixtures/codecs.differences" "$1" libcodecs.so <diff.json
}

# explains WORDS INITIATOR SECTION: stands beside that difference.
explains() {
	jq -e --arg words "$1" --arg initiator "$2" --arg section "$3" \
		'[.by_cause[] | select((.object // "" | endswith("/libcodecs.so")) and .initiator == $initiator and .section == $section) | .explanation // "" | contains($words)] == [true]' diff.json >/dev/null ||
		fail "no '$1' beside: $(jq -c '.by_cause[] | [.initiator, .section, .explanation]' diff.json)"
}

# What elfault says of a file beside the differences, against readelf. side SIDE LIBRARY
facts() {
	local relative symbolic jump entries
	relative=$(readelf -rW "$2" | grep -c R_X86_64_RELATIVE || true)
	if readelf -SW "$2" | grep -q ' \.relr\.dyn '; then
		relative=$((relative + $(readelf -rW "$2" | grep -cE '^[0-9a-f]{16}$' || true)))
	fi
	symbolic=$(readelf -rW "$2" | grep -cE 'R_X86_64_(64|GLOB_DAT) ')
	jump=$(readelf -rW "$2" | grep -c 'R_X86_64_JUMP_SLO')
	# And _init.
	entries=$((16#$(readelf -SW "$2" | sed -n 's/.* INIT_ARRAY *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p') / 8 + 1))
	[ "$(jq -r --arg side "$1" '.objects[] | select(.label == "libcodecs.so") | .[$side] | [.relocations.relative, .relocations.symbolic, .relocations.jump_slot, .initializers] | join(" ")' diff.json)" = "$relative $symbolic $jump $entries" ] ||
		fail "$2 has $relative $symbolic $jump $entries: $(jq -c '.objects[] | select(.label == "libcodecs.so")' diff.json)"
}

@test "-flto merges 28 initializers, leaves out a table, and changes nothing else" {
	differs lto plain lto
	facts before small/a/libcodecs.so
	facts after small/b/libcodecs.so
	explains "initializers 30 -> 3" static-init .text
	explains "relocations " relocation .data.rel.ro
}

@test "functions and variables have one name with -flto and without" {
	stage
	put a plain
	put b lto
	run_one a a.trace
	run_one b b.trace
	compare --format json a.trace b.trace >diff.json
	# GCC appends something to names in the second build; none of that is left.
	nm small/b/libcodecs.so | grep -q 'tableE\.lto_priv\.' || fail "nothing was renamed"
	jq -r '(.by_function[] | .function), (.by_symbol[] | .symbol) | select(. != null) | select(startswith("codecs::"))' diff.json | sort -u >names
	[ "$(wc -l <names)" -gt 40 ] || fail "too few names: $(cat names)"
	run ! grep -E '\[clone|lto_priv|\.cold|_ZN' names
	# Each is one that nm knows, of either build.
	cat small/{a,b}/libcodecs.so >/dev/null
	for side in a b; do nm "small/$side/libcodecs.so"; done | awk '{ print $NF }' |
		sed -E 's/\.(cold|lto_priv|constprop|isra|part|localalias).*//' | c++filt | sort -u >known
	[ -z "$(comm -23 names known)" ] || fail "unknown: $(comm -23 names known)"
}

@test "RELR takes away the table of relocations, and changes nothing else" {
	differs relr plain relr
	facts before small/a/libcodecs.so
	facts after small/b/libcodecs.so
	explains "encoding rela -> mixed" relocation .rela.dyn
}

@test "-Bsymbolic takes away look-ups of the library's own names, and changes nothing else" {
	differs symbolic plain symbolic
	facts before small/a/libcodecs.so
	facts after small/b/libcodecs.so
	explains "names looked up at load" symbol-lookup .dynsym
}

@test "functions in the order in which they run lie in one window" {
	need ld.lld
	differs ordered lld ordered
}

@test "input that cannot be decoded runs what is cold" {
	stage
	put a plain
	run_one a a.trace
	run_one a b.trace --broken
	compare --format json a.trace b.trace >diff.json
	python3 "$tests/support/differences.py" "$fixtures/codecs.differences" broken libcodecs.so <diff.json
}

# same BEFORE AFTER: whether the traces have the same faults.
same() {
	compare --format json "$1" "$2" >diff.json
	# A fault that had to be tried again, as on a busy machine, counts as major without any disk
	# (mm_account_fault): that alone may differ.
	jq -e '[.total, (.by_initiator, .by_mechanism, .by_object, .by_section, .by_function, .by_symbol, .by_initializer, .by_cause)[]] |
		length > 100 and all(.[]; .faults.verdict == "same" and .pages.verdict == "same")' diff.json >/dev/null
}

@test "a build does not differ from itself, in fifty pairs of runs of fifty" {
	stage
	put a plain
	local i found=0
	run_one a 0.trace
	for i in {1..50}; do
		local before=$((i - 1)).trace after=$i.trace
		run_one a "$after"
		# Fault-around leaves out a page of ld.so that another process has locked just then (next_uptodate_folio).
		same "$before" "$after" || {
			run_one a "$before"
			run_one a "$after"
			same "$before" "$after" || {
				found=$((found + 1))
				compare "$before" "$after"
			}
		}
		rm "$before"
	done
	[ $found = 0 ] || fail "$found of 50 pairs differ"
}
