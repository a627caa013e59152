#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Prefetching on a file system of its own with 128 KiB of read-ahead: what is asked for is looked for in memory and
# in the kernel's own counts of faults. No time is measured.
load common

# disk NAME: the folder NAME, an ext4 of its own on a loop device.
disk() {
	need losetup mkfs.ext4 python3
	[ "$(id -u)" = 0 ] || skip "needs root, to mount a file system"
	truncate -s 64m "$1.image"
	mkfs.ext4 -q -F "$1.image"
	mkdir "$1"
	mount -o loop "$1.image" "$1" || skip "no loop device may be mounted"
	DISKS+=("$T/$1")
	local value
	value=/sys/class/bdi/$(mountpoint -d "$1")/read_ahead_kb
	[ -w "$value" ] || skip "sysfs has no read-ahead of loop devices"
	echo 128 >"$value"
	export XDG_CACHE_HOME=$T/cache
	chmod 755 "$1"
}

teardown() {
	for disk in "${DISKS[@]}"; do
		umount -l "$disk"
	done
	tidy
}

# program: disk/scattered, which maps no other file, and disk/file, which it reads 2 pages of.
program() {
	cp "$PROGRAMS/scattered" disk/scattered
	head -c 1048576 /dev/urandom >disk/file
	touch -d '1 hour ago' disk/scattered disk/file
	sync -f disk
	[ -z "$PREFETCH" ] || cp "$PREFETCH" prefetch.copy
}

# pages FILE: those in memory, by number. drop FILE...: takes all of them out of it.
pages() {
	python3 - "$1" <<-'END'
		import ctypes, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		libc.mmap.restype = ctypes.c_void_p
		libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
		size = os.path.getsize(sys.argv[1])
		file = os.open(sys.argv[1], os.O_RDONLY)
		there = (ctypes.c_ubyte * ((size + 4095) // 4096))()
		at = libc.mmap(None, size, 1, 1, file, 0)
		if libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(size), there):
		    sys.exit("mincore")
		for number, page in enumerate(there):
		    if page & 1:
		        print(number)
	END
}

drop() {
	python3 - "$@" <<-'END'
		import os, sys
		for path in sys.argv[1:]:
		    file = os.open(path, os.O_RDONLY)
		    os.fdatasync(file)
		    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
	END
}

warm() {
	cat disk/scattered disk/file >/dev/null
}

# listed LIST FILE: the pages of FILE that LIST has, by number.
listed() {
	awk -v path="$2" '$1 == "file" { if ($NF == path) number = $2; next }
		$1 == number && /^[0-9]/ { for (at = $2; at < $2 + $3; at += 4096) print at / 4096 }' "$1" | sort -nu
}

# seen LIST FILE: each of these pages was in memory at one of the calls since `: >once`. On a machine that is short of memory
# one may leave before the last comes.
seen() {
	pages "$2" >>once
	[ -z "$(unseen "$1" "$2")" ]
}

unseen() {
	comm -23 <(listed "$1" "$2" | sort) <(sort -u once)
}

# majors COMMAND...: how many major faults the kernel counts of it.
majors() {
	python3 -c '
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_majflt)' "$@"
}

as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		--no-new-privs -- "$@"
}

# lists: trace and list of a warm start.
lists() {
	warm
	record trace disk/scattered disk/file >touched
	elfault prefetch --gap 0 trace -o list
	[ "$code" = 0 ] || fail "$(cat messages)"
	! grep -q ' 1 files' messages || fail "$(cat messages)"
}

