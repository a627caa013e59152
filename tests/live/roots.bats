#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs in other roots: their files have the root in their names, and are not those of the same path elsewhere.
load common

# Roots a and b with another program at one path, and c with that of a.
setup_roots() {
	need_bpf
	need jq cc chroot
	local root
	mkdir -p a/usr/games b/usr/games c/usr/games
	printf '#include <unistd.h>\nstatic char room[1 << 20]; int first(void) { for (int i = 0; i < 20; i++) room[i << 12] = 1; return room[4096]; }
		int main(void) { int ok = first(); usleep(300000); return !ok; }' >a.c
	sed 's/first/second/g; s/i < 20/i < 40/' a.c >b.c
	for root in a b; do
		cc -static -Wl,--build-id -o $root/usr/games/same $root.c || skip "no static libc"
	done
	cp a/usr/games/same c/usr/games/same
}

# recorded COMMAND: by each backend; rows of FILTER must be the lines of "expected".
rows_are() {
	local backend
	for backend in bpf perf; do
		"$ELFAULT" record --backend $backend -o trace -- "$@" 2>messages || fail "$(cat messages)"
		"$ELFAULT" analyze --format json trace |
			jq -r '.objects[] | select(.path | endswith("/same")) | "\(.root) \(.by_blame[0].function)"' | sort >rows
		diff expected rows || fail "$backend"
	done
}

@test "the same path in three roots is three files" {
	setup_roots
	printf '%s\n' "$T/a first" "$T/b second" "$T/c first" >expected
	rows_are sh -c 'for root in a b c; do chroot $root /usr/games/same || exit; done'
	"$ELFAULT" analyze --full trace >text
	grep -q "same of $T/b" text || fail "$(cat text)"
	"$ELFAULT" dump trace | grep -q "^root file=[0-9]* name=\"$T/a\"$"
	# The page and a comparison name it, too.
	"$ELFAULT" report trace -o page.html 2>messages || fail "$(cat messages)"
	# Its data is gzip in base64, behind a line of its own (docs/inside/page-format.md).
	grep -oE '[A-Za-z0-9+/=]{200,}' page.html | base64 -di 2>/dev/null | zcat 2>/dev/null >data || true
	grep -aqF "\"same of $T/b\"" data || fail "no such name in the page"
	cp -r c d
	"$ELFAULT" record -o before -- chroot d /usr/games/same 2>messages || fail "$(cat messages)"
	cp b/usr/games/same d/usr/games/same
	"$ELFAULT" record -o after -- chroot d /usr/games/same 2>messages || fail "$(cat messages)"
	"$ELFAULT" diff before after >text 2>messages || fail "$(cat messages)"
	grep -q "same of $T/d" text || fail "$(cat text)"
}

@test "a mount namespace names what is mounted in it alone" {
	setup_roots
	need unshare
	mkdir there
	elfault record --backend bpf -o trace -- unshare --mount sh -c "mount --bind a/usr/games there && exec there/same"
	[ "$code" = 0 ] || fail "$(cat messages)"
	"$ELFAULT" analyze --format json trace | jq -r '.objects[] | select(.root) | "\(.path) \(.root)"' >rows
	grep -qxE "$T/there/same mnt:\[[0-9]+\]" rows || fail "$(cat rows)"
	# The libraries of unshare and sh are those of the machine.
	[ "$(wc -l <rows)" = 1 ] || fail "$(cat rows)"
}

@test "bwrap's root is named by its mount namespace" {
	setup_roots
	need bwrap
	bwrap --ro-bind a / true 2>/dev/null || bwrap --ro-bind / / true || skip "bwrap cannot run here"
	elfault record --backend bpf -o trace -- bwrap --bind a / /usr/games/same
	[ "$code" = 0 ] || fail "$(cat messages)"
	"$ELFAULT" analyze --format json trace | jq -r '.objects[] | select(.root) | "\(.path) \(.root) \(.by_blame[0].function)"' >rows
	grep -qxE "/usr/games/same mnt:\[[0-9]+\] first" rows || fail "$(cat rows)"
}

@test "a control group's name names the container" {
	setup_roots
	local groups=/sys/fs/cgroup id
	id=$(printf '0123456789abcdef%.0s' 1 2 3 4)
	[ -e $groups/cgroup.procs ] || groups=$(findmnt -nt cgroup2 -o TARGET | head -n 1)
	[ -n "$groups" ] && mkdir "$groups/docker-$id.scope" 2>/dev/null || skip "no control group can be made"
	elfault record --backend bpf -o trace -- sh -c 'echo $$ >"$1"/cgroup.procs && exec chroot a /usr/games/same' sh "$groups/docker-$id.scope"
	rmdir "$groups/docker-$id.scope"
	[ "$code" = 0 ] || fail "$(cat messages)"
	"$ELFAULT" analyze --format json trace | jq -e 'any(.objects[]; .path == "/usr/games/same" and .root == "container 0123456789ab")' ||
		fail "$("$ELFAULT" dump trace | grep ^root)"
}
