#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault import: logs of perf and of bpftrace, made here, beside elfault's own recording of the same program.
load common

program() {
	# A name of its own, which fits into a task's and is what bpftrace looks for.
	cp "$PROGRAMS/starts-bfd-pie" "$T/importstarts"
}

# beside LOG: the figures of tests/support/imported.py; also as variables.
beside() {
	"$ELFAULT" import "$1" -o log.trace 2>messages || fail "$(cat messages)"
	"$ELFAULT" record -o own.trace -- ./importstarts >/dev/null 2>&1
	"$ELFAULT" analyze --format ndjson own.trace >own.ndjson
	"$ELFAULT" analyze --format ndjson log.trace >log.ndjson
	python3 "$tests/support/imported.py" own.ndjson log.ndjson >figures 2>wrong
	echo "# $1: $(cat figures)" >&3
	cat wrong
	eval "$(tr ' ' '\n' <figures)"
	[ "$wrong" = 0 ]
	[ "$misplaced" = 0 ]
}

# of_perf EVENTS OPTION...: the text of perf script, as docs/import.md has it.
of_perf() {
	perf record -m 4096 -e "$1" -c 1 -d "${@:2}" -o perf.data -- ./importstarts >perf.out 2>&1 ||
		skip "perf cannot record here: $(tail -n 1 perf.out)"
	perf script -i perf.data --header --ns --no-inline --show-mmap-events --show-task-events --show-lost-events \
		-F comm,pid,tid,time,period,event,addr,ip,dso >perf.txt 2>/dev/null
}

@test "perf script with copied stacks tells nearly what elfault tells" {
	need_bpf
	need perf python3
	program
	of_perf page-faults,minor-faults,major-faults --call-graph dwarf
	beside perf.txt
	[ "$matched" -gt 600 ]
	[ $((right * 100)) -ge $((matched * 80)) ] # threads end where perf does not say that they do
	jq -es 'all(.[]; .duration_ns != null)' log.ndjson >/dev/null
	"$ELFAULT" analyze --format json log.trace | jq -e '.trace.backend == "perf-script"
		and .trace.command == ["./importstarts"] and .counts.lost == 0'
}

@test "perf script without stacks, or with those by frame pointers, says what place and order show" {
	need_bpf
	need perf python3
	program
	of_perf page-faults
	beside perf.txt
	[ "$matched" -gt 600 ]
	[ "$right" -gt 0 ]
	of_perf page-faults -g
	beside perf.txt
	[ "$matched" -gt 600 ]
	"$ELFAULT" analyze --full log.trace | grep -q 'call chains by frame pointers'
}

@test "the log of bpftrace tells sections of libraries, and that the program is missing" {
	need_bpf
	need bpftrace python3
	[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing || skip "no tracefs"
	program
	bpftrace "$BATS_TEST_DIRNAME/pagefaults.bt" importstarts >bpftrace.log 2>bpftrace.err 3>&- &
	LOOPS+=($!)
	# It says that it is attached before it is.
	until grep -q page_fault_user bpftrace.log && grep -q 'mmap(.*libc' bpftrace.log; do
		kill -0 "${LOOPS[0]}" || skip "bpftrace cannot run here: $(tail -n 1 bpftrace.err)"
		./importstarts >/dev/null
		sleep 0.2
	done
	# Where others want the processors, it loses what it cannot take in time.
	local last
	for _ in {1..20}; do
		./importstarts >/dev/null &
		last=$!
		wait "$last"
		sleep 0.5
		! grep -qF "\"importstarts-$last\"" bpftrace.log || break
	done
	kill -INT "${LOOPS[0]}"
	wait "${LOOPS[0]}" || true
	LOOPS=()
	# All of the last run, which no other process has a part in. Its lines need not be the last: bpftrace prints what one
	# processor has seen after what another has.
	grep -F "\"importstarts-$last\"" bpftrace.log >one.log
	beside one.log
	[ "$section" -gt 100 ]
	"$ELFAULT" analyze --format json log.trace >log.json
	jq -e '.trace.backend == "bpftrace" and .trace.duration_ns == null and .counts.unattributed > 0' log.json
	jq -e '[.objects[].path] | all(test("importstarts|ld-linux") | not)' log.json
	jq -e '.notes | any(test("the program itself and the dynamic linker"))' log.json
}
