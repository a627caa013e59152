#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `record --cold` and `--exact` on a file system of their own, so that nobody else's files or devices are touched.
# mincore() knows the pages in memory, the kernel what a fault reads: no time is measured.
load common

# disk NAME: the folder NAME, an ext4 of its own on a loop device; DEVICE is the file with its read-ahead, 64 KiB now.
disk() {
	need losetup mkfs.ext4
	[ "$(id -u)" = 0 ] || skip "needs root, to mount a file system"
	truncate -s 64m "$1.image"
	mkfs.ext4 -q -F "$1.image"
	mkdir "$1"
	mount -o loop "$1.image" "$1" || skip "no loop device may be mounted"
	DISKS+=("$T/$1")
	DEVICE=/sys/class/bdi/$(mountpoint -d "$1")/read_ahead_kb
	[ -w "$DEVICE" ] || skip "sysfs has no read-ahead of loop devices"
	echo 64 >"$DEVICE"
}

teardown() {
	[ -z "${WAITER:-}" ] || kill "$WAITER" 2>/dev/null || true
	for disk in "${DISKS[@]}"; do
		umount -l "$disk"
	done
	tidy
}

# cached FILE: how many of its pages are in memory; `warm FILE` reads it.
cached() {
	python3 - "$1" <<-'END'
		import ctypes, mmap, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		size = os.path.getsize(sys.argv[1])
		with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE) as data:
		    # The address, without touching a page.
		    libc.mmap.restype = ctypes.c_void_p
		    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
		    at = libc.mmap(None, size, 1, 1, file.fileno(), 0)
		    there = (ctypes.c_ubyte * ((size + 4095) // 4096))()
		    if libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(size), there):
		        sys.exit("mincore")
		    print(sum(page & 1 for page in there))
	END
}

# Somebody else may drop all caches meanwhile: then again.
warm() {
	for _ in {1..10}; do
		cat "$1" >/dev/null
		[ "$(cached "$1")" != $((($(stat -c %s "$1") + 4095) / 4096)) ] || return 0
	done
	fail "$1 does not stay in memory"
}

# program FOLDER: a static program there, which maps nothing else.
program() {
	cp "$PROGRAMS/touch-bfd-static" "$1/touch"
	sync -f "$1/touch"
}

# as_nobody COMMAND...: as an ordinary user.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		--no-new-privs -- "$@"
}

read_ahead_is() {
	[ "$(cat "$DEVICE")" = "$1" ]
}

@test "a cold start reads a file that was in memory" {
	need_bpf
	disk disk
	program disk
	# Where memory is scarce pages leave it meanwhile: then again.
	for _ in {1..10}; do
		rm -rf trace trace.warm
		warm disk/touch
		elfault record --cold -o trace -- disk/touch
		[ "$code" = 0 ] || fail "$(cat messages)"
		# There is no former trace: it ran once before, warm.
		says "recording it once into trace.warm" "cold: 1 file of the command was dropped" "before, 0 B after"
		"$ELFAULT" analyze --format json trace.warm/1.trace >warm.json
		! jq -e '.counts.read_bytes == 0' warm.json || break
	done
	jq -e '.counts.read_bytes == 0' warm.json
	analyze trace
	jq -e '.counts.read_bytes > 65536 and .counts.major > 0 and (.notes | any(test("^cold: 1 file of")))' trace.json ||
		fail "$(jq -c .counts trace.json)"
	# The next one takes that trace.
	elfault record --cold -o trace -- disk/touch
	[ "$code" = 0 ] && ! grep -q "runs once" messages || fail "$(cat messages)"
	# Another command with that name does not.
	elfault record --cold -o trace -- disk/touch again
	says "trace is not a trace of this command"
}

@test "each run of a set starts cold, and all that is needed is a named trace" {
	need_bpf
	disk disk
	program disk
	warm disk/touch
	elfault record -o former -- disk/touch
	elfault record --repeat 3 --cold=former -o runs -- disk/touch
	[ "$code" = 0 ] || fail "$(cat messages)"
	local run
	for run in 1 2 3; do
		"$ELFAULT" analyze --format json "runs/$run.trace" |
			jq -e '.counts.read_bytes > 65536 and .trace.plain.major > 0'
	done
	elfault record --cold=missing -o trace -- disk/touch
	[ "$code" = 125 ] || fail "$code"
	says "missing"
	[ ! -e trace ]
	elfault record --cold -p $$
	[ "$code" = 2 ]
}

