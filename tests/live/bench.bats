#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Starts in turn, unrecorded: their order, counts and statuses. No time is judged: of a busy machine none is known.
load common

# bench WORDS...: with JSON in out.
bench() {
	code=0
	"$ELFAULT" bench --recordings 0 --format json "$@" >out 2>messages || code=$?
}

status_is() {
	[ "$code" = "$1" ] || fail "status $code and not $1: $(cat messages)"
}

@test "two commands start in counterbalanced order, after their warm-up" {
	bench --warmup 2 --runs 4 -- sh -c 'echo A >>order' -- sh -c 'echo B >>order'
	status_is 0
	tr -d '\n' <order | grep -qxE '(ABBA|BAAB){3}' || fail "$(tr -d '\n' <order)"
	[ "$(tr -d '\n' <order | tail -c 8)" = "$(jq -r '[.commands | to_entries[] | ["A", "B"][.key] as $name | .value.runs[] |
		{seq, $name}] | sort_by(.seq) | map(.name) | join("")' out)" ] || fail "$(cat out)"
	jq -e '.schema == "elfault.bench/1" and .warmups == 2 and
		([.commands[].runs[].seq] | sort) == [range(8)] and
		[.commands[] | .starts, .failed] == [4, 0, 4, 0] and
		.difference.verdict == "too-few" and .difference.pairs == 4 and .difference.low == null' out ||
		fail "$(cat out)"
}

@test "one command has no verdict" {
	bench --runs 3 -- true
	status_is 0
	jq -e '(.commands | length) == 1 and .commands[0].command == ["true"] and .difference == null' out || fail "$(cat out)"
	"$ELFAULT" bench --recordings 0 --runs 3 true >text
	grep -qx 'A  true' text && ! grep -q 'B ' text || fail "$(cat text)"
	grep -qx 'A recorded start: none: --recordings 0 records no starts' text || fail "$(cat text)"
}

@test "faults are those that the kernel counts of the command" {
	bench --runs 5 -- "$PROGRAMS/touch-bfd-pie"
	status_is 0
	command -v perf >/dev/null || skip "perf is not installed"
	perf stat -x, -e page-faults -o counted "$PROGRAMS/touch-bfd-pie"
	local counted
	counted=$(awk -F, '/page-faults/ { print $1 }' counted)
	# What perf's child does before its exec is counted as well, as is the argument page that exec fills.
	jq -e --argjson counted "$counted" '.commands[0].minor.median - $counted | fabs <= 15' out ||
		fail "$(jq .commands[0].minor out), perf $counted"
}

@test "what a start waits for a processor is told, and the rest is its own time" {
	taskset -c 0 sh -c 'while :; do :; done' &
	local loop=$!
	bench --runs 6 -- taskset -c 0 sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'
	kill "$loop"
	status_is 0
	jq -e '.commands[0] | .late_ns.median > .wall_ns.median / 10 and
		([.runs[] | (.wall_ns - .late_ns) / (.user_ns + .system_ns) | select(. < 0.95 or . > 1.2)] | length) <= 1' out ||
		fail "$(cat out)"
}

@test "a failing command ends it with its status, unless that is to be ignored" {
	bench --runs 6 -- true -- sh -c 'exit 3'
	status_is 3
	[ ! -s out ]
	grep -qx 'elfault: sh: exit status 3; --ignore-failure .*' messages || fail "$(cat messages)"
	bench --runs 6 -- sh -c 'kill -9 $$'
	status_is 137
	bench --ignore-failure --runs 6 -- true -- sh -c 'kill -9 $$'
	status_is 0
	jq -e '[.commands[].failed] == [0, 6] and ([.commands[1].runs[].exit_status] | unique) == [137]' out || fail "$(cat out)"
	bench --ignore-failure -- ./nosuch
	status_is 127
	touch file
	bench -- true -- ./file
	status_is 126
	bench -- true -- true -- true
	status_is 2
	bench -- true --
	status_is 2
}

@test "the commands' streams are thrown away, or left as they are" {
	bench --runs 2 -- sh -c 'echo out; echo err >&2; cat' <<<"in"
	status_is 0
	! grep -q out out && [ ! -s messages ] || fail "$(cat out messages)"
	"$ELFAULT" bench --recordings 0 --show-output --warmup 0 --runs 2 -- sh -c 'echo shown; read -r line; echo "read $line"' <<<"in" >text 2>&1
	[ "$(grep -cx shown text)" = 2 ] && grep -qx 'read in' text || fail "$(cat text)"
}