@test "what a warm trace lists is what a cold start needs" {
	need_bpf
	disk disk
	program
	lists
	# Each page that the program says it touched is there.
	python3 - disk/scattered touched >needed <<-'END'
		import subprocess, sys
		rows = [line.split() for line in subprocess.check_output(["readelf", "-lsW", sys.argv[1]], text=True).splitlines()]
		start = next(int(row[1], 16) for row in rows if row[7:] == ["constants"])
		for row in rows:
		    if row[:1] == ["LOAD"] and 0 <= start - int(row[2], 16) < int(row[5], 16):
		        start += int(row[1], 16) - int(row[2], 16)
		        break
		print(*sorted((start + int(line)) // 4096 for line in open(sys.argv[2])), sep="\n")
	END
	[ "$(wc -l <needed)" = 32 ]
	[ -z "$(comm -23 <(sort needed) <(listed list "$T/disk/scattered" | sort))" ] || fail "$(cat list)"
	# In their order, which is not that of the file.
	grep '^1 ' list | awk '{ print $2 }' >offsets
	[ "$(wc -l <offsets)" -ge 32 ] && ! sort -nc offsets 2>/dev/null || fail "$(cat list)"
	# Without prefetching each waits for storage; with everything asked for and there hardly any does.
	local try cold hot
	for try in {1..10}; do
		drop disk/scattered disk/file
		cold=$(majors disk/scattered disk/file)
		drop disk/scattered disk/file
		"$ELFAULT" prefetch --from list
		: >once
		until_true 100 seen list "$T/disk/scattered" || echo "not seen: $(unseen list "$T/disk/scattered" | wc -l)"
		hot=$(majors disk/scattered disk/file)
		echo "try $try: $cold without, $hot with"
		[ "$cold" -lt 32 ] || [ "$hot" -gt 2 ] || return 0
	done
	fail "major faults: $cold without, $hot with"
}

# mount_image HOW FOLDER: ./image, of squashfs, by the kernel or by squashfuse.
mount_image() {
	if [ "$1" = kernel ]; then
		mount -o loop,ro image "$2" 2>messages
	else
		command -v squashfuse >/dev/null && squashfuse image "$2" 2>messages
	fi
}

@test "files on squashfs, mounted by the kernel or by FUSE, are listed and asked for as on a disk" {
	need_bpf
	need mksquashfs python3
	[ "$(id -u)" = 0 ] || skip "needs root, to mount a file system"
	export XDG_CACHE_HOME=$T/cache
	mkdir made
	cp "$PROGRAMS/scattered" made/
	head -c 1048576 /dev/urandom >made/file
	# Linux leaves a block of zeros out of what it is asked to read ahead.
	mksquashfs made image -no-progress -quiet -no-sparse >/dev/null
	local how tried=0
	for how in kernel fuse; do
		mkdir "$how"
		mount_image "$how" "$how" || continue
		DISKS+=("$T/$how")
		tried=$((tried + 1))
		record trace "$how/scattered" "$how/file" >touched
		elfault prefetch --gap 0 trace -o list
		[ "$code" = 0 ] || fail "$how: $(cat messages)"
		! grep -q ' 1 files' messages || fail "$how: $(cat messages)"
		# Mounted anew nothing of it is in memory.
		umount "$how"
		mount_image "$how" "$how" || fail "$how: $(cat messages)"
		: >once
		! seen list "$T/$how/scattered" || fail "$how: all of it is in memory"
		elfault prefetch --from list
		[ "$code" = 0 ] || fail "$how: $(cat messages)"
		: >once
		until_true 100 seen list "$T/$how/scattered" || fail "$how: not seen: $(unseen list "$T/$how/scattered" | wc -l)"
	done
	[ "$tried" -gt 0 ] || skip "squashfs cannot be mounted here"
	echo "$tried ways of 2"
}

@test "it asks beside the command, and is stopped by nobody but its end" {
	need_bpf
	disk disk
	program
	lists
	local try asking
	for asking in "$ELFAULT prefetch --from list --" ${PREFETCH:+"$PREFETCH list"}; do
		: >once
		for try in {1..10}; do
			drop disk/scattered disk/file
			# The command waits until all is there.
			# shellcheck disable=SC2086 # words
			$asking sh -c 'read -r _; exit 7' < <(until_true 100 seen list "$T/disk/scattered"; echo) 2>messages || code=$?
			[ "$code" = 7 ] && [ ! -s messages ] || fail "$code: $(cat messages)"
			! seen list "$T/disk/scattered" || break
		done
		seen list "$T/disk/scattered" || fail "$asking: never in memory: $(unseen list "$T/disk/scattered" | wc -l) of $(listed list "$T/disk/scattered" | wc -l) pages"
	done
}

@test "its own cold start waits for storage twice at most" {
	[ "$PREFETCH_LIBC" = musl ] || skip "built with glibc: musl-gcc is not installed"
	disk disk
	cp "$PREFETCH" disk/elfault-prefetch
	sync -f disk
	once() {
		drop disk/elfault-prefetch
		count=$(majors disk/elfault-prefetch --help)
		[ "$count" -le 2 ]
	}
	until_true 10 once || fail "$count major faults"
}

@test "what comes first is asked for before the command starts" {
	need_bpf
	need setpriv prlimit
	[ -n "$PREFETCH" ] || skip "no static libc"
	disk disk
	program
	lists
	chmod 644 list
	chmod 755 "$T"
	# Where no process can be started that asks beside the command, what was asked before is all there is.
	once() {
		: >once
		drop disk/scattered disk/file
		code=0
		as_nobody prlimit --nproc=0 ./prefetch.copy list sh -c 'exit 7' 2>messages || code=$?
		[ "$code" = 7 ] || fail "$code: $(cat messages)"
		says "not everything is prefetched"
		until_true 100 seen list "$T/disk/scattered"
	}
	until_true 10 once || fail "never in memory: $(unseen list "$T/disk/scattered" | wc -l) pages"
}

@test "warm, nothing is asked for, and nothing is read" {
	need_bpf
	disk disk
	program
	lists
	warm
	elfault prefetch --from list
	[ "$code" = 0 ]
	says "asked for 0 B in 0 calls"
}

@test "the command notices nothing: no child, no file, no signal, its own status and streams" {
	need_bpf
	need setpriv
	disk disk
	program
	lists
	cat >look.py <<-'END'
		import os, signal, sys
		try:
		    print("child", os.waitpid(-1, os.WNOHANG | 0x40000000))
		except ChildProcessError:
		    print("no child")
		print("pending", signal.sigpending(), signal.pthread_sigmask(signal.SIG_BLOCK, []))
		print("files", sorted(int(name) for name in os.listdir("/proc/self/fd")))
		child = os.fork()
		if child == 0:
		    os._exit(5)
		pid, status = os.waitpid(-1, 0)
		print(pid == child, os.waitstatus_to_exitcode(status), sys.stdin.read(), os.getcwd(), sys.argv)
		print("error", file=sys.stderr)
		sys.exit(3)
	END
	local asking word
	for asking in env "$ELFAULT prefetch --from list" "$ELFAULT prefetch --from trace" ${PREFETCH:+"$PREFETCH list --"}; do
		code=0
		# shellcheck disable=SC2086 # words
		echo input | setsid -w $asking python3 look.py 'a b' --from -o >out 2>errors || code=$?
		[ "$code" = 3 ] && [ "$(cat errors)" = error ] || fail "$asking: $code $(cat errors)"
		if [ "$asking" = env ]; then
			mv out expected
			grep -q "no child" expected
		else
			diff expected out
		fi
	done
	# Whoever reads its output is not kept waiting by what is asked for: there is no end of it left open.
	for word in "$ELFAULT prefetch --from list" ${PREFETCH:+"$PREFETCH list"}; do
		drop disk/scattered disk/file
		# shellcheck disable=SC2086 # words
		[ "$($word echo heard)" = heard ]
		code=0
		$word sh -c 'kill -TERM $$' || code=$?
		[ "$code" = 143 ]
		code=0
		$word ./missing 2>messages || code=$?
		[ "$code" = 127 ] && says "command not found"
		code=0
		$word ./list 2>messages || code=$?
		[ "$code" = 126 ]
	done
}

# asked_and_seen LIST FILE ELFAULT...
asked_and_seen() {
	seen list "$2" || { "${@:3}" prefetch --from "$1" && seen list "$2"; }
}

@test "a file that has changed is refused and said, others are asked for" {
	need_bpf
	disk disk
	program
	cp disk/scattered disk/other
	touch -d '1 hour ago' disk/other
	lists
	sed -n 's/^file 1 //p' list >line
	local size time how
	read -r size time _ <line
	# Two more files: "other" is what changes.
	awk -v line="$size $time - $T/disk/other" '
		$1 == "end" { print "file", $2 + 1, line; print $2 + 1, 1048576, 65536, "fault"; print "end", $2 + 1, $3 + 1; next }
		{ print }' list >longer
	for how in true 'touch disk/other' 'echo >>disk/other' 'rm disk/other' 'rm disk/other; ln -s scattered disk/other' \
		'rm disk/other; ln -s /dev/zero disk/other' 'rm disk/other; mkfifo disk/other' 'rm disk/other; mkdir disk/other'; do
		rm -rf disk/other
		cp disk/scattered disk/other
		touch -d "@$time" disk/other
		eval "$how"
		drop disk/scattered
		: >once
		elfault prefetch --from longer -- true
		[ "$code" = 0 ]
		elfault prefetch --from longer
		case $how in
		true) ! grep -q "not prefetched" messages || fail "$(cat messages)" ;;
		touch*) says "/disk/other: has changed: its time is not that of the list; not prefetched" ;;
		echo*) says "/disk/other: its size is $((size + 1)), not $size as in the list; not prefetched" ;;
		*ln*) says "/disk/other: is a symbolic link; not prefetched" ;;
		*mk*) says "/disk/other: is no regular file; not prefetched" ;;
		rm*) says "/disk/other: No such file or directory; not prefetched" ;;
		esac
		# The kernel may take less than it is asked for; who asks again gets the rest.
		until_true 600 asked_and_seen longer "$T/disk/scattered" elfault
	done
	# A link on the way is none of the list's files either.
	mv disk/scattered disk/moved
	mkdir disk/folder
	mv disk/moved disk/folder/scattered
	ln -s folder disk/link
	sed "s|$T/disk/scattered|$T/disk/link/scattered|" list >linked
	elfault prefetch --from linked
	says "a symbolic link is in its path"
	# The same content under another time is the same file, by its build-id.
	if readelf -n disk/folder/scattered | grep -q 'Build ID'; then
		mv disk/folder/scattered disk/scattered
		touch disk/scattered
		elfault prefetch --from list
		! grep -q "scattered: " messages || fail "$(cat messages)"
		# And other content under the same time is said to be other.
		python3 - disk/scattered "$(readelf -n disk/scattered | awk '/Build ID/ { print $3 }')" <<-'END'
			import sys
			with open(sys.argv[1], "r+b") as file:
			    at = file.read().index(bytes.fromhex(sys.argv[2]))
			    file.seek(at)
			    file.write(b"\0")
		END
		touch -d "@$time" disk/scattered
		elfault prefetch --from list
		says "/disk/scattered: its build-id is not that of the list"
		touch disk/scattered
		elfault prefetch --from list
		says "its time and build-id are not those of the list; not prefetched"
	fi
}

