#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `elfault smaps` against readelf's sections, the page table as Python reads it, and the sums of smaps_rollup.
load common

truth() {
	python3 "$tests/support/smapstruth.py" "$@" >sums 2>messages || fail "$* $(cat sums messages)"
	grep -Eq '^[0-9]{2,} sections, [0-9]{5,} bytes$' sums || fail "$(cat sums)"
}

# Somebody to look at, in WAITER; it sleeps.
waiter() {
	rm -f ready
	/usr/bin/python3 -c 'import mmap, sys, time
data = bytearray(int(sys.argv[1]))
for at in range(0, len(data), 4096):
    data[at] = 1
print("ready", flush=True)
time.sleep(1000)' "$1" >ready 3>&- &
	WAITER=$!
	LOOPS+=("$WAITER")
	until_true 600 grep -qs ready ready || fail "it never begins"
}

smaps() {
	"$ELFAULT" smaps "$@" >out 2>messages || fail "$(cat messages)"
}

# Whether the file out is valid JSON for which all jq expressions hold.
holds() {
	local what
	for what; do
		jq -e "$what" out >/dev/null || fail "$what: $(head -c 2000 out)"
	done
}

@test "each section has what readelf and the page table say, for every linker" {
	need readelf
	local linker mode program
	for linker in bfd gold lld mold; do
		for mode in pie no-pie static; do
			program=$PROGRAMS/touch-$linker-$mode
			[ -x "$program" ] || continue
			truth "$ELFAULT" "$program"
		done
	done
	truth "$ELFAULT" /usr/bin/python3 -c 'import json'
}

@test "a program without section headers has its segments" {
	cp "$PROGRAMS/touch-bfd-static" bare
	python3 - <<-'END'
		with open("bare", "r+b") as program:
		    program.seek(40)  # e_shoff, then e_shnum and e_shstrndx
		    program.write(bytes(8))
		    program.seek(60)
		    program.write(bytes(4))
	END
	python3 "$tests/support/smapstruth.py" --show "$ELFAULT" ./bare >out
	holds '[.objects[] | select(.path | test("/bare$")) | .sections[] | select(.amounts.rss > 0) | .section] as $s |
		["[elf-header]", "[r-x segment]", "[rw- segment]"] - $s == []' \
		'[.objects[].sections[] | select(.section == "[rw- segment]")][0].amounts.rss > 65536'
}

@test "an ordinary user sees the same of his own processes, and nothing of others" {
	need readelf setpriv
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	cp "$ELFAULT" elfault.copy
	cp "$tests/support/smapstruth.py" "$PROGRAMS/touch-bfd-pie" .
	chmod 755 "$T"
	local as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all --no-new-privs --)
	"${as_nobody[@]}" /usr/bin/python3 smapstruth.py "$T/elfault.copy" "$T/touch-bfd-pie" >sums 2>messages ||
		fail "$(cat sums messages)"
	grep -Eq '^[0-9]{2,} sections' sums
	waiter 4096
	code=0
	"${as_nobody[@]}" "$T/elfault.copy" smaps "$WAITER" 2>messages || code=$?
	[ "$code" = 1 ] || fail "$code"
	says "process $WAITER: user 65534 may not trace it" "sudo elfault smaps --root $WAITER"
	# Root for him neither, unless that is asked for.
	code=0
	SUDO_UID=65534 SUDO_GID=65534 "$ELFAULT" smaps "$WAITER" 2>messages || code=$?
	[ "$code" = 1 ] || fail "$code"
	says "user 65534 may not trace it" "sudo elfault smaps --root $WAITER"
	SUDO_UID=65534 SUDO_GID=65534 "$ELFAULT" smaps --root --format json "$WAITER" >out
	holds '.by_page' '.amounts.rss > 0'
}

@test "a copy names what mappings hold together, and adds up all the same" {
	waiter 4096
	cat "/proc/$WAITER/smaps" >copy
	smaps --format json copy
	holds '.by_page | not' '.objects | all(. as $o | ["rss", "private_dirty", "shared_clean", "pss", "size"] |
		all(. as $k | ($o.sections | map(.amounts[$k]) | add) == $o.amounts[$k]))' \
		'[.objects[].sections[] | select(.grain == "segment") | .section] | any(test("^\\.init to ")) or any(test(" to \\.fini$"))' \
		'[.objects[] | select(.path | test("/libc.so.6$")) | .sections[] | select(.section == ".bss")][0].grain == "mapping"'
	smaps copy
	grep -q 'rows "A to B"' out
	# Two of them, as tail writes them, are two processes.
	tail -n +1 "/proc/$WAITER/smaps" copy >both
	smaps --format json both
	holds '.processes | length == 2' ".processes | map(.pid) | any(. == $WAITER)"
	# One that has changed since is not taken for the mapped one.
	sed -E "s| [0-9]+( +/.*/libc.so.6)$| 1\1|" copy >other
	smaps --format json other
	holds '.notes | any(test("libc.so.6: no longer the mapped file"))' \
		'[.objects[] | select(.path | test("/libc.so.6$")) | .sections[].section] == ["[file]"]'
	smaps --force --format json other
	holds '[.objects[] | select(.path | test("/libc.so.6$")) | .sections[].section] | length > 1'
}

@test "two are compared: a MiB that was written is a MiB more" {
	waiter 4096
	cat "/proc/$WAITER/smaps" >before
	local first=$WAITER
	waiter $((4096 + (1 << 20)))
	smaps --format json before "$WAITER"
	holds '.before.source == "before"' '.objects[0].change.private_dirty >= 1048576' '.objects[0].change.private_dirty <= 1114112' \
		'.objects[0].path | test("^\\[(anon|heap)\\]$")' '.before.by_page or .after.by_page | not'
	smaps before before
	! grep -q ' [+-][0-9]' out || fail "$(cat out)"
	smaps -t private_dirty "$first" "$WAITER"
	grep -q 'private_dirty before and after' out
	smaps --format csv before "$WAITER"
	head -n 1 out | grep -q '^path,section,before_size,before_rss,before_pss,'
}

@test "by name: all processes of it, and by a key" {
	need pgrep
	mkdir bin
	cp "$(command -v sleep)" bin/elfault-live-nap
	bin/elfault-live-nap 1000 3>&- &
	LOOPS+=($!)
	bin/elfault-live-nap 1000 3>&- &
	LOOPS+=($!)
	local _
	for _ in {1..600}; do
		[ "$(pgrep -c -x elfault-live-na)" = 2 ] && break
		sleep 0.05
	done
	smaps -t Private_Dirty --format json elfault-live-nap
	holds '.processes | length == 2' '.processes | all(.name == "elfault-live-nap")' \
		'[.objects[].amounts.private_dirty] as $k | $k == ($k | sort | reverse)' \
		'.amounts.private_dirty == ([.processes[].amounts.private_dirty] | add)'
	smaps --top 3 -t uss elfault-live-nap
	grep -q 'By process' out
	run -1 "$ELFAULT" smaps elfault-live-none
	[[ $output == *"no process of that name, and no file"* ]]
}