@test "arguments are not written to a file unless asked for" {
	bench --runs 1 -- sh -c true secret
	jq -e '.commands[0].command | join(" ") | contains("secret") | not' out || fail "$(cat out)"
	bench --runs 1 --arguments -- sh -c true secret
	jq -e '.commands[0].command == ["sh", "-c", "true", "secret"]' out || fail "$(cat out)"
}

@test "the reason is in recordings that follow" {
	need_bpf
	local programs=("$PROGRAMS/touch-bfd-pie" "$PROGRAMS/touch-bfd-no-pie")
	export TMPDIR=$T/recordings
	mkdir -m 1777 "$TMPDIR"
	code=0
	"$ELFAULT" bench --runs 60 --format json -- "${programs[0]}" -- "${programs[1]}" >out 2>messages || code=$?
	status_is 0
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$(ls -R "$TMPDIR")"
	# Where the machine is too busy for a verdict nothing is recorded.
	if jq -e '.difference.verdict == "faster"' out >/dev/null; then
		jq -e '.recorded == 7 and .no_reason == null and
			(.reason == null or .reason.finding == "fixed-address" or .reason.finding == null)' out || fail "$(cat out)"
		[ ! -s messages ] || fail "$(cat messages)"
	else
		jq -e '.recorded == 0 and .reason == null and .no_reason != null' out || fail "$(cat out)"
	fi
	# That a line of a program has faults of the cause, whatever time says, needs no quiet machine.
	"$ELFAULT" bench --runs 2 --recordings 1 --format json -- "${programs[0]}" >out
	jq -e '.recorded == 1 and ([.parts[].initiator] | index("relocation") != null) and
		([.parts[].ns] | . == (sort | reverse))' out || fail "$(cat out)"
}

@test "a start that cannot be recorded leaves the verdict" {
	code=0
	TMPDIR=$T/nosuch "$ELFAULT" bench --runs 2 --format json -- true >out 2>messages || code=$?
	status_is 0
	jq -e '.recorded == 0 and .parts == null and .no_reason == "the starts could not be recorded"' out || fail "$(cat out)"
	grep -q 'No such file or directory' messages || fail "$(cat messages)"
}

@test "a recording that fails is named by its number among those that were asked for" {
	cat >leaving <<-'EOF'
		#!/bin/sh
		echo >>starts
		[ "$(wc -l <starts)" -lt 2 ] || rm leaving
	EOF
	chmod +x leaving
	code=0
	"$ELFAULT" bench --warmup 0 --runs 1 --recordings 3 --format json -- ./leaving >out 2>messages || code=$?
	status_is 0
	[ "$(cat messages)" = "elfault: run 2 of 3: ./leaving: command not found" ] || fail "$(cat messages)"
	jq -e '.recorded == 0 and .no_reason == "the starts could not be recorded"' out || fail "$(cat out)"
}

@test "what prepares a start runs before each, also before those that are recorded" {
	bench --warmup 1 --runs 2 --prepare 'printf p >>order' -- sh -c 'printf A >>order' -- sh -c 'printf B >>order'
	status_is 0
	grep -qxE '(pApB|pBpA){3}' order || fail "$(cat order)"
	: >order
	bench --warmup 0 --runs 2 --prepare 'printf a >>order' --prepare 'printf b >>order' -- sh -c 'printf A >>order' -- sh -c 'printf B >>order'
	status_is 0
	grep -qxE '(aAbB|bBaA){2}' order || fail "$(cat order)"
	: >order
	"$ELFAULT" bench --warmup 0 --runs 1 --recordings 1 --prepare 'printf p >>order' -- sh -c 'printf A >>order' >text
	[ "$(cat order)" = pApA ] || fail "$(cat order)"
	bench --prepare 'exit 4' -- true
	status_is 4
	grep -qx 'elfault: --prepare: exit status 4; .*' messages || fail "$(cat messages)"
	bench --prepare true --prepare true -- true
	status_is 2
}

