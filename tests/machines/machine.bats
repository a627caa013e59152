#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Recording on another kernel: Debian's Linux $KERNEL, in a machine that qemu emulates, with neither KVM nor
# privilege. The guest runs a list of commands (machine.bash) from a file system in memory, where every file has the
# path that it has here. What it records is judged here, by the tables and the oracle of tests/live.
load ../live/common
load machine

why_not() {
	local command
	[ "$HAS_BPF" = 1 ] || echo "built without BPF"
	for command in qemu-system-x86_64 busybox cpio mke2fs debugfs setpriv strip jq; do
		command -v "$command" >/dev/null || echo "$command is not installed"
	done
}

setup_file() {
	local image
	export W=$BATS_FILE_TMPDIR
	why_not >"$W/why-not"
	[ -s "$W/why-not" ] || image=$("$BATS_TEST_DIRNAME/kernel.sh" "$KERNEL") || echo "$image" >"$W/why-not"
	[ ! -s "$W/why-not" ] || return 0
	mkdir "$W/stripped"
	list
	build
	boot "$image"
}

setup() {
	[ ! -s "$W/why-not" ] || skip "$(tail -n 1 "$W/why-not")"
	if [ ! -d "$W/out" ]; then
		tail -n 40 "$W/console"
		fail "the guest left nothing"
	fi
	cd "$W/out"
}

teardown() {
	cd /
}

# ended NAME STATUS: that command ended so.
ended() {
	[ -s "$1.status" ] || fail "$1 did not end: $(tail -n 5 "$W/console")"
	[ "$(cat "$1.status")" = "$2" ] || fail "$1 ended with $(cat "$1.status"): $(cat "$1.err")"
}

# analyzed NAME: its trace, which is whole.
analyzed() {
	ended "$1" 0
	[ -e "$1.json" ] || "$ELFAULT" analyze --format json "$1.trace" >"$1.json" 2>messages || fail "$(cat messages)"
}

# faults NAME: of its trace, one per line.
faults() {
	ended "$1" 0
	"$ELFAULT" analyze --debug-dir /nonexistent --format ndjson "$1.trace" >"$1.faults" 2>messages ||
		fail "$(cat messages)"
}

# says_as_record DOCTOR RECORD BACKEND: doctor names the backend that `record` takes.
says_as_record() {
	[ "$(jq -r 'if .bpf then "bpf" elif .perf then "perf" else "none" end' "$1.out")" = "$3" ] ||
		fail "doctor, where record uses $3: $(cat "$1.out")"
	if [ "$3" = none ]; then
		ended "$2" 125
	else
		analyzed "$2"
		[ "$(jq -r .trace.backend "$2.json")" = "$3" ] || fail "not $3: $(cat "$2.err")"
	fi
}

@test "it is the kernel that was meant" {
	analyzed auto
	echo "# $(jq -r .trace.kernel auto.json)" >&3
	[[ $(jq -r .trace.kernel auto.json) = $KERNEL.* ]]
}

@test "doctor says what record does" {
	says_as_record doctor auto bpf
	# Debian's own value is 3, which lets no ordinary user use perf events.
	says_as_record doctor.user auto.user none
	says_as_record doctor.allowed auto.allowed perf
}

@test "BPF takes every size of stacks" {
	local size
	for size in "${sizes[@]}" none; do
		analyzed "size.$size"
		jq -e '.trace.backend == "bpf" and .counts.recorded > 100' "size.$size.json" >/dev/null ||
			fail "--stack-size $size: $(cat "size.$size.err")"
	done
}

# by_program TRACE FOLDER PIDS: one file per line of the script `truths`, in FOLDER.
by_program() {
	"$ELFAULT" analyze --debug-dir /nonexistent --format ndjson "$1" 2>messages |
		python3 "$tests/support/byprogram.py" "$2" "$3"
}

# judge NAME STACKS: the faults of each program in the folder NAME, whose stacks are in the folder STACKS.
judge() {
	local name tags path out
	while read -r name tags path out; do
		echo "$name $tags ${path##*/} $1/$out $2/$out"
	done <"$W/programs" >"runs.$1"
	python3 "$tests/support/truth.py" check "$PROGRAMS" "counts.$1" "list.$1" <"runs.$1"
}

# row NAME: a line of the table of kernels in docs/measured/initiators.md.
row() {
	awk -v name="$1" -v kernel="$(jq -r .trace.kernel auto.json)" -v programs="$(wc -l <"runs.$1")" '
		$1 == "initiator" { count[$3] += $4; all += $4 }
		END { printf "# | %s | %s | %d | %d | %d | %d | %d |\n", kernel, name, programs, all, count["right"],
			count["wrong"], count["unknown"] }' "counts.$1" >&3
}

