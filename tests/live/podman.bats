#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Containers of podman: their start as a command, and what runs in their cgroup. The image is busybox, and needs no network.
load common

setup() {
	need_bpf
	need podman busybox jq
	folder
	# The test has a mount namespace of its own. crun can use neither version of cgroups alone where both are mounted.
	! mountpoint -q /sys/fs/cgroup || umount -l /sys/fs/cgroup
	mount -t cgroup2 none /sys/fs/cgroup || skip "cannot mount cgroup version 2"
	group=/sys/fs/cgroup/elfault-live.$$
	mkdir "$group"
	mkdir -p image/bin
	cp "$(command -v busybox)" image/bin
	tar -C image -c . | podman import - elfault-live >imported 2>&1 || skip "podman cannot import: $(tail -n 1 imported)"
	container true >ran 2>&1 || skip "podman runs no container here: $(tail -n 1 ran)"
}

teardown() {
	if [ -n "${group:-}" ]; then
		until find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || [ ! -d "$group" ]; do sleep 0.02; done
	fi
	tidy
}

podman() {
	command podman --root "$T/store" --runroot "$T/run" --storage-driver vfs --cgroup-manager cgroupfs "$@"
}

# How podman starts COMMAND of busybox; limits are those that whoever may not raise them has.
started=(run --rm --privileged --pids-limit 0 --network none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000)
container() {
	podman "${started[@]}" --cgroup-parent "/$(basename "$group")" elfault-live /bin/busybox "$@"
}

# Whoever ends at once may have ended before its root is looked at.
said='busybox echo said; busybox sleep 0.5'

@test "podman run: the files of the container are named with it, those of podman are not" {
	elfault record -o trace -- podman --root "$T/store" --runroot "$T/run" --storage-driver vfs \
		--cgroup-manager cgroupfs "${started[@]}" --cidfile id elfault-live /bin/busybox sh -c "$said" >output
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	[ "$(cat output)" = said ]
	analyze trace
	jq -e --arg id "container $(cut -c 1-12 id)" 'any(.objects[]; .path == "/bin/busybox" and .root == $id and .faults > 10)' \
		trace.json || fail "$(jq -c '.objects[] | [.path, .root, .faults]' trace.json)"
	jq -e 'any(.objects[]; (.path | endswith("/podman")) and .root == null and .faults > 1000)' trace.json
	"$ELFAULT" analyze --by object trace >text
	grep -q "busybox of container $(cut -c 1-12 id)" text || fail "$(cat text)"
}

@test "a container that is started in a cgroup is recorded there, without podman" {
	"$ELFAULT" record --cgroup "$group" -o trace 2>messages 3>&- &
	is_recording
	await grep -qs "recording cgroup" messages
	container sh -c "$said" >output
	[ "$(cat output)" = said ]
	ended
	analyze trace
	jq -e 'any(.objects[]; .path == "/bin/busybox" and (.root | startswith("container ")) and .faults > 10) and
		all(.objects[]; .path | endswith("/podman") | not)' trace.json ||
		fail "$(jq -c '.objects[] | [.path, .root, .faults]' trace.json)"
}

@test "the start of a container ends when what is in it listens" {
	# Its processes would be ended without podman, which would not know.
	elfault record --until listen:8080 -o trace -- podman --root "$T/store" --runroot "$T/run" \
		--storage-driver vfs --cgroup-manager cgroupfs "${started[@]}" elfault-live /bin/busybox httpd -f -p 8080
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
	says "listen held after "
	says "the command goes on"
	podman stop --all --time 0
	analyze trace
	jq -e 'any(.objects[]; .path == "/bin/busybox" and (.root | startswith("container ")) and .faults > 10)' trace.json ||
		fail "$(jq -c '.objects[] | [.path, .root, .faults]' trace.json)"
}