@test "a cold start reads its files from storage, and leaves nothing behind" {
	need jq
	export TMPDIR=$T/recordings
	mkdir -m 1777 "$TMPDIR"
	# A file that no other program maps.
	cp "$PROGRAMS/touch-bfd-pie" alone
	bench --runs 3 -- ./alone
	status_is 0
	jq -e '.cold == false and ([.commands[0].runs[].major] | max) == 0' out || fail "$(cat out)"
	bench --cold --runs 3 -- ./alone
	status_is 0
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$(ls -R "$TMPDIR")"
	grep -q 'dropped from the page cache' out || fail "$(cat out)"
	[ "$(stat -f -c %T .)" != tmpfs ] || skip "a tmpfs has no storage"
	jq -e '.cold and ([.commands[0].runs[].major] | min) > 0' out || fail "$(cat out)"
}

@test "what is computed has a verdict while others compute" {
	need jq
	busy 3
	local loop='i=0; while [ $i -lt $0 ]; do i=$((i + 1)); done'
	bench --runs 30 -- sh -c "$loop" 20000 -- sh -c "$loop" 26000
	calm
	status_is 0
	jq -e '.processor_difference | .verdict == "slower" and .pairs == 30 and .low > 0.1 and .high < 0.5' out ||
		fail "$(jq -c .processor_difference out)"
	# As the kernel counts them.
	jq -e '[.commands[].runs[0] | .user_ns + .system_ns] | min > 1e6' out
}

@test "what a server and its child wait for a processor until it listens is told, and left out" {
	need_bpf
	# The child is waited for, and waits itself.
	cat >slow.py <<-'END'
		import os, socket, time
		if os.fork() == 0:
		    for i in range(1000000): pass
		    os._exit(0)
		os.wait()
		s = socket.socket()
		s.bind(("127.0.0.1", 0))
		s.listen()
		time.sleep(1000)
	END
	taskset -c 0 sh -c 'while :; do :; done' &
	local loop=$!
	bench --until listen --runs 3 --warmup 0 --recordings 0 -- taskset -c 0 /usr/bin/python3 -S slow.py
	kill "$loop"
	status_is 0
	# One processor for two: half of the time, more where others are on it as well.
	jq -e '.commands[0] | .late_ns.median > .wall_ns.median / 4 and
		([.runs[] | select(.own_ns != .wall_ns - .late_ns or .own_ns > 1.5 * .processor_ns)] | length) <= 1' out ||
		fail "$(cat out)"
}

@test "servers start until they listen, are ended then, and a slower one is told" {
	need_bpf
	mkdir temporary
	export TMPDIR=$PWD/temporary
	cat >server.py <<-'END'
		import socket, sys, time
		time.sleep(float(sys.argv[1]))
		s = socket.socket(socket.AF_UNIX)
		s.bind("\0elfault-bench-%s" % sys.argv[2])
		s.listen()
		open("listening", "a").write("x")
		time.sleep(1000)
	END
	server() { bench --until listen --runs 8 "${@:2}" -- /usr/bin/python3 -S server.py 0 $$ -- /usr/bin/python3 -S server.py "$1" $$; }
	# One address: each has ended before the next one starts.
	server 1.5
	status_is 0
	jq -e '.until == "listen" and .difference.verdict == "slower" and ([.commands[].starts] == [8, 8]) and
		.commands[1].wall_ns.least > 1500000000 and .commands[0].wall_ns.median < 1500000000 and
		.commands[0].user_ns == null and .commands[1].runs[0].system_ns == null and
		.commands[1].processor_ns.median < 1000000000 and .commands[0].processor_ns.least > 1000000 and
		.commands[0].minor.least > 300 and .processor_difference.pairs == 8' out || fail "$(cat out)"
	! pgrep -f "server.py .* $$" || fail "they run"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "left: $(ls -A "$TMPDIR")"
	# The recorded starts for the reason end there as well, and so does that which finds the files of cold ones.
	code=0
	"$ELFAULT" bench --until listen --cold --runs 6 --warmup 0 --recordings 4 -- /usr/bin/python3 -S server.py 0 $$ -- \
		/usr/bin/python3 -S server.py 1.5 $$ >text 2>messages || code=$?
	status_is 0
	grep -q '^until listen, each start recorded' text && grep -q '^Reason: wait takes 1\.[3-9].* s\? more\|^Reason: wait takes 1[3-9].. ms more' text || fail "$(cat text)"
	bench --until listen --runs 2 -- sh -c 'exit 3'
	status_is 124
	grep -q 'sh: no condition of --until held before it ended (exit status 3)' messages || fail "$(cat messages)"
	bench --until nothing -- true
	status_is 2
}
