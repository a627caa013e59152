#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Recording without privilege, by perf events, and what belongs to whom when there is privilege.
load common

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root, to become somebody else"
	need setpriv
}

# As an ordinary user: no capability, no group, no way to gain any.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		--no-new-privs -- "$@"
}

# Where nobody can reach the program under test.
copy_elfault() {
	cp "$ELFAULT" elfault
	chmod 755 elfault
	ELFAULT=$T/elfault
}

need_perf_events() {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] ||
		skip "kernel.perf_event_paranoid is above 2"
}

# places TRACE COMM: address, place and function of each user-mode fault of the program, in order.
places() {
	"$ELFAULT" analyze --format ndjson "$1" 2>messages | python3 -c '
import json, sys
for line in sys.stdin:
    fault = json.loads(line)
    at, by = fault["at"], fault["by"]
    if fault["mode"] == "user" and fault["comm"] == sys.argv[1]:
        print(fault["addr"], at["object"], at["section"], at["symbol"], at["symbol_offset"],
              by["ip"], by["function"])' "$2"
}

@test "an ordinary user sees through perf what root sees through BPF" {
	need_bpf
	need_root
	need_perf_events
	copy_elfault
	small 64m
	chmod 1777 small
	local mode
	for mode in pie static-pie no-pie; do
		cp "$PROGRAMS/touch-bfd-$mode" small/touch
		hold
		# One run, seen twice: root watches the user who watches the program. With stacks so short
		# all of it fits into the ring that a user is allowed, however late it is read.
		record bpf.trace setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
			--inh-caps -all --bounding-set -all -- \
			"$ELFAULT" record --backend perf --stack-size 1K -o small/perf.trace -- small/touch
		grep -q 'perf.trace: [0-9,]* faults (0 lost[;)]' messages || fail "$(cat messages)"
		places bpf.trace touch >bpf.places
		places small/perf.trace touch >perf.places
		[ "$(wc -l <perf.places)" -gt 150 ]
		diff bpf.places perf.places
		# The table holds too: access and mechanism are decoded and inferred.
		"$ELFAULT" analyze --format ndjson small/perf.trace >faults 2>messages
		python3 "$tests/support/expect.py" "$fixtures/touch.expected" small/touch \
			"bfd,$mode,$(zero_page)" <faults
		rm small/touch small/perf.trace
	done
}

@test "without privilege auto takes perf and says so; bpf is refused with the ways out" {
	need_root
	need_perf_events
	copy_elfault
	as_nobody "$ELFAULT" record -o trace -- true 2>messages || fail "$(cat messages)"
	says "perf"
	[ "$(stat -c '%u %a' trace)" = "65534 600" ]
	code=0
	as_nobody "$ELFAULT" record --backend bpf -o other -- true 2>messages || code=$?
	[ "$code" = 125 ] || fail "status $code"
	says "run it with sudo" "--backend perf"
	[ ! -e other ]
}

@test "an ordinary user's recorder that cannot run loses stacks and no fault" {
	need_root
	need_perf_events
	copy_elfault
	cp "$PROGRAMS/deep" .
	# Per CPU 2,800 faults, or 120 stacks.
	as_nobody "$ELFAULT" record --ring-size 512K -o trace -- \
		sh -c 'kill -STOP $PPID; ./deep 1 1; kill -CONT $PPID' 2>messages || fail "$(cat messages)"
	says "(0 lost; "
	analyze trace
	summary trace.json complete stacks-lost by-function write_pages 1000
}

@test "under sudo the command and the trace belong to the user who called" {
	need_bpf
	need_root
	copy_elfault
	mkdir home
	chown 65534:65534 home
	cd home
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody "$ELFAULT" record --backend bpf -o trace -- \
		sh -c 'id -u; id -g; id -G; touch made' >ids 2>../messages || fail "$(cat ../messages)"
	[ "$(tr '\n' ' ' <ids)" = "65534 65534 65534 " ]
	[ "$(stat -c %u made)" = 65534 ]
	[ "$(stat -c '%u %g %a' trace)" = "65534 65534 600" ]
}

@test "under sudo --root runs the command as root" {
	need_bpf
	need_root
	copy_elfault
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody "$ELFAULT" record --backend bpf --root \
		-o trace -- id -u >ids 2>messages || fail "$(cat messages)"
	[ "$(cat ids)" = 0 ]
	[ "$(stat -c '%u %a' trace)" = "65534 600" ]
}

