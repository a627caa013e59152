#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault record --until where something goes wrong, or everything happens at once: the moment is still that of the program's own
# clock, before and after the call that makes it.
load common

teardown() {
	cd /
	[ -z "${daemon:-}" ] || kill "$daemon" 2>/dev/null || true
	rm -rf "$T"
}

# holds NAME [OPTION...] -- COMMAND...: the mark NAME lies between the two moments that COMMAND writes to `said`.
holds() {
	local name=$1
	shift
	rm -f said
	timeout 120 "$ELFAULT" record --backend bpf -o trace "$@" >output 2>messages || fail "ended with $?: $(cat messages)"
	"$ELFAULT" dump trace >trace.txt
	python3 "$tests/support/ready.py" --check trace.txt "$name" <said
}

# listen.py: functions for programs that listen and say when.
listener() {
	cat >listener.py <<-'PROGRAM'
		import os, signal, socket, sys, threading, time
		def listen(name):
		    server = socket.socket(socket.AF_UNIX)
		    server.bind("\0" + name)
		    server.listen()
		    return server
		def said(name):
		    # The recorder may end the program as soon as it has seen it listen.
		    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
		    before = time.monotonic_ns()
		    server = listen(name)
		    with open("said", "w") as file:
		        file.write(f"{before} {time.monotonic_ns()}\n")
		    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
		    return server
	PROGRAM
	python=$(python3 -c 'import sys; print(sys.executable)')
	export PYTHONPATH=$T PYTHONDONTWRITEBYTECODE=1
}

@test "a recorder that is killed leaves a trace with the marks that held" {
	need_bpf
	need jq
	"$ELFAULT" record --backend bpf --mark first=output~one --mark later=output~two --until output~never -o trace -- \
		sh -c 'echo one; sleep 0.2; echo two; sleep 30' >output 2>messages 3>&- &
	is_recording
	await grep -q two output
	# It comes by every 50 ms.
	sleep 1
	kill -KILL "$recorder"
	wait "$recorder" || true
	"$ELFAULT" analyze --allow-truncated --format json trace >trace.json
	jq -e '[.account.marks[] | select(.time_ns != null) | .name] == ["first", "later"]' trace.json
	jq -e '.account.marks | .[1].time_ns - .[0].time_ns >= 200000000' trace.json
	jq -e '.trace.complete | not' trace.json
}

@test "the condition and the end of the program at once, of every kind" {
	need_bpf
	need python3
	listener
	for _ in 1 2 3 4 5; do
		holds listen --until listen -- "$python" -c 'from listener import *; said("x"); os._exit(0)'
		rm -f made
		elfault record --backend bpf --until file:made+created -o trace -- sh -c ': >made'
		[ "$code" = 0 ]
		elfault record --backend bpf --until exec:true -o trace -- true
		[ "$code" = 0 ]
		elfault record --backend bpf --until mark:end -o trace -- sh -c 'echo end >>"$ELFAULT_MARK"'
		[ "$code" = 0 ]
		elfault record --backend bpf --until notify -o trace -- "$python" -c '
import os, socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", "\0" + os.environ["NOTIFY_SOCKET"][1:])
os._exit(0)'
		[ "$code" = 0 ]
	done
}

@test "in a storm of forks" {
	need_bpf
	need python3
	listener
	holds listen --until listen --then end -- "$python" -c '
from listener import *
for i in range(500):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
server = said("storm")
while True:
    if os.fork() == 0:
        os._exit(0)
    os.wait()'
	grep -q '(0 lost)' messages
}

@test "a thread other than the first executes the program that listens" {
	need_bpf
	need python3
	listener
	holds listen --until listen --mark exec=exec:sleeper --then end -- "$python" -c '
from listener import *
os.symlink(sys.executable, "sleeper")
def run():
    time.sleep(0.05)
    os.execv("sleeper", ["sleeper", "-c", "from listener import *; server = said(\"x\"); time.sleep(20)"])
threading.Thread(target=run).start()
time.sleep(20)'
	# The program has the number of the process then, not the thread's.
	grep '^mark .*name="listen"' trace.txt >mark
	pid=$(grep -o ' pid=[0-9]*' mark)
	! grep -q ' tid=' mark || [ "$(grep -o ' tid=[0-9]*' mark)" = "${pid/p/t}" ]
	grep -q '^mark .*name="exec"' trace.txt
	! grep -q '^mark .*name="exec".*held=never' trace.txt
}

@test "the last of 1,000 listening sockets" {
	need_bpf
	need python3
	listener
	holds last --mark first=listen --mark last=listen:@s999 --mark none=listen:@s1000 --until listen:@end --then end -- \
		"$python" -c '
from listener import *
servers = [listen(f"s{i}") for i in range(999)]
servers += [said("s999"), listen("end")]
time.sleep(20)'
	grep -q '^mark .*name="none".*held=never' trace.txt
	first=$(grep -o '^mark time=[0-9]*.*name="first"' trace.txt | grep -o 'time=[0-9]*')
	[ "${first#time=}" -lt "$(cut -d' ' -f1 said)" ]
}

@test "a program that becomes a daemon is recorded until it listens, and ended" {
	need_bpf
	need python3
	listener
	holds listen --until listen --then end -- "$python" -c '
from listener import *
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
null = os.open(os.devnull, os.O_RDWR)
for fd in range(3):
    os.dup2(null, fd)
time.sleep(0.3)
server = said("daemon")
open("pid", "w").write(str(os.getpid()))
time.sleep(60)'
	daemon=$(cat pid)
	! kill -0 "$daemon" 2>/dev/null
}

@test "what a program leaves in the background is waited for, however soon the program ends" {
	need_bpf
	busy 4
	# Four at a time: so the loops take the processors from other tests for less than half the time.
	leaves() {
		mkdir "$1"
		cd "$1"
		timeout 120 "$ELFAULT" record --backend bpf -o trace --until file:there -- sh -c '(sleep 0.05; : >there) &' 2>messages ||
			fail "$1: ended with $?: $(cat messages)"
		grep -q ' held after ' messages || fail "$1: $(cat messages)"
	}
	local round at recorders
	for round in 1 2 3 4 5; do
		recorders=()
		for at in 1 2 3 4; do
			leaves "$round-$at" &
			recorders+=($!)
		done
		for at in "${recorders[@]}"; do wait "$at"; done
	done
}
