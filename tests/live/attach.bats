#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault record -p: a process that runs already, whose mappings were made before anyone looked.
load common

# waits N: until the program has said N times that it waits.
waits() {
	until [ "$(wc -l <said)" -ge "$1" ]; do
		kill -0 "$pid" || fail "the program has ended"
		sleep 0.02
	done
}

start() {
	: >said
	"$PROGRAMS/waits" >said 3>&- &
	pid=$!
	waits 1
}

# The test may have failed before it came to its end.
teardown() {
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
	tidy
}

# watch BACKEND [OPTION...]: record it; the trace is there once all is seen.
watch() {
	rm -f trace
	"$ELFAULT" record --backend "$1" -o trace -p "$pid" "${@:2}" 2>messages 3>&- &
	is_recording
	await [ -e trace ]
}

# Both threads' faults, each under its symbol, are those that the program made after it was watched.
check() {
	analyze trace
	summary trace.json complete sections by-function touch_again 100 symbol main_page 50 \
		symbol thread_page 50 threads 2
	jq -e '[.objects[].by_function[] | select(.function == "touch_again") | .faults] == [100]' trace.json
}

for_backend() {
	start
	watch "$1"
	kill -USR1 "$pid"
	waits 2
	kill -INT "$recorder"
	ended
	kill -0 "$pid" || fail "the process did not live on"
	check
	# Who it is, and the kernel's own count of it while it was watched.
	"$ELFAULT" analyze --full trace >text
	grep -qx "process $pid (waits)" text || fail "no process in: $(head -1 text)"
	grep -qE '^  rusage     ([0-9,]+) = \1 recorded \(complete\)$' text || fail "$(grep rusage text)"
	jq -e --argjson pid "$pid" '.trace.process == {pid: $pid, comm: "waits", cgroup: null}' trace.json
}

@test "a process is recorded until a signal and goes on, with BPF" { need_bpf; need jq; for_backend bpf; }
@test "a process is recorded until a signal and goes on, with perf" { need_bpf; need jq; for_backend perf; }

@test "a process is recorded for a time and goes on" {
	need_bpf
	start
	elfault record -o trace -p "$pid" -d 0.5
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	kill -USR1 "$pid"
	waits 2
	"$ELFAULT" analyze --format json trace >trace.json
	jq -e '.trace.complete and .trace.duration_ns >= 500000000' trace.json
}

@test "recording ends when the process does" {
	need_bpf
	need jq
	start
	watch bpf
	kill -USR1 "$pid"
	waits 2
	kill "$pid"
	ended
	check
}

@test "a process that is not there is refused" {
	elfault record -o trace -p 999999999
	[ "$code" = 125 ]
	says 999999999
	[ ! -e trace ]
}

@test "a kernel thread is refused, which has nothing to record" {
	local backend thread
	# In a process namespace of its own there is none to be seen.
	thread=$(sed -n 's/^\([0-9]*\) (kthreadd) .*/\1/p' /proc/[0-9]*/stat 2>/dev/null | head -1)
	[ -n "$thread" ] || skip "no kernel thread in this process namespace"
	for backend in auto bpf perf; do
		elfault record --backend $backend -o trace -p "$thread" -d 1
		[ "$code" = 125 ] || fail "$backend: ended with $code: $(cat messages)"
		says "process $thread: is a kernel thread"
		[ ! -e trace ]
	done
}

@test "a process that ends while it is looked at is recorded or said to have ended" {
	need_bpf
	local backend round
	for backend in bpf perf; do
		for round in {1..12}; do
			sleep "$(printf '0.%03d' $((round * 16)))" 3>&- &
			pid=$!
			rm -f trace
			elfault record --backend $backend -o trace -p "$pid"
			case $code in
			0) [ -s trace ] ;;
			125) [ ! -e trace ] && [[ $(cat messages) =~ "process $pid: "(has just ended|[Nn]"o such process")$ ]] ;;
			*) false ;;
			esac || fail "round $round, status $code: $(cat messages)"
			wait "$pid"
		done
	done
	pid=
}
