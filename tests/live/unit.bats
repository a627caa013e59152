#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# elfault record --unit: a service of systemd's, which starts it. Where systemd is not the machine's own, one of its
# own runs in namespaces, with units of these tests alone, below a cgroup of its own.
load common

# A systemd whose units are in units/, and systemctl, which asks it; its cgroup is in $group.
setup() {
	need_bpf
	need unshare nsenter systemctl
	[ -x /lib/systemd/systemd ] || skip "systemd is not installed"
	local mount target
	mount=$(cgroup2_mount)
	[ -n "$mount" ] || skip "cgroup version 2 is not mounted"
	folder
	group=$mount/elfault-live.$$
	mkdir "$group" 2>/dev/null || skip "cannot make a cgroup below $mount"
	mkdir units bin
	for target in basic default sysinit shutdown; do
		printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' $target >units/$target.target
	done
	cat >begin <<-END
		mount --make-rprivate /
		mount -t proc proc /proc
		mount -t tmpfs tmpfs /run
		! mountpoint -q /sys/fs/cgroup || umount -l /sys/fs/cgroup
		mount -t cgroup2 none /sys/fs/cgroup
		exec env -i container=elfault PATH=$PATH SYSTEMD_UNIT_PATH=$T/units /lib/systemd/systemd --system
	END
	(
		echo "$BASHPID" >"$group/cgroup.procs"
		exec setsid unshare --mount --pid --fork --uts --ipc --kill-child sh -e begin
	) >systemd 2>&1 </dev/null 3>&- &
	unshared=$!
	cat >bin/systemctl <<-END
		#!/bin/sh
		exec nsenter --mount --pid --target "\$(pgrep -P $unshared)" $(command -v systemctl) "\$@"
	END
	chmod +x bin/systemctl
	PATH=$T/bin:$PATH
	for ((tries = 0; tries < 200; tries++)); do
		! systemctl is-system-running >state 2>/dev/null || return 0
		sleep 0.05
	done
	skip "systemd does not run in namespaces here: $(tail -n 1 state systemd)"
}

teardown() {
	if [ -n "${group:-}" ]; then
		kill -KILL "$unshared" $(pgrep -P "$unshared") 2>/dev/null || true
		wait "$unshared" || true
		until find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || [ ! -d "$group" ]; do sleep 0.02; done
	fi
	tidy
}

# service NAME LINE...: the unit NAME.service.
service() {
	printf '%s\n' '[Unit]' 'DefaultDependencies=no' '[Service]' "${@:2}" >"units/$1.service"
	systemctl daemon-reload
}

# A service that tells when it has said that it is ready; that takes a while, and then it goes on.
ready() {
	cat >ready.py <<-'END'
		import os, socket, time
		time.sleep(0.3)
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		before = time.monotonic_ns()
		s.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
		with open("said", "w") as file:
		    print(before, file=file)
		time.sleep(1000)
	END
	service "$1" Type=notify "WorkingDirectory=$T" "ExecStart=/usr/bin/python3 -S ready.py" "${@:2}"
}

# mark TRACE NAME: its time by the clock of the machine, in nanoseconds.
mark() {
	local start
	start=$("$ELFAULT" dump "$1" | grep -o '^meta .*' | grep -o ' start=[0-9]*' | cut -d= -f2)
	echo $((start + $(jq ".account.marks[] | select(.name == \"$2\").time_ns" "$1.json")))
}

@test "a unit is started by its manager and recorded until that says that it has started" {
	need jq python3
	ready told
	elfault record --unit told -o trace
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	says " ms, where the recording ends; the unit goes on"
	says " of unit told"
	[ "$(systemctl is-active told)" = active ]
	analyze trace
	summary trace.json complete
	jq -e '.trace.process.cgroup | endswith("/system.slice/told.service")' trace.json || fail "$(jq .trace trace.json)"
	jq -e '.counts.programs == 1 and .counts.recorded > 100' trace.json || fail "$(jq -c .counts trace.json)"
	until [ -s said ]; do sleep 0.02; done
	local late_us=$((($(mark trace notify) - $(cat said)) / 1000))
	echo "the manager was ready $late_us us after the service"
	((late_us >= -1 && late_us < 100000)) || fail "$late_us us; $(jq -c .account.marks trace.json)"
	# As the manager itself has it.
	local manager_us off_us
	manager_us=$(systemctl show --property ActiveEnterTimestampMonotonic --value told)
	off_us=$(($(mark trace notify) / 1000 - manager_us))
	((off_us >= -2000 && off_us <= 2000)) || fail "$off_us us from the manager's own time"
	# It runs: it is not touched.
	elfault record --unit told.service -o again
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "told.service: is active already"
	says "systemctl stop told.service"
	[ ! -e again ]
}

@test "a unit ends at another condition, and its manager stops it: it is not started again" {
	need jq python3
	service web Type=exec Restart=always RestartSec=0 'ExecStartPre=/bin/true' \
		'ExecStart=/usr/bin/python3 -m http.server 0 --bind 127.0.0.1'
	elfault record --unit web --until listen --then end -o trace
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	says "listen held after "
	says "the unit was ended"
	[ "$(systemctl is-active web)" = inactive ]
	analyze trace
	# That before the server as well.
	jq -e '.counts.programs == 2 and ([.account.marks[] | select(.name == "listen")] | length == 1)' trace.json ||
		fail "$(jq -c .counts,.account.marks trace.json)"
	# Each run of a set starts a unit that does not run.
	elfault record --unit web --until listen --repeat 2 -o set
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	[ "$(systemctl is-active web)" = inactive ]
	[ "$("$ELFAULT" analyze --format json set/2.trace | jq .counts.programs)" = 2 ]
}

@test "what ends as soon as it has started has started, and what fails is told of" {
	service once Type=oneshot ExecStart=/bin/true
	elfault record --unit once -o trace
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	says "notify held after "
	says "the unit has ended by itself"
	service fails Type=notify ExecStart=/bin/false
	elfault record --unit fails -o trace
	[ "$code" = 124 ] || fail "ended with $code: $(cat messages)"
	says "no condition of --until held before the recording ended"
	says "the unit could not be started (exit status 1 of systemctl start); systemctl status fails.service has the reason"
	elfault record --unit no-such -o none
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "no-such.service: there is no such unit"
	elfault record --unit basic.target -o none
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "basic.target: is no service"
	printf '#!/bin/sh\nexit 1\n' >bin/systemctl
	elfault record --unit once -o none
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "once: systemctl cannot tell of it (exit status 1): --unit needs systemd"
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody elfault record --unit once -o none
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "recording a cgroup needs privilege"
	[ ! -e none ]
	# Nothing is left of a cgroup that was made for a start which never came.
	[ ! -e "$group/system.slice/no-such.service" ]
}

@test "nothing is left where a recording does not begin" {
	service slow Slice=a-b.slice Type=exec 'ExecStart=/bin/sleep 1000'
	elfault record --unit slow --until file:/no/such/folder/file -o trace
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	elfault record --unit slow -o /no/such/folder/trace
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	elfault record --unit slow --mark f=function:/bin/sleep:no_such_function -o trace
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	[ ! -e "$group/a.slice/a-b.slice/slow.service" ]
	[ "$(systemctl is-active slow)" = inactive ]
	elfault record --unit slow --then end -o trace
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	"$ELFAULT" analyze --full trace >text
	grep -q "^cgroup .*/a.slice/a-b.slice/slow.service" text || fail "$(head -2 text)"
}
