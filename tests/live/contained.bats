#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A recorder inside an unprivileged container: by perf events, where the machine allows them, and what it lacks is said.
load common

setup() {
	need unshare setpriv jq
	local level
	[ "$(id -u)" = 0 ] || skip "needs root, which becomes somebody"
	level=$(cat /proc/sys/kernel/perf_event_paranoid) || skip "the kernel has no perf events"
	((level <= 2)) || skip "kernel.perf_event_paranoid is $level, and no unprivileged user may record"
	folder
	contained unshare true 2>said || skip "no user namespace for others than root: $(cat said)"
}

# contained KIND COMMAND...: as nobody, in a container of that kind, where it is root.
contained() {
	local inside=(unshare --user --map-root-user --mount --pid --fork --mount-proc)
	[ "$1" = unshare ] || inside=(bwrap --unshare-user --uid 0 --gid 0 --unshare-pid --bind / / --proc /proc --dev /dev)
	HOME=$T TMPDIR=$T XDG_CACHE_HOME=$T setpriv --reuid 65534 --regid 65534 --clear-groups "${inside[@]}" "${@:2}"
}

# Nothing that is printed may send somebody to sudo in the container, where it would not help.
no_sudo() {
	! grep -v 'outside of the container: sudo' "$@" | grep sudo || fail "$(cat "$@")"
}

records() {
	code=0
	contained "$1" "$ELFAULT" record -o "$1.trace" -- "$PROGRAMS/touch-bfd-pie" 2>messages || code=$?
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	says "recorded by perf, because the BPF backend is not allowed"
	says "capabilities of a user namespace do not count for it"
	no_sudo messages
	analyze "$1.trace"
	jq -e '.trace.backend == "perf" and .counts.processes == 1 and .counts.lost == 0 and
		.counts.recorded > 250 and .counts.recorded + .counts.exec_unsampled >= .counts.rusage_minor + .counts.rusage_major' "$1.trace.json" || fail "$(jq -c .trace,.counts "$1.trace.json")"
	# What it ends by is seen without BPF.
	contained "$1" "$ELFAULT" record --until 300ms --mark sleeps=exec:sleep --then end -o until.trace -- sh -c 'sleep 60; true' 2>messages ||
		fail "$(cat messages)"
	says "300ms held after 300.0 ms"
	"$ELFAULT" dump until.trace | grep -aq '^mark .*name="sleeps" condition="exec:sleep"' || fail "$("$ELFAULT" dump until.trace | grep -a ^mark)"
	rm -f until.trace
}

@test "in unshare's user, mount and pid namespaces" {
	records unshare
}

@test "in bwrap's" {
	need bwrap
	contained bwrap true 2>said || skip "bwrap cannot run here: $(cat said)"
	records bwrap
}

@test "what only BPF tells of is refused, and where it can be had is said" {
	code=0
	contained unshare "$ELFAULT" record --until listen -o trace -- true 2>messages || code=$?
	[ "$code" = 125 ] || fail "ended with $code: $(cat messages)"
	says "perf events do not tell of sockets (listen), which BPF does:"
	says "  run it outside of the container"
	no_sudo messages
	! grep -- "--backend perf" messages || fail "$(cat messages)"
	contained unshare "$ELFAULT" doctor >text 2>messages || true
	grep -q "CAP_BPF  *of a user namespace, where it does not count" text || fail "$(cat text)"
	no_sudo text
}
