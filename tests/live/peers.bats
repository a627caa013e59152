#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The same sums as others have of the same run: perf sched, time, perf trace. What bpftrace sees of storage is in
# storage.bats. docs/other-tools.md says which figures differ, and why.
load common

# told: the answer and the events of trace.
told() {
	analyze trace
	"$ELFAULT" dump trace >events
}

need_tracing() {
	need_bpf
	need "$@"
	[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing || skip "no tracefs"
}

# scheduled COMMAND...
scheduled() {
	# elfault asks the kernel for build-ids of mappings. Then the kernel marks perf's records of them as well, and perf
	# misreads them unless it asked for build-ids too.
	perf sched record --buildid-mmap -k CLOCK_MONOTONIC -o perf.data -- \
		"$ELFAULT" record --quiet --no-embed --backend bpf -o trace -- "$@" >output 2>messages ||
		skip "perf sched record does not work here: $(head -1 messages)"
	told
	perf sched timehist -i perf.data --state --time "$(python3 "$tests/support/peers.py" window events)" \
		>history 2>messages || skip "perf sched timehist: $(head -1 messages)"
	perf script -i perf.data -F time,event,trace --ns 2>messages | grep sched_switch: >switches
	python3 "$tests/support/peers.py" sched trace.json events history switches
}

@test "perf sched timehist: run time, wait time and scheduling delay" {
	need_tracing perf clang
	thrice scheduled "$PROGRAMS/spends"
	thrice scheduled clang --version
}

# timed COMM COMMAND...
timed() {
	record trace /usr/bin/time -o timed -f "%e %U %S %R %F %w %c" "${@:2}" >output
	told
	python3 "$tests/support/peers.py" time trace.json events timed "$1"
}

@test "time: elapsed, processor, faults and context switches" {
	need_bpf
	need clang
	[ -x /usr/bin/time ] || skip "/usr/bin/time is not installed"
	/usr/bin/time -f %e true 2>messages || skip "/usr/bin/time is not GNU's"
	thrice timed spends "$PROGRAMS/spends"
	thrice timed clang clang --version
}

# called COMM COMMAND...: recorded as a child, since perf has the calls of the recorder's own before its exec.
called() {
	perf trace record --buildid-mmap -B -N -m 2048 -o perf.data -- "$ELFAULT" record --quiet --no-embed \
		--backend bpf -o trace -- sh -c '"$@"; :' sh "${@:2}" >output 2>messages ||
		skip "perf trace record does not work here: $(head -1 messages)"
	told
	perf trace -s -i perf.data -o summary || skip "perf trace -s does not work here"
	python3 "$tests/support/peers.py" calls trace.json events summary "$1"
}

@test "perf trace -s: a call takes as long as it waits, and what it runs" {
	need_tracing perf
	thrice called spends "$PROGRAMS/spends"
	thrice called python3 python3 -c 'import json'
}
