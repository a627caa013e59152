#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault record --cgroup: processes that others start, told by the control group that they are in.
load common

# A cgroup of our own below the mount of version 2, in $group.
make_group() {
	local mount
	mount=$(cgroup2_mount)
	[ -n "$mount" ] || skip "cgroup version 2 is not mounted"
	group=$mount/elfault-live.$$
	mkdir "$group" 2>/dev/null || skip "cannot make a cgroup below $mount"
}

teardown() {
	local pid
	if [ -n "${group:-}" ]; then
		for pid in $(cat "$group"/cgroup.procs "$group"/*/cgroup.procs 2>/dev/null); do
			kill -KILL "$pid" 2>/dev/null || true
		done
		until rmdir "$group"/*/ 2>/dev/null || [ ! -d "$group/below" ]; do sleep 0.02; done
		until rmdir "$group"; do sleep 0.02; done
	fi
	tidy
}

# watch [OPTION...]: record the group; what is executed from then on is seen.
watch() {
	rm -f trace messages
	"$ELFAULT" record --cgroup "$group" -o trace "$@" 2>messages 3>&- &
	is_recording
	await grep -qs "recording cgroup" messages
}

# manage GROUP COMMAND...: as a manager of services starts one, by a fork that goes there before its exec.
manage() {
	(
		echo "$BASHPID" >"$1/cgroup.procs"
		exec "${@:2}"
	) 3>&-
}

@test "what is executed in a cgroup is recorded until it is empty, and nothing else" {
	need_bpf
	need jq
	make_group
	hold "$PROGRAMS/touch-bfd-pie"
	record command "$PROGRAMS/touch-bfd-pie"
	analyze command
	watch
	"$PROGRAMS/deep" 1 1
	manage "$group" "$PROGRAMS/touch-bfd-pie"
	ended
	! grep "moved into the cgroup" messages || fail "$(cat messages)"
	analyze trace
	summary trace.json complete
	jq -e --arg group "$group" '.trace.process.cgroup == $group and .counts.processes == 1
		and .counts.programs == 1' trace.json || fail "$(jq -c .trace,.counts trace.json)"
	# As many faults as of the program as a command, but for those of the kernel in exec.
	jq -e --slurpfile command command.json '.counts.recorded - $command[0].counts.recorded |
		. >= -3 and . <= 3' trace.json || fail "$(jq -c .counts trace.json command.json)"
	"$ELFAULT" analyze --full trace >text
	grep -qx "cgroup $group" text || fail "$(head -1 text)"
	# Samples and waits are there, too.
	jq -e '.account.all.cpu > 0' trace.json || fail "$(jq -c .account.all trace.json)"
}

@test "a cgroup below, children, and what ran there already" {
	need_bpf
	need jq
	make_group
	mkdir "$group/below"
	"$PROGRAMS/waits" >said 3>&- &
	local waits=$!
	until [ -s said ]; do sleep 0.02; done
	echo "$waits" >"$group/cgroup.procs"
	watch
	manage "$group/below" sh -c "$PROGRAMS/touch-bfd-no-pie; $PROGRAMS/touch-bfd-no-pie"
	kill -USR1 "$waits"
	until [ "$(wc -l <said)" -ge 2 ]; do sleep 0.02; done
	kill "$waits"
	ended
	analyze trace
	summary trace.json complete by-function touch_again 100 threads 5
	jq -e '.counts.programs == 3' trace.json || fail "$(jq -c .counts trace.json)"
}

@test "a process that is moved there while it runs is told of, and recorded from its exec" {
	need_bpf
	need jq
	make_group
	watch -d 60
	sh -c "echo \$\$ >$group/cgroup.procs; exec $PROGRAMS/touch-bfd-pie"
	ended
	says "a process was moved into the cgroup while it ran"
	analyze trace
	jq -e '.counts.programs == 1 and .counts.recorded > 150' trace.json || fail "$(jq -c .counts trace.json)"
}

@test "an empty cgroup is recorded for a time" {
	need_bpf
	make_group
	watch -d 0.5
	ended
	says " 0 faults"
	"$ELFAULT" analyze trace >text 2>messages || fail "$(cat messages)"
}

@test "what cannot be recorded is refused, and the way out is named" {
	need_bpf
	make_group
	elfault record --cgroup "$T" -o trace
	[ "$code" = 125 ] || fail "ended with $code"
	says "$T: is no cgroup; name one of version 2, below "
	elfault record --cgroup no/such/group -o trace
	[ "$code" = 125 ] || fail "ended with $code"
	says "no/such/group: there is no such cgroup"
	elfault record --cgroup "$group" --backend perf -o trace
	[ "$code" = 125 ] || fail "ended with $code"
	says "leave out --backend perf"
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody elfault record --cgroup "$group" -o trace
	[ "$code" = 125 ] || fail "ended with $code"
	says "recording a cgroup needs privilege"
	elfault record --cgroup "$group" -o trace -- true
	[ "$code" = 2 ] || fail "ended with $code: $(cat messages)"
	# It would be elfault's own.
	elfault record --cgroup "$group" --until output~ready -o trace
	[ "$code" = 2 ] || fail "ended with $code: $(cat messages)"
	says "output needs a COMMAND or -p PID"
	[ ! -e trace ]
}

@test "a condition that ends the recording of a cgroup says that the cgroup goes on" {
	need_bpf
	make_group
	watch --until exec:sleep
	manage "$group" sleep 60 &
	ended
	grep -q 'exec held after .*, where the recording ends; the cgroup goes on' messages || fail "$(cat messages)"
}