@test "a list that is none is said, and the command runs" {
	local asking
	export XDG_CACHE_HOME=$T/cache
	printf 'elfault-prefetch 1\nfile 1 1 1.000000000 - /dev/watchdog\n1 0 1 fault\n' >short
	printf 'elfault-prefetch 1\nfile 1 9223372036854775807 1.000000000 - /dev/zero\n1 0 9223372036854775807 fault\nend 1 1\n' >device
	mkfifo fifo
	for asking in "$ELFAULT prefetch --from" ${PREFETCH:+"$PREFETCH"}; do
		code=0
		$asking short sh -c 'exit 7' 2>messages || code=$?
		[ "$code" = 7 ]
		$asking short 2>messages && fail "asked for a list that was cut"
		says "short: line 4: the last line is missing: the list was cut"
		$asking device 2>messages || true
		says "/dev/zero: is no regular file; not prefetched"
		code=0
		$asking missing sh -c 'exit 7' 2>messages || code=$?
		[ "$code" = 7 ]
		timeout 20 $asking fifo true 2>messages
	done
	elfault prefetch
	[ "$code" = 2 ]
	elfault prefetch --from short -o list true
	[ "$code" = 2 ]
}

@test "an ordinary user, and whoever called sudo" {
	need_bpf
	need setpriv
	disk disk
	program
	lists
	chmod 644 list trace
	chmod 755 "$T"
	cp "$ELFAULT" elfault.copy
	local asking
	drop disk/scattered
	for asking in "$T/elfault.copy prefetch --from" ${PREFETCH:+"$T/prefetch.copy"}; do
		# shellcheck disable=SC2086 # words
		[ "$(as_nobody $asking list id -u)" = 65534 ]
	done
	: >once
	until_true 600 asked_and_seen list "$T/disk/scattered" as_nobody "$T/elfault.copy"
	as_nobody "$T/elfault.copy" prefetch --from list 2>messages
	# What is in memory of files of others is not for him to know: the kernel looks.
	says "or more were in memory"
	export SUDO_UID=65534 SUDO_GID=65534
	[ "$("$T/elfault.copy" prefetch --from list -- id -u)" = 65534 ]
	[ "$("$T/elfault.copy" prefetch --from trace -- id -u)" = 65534 ]
	[ "$("$T/elfault.copy" prefetch --root --from list -- id -u)" = 0 ]
	if [ -n "$PREFETCH" ]; then
		code=0
		"$T/prefetch.copy" list id -u 2>messages || code=$?
		[ "$code" = 125 ]
		says "sudo elfault prefetch --from LIST"
		[ "$("$T/prefetch.copy" --root list id -u)" = 0 ]
	fi
	# A trace that he may not read is not read for him.
	chmod 600 trace
	code=0
	"$T/elfault.copy" prefetch --measure 1 --from trace -- true 2>messages || code=$?
	[ "$code" = 125 ]
}

