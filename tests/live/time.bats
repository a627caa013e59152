#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where the time went: programs that measure it themselves.
load common

# spends: record it and compare.
spends() {
	record trace "$PROGRAMS/spends" >measured
	"$ELFAULT" analyze --format json trace >analysis
	"$ELFAULT" dump trace >events
	python3 "$tests/support/spent.py" measured analysis events
}

@test "computing and each way of waiting take as long as the program measures" {
	need_bpf
	spends
}

@test "the same where others want the processors" {
	need_bpf
	busy 4
	spends
}

@test "the processor is sampled as often as asked for, with stacks" {
	need_bpf
	elfault record --backend bpf --cpu 1000 -o trace -- "$PROGRAMS/spends"
	"$ELFAULT" dump trace >events
	grep -q '^sample .* period=1000000 .* stack=' events || fail "$(grep ^sample events | head)"
	elfault record --backend bpf --cpu off -o trace -- "$PROGRAMS/spends"
	"$ELFAULT" dump trace >events
	! grep -q '^sample' events || fail "$(grep ^sample events | head)"
	# Where it waits is still known.
	grep -q '^pause .* call=61 .* stack=' events || fail "$(grep ^pause events)"
}

@test "relocation computes between its faults" {
	need_bpf
	need clang jq
	record trace clang --version >version
	"$ELFAULT" analyze --format json trace >analysis
	jq -e '.account as $a | $a.main_by_initiator as $by |
		$a.samples >= 100 and $by.relocation.cpu > $a.main_cpu_error_ns.relocation and
		$by["static-init"].cpu > 0 and ($by.unknown.cpu // 0) < 0.2 * $a.main.cpu and
		([$by[].cpu] | add) == $a.main.cpu' analysis >verdict ||
		fail "$(jq .account analysis)"
}