@test "under sudo files that only root may read are not read" {
	need_root
	copy_elfault
	cp /bin/true program
	cp "$fixtures/../traces/small.txt" trace
	chmod 600 program trace
	for words in "map program" "dump trace" "analyze trace" "report trace -o x.html"; do
		code=0
		# shellcheck disable=SC2086 # words of one command
		SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody "$ELFAULT" $words >out 2>messages ||
			code=$?
		[ "$code" = 1 ] || fail "$words ended with $code"
		says "Permission denied"
	done
}

@test "under sudo no link leads the trace into a place that only root may write" {
	need_bpf
	need_root
	copy_elfault
	mkdir rootonly
	chmod 755 rootonly
	ln -s rootonly theirs
	chown -h 65534:65534 theirs
	code=0
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody "$ELFAULT" record --backend bpf \
		-o theirs/trace -- touch started 2>messages || code=$?
	[ "$code" = 125 ] || fail "status $code"
	[ -z "$(ls rootonly)" ]
	[ ! -e started ]
}

@test "sudo itself" {
	need_bpf
	need_root
	need sudo unshare
	copy_elfault
	# nobody may call sudo only in a mount namespace that ends with the test.
	code=0
	unshare --mount sh -ec '
		echo "nobody ALL=(ALL) NOPASSWD: ALL" >sudoers
		chmod 440 sudoers
		mount --bind sudoers /etc/sudoers
		setpriv --reuid 65534 --regid 65534 --init-groups -- sudo -n true' 2>messages || code=$?
	[ "$code" = 0 ] || skip "sudo does not work here: $(tail -n 1 messages)"
	mkdir home
	chown 65534:65534 home
	unshare --mount sh -ec '
		mount --bind sudoers /etc/sudoers
		cd home
		setpriv --reuid 65534 --regid 65534 --init-groups -- \
			sudo -n "$0" record --backend bpf -o trace -- id -u >../ids' "$ELFAULT" \
		2>messages || fail "$(cat messages)"
	[ "$(cat ids)" = 65534 ]
	[ "$(stat -c '%u %a' home/trace)" = "65534 600" ]
}

@test "a secret on the stack is not in the trace" {
	need_bpf
	record trace "$PROGRAMS/secret" 5be1ce7c-7a11 and -d3ad-b33f-cafe
	# The halves are in the command line, which the trace has; the whole is on the stack alone.
	"$ELFAULT" dump trace >dump 2>messages
	grep -q 'arg="5be1ce7c-7a11"' dump
	python3 - trace dump <<-'END'
		import sys
		for path in sys.argv[1:]:
		    data = open(path, "rb").read()
		    for part in (b"5be1ce7c-7a11-d3ad", b"7a11-d3ad-b33f"):
		        if part in data or part.hex().encode() in data.lower():
		            sys.exit(f"{path} holds {part}")
	END
}

@test "doctor tries what record does by default" {
	need_bpf
	need jq
	local limit said
	# In KiB. The smaller one has room for elfault, but not for the rings of record's size.
	for limit in 200000 unlimited; do
		said=$(ulimit -v "$limit" && "$ELFAULT" doctor --format json |
			jq -r 'if .bpf then "bpf" elif .perf then "perf" else "none" end')
		(ulimit -v "$limit" && "$ELFAULT" record -o trace -- true) 2>messages || fail "$(cat messages)"
		analyze trace
		[ "$(jq -r .trace.backend trace.json)" = "$said" ] || fail "doctor says $said: $(cat messages)"
		echo "$said" >>answers
	done
	diff answers - <<<$'perf\nbpf'
}

# As an ordinary user with the capabilities that BPF and perf ask for.
with_capabilities() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +bpf,+perfmon,+sys_ptrace \
		--ambient-caps +bpf,+perfmon,+sys_ptrace -- "$@"
}

under_sudo() {
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody "$@"
}

# waiting WORD... -- PROGRAM: its process, in $pid. What another has said is gone before it starts.
waiting() {
	: >said
	"$@" >said 3>&- &
	pid=$!
	LOOPS+=("$pid")
	until [ -s said ]; do
		kill -0 "$pid" || fail "the program has ended"
		sleep 0.02
	done
}

