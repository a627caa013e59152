#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Sets of repeats: `elfault record --repeat`, and what diff makes of two of them.
load common

# repeat WORDS...: record --repeat WORDS, with the backend that needs no root, and nothing unrecorded.
repeat() {
	elfault record --backend perf --no-plain --repeat "$@"
}

# status N: how the last elfault ended.
status_is() {
	[ "$code" = "$1" ] || fail "status $code and not $1: $(cat messages)"
}

# holds DIRECTORY FILES...: these, and nothing else, also nothing hidden.
holds() {
	local folder=$1
	shift
	[ "$(ls -A "$folder" | tr '\n' ' ')" = "${*:+$* }" ] || fail "$folder holds $(ls -A "$folder"), not $*"
}

@test "a set is a directory of whole traces, and the last line says what comes next" {
	need_bpf
	elfault record --backend bpf --no-plain --repeat 3 -- sh -c 'echo run >>runs'
	status_is 0
	[ "$(wc -l <runs)" = 3 ]
	holds elfault.repeats 1.trace 2.trace 3.trace
	[ "$(stat -c %a elfault.repeats elfault.repeats/*.trace | tr '\n' ' ')" = "700 600 600 600 " ]
	[ "$(wc -l <messages)" = 4 ] || fail "$(cat messages)"
	local run sum=0
	for run in 1 2 3; do
		"$ELFAULT" analyze --format json elfault.repeats/$run.trace >out
		jq -e '.trace.complete and .counts.recorded > 30' out >/dev/null || fail "run $run"
		sed -n ${run}p messages | grep -qx "elfault: run $run of 3: $(jq .counts.recorded out) faults (0 lost)" ||
			fail "line $run: $(cat messages)"
		sum=$((sum + $(jq .counts.recorded out)))
	done
	tail -n 1 messages | grep -qxF "elfault: elfault.repeats: 3 runs, $sum faults (0 lost) of sh -c …, bpf; next: elfault analyze elfault.repeats" ||
		fail "last line: $(tail -n 1 messages)"
}

@test "the command also runs unrecorded in turn, and its times are kept in each trace" {
	need_bpf
	need jq
	cat >busy <<-'END'
		#!/bin/sh
		echo run >>runs
		for i in 1 2 3 4; do n=0; while [ $n -lt 20000 ]; do n=$((n + 1)); done; done
		sleep 0.3 &
		exit 3
	END
	chmod +x busy
	elfault record --backend bpf --repeat 3 -o set -- ./busy
	status_is 3
	[ "$(wc -l <runs)" = 6 ] || fail "$(cat runs)"
	holds set 1.trace 2.trace 3.trace
	tail -n 2 messages | head -n 1 | grep -qE "^elfault: set: medians: wall time [0-9.]+ ms plain, [0-9.]+ ms recorded \(x [0-9.]+\); processor time [0-9.]+ ms plain, [0-9.]+ ms recorded \(x [0-9.]+\)$" ||
		fail "$(cat messages)"
	# What the kernel counts of it beside the same command of the shell, from fork to wait.
	local run user
	user=$(bash -c 'TIMEFORMAT="%U %S"; time ./busy' 2>&1 | awk '{ print ($1 + $2) * 1e9 }')
	for run in 1 2 3; do
		"$ELFAULT" analyze --format json set/$run.trace >out
		jq -e --argjson user "$user" '.trace.plain | .minor > 50 and .wall_ns > 0 and
			.user_ns + .system_ns > $user / 3 and .user_ns + .system_ns < $user * 3 and
			.wall_ns >= .user_ns' out >/dev/null || fail "$user: $(jq .trace.plain out)"
		# What the plain run left behind is not in the kernel's count of the recorded one.
		jq -e '.trace.complete' out >/dev/null || fail "$(jq -c .notes out)"
	done
	# The whole set: the kernel's own medians beside what is told without the recording.
	"$ELFAULT" analyze set >out 2>messages || fail "$(cat messages)"
	grep -qE "^  runs +3 in set; below is [123].trace, the nearest to the median$" out || fail "$(cat out)"
	grep -qE "^  processor  .*ms .*ms .*ms .*ms$" out || fail "$(cat out)"
	"$ELFAULT" analyze --format json set >out
	jq -e '.set.runs == 3 and .set.plain.runs == 3 and .set.shown == .trace.path and
		.set.processor_ns.median > .set.plain.processor_ns / 2 and
		.set.processor_ns.median < .set.plain.processor_ns * 2 and
		.set.own_ns.least <= .set.own_ns.median and .set.own_ns.median <= .set.own_ns.most' out >/dev/null ||
		fail "$(jq .set out)"
	[ "$(jq .set.plain.processor_ns out)" = "$(for run in 1 2 3; do "$ELFAULT" analyze --format json set/$run.trace; done |
		jq -s 'map(.trace.plain | .user_ns + .system_ns) | sort | .[1]')" ] || fail "$(jq .set out)"
	"$ELFAULT" redact set/1.trace -o redacted
	[ "$("$ELFAULT" analyze --format json redacted | jq -c .trace.plain)" = \
		"$("$ELFAULT" analyze --format json set/1.trace | jq -c .trace.plain)" ]
	repeat 2 -o set -- true
	"$ELFAULT" analyze --format json set/1.trace | jq -e '.trace.plain == null' >/dev/null || fail "plain"
	! grep -q "medians" messages || fail "$(cat messages)"
	elfault record --no-plain -- true
	status_is 2
	says "--repeat"
}