@test "exact: of a cold recording without read-ahead the pages themselves, and what was read" {
	need_bpf
	disk disk
	program
	record former disk/scattered disk/file >touched
	drop disk/file
	elfault record --cold=former --exact -o trace -- disk/scattered disk/file >touched
	[ "$code" = 0 ] || fail "$(cat messages)"
	elfault prefetch --gap 0 trace -o list
	grep -q '^# from trace: .*(exact pages)$' list
	# 32 pages of the array, and a few of the program: windows would be 16 each.
	[ "$(listed list "$T/disk/scattered" | wc -l)" -lt 100 ] || fail "$(cat list)"
	# The two pages that pread() asked for.
	[ "$(listed list "$T/disk/file" | tr '\n' ' ')" = "16 17 " ] || fail "$(cat list)"
	grep -q ' 65536 8192 read$' list
	# Gaps are closed: 252 KiB lie between two pages of the array, and a range may be four gaps long.
	elfault prefetch --gap 256K trace -o closed
	[ "$(listed closed "$T/disk/scattered" | wc -l)" -gt 1400 ]
	# Two traces make one list.
	elfault prefetch --gap 0 former trace -o both
	[ "$(listed both "$T/disk/file" | tr '\n' ' ')" = "16 17 " ] || fail "$(cat both)"
	[ "$(listed both "$T/disk/scattered" | wc -l)" -gt 100 ]
}