@test "a file that somebody maps stays as far as that, and who it is is said" {
	need_bpf
	need setpriv
	disk disk
	program disk
	# Page by page, so that a folio is one; the process maps it all and has touched 16 pages.
	echo 0 >"$DEVICE"
	python3 - disk/touch $$ >ready 3>&- <<-'END' &
		import mmap, os, sys, time
		file = open(sys.argv[1], "rb")
		os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
		data = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
		data.madvise(mmap.MADV_RANDOM)
		print(sum(data[page * 4096] for page in range(16)) >= 0, flush=True)
		while os.path.exists("/proc/" + sys.argv[2]):
		    time.sleep(0.1)
	END
	WAITER=$!
	until_true 600 grep -q True ready || fail "not ready: $(cat ready)"
	elfault record --cold -o trace -- disk/touch
	[ "$code" = 0 ] || fail "$(cat messages)"
	says "64.0 KiB of" "stayed in memory: touch"
	"$ELFAULT" analyze --full trace >full
	grep -q "/disk/touch stayed in memory: 64.0 KiB of .*, mapped by python3 ($WAITER)" full || fail "$(tail full)"
	analyze trace
	jq -e --arg pid "$WAITER" '.notes | any(test("touch stayed in memory: 64.0 KiB.*python3 \\(" + $pid))' trace.json
	# An ordinary user may drop it as well, but ask only of files that are his own.
	chmod 755 "$T" disk disk/touch
	mkdir -m 777 out
	cp "$ELFAULT" elfault.copy
	as_nobody "$T/elfault.copy" record --cold -o out/trace -- disk/touch 2>messages || fail "$(cat messages)"
	says "could not be checked: only its owner and root may ask"
	! grep -q "0 B in it before" messages || fail "$(cat messages)"
	! grep -q "stayed in" messages || fail "$(cat messages)"
	kill "$WAITER"
	wait "$WAITER" || true
	WAITER=
	chown 65534 disk/touch
	as_nobody "$T/elfault.copy" record --cold -o out/trace -- disk/touch 2>messages
	says "cold: 1 file of the command was dropped" "before, 0 B after"
}

@test "a file of a tmpfs stays, and one that may not be read" {
	need_bpf
	need setpriv
	small 64m
	program small
	elfault record --cold -o trace -- small/touch
	says "its file system keeps files in memory"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || return 0
	cp "$ELFAULT" elfault.copy
	chmod 711 small/touch
	chmod 755 "$T" small
	mkdir -m 777 out
	as_nobody "$T/elfault.copy" record --cold -o out/trace -- small/touch 2>messages || true
	says "/small/touch may not be read by user 65534"
	elfault record --cold -o trace -- small/touch
	! grep -q "may not be read" messages
}

@test "exact: each read of a fault is one page, and read-ahead is back afterwards" {
	need_bpf
	disk disk
	program disk
	elfault record --cold -o ahead -- disk/touch
	elfault record --cold=ahead --exact -o trace -- disk/touch
	[ "$code" = 0 ] || fail "$(cat messages)"
	says "was 0 instead of 64 KiB during the run"
	read_ahead_is 64
	"$ELFAULT" analyze --format ndjson trace | jq -r 'select(.read) | .read.pages' | sort | uniq -c >reads
	grep -Eq '^ *[0-9]{2,} 1$' reads && [ "$(wc -l <reads)" = 1 ] || fail "$(cat reads)"
	# Without it they are more.
	"$ELFAULT" analyze --format ndjson ahead | jq -e -s 'map(.read.pages // 0) | max > 1'
	[ ! -e "/run/elfault/$(basename "$(dirname "$DEVICE")").read_ahead_kb" ]
	# Where the state is kept only root may write; that others may look does no harm.
	chmod 755 /run/elfault
	elfault record --cold=ahead --exact -o trace -- disk/touch
	[ "$code" = 0 ] || fail "$(cat messages)"
	chmod 777 /run/elfault
	elfault record --cold=ahead --exact -o trace -- disk/touch
	chmod 700 /run/elfault
	[ "$code" = 125 ]
	says "/run/elfault: others than root may write to it; remove it"
	read_ahead_is 64
}