@test "a signal while the command runs unrecorded ends it and the set" {
	"$ELFAULT" record --backend perf --repeat 2 -o set -- sh -c 'echo $$ >>runs; exec sleep 60' 2>messages &
	local recorder=$!
	until [ -e runs ] && grep -q sleep "/proc/$(cat runs)/comm" 2>/dev/null; do sleep 0.02; done
	kill -TERM $recorder
	code=0
	wait $recorder || code=$?
	status_is 143
	says "run 1 of 2: interrupted" "stopped by SIGTERM after 0 of 2 runs" "no run was recorded"
	[ ! -e set ] && [ "$(wc -l <runs)" = 1 ]
	! kill -0 "$(cat runs)" 2>/dev/null || fail "the command lives on"
}

@test "an older set is kept as .old, and a yet older one is gone" {
	for count in 4 3 2; do
		repeat $count -o set/ -- true
		status_is 0
	done
	holds set 1.trace 2.trace
	holds set.old 1.trace 2.trace 3.trace
	holds . messages set set.old
}

@test "a directory that holds anything else is neither moved nor emptied" {
	mkdir work work.old
	touch work/main.c
	repeat 2 -o work -- touch started
	status_is 125
	says "work: not replaced, since it contains more than traces (main.c)" "-o"
	rm work/main.c
	touch work/1.trace work.old/main.c
	repeat 2 -o work -- touch started
	status_is 125
	says "work.old: not replaced, since it contains more than traces (main.c)"
	ln -s work link
	repeat 2 -o link -- touch started
	status_is 125
	says "link: is a symbolic link"
	for name in . .. / ''; do
		repeat 2 -o "$name" -- touch started
		status_is 125
		says "'$name' does not name a directory"
	done
	[ ! -e started ]
	holds work 1.trace
	holds work.old main.c
	holds . link messages work work.old
}

@test "the first status that is not 0 comes through, and the others run all the same" {
	repeat 4 -o set -- sh -c 'echo run >>runs; n=$(wc -l <runs); [ "$n" -lt 2 ] || exit "$n"'
	status_is 2
	holds set 1.trace 2.trace 3.trace 4.trace
	says "run 2 of 4: " ", exit status 4" "set: 4 runs, "
	repeat 2 -o set -- sh -c 'kill -SEGV $$'
	status_is 139
	holds set 1.trace 2.trace
}

@test "a command that cannot be run leaves the older set alone" {
	repeat 2 -o set -- true
	repeat 3 -o set -- ./none
	status_is 127
	says "run 1 of 3: ./none: command not found" "no run was recorded"
	touch plain
	repeat 3 -o set -- ./plain
	status_is 126
	says "Permission denied"
	holds set 1.trace 2.trace
	holds . messages plain set
}

@test "a command that is gone after some runs ends the set with what there is" {
	cat >gone <<-'END'
		#!/bin/sh
		[ -e first ] && rm gone
		touch first
	END
	chmod +x gone
	repeat 4 -o set -- ./gone
	status_is 127
	says "run 3 of 4: ./gone: command not found"
	tail -n 1 messages | grep -q "^elfault: set: 2 runs, " || fail "$(cat messages)"
	holds set 1.trace 2.trace
}

# signalled HOW: `HOW PID` stops a set in its second run; the command's pids are in `runs`.
signalled() {
	rm -rf set runs
	# In the background a shell lets SIGINT be ignored, by the command too.
	env --default-signal=INT "$ELFAULT" record --backend perf --no-plain --repeat 4 -o set -- sh -c '
		echo $$ >>runs; [ "$(wc -l <runs)" = 1 ] || exec sleep 60' 2>messages &
	local recorder=$!
	until [ -e runs ] && [ "$(wc -l <runs)" = 2 ] && grep -q sleep "/proc/$(tail -n 1 runs)/comm" 2>/dev/null; do
		kill -0 $recorder || fail "the recorder has ended: $(cat messages)"
		sleep 0.02
	done
	"$@" $recorder
	code=0
	wait $recorder || code=$?
	says "run 2 of 4: interrupted, so its trace was removed" " after 1 of 4 runs" "set: 1 run, "
	holds set 1.trace
	[ "$(wc -l <runs)" = 2 ] || fail "there was another run"
	! kill -0 "$(tail -n 1 runs)" 2>/dev/null || fail "the command lives on"
}

@test "a signal to elfault ends the command and the set" {
	signalled kill -TERM
	status_is 143
	signalled kill -INT
	status_is 130
}