@test "whatever privilege the recorder has, -p shows a user only what the user may trace" {
	need_bpf
	need_root
	need_perf_events
	copy_elfault
	# A shell in between: setpriv keeps capabilities until it has executed a program.
	cat >as <<-'END'
		#!/bin/sh
		user=$1
		shift
		exec setpriv --reuid "$user" --regid "$user" --clear-groups sh -c 'exec "$0"' "$@"
	END
	chmod 755 as
	install -m 0755 "$PROGRAMS/waits" waits # others may not come into the folder of the tests
	install -m 4755 waits setuid
	install -m 0111 waits unreadable
	local program backend way
	waiting ./waits
	local pids=("$pid")
	for program in "65533 ./waits" "65534 ./setuid" "65534 ./unreadable"; do
		# shellcheck disable=SC2086 # words of one command
		waiting ./as $program
		pids+=("$pid")
	done
	for backend in bpf perf; do
		for way in under_sudo with_capabilities as_nobody; do
			for pid in "${pids[@]}"; do
				code=0
				$way "$ELFAULT" record --backend $backend -o trace -p "$pid" -d 0.1 \
					2>messages || code=$?
				[ "$code" = 125 ] || fail "$way, $backend: status $code"
				says "process $pid: user 65534 may not trace it"
				[ ! -e trace ]
			done
		done
	done
	# --root is for those who are root under sudo, and no one else.
	code=0
	with_capabilities "$ELFAULT" record --root -o trace -p "${pids[0]}" -d 0.1 2>messages || code=$?
	[ "$code" = 125 ] || fail "status $code"
	under_sudo "$ELFAULT" record --root -o trace -p "${pids[1]}" -d 0.1 2>messages || fail "$(cat messages)"
	elfault record -o trace -p "${pids[2]}" -d 0.1
	[ "$code" = 0 ] || fail "$(cat messages)"
	# One's own.
	waiting ./as 65534 ./waits
	with_capabilities "$ELFAULT" record --backend bpf -o own -p "$pid" -d 0.1 2>messages || fail "$(cat messages)"
	as_nobody "$ELFAULT" record --backend perf -o own -p "$pid" -d 0.1 2>messages || fail "$(cat messages)"
	under_sudo "$ELFAULT" record -o own -p "$pid" -d 0.1 2>messages || fail "$(cat messages)"
}

@test "elfault does not run setuid, and no advice leads there" {
	need_root
	copy_elfault
	chmod 4755 elfault
	code=0
	SUDO_UID=65533 setpriv --reuid 65534 --regid 65534 --clear-groups ./elfault record -o trace -- id -u \
		>ids 2>messages || code=$?
	[ "$code" = 125 ] || fail "status $code"
	says "setuid"
	[ ! -s ids ] && [ ! -e trace ]
	chmod 755 elfault
	! as_nobody ./elfault doctor | grep -E 'setcap|chmod' || fail "doctor gives that advice"
	! as_nobody ./elfault record --backend bpf -o trace -- true 2>&1 | grep -E 'setcap|chmod' ||
		fail "record gives that advice"
}

# faults_in TRACE NAME: how many of its faults are attributed to that file.
faults_in() {
	jq "[.objects[] | select(.path | endswith(\"/$2\")) | .faults] | add // 0" "$1.json"
}

# lacks TRACE RE: the screen says RE, JSON that it is not complete, and no budget is kept but with --allow-incomplete.
lacks() {
	"$ELFAULT" analyze "$1" >screen 2>&1
	grep -qE "$2" <(tr -s ' \n' ' ' <screen | sed 's/INCOMPLETE /&\ /') || fail "$(cat screen)"
	"$ELFAULT" analyze --format json "$1" 2>/dev/null | jq -e '.trace.complete == false and .trace.truncated == false'
	echo 'faults <= 100000' >budget
	code=0
	"$ELFAULT" check --budget budget "$1" >out 2>messages || code=$?
	[ "$code" = 1 ] || fail "check ended with $code: $(cat out messages)"
	says "--allow-incomplete accepts it"
	"$ELFAULT" check --allow-incomplete --budget budget "$1" >out 2>messages || fail "$(cat out messages)"
}

