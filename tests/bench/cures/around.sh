#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fault-around: what `elfault whatif` predicts of other sizes, and what programs take when the kernel has them. The
# size is of the whole machine and behind debugfs, so that all of it is recorded in a virtual machine (as tests/machines
# has them, with Debian's kernel $KERNEL, 6.12 unless it is set). docs/measured/whatif.md has the answers.
#     tests/bench/cures/around.sh FOLDER [ROUNDS]
# Needs qemu-system-x86_64, busybox, cpio, mke2fs, debugfs, jq, and the programs; those that are missing are left out.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BATS_TEST_DIRNAME=$here/../../machines
ELFAULT=$(realpath "$here/../../../${ELFAULT_BUILD:-build}/cli/elfault")
W=$(realpath -m "$1")
rounds=${2:-1} # addresses are the same in each
sizes=(65536 4096 16384 262144 1048576 2097152)
commands=("git --version" "clang-14 --version" "/usr/bin/python3 -c 'import json'" "gdb --version")

libraries() {
	ldd "$@" 2>/dev/null | grep -o '/[^ :]* (0x' | sed 's/ (0x//' | sort -u
}
# shellcheck source=tests/machines/machine.bash
. "$BATS_TEST_DIRNAME/machine.bash"

mkdir -p "$W"
: >"$W/commands"
: >"$W/files"
: >"$W/truths"
: >"$W/sums"
needs "$(command -v busybox)" "$ELFAULT"
there debugfs "mkdir -p /debug; mount -t debugfs none /debug"
for command in "${commands[@]}"; do
	program=$(command -v "${command%% *}") || continue
	needs "$program" "$(realpath "$program")"
	name=$(basename "${command%% *}")
	kept+=("$name")
	# Python's own files are read, not mapped.
	[ "$name" != python3 ] || needs /usr/lib/python3.11/{encodings,collections,json,re}/*.py /usr/lib/python3.11/*.py
	for size in "${sizes[@]}"; do
		for ((round = 1; round <= rounds; round++)); do
			there "$name.$size.$round" "echo $size >/debug/fault_around_bytes; $command >/dev/null;" \
				"$ELFAULT record --backend bpf -o $name.$size.$round.trace -- $command"
		done
	done
done
build
image=$("$BATS_TEST_DIRNAME/kernel.sh" "${KERNEL:-6.12}")
GUEST_MIB=3072 boot "$image" 3>&2 # all of it is in the guest's memory

faults() {
	"$ELFAULT" dump "$1" 2>/dev/null | grep -c '^fault' || true
}

# median NAME: of its rounds.
median() {
	local trace
	for trace in "$W/out/$1".*.trace; do
		echo "$(faults "$trace") $trace"
	done | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

echo "| program | fault-around | faults | predicted | measured | error |"
echo "|---|--:|--:|--:|--:|--:|"
for name in "${kept[@]}"; do
	read -r before trace < <(median "$name.65536")
	"$ELFAULT" whatif --format json "$trace" >"$W/answer" 2>/dev/null
	for size in "${sizes[@]:1}"; do
		read -r measured _ < <(median "$name.$size")
		jq -r --arg name "$name" --argjson before "$before" --argjson measured "$measured" --argjson kib "$((size >> 10))" '
			.cures[] | select(.cure == "fault-around-\($kib)k") |
			"| \($name) | \($kib) KiB | \($before) | \(.after.faults)\(if .bound then " (bound)" else "" end) | " +
			"\($measured) | \((.after.faults - $measured) * 1000 / $measured | round / 10) % |"' "$W/answer"
	done
done