@test "the gap is measured once per device, and again when asked to" {
	need_bpf
	disk disk
	program
	warm
	record trace disk/scattered
	elfault prefetch trace -o list
	says "gaps of up to"
	if ! grep -q "cannot measure the device" messages; then
		grep -q "as measured on the device$" list
		[ "$(wc -l <cache/elfault/gaps)" = 1 ]
		elfault prefetch trace -o list
		! grep -q "measured: " messages
		grep -q "as measured on the device before$" list
		elfault prefetch --gap auto trace -o list
		says "measured: a request takes the device"
		[ "$(wc -l <cache/elfault/gaps)" = 1 ]
	fi
}

@test "measured: cold starts without and with it, in turn" {
	need_bpf
	disk disk
	program
	lists
	elfault prefetch --measure 2 --from list -- disk/scattered disk/file >answer
	[ "$code" = 0 ] || fail "$(cat messages)"
	grep -q "2 cold starts without and with prefetching, in turn" answer
	# Each start without it was cold.
	awk '/^major faults/ { exit !($3 >= 32) }' answer || fail "$(cat answer)"
	# The file that is read is in the list where the recorded start had to wait for it: memory is the machine's matter.
	local files
	files=$(($(grep -c '^file ' list) + (${#PREFETCH} > 0)))
	grep -Eq "cold: $files files? of the command .* dropped from the page cache: .*, 0 B after" messages ||
		fail "$(cat messages)"
	elfault prefetch --measure 1 --format json --from list -- disk/scattered disk/file >answer.json
	jq -e '.schema == "elfault.prefetch/1" and .runs == 1 and .failed == 0 and .command == ["disk/scattered", "…"]
		and (.major.without[0] >= 32) and .wall_ns.verdict == "unknown" and (.notes | length > 0)' answer.json
	elfault prefetch --measure 2 --from list -- ./missing
	[ "$code" = 125 ]
	elfault prefetch --measure 2 --from list -- sh -c 'exit 3' >answer
	[ "$code" = 0 ]
	says "the command failed in 4 of 4 runs: exit status 3"
}
