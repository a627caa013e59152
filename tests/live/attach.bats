#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault record -p: a process that runs already, whose mappings were made before anyone looked.
load common

start() {
	"$PROGRAMS/waits" 3>&- &
	pid=$!
	# The second thread is there once it has its own entry.
	for _ in $(seq 100); do
		[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] && return
		sleep 0.05
	done
	fail "the program did not start its thread"
}

stop() {
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
}

# Both threads' faults, each under its symbol; 200 rounds a second are far more than ten.
check() {
	analyze trace
	summary trace.json complete sections by-function touch_again 20 symbol main_page 10 \
		symbol thread_page 10 threads 2
}

for_backend() {
	start
	elfault record --backend "$1" -o trace -p "$pid" -d 1
	kill -0 "$pid" || fail "the process did not live on"
	stop
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	check
}

@test "a process is recorded for a time and goes on, with BPF" { need_bpf; for_backend bpf; }
@test "a process is recorded for a time and goes on, with perf" { need_bpf; for_backend perf; }

@test "recording ends when the process does" {
	need_bpf
	start
	(sleep 1; kill "$pid") 3>&- &
	elfault record --backend bpf -o trace -p "$pid"
	stop
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	check
}

@test "a process that is not there is refused" {
	elfault record -o trace -p 999999999
	[ "$code" = 125 ]
	says 999999999
	[ ! -e trace ]
}