# never_wrong COUNTS RIGHT: at least RIGHT percent right and none wrong.
never_wrong() {
	local code=0
	python3 "$tests/support/truth.py" total "$2" 0 "counts.$1" some >table || code=$?
	sed 's/^/# /' table >&3
	row "$1"
	[ $code = 0 ] || sort -r "list.$1" | head -n 100
	[ $code = 0 ]
}

@test "why each fault happened, by BPF" {
	ended truths.bpf 0
	by_program truths.bpf.trace bpf truths.bpf.out
	judge bpf bpf
	never_wrong bpf 99
}

@test "why each fault happened, without stacks" {
	[ -d bpf ]
	"$ELFAULT" dump truths.bpf.trace 2>messages | sed -E '/^stack /d; s/ stack=[0-9]+//' >bare.trace
	by_program bare.trace bare truths.bpf.out
	judge bare bpf
	never_wrong bare 0
}

# Mechanisms are a guess there, which notes say.
@test "why each fault happened, by perf" {
	ended truths.perf 0
	by_program truths.perf.trace perf truths.perf.out
	judge perf perf
	sed -i '/^mechanism /d' counts.perf
	never_wrong perf 99
}

@test "known bytes, touched in a known order" {
	local name tags path out failed=0
	# An instruction that reads and writes one place faults once on a processor, and once for each in qemu.
	sed -E '/touch_data_read_modify_write/ { h; s/write +private-write/read file-map/p; g; s/private-write/cow-break/ }' \
		"$fixtures/touch.expected" >touch.expected
	cp "$fixtures/tls.expected" .
	while read -r name tags path out; do
		[ -e "$name.expected" ] || continue
		python3 "$tests/support/expect.py" "$name.expected" "$path" "$tags,zero-page" <"bpf/$out" || failed=1
	done <"$W/programs"
	faults sums.bpf
	[ "$(cat swap.said)" -ge 50 ] || fail "the libraries met only $(cat swap.said) times"
	python3 "$tests/support/expect.py" "$fixtures/swap.expected" "$PROGRAMS/swap" swap <sums.bpf.faults || failed=1
	[ $failed = 0 ]
}

@test "recorded, lost, before exec and without an event are what the kernel counted" {
	local name
	for name in truths sums; do
		analyzed $name.bpf
		summary $name.bpf.json complete exact
		# What raises no event, only BPF sees.
		analyzed $name.perf
		jq -e --slurpfile bpf $name.bpf.json '.counts |
			.recorded + .lost + .before_exec + $bpf[0].counts.unsampled == .rusage_minor + .rusage_major' \
			$name.perf.json >/dev/null || fail "$(jq -c .counts $name.bpf.json $name.perf.json)"
	done
	summary sums.bpf.json processes 104 by-function write_in_child 100 mechanism fork-cow 100 \
		threads 168 by-function write_pages 640 symbol pages 640
	[ ! -e "$PROGRAMS/storm32" ] || summary sums.bpf.json by-function main 1000
}

# reads NAME BYTES: what the faults of that trace read of the file, by the kernel's two counts as well.
reads() {
	faults "$1"
	python3 "$tests/support/reads.py" elfault file <"$1.faults" >"$1.reads"
	[ "$(cat "$1.out")" = "$2 $2" ] || fail "the kernel counted $(cat "$1.out"), not $2"
	[ "$(tail -n 1 "$1.reads")" = "sum $2" ] || fail "$1: $(cat "$1.reads")"
}

@test "what faults read from a disk" {
	reads cold 20480
	diff cold.reads - <<-END
		3 1 1
		700 1 1
		701 1 1
		2047 1 1
		64 1 1
		sum 20480
	END
	reads ahead $(((8192 - 3) * 4096))
}

@test "what a disk read, and for what" {
	analyzed cold
	analyzed ahead
	# The program asked for three pages by pread(). Which read-ahead is asynchronous these kernels do not report.
	jq -e '.storage | .complete and .requests.lost == 0 and .by_readahead == 0 and (.by_file[] |
		select(.path == "/disk/file") | .by_fault == 20480 and .by_read == 0 and .requests == 5)' cold.json ||
		fail "$(jq -c '.storage | del(.by_section)' cold.json)"
	jq -e '.storage | .complete and .requests.lost == 0 and .by_readahead == 0 and (.by_file[] |
		select(.path == "/disk/file") | .by_fault == (8192 - 3) * 4096 and .by_read == 3 * 4096)' ahead.json ||
		fail "$(jq -c '.storage | del(.by_section)' ahead.json)"
	jq -e '.notes | any(startswith("this kernel does not report which read-ahead is asynchronous"))' ahead.json
}

@test "which pages a fault mapped, where the kernel says so" {
	local pie=(bpf/touch.*.pie)
	if [ "$KERNEL" = 6.1 ]; then
		jq -es 'all(.mapped == null)' "${pie[0]}"
		grep -q 'does not report which pages it maps around a fault' truths.bpf.err
	else
		jq -es 'any(.mapped.pages > 1)' "${pie[0]}"
	fi
}