@test "a setuid or unreadable program: root sees it all, its caller is told what is not seen" {
	need_bpf
	need_root
	need jq
	copy_elfault
	mkdir home
	chown 65534:65534 home
	install -m 4755 "$PROGRAMS/threads" setuid
	install -m 0111 "$PROGRAMS/threads" unreadable
	local program
	for program in setuid unreadable; do
		# As in a shell of the user's: 64 threads, each writing 100 pages of its own.
		record trace setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "./$program; exit 0"
		analyze trace
		summary trace.json complete exact threads 65
		[ "$(faults_in trace $program)" -ge 6400 ] || fail "$program: $(faults_in trace $program)"
		jq -e '.counts.unattributed <= 4' trace.json

		# For the user's own recording it is none of its business, and none of its faults is there.
		code=0
		under_sudo "$ELFAULT" record --backend bpf --strict -o home/trace -- \
			sh -c "./$program; exit 0" 2>messages || code=$?
		[ "$code" = 4 ] || fail "status $code: $(cat messages)"
		says "a fault of a program that user 65534 may not trace (setuid, with file capabilities or not readable)"
		grep -qE '; 6,[4-9][0-9]{2} not to be traced\)' messages || fail "$(cat messages)"
		analyze home/trace
		summary home/trace.json exact
		[ "$(faults_in home/trace $program)" = 0 ]
		jq -e '.counts.recorded < 400 and .counts.hidden >= 6400 and .counts.missing == .counts.hidden' home/trace.json
		lacks home/trace "INCOMPLETE  6,[4-9][0-9]{2} faults of a program that the user may not trace"

		# perf's events end at its exec, whoever records.
		elfault record --backend perf --strict -o trace -- \
			setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "./$program; exit 0"
		[ "$code" = 4 ] || fail "status $code: $(cat messages)"
		says "$program is setuid, has file capabilities or is not readable: perf events end at its exec" \
			"1 program not seen"
		analyze trace
		jq -e '.counts.unseen_programs == 1 and .counts.missing >= 6400' trace.json
		lacks trace "INCOMPLETE  1 program not seen \(setuid or unreadable\); 6,[4-9][0-9]{2} faults"
	done
	code=0
	as_nobody "$ELFAULT" record --backend perf --strict -o user -- ./unreadable 2>messages || code=$?
	[ "$code" = 4 ] || fail "status $code: $(cat messages)"
	says "unreadable is setuid"
	lacks user "INCOMPLETE  1 program not seen"
	# What exec takes by itself is no reason.
	as_nobody "$ELFAULT" record --backend perf -o user -- /bin/true 2>messages || fail "$(cat messages)"
	analyze user
	jq -e '.trace.complete and .counts.missing == 0' user.json || fail "$(jq -c .counts user.json)"
	# Nor what fork takes: the kernel copies pages of child and parent, which exec is no bound of. (Where others want the
	# processors the rings that a user may have lose stacks.)
	as_nobody "$ELFAULT" record --backend perf -o user -- \
		sh -c 'i=0; while [ $i -lt 50 ]; do (:); i=$((i + 1)); done' 2>messages || fail "$(cat messages)"
	analyze user
	jq -e '.trace.complete and .counts.missing == 0' user.json || fail "$(jq -c .counts user.json)"
}

# rings COMMAND...: the sizes in KiB of the rings that the recorder maps, of stacks, faults and samples.
rings() {
	as_nobody "$@" strace -f -v -e trace=perf_event_open,mmap -o "$T/small/calls" \
		"$ELFAULT" record --backend perf -o small/trace -- true 2>messages || fail "$(cat messages)"
	python3 "$tests/support/perfrings.py" <small/calls >sizes || fail "$(cat sizes)"
	# Mappings have theirs as well, and what wakes at an exec.
	awk '$1 != 64 && $1 != 4' sizes | uniq
}

@test "each ring wakes its reader at a quarter of what the user is granted" {
	need_root
	need_perf_events
	need strace
	copy_elfault
	small 64m
	chmod 1777 small
	rings >granted
	[ "$(wc -l <granted)" = 3 ] || fail "$(cat granted)"
	[ "$(sed -n 1p granted)" -gt "$(sed -n 2p granted)" ] || fail "$(cat granted)"
	# Room for less: faults keep more of it than stacks lose.
	rings prlimit --memlock=65536 >granted
	[ "$(sed -n 1p granted)" -le 512 ] || fail "$(cat granted)"
	[ "$(sed -n 2p granted)" -ge 128 ] || fail "$(cat granted)"
}

@test "a missing libcapstone is the reason of initiators that only instructions show, not the stacks" {
	need clang-14
	"$ELFAULT" record --backend perf --no-stacks -o trace -- clang-14 --version >output 2>messages || fail "$(cat messages)"
	"$ELFAULT" analyze trace >messages 2>&1 || fail "$(cat messages)"
	says "record without --no-stacks"
	: >libcapstone.so.4
	LD_LIBRARY_PATH=$PWD "$ELFAULT" analyze --full trace >messages 2>&1 || fail "$(cat messages)"
	says "libcapstone, which reads their instructions" "libcapstone could not be loaded, so accesses, initiators"
	! grep -F -- "--no-stacks" messages || fail "$(cat messages)"
}
