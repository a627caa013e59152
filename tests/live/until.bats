#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault record --until and --mark: where the recording ends, when the conditions held as others saw it, what
# becomes of the command, and that its streams are its own.
load common

teardown() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
	cd /
	rm -rf "$T"
}

# A port that nothing listens on.
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# mark NAME KEY: of the account of `trace`.
mark() {
	"$ELFAULT" analyze --format json trace >trace.json
	jq -r --arg name "$1" ".account.marks[] | select(.name == \$name) | .$2" trace.json
}

# in_time COMMAND...: fails where it takes a minute.
in_time() {
	timeout 60 "$@"
}

serves() {
	local port
	port=$(free_port)
	python3 "$tests/support/ready.py" "$port" >seen 3>&- &
	elfault record --backend bpf --until "listen:$port" --then end -o trace -- \
		python3 -m http.server --bind 127.0.0.1 "$port" >output
	wait $!
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	"$ELFAULT" dump trace >trace.txt
	python3 "$tests/support/ready.py" --check trace.txt listen <seen
}

@test "a server is ready when a client can connect, within 2 ms" {
	need_bpf
	need python3 jq
	thrice serves
	[ "$(mark listen is_end)" = true ]
	# Nothing is later, and the account ends there.
	end=$(jq '.account.marks[] | select(.is_end) | .time_ns' trace.json)
	"$ELFAULT" analyze --format json --faults trace >faults.json
	jq -e --argjson last "$end" '[.faults[].time_ns] | length > 0 and max <= $last' faults.json
	jq -e '.account.wall_ns == (.account.marks[] | select(.is_end) | .since_ns)' trace.json
	grep -q 'listen held after .* the command was ended' messages
	"$ELFAULT" analyze trace | grep -q 'marks *listen .*(end)'
	"$ELFAULT" analyze --full trace | grep -q 'from exec to listen'
}

@test "a socket has a path, or a name" {
	need_bpf
	need python3 jq
	cat >sockets.py <<-'PROGRAM'
		import socket, time
		sockets = [socket.socket(socket.AF_UNIX) for i in range(3)]
		for one, address in zip(sockets, ["./other", "./path", "\0name"]):
		    one.bind(address)
		    one.listen()
		    time.sleep(0.05)
		time.sleep(20)
	PROGRAM
	in_time "$ELFAULT" record --backend bpf --mark path=listen:./path --until listen:@name --then end -o trace -- \
		python3 sockets.py 2>messages
	between=$(($(mark listen time_ns) - $(mark path time_ns)))
	[ "$between" -ge 50000000 ]
}