@test "Ctrl-C ends the command and the set" {
	need python3
	cat >typing.py <<-'END'
		import os, pty, sys, time
		pid, terminal = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		while not os.path.exists("runs") or len(open("runs").readlines()) < 2:
		    if os.waitpid(pid, os.WNOHANG)[0]:
		        sys.exit("it has ended: " + os.read(terminal, 4096).decode())
		    time.sleep(0.02)
		os.write(terminal, b"\x03")
		said = b""
		try:
		    while part := os.read(terminal, 4096):
		        said += part
		except OSError:
		    pass  # the other end is closed
		sys.stdout.buffer.write(said)
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	code=0
	python3 typing.py "$ELFAULT" record --backend perf --no-plain --repeat 4 -o set -- \
		sh -c 'echo run >>runs; [ "$(wc -l <runs)" = 1 ] || exec sleep 60' >messages || code=$?
	status_is 130
	says "stopped by SIGINT after 1 of 4 runs"
	holds set 1.trace
	[ "$(wc -l <runs)" = 2 ]
}

@test "under nohup a hangup ends nothing" {
	nohup "$ELFAULT" record --backend perf --repeat 2 -o set -- \
		sh -c 'echo run >>runs; sleep 0.5' >/dev/null 2>messages &
	local recorder=$!
	until [ -e runs ]; do
		kill -0 $recorder || fail "$(cat messages)"
		sleep 0.02
	done
	kill -HUP $recorder
	wait $recorder || fail "$(cat messages)"
	holds set 1.trace 2.trace
}

@test "notes that every run has are said once; --quiet says nothing" {
	repeat 3 -o set -- true
	[ "$(grep -c "^elfault: note: perf backend: no error codes" messages)" = 1 ] || fail "$(cat messages)"
	repeat 2 --quiet -o set -- true
	status_is 0
	[ ! -s messages ] || fail "$(cat messages)"
}

@test "--strict makes a loss in any run an error of the set" {
	need_bpf
	elfault record --backend bpf --strict --ring-size 4K --repeat 2 -o set -- "$PROGRAMS/storm" 100
	status_is 4
	tail -n 1 messages | grep -qE "set: 2 runs, [0-9,]+ faults \([1-9][0-9,]* lost" || fail "$(cat messages)"
	elfault record --backend bpf --no-stacks --strict --repeat 2 -o set -- "$PROGRAMS/storm" 1
	status_is 0
}

@test "--repeat goes with a COMMAND and a number" {
	for words in "--repeat 2 -p $$" "--repeat 0 -- true" "--repeat -1 -- true" "--repeat many -- true"; do
		# shellcheck disable=SC2086 # words of one command
		elfault record $words
		status_is 2
		says "--repeat"
	done
}

@test "under sudo the set belongs to the user who called" {
	need_bpf
	cp "$ELFAULT" copy
	chmod 755 copy
	mkdir home rootonly
	chown 65534:65534 home
	cd home
	for _ in 1 2; do
		SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody ../copy record --backend bpf --repeat 2 -o set -- \
			id -u >ids 2>../messages || fail "$(cat ../messages)"
	done
	# Each run, and the plain one before it.
	[ "$(tr '\n' ' ' <ids)" = "65534 65534 65534 65534 " ]
	[ "$(stat -c '%u %g %a' set set.old set/1.trace set/2.trace set.old/2.trace | tr '\n' ,)" = \
		"65534 65534 700,65534 65534 700,65534 65534 600,65534 65534 600,65534 65534 600," ]
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody ../copy diff set.old set >../out 2>../messages ||
		fail "$(cat ../messages)"
	code=0
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody ../copy record --backend bpf --repeat 2 \
		-o ../rootonly/set -- touch started 2>../messages || code=$?
	[ "$code" = 125 ] && [ ! -e started ] && [ -z "$(ls ../rootonly)" ]
}

@test "sets of one build differ by noise alone, and each run counts" {
	need_bpf
	need setarch jq
	[ -x "$PROGRAMS/touch-bfd-pie" ] || skip "touch-bfd-pie was not built"
	small 64m
	cp "$PROGRAMS/touch-bfd-pie" small/touch
	hold
	small/touch >out || true
	for side in one two; do
		setarch -R "$ELFAULT" record --backend bpf --repeat 5 -o $side -- small/touch >out 2>messages ||
			fail "$(cat messages)"
	done
	"$ELFAULT" diff --format json one two >diff.json
	jq -e '(.before | length) == 5 and (.after | length) == 5 and .can_tell' diff.json >/dev/null ||
		fail "sides: $(jq -c '[.before, .after, .can_tell]' diff.json)"
	jq -e 'all(.by_initiator[], .by_mechanism[], .by_object[], .by_cause[]; .faults.verdict != "real")' diff.json >/dev/null ||
		fail "real: $(jq -c '.by_cause[] | select(.faults.verdict == "real")' diff.json)"
	"$ELFAULT" diff one two | grep -q "^Medians of 5 and 5 runs" || fail "$("$ELFAULT" diff one two)"
}
