#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A program of 10 MiB in a memory cgroup that holds less: what is evicted and read again, against the cgroup's own
# count, workingset_refault_file.
load common

setup_file() {
	# The program on the disk alone: what was written lately cannot be dropped.
	sync
}

# group LIMIT: a memory cgroup with this limit, its folder in $GROUP, v1 or v2.
group() {
	local root file
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)
	file=memory.limit_in_bytes
	if [ -z "$root" ]; then
		root=$(cgroup2_mount)
		[ -n "$root" ] || skip "no cgroup is mounted"
		grep -qw memory "$root/cgroup.subtree_control" 2>/dev/null ||
			skip "the root cgroup gives its children no memory controller"
		file=memory.max
	fi
	GROUP=$root/elfault-live-$$-$BATS_TEST_NUMBER
	mkdir "$GROUP" 2>/dev/null || skip "no memory cgroup can be made in $root"
	echo "$1" >"$GROUP/$file" || skip "the memory cgroup takes no limit"
	grep -q '^workingset_refault_file ' "$GROUP/memory.stat" || skip "the kernel does not count what is read again"
}

teardown() {
	if [ -n "${GROUP:-}" ]; then rmdir "$GROUP" 2>/dev/null || true; fi
	tidy
}

# limited BACKEND COMMAND...: record the command in $GROUP, with nothing of it in memory; the kernel's count in $COUNTED.
# Again if somebody dropped the page cache meanwhile, which the cgroup does not count.
limited() {
	local backend=$1 before drops try
	shift
	cp "$PROGRAMS/evicted" .
	sync evicted
	for try in {1..5}; do
		drops=$(dropped)
		before=$(counted)
		"$ELFAULT" record --quiet --backend "$backend" --cold -o trace -- \
			bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$GROUP" "$@" 2>messages || fail "$(cat messages)"
		COUNTED=$(($(counted) - before))
		if [ "$(dropped)" = "$drops" ]; then
			analyze trace
			return
		fi
		echo "try $try: the page cache was dropped"
	done
	fail "somebody drops the page cache all the time"
}

counted() {
	awk '$1 == "workingset_refault_file" { print $2 }' "$GROUP/memory.stat"
}

# How often the page cache was dropped as a whole.
dropped() {
	awk '$1 == "drop_pagecache" { print $2 }' /proc/vmstat
}

# Nothing of the program is. Files that it shares, such as libc, others may evict meanwhile.
reads_none_again() {
	jq -e '.objects[] | select(.path | endswith("/evicted")) | .by_mechanism | .refault == 0 and .["file-map"] > 0' trace.json ||
		fail "$(jq -c '.counts, .objects[].by_mechanism' trace.json)"
}

@test "what is read again is what the cgroup counts, by section and function" {
	need_bpf
	need jq
	group 9m
	limited bpf ./evicted 3
	jq -e --argjson counted "$COUNTED" '.trace.page_size as $page | (.counts.read_again_bytes / $page) as $told |
		$counted > 2560 and $told >= $counted * 0.98 and $told <= $counted * 1.02' trace.json ||
		fail "$(jq -c .counts trace.json), counted $COUNTED"
	jq -e '.objects[] | select(.path | endswith("/evicted")) | .by_mechanism.refault as $n | $n >= 2560 and
		$n > 10 * .by_mechanism["file-map"]' trace.json
	jq -e '.findings[] | select(.id == "read-again") | (.evidence | test("evicted")) and .duration_ns > 0 and
		.saves.read_bytes > 0 and (.advice | test("memory.max"))' trace.json
	"$ELFAULT" analyze --format json --where mechanism=refault --by section,function trace >by.json
	jq -e '[.rows[] | select(.section == ".text" and (.function // "" | startswith("evicted_")))] | length > 1280' by.json ||
		fail "$(head -c 2000 by.json)"
	"$ELFAULT" analyze trace | grep "Pages of files are evicted and read again"
}

@test "nothing is read again where memory suffices" {
	need_bpf
	need jq
	group 64m
	limited bpf ./evicted 3
	[ "$COUNTED" = 0 ] || skip "the kernel evicted pages all the same"
	reads_none_again
	jq -e 'all(.findings[]; .id != "read-again" or (.evidence | test("evicted") | not))' trace.json
}

@test "what a program gives back itself is not evicted" {
	need_bpf
	need jq
	group 64m
	limited bpf ./evicted 3 pageout
	jq -e '.counts.read_bytes > 20000000' trace.json
	reads_none_again
	limited bpf ./evicted 3 drop
	jq -e '.counts.read_bytes > 20000000' trace.json
	reads_none_again
}

@test "with the perf backend major faults on the same page tell" {
	need_bpf
	need jq
	group 9m
	limited perf ./evicted 3
	jq -e --argjson counted "$COUNTED" '.counts.read_again_bytes == null and ([.objects[].by_mechanism.refault] | add) as $n |
		$n > 0 and $n <= .counts.major and $counted > 2560' trace.json || fail "$(jq -c .counts trace.json)"
}
