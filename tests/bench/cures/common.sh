# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared parts of the cures' scripts: a device for cold starts, and starts of several builds in turn.
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
elfault=$(realpath "$here/../../../${ELFAULT_BUILD:-build}/cli/elfault")
device=
folder=

detach() {
	if mountpoint -q "$folder/disk"; then umount "$folder/disk"; fi
	[ -z "$device" ] || losetup -d "$device"
}

# attach FOLDER: FOLDER/disk is a device of its own, with 128 KiB of read-ahead.
attach() {
	folder=$1
	mkdir -p "$folder/disk"
	truncate -s 2G "$folder/image"
	mkfs.ext4 -q -F "$folder/image"
	trap detach EXIT
	device=$(losetup --find --show "$folder/image")
	mount "$device" "$folder/disk"
	echo 128 >"/sys/block/${device#/dev/}/queue/read_ahead_kb"
}

# compare PROGRAM ROUNDS NAME...: starts of disk/NAME/bin/PROGRAM, warm and cold, each beside the first. In turn,
# so that what else the machine does falls on all alike.
compare() {
	local program=$1 rounds=$2 round name way
	local -a names=("${@:3}") command
	for name in "${names[@]}"; do
		rm -rf "$folder/$name".{warm,cold}
		mkdir "$folder/$name".{warm,cold}
	done
	for ((round = 1; round <= rounds; round++)); do
		for name in "${names[@]}"; do
			command=("$folder/disk/$name/bin/$program" --version)
			"${command[@]}" >/dev/null
			"$elfault" record -o "$folder/$name.warm/$round.trace" -- "${command[@]}" >/dev/null
			"$elfault" record "--cold=$folder/$name.warm/1.trace" \
				-o "$folder/$name.cold/$round.trace" -- "${command[@]}" >/dev/null
		done
	done 2>"$folder/record.log"
	for way in warm cold; do
		for name in "${names[@]:1}"; do
			echo "== $program, $way: ${names[0]}, and $name"
			"$elfault" diff "$folder/${names[0]}.$way" "$folder/$name.$way" | head -60
		done
	done
}