@test "exact: read-ahead is set back after a signal, and by the next run after SIGKILL" {
	need_bpf
	need pgrep
	disk disk
	program disk
	elfault record -o former -- disk/touch
	local signal recorder
	for signal in TERM KILL; do
		"$ELFAULT" record --cold=former --exact -o trace -- sleep 1000 2>messages 3>&- &
		is_recording
		until_true 600 read_ahead_is 0 || fail "read-ahead is $(cat "$DEVICE")"
		# A second one does not take 0 for what it was.
		"$ELFAULT" record --cold=former --exact -o second -- disk/touch 2>seconds
		grep -q "was 0 instead of 64 KiB" seconds || fail "$(cat seconds)"
		read_ahead_is 0
		"$ELFAULT" doctor >checks || true
		grep -q "$(basename "$(dirname "$DEVICE")"): 0 while an elfault record --exact runs" checks
		until_true 600 test -s trace || fail "no trace"
		WAITER=$(pgrep -P $recorder sleep)
		kill -$signal $recorder
		wait $recorder || true
		if [ $signal = KILL ]; then
			kill "$WAITER"
			read_ahead_is 0
			"$ELFAULT" doctor >checks || true
			grep -A 2 "$(basename "$(dirname "$DEVICE")"): 0, left by" checks | grep -q "needed: 64 KiB"
			grep -A 2 "0, left by" checks | grep -q "echo 64 | sudo tee /sys/class/bdi/"
			elfault record -o trace -- true
			says "had left the read-ahead of device" "set back to 64 KiB"
			elfault record -o trace -- true
			! grep -q "read-ahead" messages
		fi
		WAITER=
		read_ahead_is 64 || fail "after SIG$signal it is $(cat "$DEVICE")"
		rm -f trace
	done
}

@test "exact: an overlay is the device of its layers, and whoever may not is told so" {
	need_bpf
	need setpriv
	disk disk
	mkdir disk/{lower,upper,work} merged
	program disk/lower
	mount -t overlay -o "lowerdir=$T/disk/lower,upperdir=$T/disk/upper,workdir=$T/disk/work" elfault-live merged ||
		skip "no overlay may be mounted"
	DISKS=("$T/merged" "${DISKS[@]}")
	elfault record --cold -o trace -- merged/touch
	elfault record --cold --exact -o trace -- merged/touch
	says "read-ahead of device $(basename "$(dirname "$DEVICE")") was 0 instead of 64 KiB"
	read_ahead_is 64
	"$ELFAULT" analyze --format ndjson trace | jq -e -s 'map(select(.read) | .read.pages) | length > 10 and all(. == 1)'
	chmod 755 "$T" merged
	mkdir -m 777 out
	cp "$ELFAULT" elfault.copy
	code=0
	as_nobody "$T/elfault.copy" record --cold --exact -o out/trace -- merged/touch 2>messages || code=$?
	[ "$code" = 125 ] || fail "$code: $(cat messages)"
	says "--exact changes the read-ahead of devices, which only root may" "sudo elfault record --exact"
	[ ! -e out/trace ]
}

@test "all: everything is dropped, which needs root; under sudo the files are the caller's" {
	need_bpf
	need setpriv unshare
	disk disk
	program disk
	warm disk/touch
	# In a namespace where a file stands in for the kernel's, so that nobody else's cache is dropped.
	: >drop
	unshare -m sh -c 'mount --bind drop /proc/sys/vm/drop_caches && exec "$@"' sh \
		"$ELFAULT" record --cold=all -o trace -- disk/touch 2>messages || skip "no mount namespace: $(cat messages)"
	says "cold: all caches were dropped; 1 file of the command was dropped" "in it before, 0 B after"
	[ "$(cat drop)" = 3 ]
	chmod 755 "$T" disk
	mkdir -m 777 out
	cp "$ELFAULT" elfault.copy
	code=0
	as_nobody "$T/elfault.copy" record --cold=all -o out/trace -- disk/touch 2>messages || code=$?
	[ "$code" = 125 ] && says "which only root may" "sudo elfault record --cold=all"
	[ ! -e out/trace ]
	warm disk/touch
	SUDO_UID=65534 SUDO_GID=65534 "$T/elfault.copy" record --cold --exact -o out/trace -- disk/touch 2>messages
	says "cold: 1 file of the command was dropped" "in it before, 0 B after" "was 0 instead of 64 KiB"
	[ "$(stat -c %u out/trace)" = 65534 ]
	read_ahead_is 64
	# What he may not read stays; root alone could.
	chmod 700 disk/touch
	chmod 711 disk
	code=0
	SUDO_UID=65534 SUDO_GID=65534 "$T/elfault.copy" record --cold=out/trace -o out/other -- true 2>messages || code=$?
	[ "$code" = 0 ] && says "/disk/touch may not be read by user 65534"
	SUDO_UID=65534 SUDO_GID=65534 "$T/elfault.copy" record --root --cold=out/trace -o out/other -- true 2>messages
	says "cold: 1 file of the command was dropped"
}
