#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Savings of prefetching in cold starts of programs of Debian, as in docs/cases/prefetch.md:
#   sudo tests/bench/cures/prefetch.sh FOLDER [RUNS [COMMAND...]]
# The files that the commands use are copied to an ext4 on a loop device, whose read-ahead is 128 KiB, and mounted
# over themselves in a mount namespace, so that nobody else's files leave memory and no other device is slowed down.
# LIMIT=1: as well with 125 MiB/s and 3,000 requests/s (cgroup). ELFAULT: the program.
set -euo pipefail

self=$(realpath "$0")
folder=$(realpath -m "$1")
runs=${2:-7}
shift $(($# > 1 ? 2 : 1))
elfault=${ELFAULT:-$(dirname "$0")/../../../build/cli/elfault}
elfault=$(realpath "$elfault")
llvm=$(dirname "$(readlink -f "$(command -v ld.lld)")")
# A word of the command line each; Firefox keeps its profile in the folder.
declare -A commands=(
	[clang]="$llvm/clang --version"
	[lld]="$llvm/ld.lld --version"
	[git]="/usr/bin/git --version"
	[python]="/usr/bin/python3 -c 'import json'"
	[firefox]="/usr/lib/firefox-esr/firefox-esr --headless --no-remote --profile $folder/profile --screenshot $folder/shot.png about:blank"
)
[ $# -gt 0 ] || set -- clang lld git python firefox
mkdir -p "$folder/profile"
cd "$folder"
export HOME=$folder MOZ_DISABLE_CONTENT_SANDBOX=1
log() { echo "== $*" >&2; }

# record NAME ARGUMENT...: `elfault record ARGUMENT...` with the command.
record() {
	local name=$1
	shift
	eval "\"\$elfault\" record --quiet \"\$@\" -- ${commands[$name]}" >/dev/null 2>"$name.messages" || true
}

# The files are those of a cold start, which shows what was read as well.
first() {
	local name
	for name; do
		log "first $name"
		record "$name" -o "$name.first"
		record "$name" --cold="$name.first" -o "$name.cold"
		"$elfault" prefetch --gap 0 --allow-truncated "$name.first" "$name.cold" -o "$name.files"
		# What only read() reads is in memory, and so in no recording yet.
		! command -v strace >/dev/null ||
			eval "strace -f -qq -e trace=open,openat -o \"$name.opens\" ${commands[$name]}" >/dev/null 2>&1 || true
	done
	{
		cat -- *.files | sed -n 's/^file [^ ]* [^ ]* [^ ]* [^ ]* //p'
		sed -n 's/^.*open[^"]*"\(\/usr\/[^"]*\)", O_RDONLY.* = [0-9].*/\1/p' -- *.opens /dev/null | sort -u | xargs -r -d '\n' realpath
	} | sort -u | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >files
}

disk() {
	local bytes
	log "disk"
	bytes=$(xargs -d '\n' stat -c %s <files | awk '{ sum += $1 + 65536 } END { printf "%dM", sum * 1.3 / 1048576 + 64 }')
	rm -f disk.image
	truncate -s "$bytes" disk.image
	mkfs.ext4 -q -F disk.image
	mkdir -p disk
	device=$(losetup --find --show --direct-io=on disk.image)
	mount "$device" disk
	echo 128 >"/sys/block/$(basename "$device")/queue/read_ahead_kb"
	tar -C / -cf - --null -T <(sed 's|^/||' files | tr '\n' '\0') | tar -C disk -xf -
	sync -f disk
	local file
	while read -r file; do
		mount --bind "disk$file" "$file"
	done <files
}

leave() {
	cd /
	[ -z "${device:-}" ] || { umount -l "$folder/disk"; losetup -d "$device"; }
	[ -z "${group:-}" ] || { echo $$ >/sys/fs/cgroup/blkio/cgroup.procs; rmdir "$group"; }
}

# measure NAME LIST WORD...
measure() {
	local name=$1 list=$2
	shift 2
	log "$name, $*"
	echo "### $name: $*"
	grep -c '^[0-9]' "$list" | sed 's/$/ ranges/'
	eval "\"\$elfault\" prefetch --measure \"\$runs\" --from \"\$list\" -- ${commands[$name]}" 2>"$name.measure" || true
	echo
	sed 's/^/    /' "$name.measure" | cut -c1-150 | head -n 6
	echo
}

# Every file of the disk, also those that are not mapped, leaves memory.
drop() {
	python3 - <<-'END'
		import os
		for path in open("files").read().splitlines():
		    file = os.open(path, os.O_RDONLY)
		    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
		    os.close(file)
	END
}

lists() {
	local name
	for name; do
		log "lists of $name"
		record "$name" -o "$name.warm"
		drop
		record "$name" --cold="$name.warm" -o "$name.ahead"
		drop
		record "$name" --cold="$name.warm" --exact -o "$name.exact"
		"$elfault" prefetch --gap 64K "$name.warm" -o "$name.windows.list"
		"$elfault" prefetch --gap 64K "$name.warm" "$name.ahead" -o "$name.reads.list"
		"$elfault" prefetch --gap 64K "$name.exact" -o "$name.exact.list"
		awk '$1 == "file" { print; print $2, 0, $3, "read"; n = $2; next } /^end/ { print "end", n, n; next } !/^[0-9]/' \
			"$name.windows.list" >"$name.whole.list"
	done
}

# 125 MiB/s and 3,000 requests/s for this process and what it starts.
limit() {
	local number
	number=$(lsblk -ndo MAJ:MIN "$device" | tr -d ' ')
	if [ -d /sys/fs/cgroup/blkio ]; then
		group=/sys/fs/cgroup/blkio/elfault-prefetch
		mkdir -p "$group"
		echo "$number 131072000" >"$group/blkio.throttle.read_bps_device"
		echo "$number 3000" >"$group/blkio.throttle.read_iops_device"
	else
		group=/sys/fs/cgroup/elfault-prefetch
		mkdir -p "$group"
		echo "$number rbps=131072000 riops=3000" >"$group/io.max"
	fi
	echo $$ >"$group/cgroup.procs"
}

if [ -z "${INSIDE:-}" ]; then
	first "$@"
	INSIDE=1 exec unshare -m --propagation private "$self" "$folder" "$runs" "$@"
fi
trap leave EXIT
disk
lists "$@"
for name; do
	measure "$name" "$name.windows.list" "pages and windows of a warm trace"
	measure "$name" "$name.reads.list" "and what a cold one read"
	measure "$name" "$name.exact.list" "exact pages"
	measure "$name" "$name.whole.list" "whole files"
done
[ -n "${LIMIT:-}" ] || exit 0
limit
for name; do
	for gap in 0 16K 64K 256K; do
		"$elfault" prefetch --gap $gap "$name.exact" -o "$name.gap.list"
		measure "$name" "$name.gap.list" "limited, exact pages, gaps of $gap"
	done
	measure "$name" "$name.reads.list" "limited, windows"
	measure "$name" "$name.whole.list" "limited, whole files"
done
