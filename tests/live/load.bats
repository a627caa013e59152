#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Recorders that get little of the processor, or nothing: a file of its own, since other tests would wait for it.
load common

# 80,000 records without stacks fit into the ring of events, whenever it is read; the stacks are 2.5 GB.
@test "a recorder that cannot run loses stacks and no fault" {
	real sections sh -c 'kill -STOP $PPID; "$0" 8 10; kill -CONT $PPID' "$PROGRAMS/deep"
	summary trace.json stacks-lost by-function write_pages 80000
}

@test "eight processes that fault below 30 KiB of frames, beside four busy loops" {
	need_bpf
	busy 4
	record trace "$PROGRAMS/deep" 8 10 >output
	calm
	analyze trace
	summary trace.json complete exact sections by-function write_pages 80000
}

@test "the time of faults is the account's in each table, view and format, quiet, busy and from disk" {
	local command commands=('true' 'clang-14 --version' 'sh -c "ls | wc"') count
	[ -z "${ELFAULT_ALL:-}" ] || commands+=('git --version' 'python3 -c "import json"')
	count=$((2 * ${#commands[@]} + 2))
	for command in "${commands[@]}"; do
		record "quiet-${#command}.trace" sh -c "$command" >said
	done
	elfault record --backend bpf --cold -o cold.trace -- git --version >said
	[ "$code" = 0 ] || fail "$(cat messages)"
	busy 4
	for command in "${commands[@]}"; do
		record "busy-${#command}.trace" sh -c "$command" >said
	done
	elfault record --backend bpf --cold -o both.trace -- python3 -c 'import json' >said
	[ "$code" = 0 ] || fail "$(cat messages)"
	calm
	run python3 "$BATS_TEST_DIRNAME/../support/ownsums.py" "$ELFAULT" ./*.trace
	[ "$status" = 0 ] || fail "$output"
	grep "^# " <<<"$output" >&3
	[ "$(grep -c 'of their own' <<<"$output")" = $count ] || fail "$output"
	run python3 "$BATS_TEST_DIRNAME/../support/owntext.py" "$ELFAULT" ./*.trace
	[ "$status" = 0 ] || fail "$output"
	grep "^# " <<<"$output" >&3
	[ "$(grep -c ' ns late of ' <<<"$output")" = $count ] || fail "$output"
}

# Means of what a busy machine interrupts, at a pace that was measured beside, were 0 to 35 us where 3 is right.
@test "what recording a fault costs is measured beside four busy loops as well" {
	need_bpf
	busy 4
	for _ in 1 2 3; do
		elfault record --backend bpf --recalibrate -o cost.trace -- true
		[ "$code" = 0 ] || fail "$(cat messages)"
		"$ELFAULT" dump cost.trace | grep -o '^meta.* cost_fault=.*' >>costs
	done
	calm
	awk '{ cost = 0
		for (i = 1; i <= NF; i++)
			if ($i ~ /^cost_fault(_within)?=/)
				cost += substr($i, index($i, "=") + 1)
		least = NR == 1 || cost < least ? cost : least
		most = cost > most ? cost : most }
		END { print "# a fault costs " least " to " most " ns"; exit !(least > 0 && most < 5 * least) }' costs >&3 || fail "$(cat costs)"
}