@test "a line of output and a line to ELFAULT_MARK end it, each with its time" {
	need_bpf
	need jq
	cat >starts.sh <<-'SCRIPT'
		echo hello
		date +%s%N >before
		echo step >>"$ELFAULT_MARK"
		date +%s%N >after
		printf 'server '
		sleep 0.05
		echo 'ready 8080' >&2
		sleep 20
	SCRIPT
	in_time "$ELFAULT" record --backend bpf --until 'output~^ready [0-9]+$' --mark step=mark:step --then end \
		-o trace -- bash starts.sh >out 2>messages
	[ "$(cat out)" = "hello
server " ]
	grep -q '^ready 8080$' messages
	at=$(mark step time_ns)
	[ "$(mark output time_ns)" -ge $((at + 50000000)) ]
	[ "$(mark step is_end)" = false ]
	# By the clock of the script, which wrote it between two looks.
	"$ELFAULT" dump trace >trace.txt
	start=$(grep -o ' start=[0-9]*' trace.txt | head -1 | cut -d= -f2)
	unix=$(grep -o ' start_unix=[0-9]*' trace.txt | head -1 | cut -d= -f2)
	step=$(grep -o '^mark time=[0-9]*.*name="step"' trace.txt | cut -d' ' -f2 | cut -d= -f2)
	[ $((step - start + unix)) -ge $(($(cat before) - 1000000)) ]
	[ $((step - start + unix)) -le $(($(cat after) + 1000000)) ]
}

@test "by default the command goes on, and its terminal stays its own" {
	need_bpf
	need python3 jq script
	cat >goes-on.sh <<-'SCRIPT'
		trap '' HUP # the terminal goes away
		[ -t 1 ] && [ -t 2 ] && echo terminal >where
		echo ready
		sleep 1
		: >finished
	SCRIPT
	in_time script -qec "$ELFAULT record --backend bpf --until output~ready -o trace -- bash goes-on.sh" typescript \
		</dev/null >/dev/null
	[ "$(cat where)" = terminal ]
	[ ! -e finished ]
	grep -q 'the command goes on' typescript
	sleep 2
	[ -e finished ]
}

@test "a condition that never held leaves the whole recording, and exit status 124" {
	need_bpf
	need jq
	elfault record --backend bpf --until listen:1 --mark 'x=output~nothing' -o trace -- sh -c 'exit 3'
	[ "$code" = 124 ]
	grep -q 'no condition of --until held' messages
	[ "$(mark listen time_ns)" = null ]
	jq -e '.trace.complete and .counts.rusage_minor != null' trace.json
	"$ELFAULT" analyze trace | grep -q 'not seen: listen, x'
}

@test "files, programs, functions, sd_notify and quiet, each with its time" {
	need_bpf
	need python3 jq
	: >there
	cat >steps.py <<-'PROGRAM'
		import os, socket, subprocess, time
		def step(name):
		    print(name, time.monotonic_ns(), flush=True)
		    time.sleep(0.03)
		step("begin")
		open("made", "w").close()
		step("made")
		open("there").close()
		step("there")
		subprocess.run(["sleep", "0"])
		step("exec")
		ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		ready.sendto(b"STATUS=x\nREADY=1\n", "\0" + os.environ["NOTIFY_SOCKET"][1:])
		step("notify")
		until = time.monotonic() + 0.05
		while time.monotonic() < until:
		    pass
		step("quiet")
		time.sleep(20)
	PROGRAM
	in_time "$ELFAULT" record --backend bpf --mark made=file:made+created --mark there=file:there \
		--mark old=file:there+created --mark exec=exec:sleep --mark notify=notify --until quiet:300 --then end \
		-o trace -- "$(python3 -c 'import sys; print(sys.executable)')" steps.py >said 2>messages
	[ "$(mark old time_ns)" = null ]
	"$ELFAULT" dump trace >trace.txt
	# Each between the step before it and its own, the quiet just behind the last one.
	before=$(awk '$1 == "begin" { print $2 }' said)
	for name in made there exec notify; do
		after=$(awk -v name="$name" '$1 == name { print $2 }' said)
		echo "$before $after" | python3 "$tests/support/ready.py" --check trace.txt "$name"
		before=$after
	done
	last=$(awk '$1 == "quiet" { print $2 }' said)
	# Not 300 ms later, when it was seen, however late the program came to its sleep.
	echo "$last $((last + 250000000))" | python3 "$tests/support/ready.py" --check trace.txt quiet

	in_time "$ELFAULT" record --backend bpf --mark alone=function:alone --until function:main -o trace -- \
		"$PROGRAMS/touch-bfd-pie" >/dev/null 2>messages
	"$ELFAULT" dump trace | grep -q '^mark .*condition="function:.*recording=ends'
	elfault record --backend bpf --until function:no_such_function -- "$PROGRAMS/touch-bfd-pie"
	[ "$code" = 125 ]
	grep -q 'no symbol of that name' messages
}

@test "without BPF some conditions work, and the others are refused at once" {
	need jq
	in_time "$ELFAULT" record --backend perf --until exec:sleep --then end -o trace -- sh -c 'sleep 20; :' 2>messages
	[ "$(mark exec is_end)" = true ]
	in_time "$ELFAULT" record --backend perf --until 100ms --then end -o trace -- sleep 20 2>messages
	[ "$(mark 100ms since_ns)" = 100000000 ]
	for condition in listen output~x file:x function:main quiet:100 mark:x; do
		elfault record --backend perf --until "$condition" -o none -- sh -c ': >started'
		[ "$code" = 125 ]
		grep -q 'which BPF does' messages
		[ ! -e started ] && [ ! -e none ]
	done
}

@test "a program that goes on in the background is recorded until its condition" {
	need_bpf
	need jq
	in_time "$ELFAULT" record --backend bpf --until output~up --then end -o trace -- \
		sh -c '(sleep 0.2; echo up; sleep 20) & exit 0' >out 2>messages
	[ "$(cat out)" = up ]
	[ "$(mark output is_end)" = true ]
	# The condition and the end at once: either of both is told, and the trace is whole.
	for _ in 1 2 3 4 5; do
		elfault record --backend bpf --until output~bye -o trace -- sh -c 'echo bye' >out
		[ "$code" = 0 ]
		"$ELFAULT" analyze --format json trace | jq -e '.trace.complete and .account.marks[0].is_end'
	done
}

@test "a process that runs already is recorded until it says so, and goes on" {
	need_bpf
	need jq
	sh -c 'echo begins; until [ -e trace ]; do sleep 0.1; done; sleep 0.5; echo ready; sleep 20; true' >out 3>&- &
	server=$!
	# Its output is a file from then on, which the recorder looks up where it begins.
	until [ -s out ]; do sleep 0.02; done
	in_time "$ELFAULT" record --backend bpf -p "$server" --until output~ready -o trace 2>messages
	grep -q 'the process goes on' messages
	kill -0 "$server"
	[ "$(mark output is_end)" = true ]
	for condition in notify mark:x; do
		elfault record -p "$server" --until "$condition"
		[ "$code" = 2 ]
	done
}

@test "a time, a signal, the first of several and all of them" {
	need_bpf
	need jq
	in_time "$ELFAULT" record --backend bpf --until 60s --until 100ms --then end -o trace -- sleep 30 2>messages
	[ "$(mark 100ms since_ns)" = 100000000 ]
	in_time "$ELFAULT" record --backend bpf --until output~b --until output~a --until-all --then end -o trace -- \
		sh -c 'echo a; sleep 0.1; echo b; sleep 30' >/dev/null 2>messages
	[ "$(mark output is_end)" = true ]
	[ "$(mark output~a is_end)" = false ]
	rm -f trace
	"$ELFAULT" record --backend bpf --until signal --then end -o trace -- sleep 30 2>messages 3>&- &
	is_recording
	await [ -e trace ]
	sleep 0.2
	kill -USR1 "$recorder"
	wait "$recorder"
	[ "$(mark signal is_end)" = true ]
}

@test "what is no condition, and what has no name of its own, is refused" {
	elfault record --until lissen:80 -- true
	[ "$code" = 2 ]
	grep -q "'lissen:80' is no condition; conditions are listen" messages
	elfault record --until listen:http -- true
	[ "$code" = 2 ]
	elfault record --until 'output~(' -- true
	[ "$code" = 2 ]
	elfault record --mark a=5s --mark a=6s -- true
	[ "$code" = 2 ]
	elfault record --then end -- true
	[ "$code" = 2 ]
}
