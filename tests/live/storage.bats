#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every byte that a device delivers, on a file system of its own: against the device's counter in /proc/diskstats,
# and against what the program itself counted.
load common

SIZE=20971520 # of the file: many windows of read-ahead

# cold_mount: the folder mnt, an ext4 on a loop device, of which nothing is in memory; its device in $DEVICE. Where it
# may be written a thread of the kernel reads its bitmaps some time.
cold_mount() {
	umount mnt 2>/dev/null || true
	mount -o loop,ro small/image mnt || skip "cannot mount a loop device"
	DEVICE=$(findmnt -no SOURCE mnt)
	DEVICE=${DEVICE#/dev/}
	[[ $DEVICE = loop* ]] || skip "$DEVICE is no loop device"
}

# image COMMAND...: fill it by this command, run in it.
image() {
	need_bpf
	need mkfs.ext4 findmnt jq
	small 96m
	truncate -s 64M small/image
	mkfs.ext4 -q -F small/image
	mkdir mnt
	mount -o loop small/image mnt || skip "cannot mount a loop device"
	(cd mnt && "$@")
	cold_mount
}

delivered() {
	awk -v device="$DEVICE" '$3 == device { printf "%.0f", $6 * 512 }' /proc/diskstats
}

# recorded OUT COMMAND...: record it; what the device delivered meanwhile into $BYTES, the answer into storage.json.
recorded() {
	local out=$1 before
	before=$(delivered)
	record "$@" >counts
	BYTES=$(($(delivered) - before))
	analyze "$out"
	jq .storage "$out.json" >storage.json
	jq -e '.device_bytes == .by_fault + .by_readahead + .by_read + .by_exec + .by_metadata + .by_others and
		.device_bytes == ([.devices[].bytes] | add) and .requests.lost == 0 and
		([.parts[].bytes] | add) == .device_bytes and
		([.by_initiator[]] | add // 0) == .device_bytes - .by_others' storage.json ||
		fail "$(cat storage.json)"
	"$ELFAULT" analyze --io --full-paths --format json "$out" >io.json 2>messages || fail "$(cat messages)"
	operations_add_up
	"$ELFAULT" analyze --io --by cause --format json "$out" >by.json 2>messages || fail "$(cat messages)"
	jq -e --slurpfile by by.json '. as $s | $by[0] | .total.bytes == $s.device_bytes and
		([.rows[] | {key: .cause, value: .bytes}] | from_entries) ==
		($s | with_entries(select(.key | startswith("by_")) | select(.value | type == "number" and . > 0) | .key |= .[3:]))' \
		storage.json || fail "sums by cause: $(cat by.json)"
}

# The operations of io.json are what storage.json sums up: bytes by cause, initiator and file, requests, waits.
operations_add_up() {
	jq -e --slurpfile storage storage.json '.operations |= map(select(.cause != "flush")) | def sums(key): group_by(key) | map({key: (.[0] | key), value: (map(.bytes) | add)}) |
		from_entries; def nonzero: with_entries(select(.value > 0)); $storage[0] as $s | .operations as $o |
		.total.bytes == $s.device_bytes and ([$o[].bytes] | add // 0) == $s.device_bytes and
		.total.requests == $s.requests.count and ([$o[].request] | unique | length) == $s.requests.count and
		($o | sums(.cause)) == ($s | with_entries(select(.key | startswith("by_")) |
			select(.value | type == "number") | .key |= .[3:]) | nonzero) and
		($o | map(select(.cause != "others")) | sums(.initiator)) == ($s.by_initiator | nonzero) and
		([$o[] | select(.offset != null) | .wait_ns] | add // 0) == ([$s.by_file[].wait_ns] | add // 0) and
		all($o[]; .wait_ns <= .latency_ns and (.touched == null or .touched <= .mapped and .mapped <= .bytes)) and
		all($o[] | select(.cause == "fault" or .cause == "readahead"); .call != null or .fault != null)' io.json >/dev/null ||
		fail "operations do not add up: $(jq -c .total io.json) $(cat storage.json)"
}

# exactly OUT COMMAND...: the same with nothing of mnt in memory; the answer has the bytes of the device's counter. On a
# busy machine the counter may have a request that raised no event, as perf's do not have it either: then again.
exactly() {
	local try
	for try in {1..5}; do
		cold_mount
		recorded "$1" "${@:2}"
		rm -f "$1"
		! jq -e --arg device "$DEVICE" --argjson bytes "$BYTES" '.devices[] | select(.name == $device) |
			.bytes == $bytes and .bytes >= .counted_least and .bytes <= .counted_most' storage.json || return 0
		echo "try $try: $DEVICE delivered $BYTES: $(jq -c .devices storage.json)"
	done
	fail "never the bytes that $DEVICE delivered"
}

# file CONDITION: holds of the file's row, where $counted is what the program counted.
file() {
	jq -e --arg path "$T/mnt/file" --argjson counted "$(cat counts)" \
		".by_file[] | select(.path == \$path) | $1" storage.json ||
		fail "$(jq -c .by_file storage.json), counted $(cat counts)"
}

# because INITIATOR: all that was read of the file.
because() {
	jq -e --arg path "$T/mnt/file" --argjson counted "$(cat counts)" --arg initiator "$1" '[.parts[] |
		select(.object == $path and .initiator == $initiator) | .bytes] | add == $counted' storage.json ||
		fail "$(jq -c .parts storage.json), counted $(cat counts)"
}

@test "a file is read by read(): each byte, and nothing by faults" {
	image sh -c "head -c $SIZE /dev/urandom >file"
	exactly trace "$PROGRAMS/reads" mnt/file read
	file '.bytes == $counted and .bytes == .by_read + .by_readahead and .by_read > 0 and .wait_ns > 0'
	file ".bytes >= $SIZE and .read == $SIZE and .touched == 0 and .unused == 0"
	because program
	# Those that found all in memory read nothing.
	file ".calls > 0 and .calls <= $SIZE / 65536 + 1 and .call_ns > 0"
	jq -e --argjson counted "$(cat counts)" '.account.calls.all[] | select(.call == "read") |
		.storage_bytes >= $counted and .file_io_ns > 0 and .file_io_ns <= .duration_ns' trace.json ||
		fail "$(jq -c .account.calls trace.json)"
}

@test "a file is read by io_uring, by the thread that asks and by workers: each byte" {
	need gcc
	[ -e /usr/include/liburing.h ] || skip "liburing-dev is not installed"
	cat >ring.c <<-'END'
		#include <fcntl.h>
		#include <liburing.h>
		#include <stdio.h>
		// With workers: several requests at once, and meanwhile the program is in no system call when the kernel makes
		// one more worker.
		int main(int argc, char **argv)
		{
			static char blocks[8][1 << 20];
			static volatile char seen[8192]; // a fault that shows main to run
			struct io_uring ring;
			struct io_uring_cqe *done;
			int file = open(argv[1], O_RDONLY), many = argc > 2 ? 8 : 1, goes_on = 1;
			long asked = 0, all = 0;

			seen[4096] = 1;
			if (file < 0 || io_uring_queue_init(8, &ring, 0))
				return 1;
			while (goes_on) {
				for (int i = 0; i < many; i++, asked += sizeof(blocks[0])) {
					struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
					io_uring_prep_read(entry, file, blocks[i], sizeof(blocks[0]), asked);
					entry->flags |= many > 1 ? IOSQE_ASYNC : 0;
				}
				if (io_uring_submit(&ring) < 0)
					return 1;
				for (int i = 0; i < many; i++) {
					if (many == 1 && io_uring_wait_cqe(&ring, &done))
						return 1;
					while (many > 1 && io_uring_peek_cqe(&ring, &done))
						;
					goes_on &= done->res > 0;
					all += done->res;
					io_uring_cqe_seen(&ring, done);
				}
			}
			printf("%ld\n", all);
			return 0;
		}
	END
	gcc -O1 -o ring ring.c -luring
	image sh -c "head -c $SIZE /dev/urandom >file"
	exactly trace ./ring mnt/file
	file '.bytes == $counted and .by_read > 0'
	because program
	exactly trace ./ring mnt/file workers
	file '.bytes == $counted and .by_read > 0'
	because program
	jq -e ".by_call[] | select(.call == \"io_uring_enter\") | .bytes == $SIZE" storage.json
	# What they put into the block is no code's own.
	record trace ./ring mnt/file workers >counts
	"$ELFAULT" analyze --format ndjson trace >faults
	[ "$(jq -r 'select(.comm | startswith("iou-wrk")) | .initiator' faults | sort -u)" = program ]
}

@test "a file is read by faults, forward, backward and at random: each byte" {
	image sh -c "head -c $SIZE /dev/urandom >file"
	for order in forward backward random; do
		exactly "$order" "$PROGRAMS/reads" mnt/file "$order"
		file '.bytes == $counted and .bytes == .by_fault + .by_readahead and .by_fault > 0'
		# Of pages that are taken from memory meanwhile some are read again.
		file ".bytes >= $SIZE and .read == $SIZE and .mapped == $SIZE and .unused == 0"
		file ".touched > 0 and .touched <= $SIZE"
	done
	# One page each, without read-ahead, the next one nowhere near.
	file ".by_readahead == 0 and .requests == .bytes / 4096 and .touched == $SIZE"
	jq -e '.requests | .median_size == 4096 and .random > 1000' storage.json
}

@test "what initializers read is theirs, by read() and by faults; what main reads is the program's" {
	image sh -c "head -c $SIZE /dev/urandom >file"
	local how of
	for how in read forward; do
		exactly "$how" "$PROGRAMS/reads" mnt/file "$how"
		because program
		exactly "$how" "$PROGRAMS/reads" mnt/file "$how" early
		because static-init
		elfault analyze "$how" --initializers --format json >initializers.json
		of=fault_in_initializer
		[ "$how" != read ] || of=read_in_initializer
		jq -e --arg of "$of" --argjson counted "$(cat counts)" '[.initializers[] | select(.storage_bytes > 0)] |
			length == 1 and .[0].function == $of and .[0].storage_bytes >= $counted and
			(.[0].wait_ns + .[0].duration_ns > 0)' initializers.json || fail "$(cat initializers.json)"
	done
}

@test "the same requests as perf sees" {
	need perf
	[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing || skip "no tracefs"
	local try bytes
	# Where its reader comes late perf loses events: then it saw less than the file has.
	for try in {1..10}; do
		image sh -c "head -c $SIZE /dev/urandom >file"
		perf record -q -B -a -o perf.data -e block:block_rq_complete -- \
			"$ELFAULT" record --quiet --no-embed --no-stacks -o trace -- "$PROGRAMS/reads" mnt/file forward >counts
		# Of "... block:block_rq_complete: 7,0 RA () 16384 + 512 ...".
		perf script -i perf.data 2>messages | awk -v device="7,${DEVICE#loop}" '
			$0 ~ ": " device " R[A-Z]* " { sub(/.* \+ /, ""); bytes += $1 * 512; count++ }
			END { printf "%.0f %d\n", bytes, count }' >perfs
		read -r bytes _ <perfs
		[ "$bytes" -lt $SIZE ] || break
		echo "try $try: perf kept $bytes bytes"
	done
	analyze trace
	jq -r --arg device "$DEVICE" '.storage.devices[] | select(.name == $device) | "\(.bytes) \(.requests)"' \
		trace.json | diff perfs -
}

# traced COMMAND...: recorded cold while bpftrace tells each read of $DEVICE as biosnoop does: who began it, bytes,
# latency and who issued it.
traced() {
	cold_mount
	local events=tracepoint:block device=$((7 << 20 | ${DEVICE#loop}))
	cat >requests.bt <<-EOF
		$events:block_io_start /args->dev == $device/ { @began[args->sector] = pid; }
		$events:block_rq_issue /args->dev == $device/ { @issued[args->sector] = pid; @at[args->sector] = nsecs; }
		$events:block_rq_complete /args->dev == $device/ {
			printf("request %d %d %d %d %s\n", @began[args->sector], args->nr_sector * 512,
				nsecs - @at[args->sector], @issued[args->sector], args->rwbs);
		}
	EOF
	printf '#!/bin/sh\nexec "$ELFAULT" record --quiet --no-embed --backend bpf -o trace -- %s >counts\n' "${*@Q}" >run
	chmod +x run
	bpftrace -o requests requests.bt -c "/bin/sh $T/run" 2>messages || fail "bpftrace: $(cat messages)"
	analyze trace
	jq .storage trace.json >storage.json
	"$ELFAULT" dump trace >events
	python3 "$tests/support/peers.py" requests storage.json events requests "7:${DEVICE#loop}"
}

@test "the same requests as bpftrace sees, by who began them" {
	need bpftrace
	need_bpf
	[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing || skip "no tracefs"
	[ -d /sys/kernel/tracing/events/block/block_io_start ] || skip "no block_io_start before Linux 6.5"
	[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "bpftrace has pids of the machine, not of here"
	local python home json
	read -r python home json < <(python3 -c 'import json, sys; print(sys.executable, sys.base_prefix, json.__path__[0])')
	image sh -c "head -c $SIZE /dev/urandom >file; cp -L '$python' python; cp -r '$json' json"
	thrice traced "$PROGRAMS/reads" mnt/file read
	thrice traced "$PROGRAMS/reads" mnt/file forward
	thrice traced env PYTHONHOME="$home" mnt/python -B -c "import sys; sys.path.insert(0, '$T/mnt'); import json"
}

@test "directories and inodes are metadata" {
	image sh -c 'i=0; while [ $i -lt 300 ]; do mkdir $i; : >$i/f; i=$((i + 1)); done'
	exactly trace ls -lR mnt
	[ "$BYTES" -ge 65536 ] || fail "only $BYTES bytes of metadata"
	jq -e --argjson bytes "$BYTES" '.by_metadata >= $bytes and ([.by_file[].path | select(. != null)] |
		all(contains("/mnt/") | not))' storage.json || fail "$(cat storage.json)"
}

# others_read: when told to by `go`, somebody who is not recorded reads mnt/file, and then says so by `answer`.
others_read() {
	rm -f go answer
	mkfifo -m 666 go answer
	(
		read -r _ <go
		cat mnt/file >/dev/null
		echo >answer
	) 3>&- &
}

@test "what others read meanwhile is theirs" {
	image sh -c "head -c 1048576 /dev/urandom >file"
	others_read
	recorded trace sh -c 'echo >go; read -r _ <answer'
	jq -e '.by_others >= 1048576 and .requests.others > 0 and .requests.others <= .requests.count and ([.by_file[].path | select(. != null)] |
		all(contains("/mnt/") | not))' storage.json || fail "$(cat storage.json)"
	"$ELFAULT" analyze trace | tr -s ' \n' ' ' | grep -q "others read [0-9.]* MiB in [0-9,]* requests* meanwhile" || fail "$("$ELFAULT" analyze trace)"
	# Of which files it was is told to root alone.
	"$ELFAULT" dump trace | grep -q '^request .* pid=0 .* inode='
	cold_mount
	others_read
	SUDO_UID=65534 SUDO_GID=65534 recorded theirs sh -c 'echo >go; read -r _ <answer'
	jq -e '.by_others >= 1048576' storage.json || fail "$(cat storage.json)"
	"$ELFAULT" dump theirs >text
	! grep '^request .* pid=0 .* inode=' text
}

@test "a file of an overlay is the one that is mapped" {
	image sh -c 'mkdir lower && head -c 1048576 /dev/urandom >lower/file'
	mkdir -p small/upper small/work over
	mount -t overlay -o lowerdir=mnt/lower,upperdir=small/upper,workdir=small/work overlay over ||
		skip "no overlayfs"
	recorded trace "$PROGRAMS/reads" over/file forward || {
		umount over
		return 1
	}
	umount over
	jq -e --arg path "$T/over/file" '.by_file[] | select(.path == $path) |
		.read == 1048576 and .mapped == 1048576 and .touched > 0' storage.json || fail "$(cat storage.json)"
}

@test "a file of a btrfs subvolume is not another's with the same number" {
	need_bpf
	need mkfs.btrfs btrfs findmnt jq
	grep -qw btrfs /proc/filesystems || skip "this kernel has no btrfs"
	small 160m
	truncate -s 128M small/image
	mkfs.btrfs -q small/image >messages
	mkdir mnt
	mount -o loop small/image mnt || skip "cannot mount a btrfs"
	btrfs -q subvolume create mnt/sub
	for file in mnt/file mnt/sub/file; do head -c 4194304 /dev/urandom >$file; done
	[ "$(stat -c %i mnt/file)" = "$(stat -c %i mnt/sub/file)" ] || fail "$(stat mnt/file mnt/sub/file)"
	cold_mount
	recorded trace sh -c '"$0" mnt/file forward; "$0" mnt/sub/file read' "$PROGRAMS/reads"
	jq -e --arg mnt "$T/mnt" '[.by_file[] | select(.path | . and startswith($mnt))] | sort_by(.path) |
		length == 2 and .[0].path == $mnt + "/file" and .[1].path == $mnt + "/sub/file" and
		all(.bytes == 4194304) and .[0].mapped == 4194304 and .[0].by_read == 0 and
		.[1].mapped == 0 and .[1].by_fault == 0 and .[1].calls > 0' storage.json || fail "$(cat storage.json)"
	# The same where the subvolume alone is mounted.
	umount mnt
	mount -o loop,ro,subvol=sub small/image mnt
	recorded trace "$PROGRAMS/reads" mnt/file forward
	jq -e --arg path "$T/mnt/file" '.by_file[] | select(.path == $path) |
		.bytes == 4194304 and .mapped == 4194304' storage.json || fail "$(cat storage.json)"
}

@test "operations are the requests that the block tracepoints have" {
	need perf
	image sh -c "head -c $SIZE /dev/urandom >file"
	perf record -q -a -o perf.data -e block:block_rq_complete -- true >messages 2>&1 || skip "perf cannot record requests"
	local try minor
	for try in {1..5}; do
		cold_mount
		minor=$(stat -c %Lr "/dev/$DEVICE")
		perf record -q -a -o perf.data -e block:block_rq_complete -- "$ELFAULT" record --backend bpf -o trace -- \
			"$PROGRAMS/reads" mnt/file backward >messages 2>&1 || fail "$(cat messages)"
		"$ELFAULT" analyze --io --format json trace >io.json 2>messages || fail "$(cat messages)"
		# Of a read: "7,0 R () 2048 + 256 [0]", in some versions with more in front of the bracket.
		perf script -i perf.data -F trace 2>/dev/null | awk -v device="7,$minor" '
			$1 == device && $2 ~ /R/ && $6 > 0 { print $4, $6 * 512 }' | sort >completed
		jq -r --argjson device "$((7 << 8 | minor))" '[.operations[] | select(.device == $device)] |
			group_by(.request)[] | "\(.[0].sector) \(map(.bytes) | add)"' io.json | sort >operations
		[ -s completed ] || skip "perf has no request of $DEVICE"
		! cmp operations completed || break
		rm -f trace
	done
	cmp operations completed || fail "$(diff operations completed)"
	[ "$(awk '{ sum += $2 } END { print sum }' operations)" -ge "$SIZE" ]
}

@test "who waits until a file is written: each call that strace has, of its file, in its function" {
	need gcc strace
	cat >saves.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <unistd.h>
		static char block[1 << 16];
		__attribute__((noinline)) static int save_all(int file) { return write(file, block, sizeof(block)) > 0 ? fsync(file) : 1; }
		__attribute__((noinline)) static int save_data(int file) { return write(file, block, sizeof(block)) > 0 ? fdatasync(file) : 1; }
		__attribute__((noinline)) static int save_through(int file) { return pwrite(file, block, 8192, 4096) != 8192; }
		__attribute__((noinline)) static int save_range(int file)
		{
			return write(file, block, sizeof(block)) < 0 || sync_file_range(file, 4096, 8192, SYNC_FILE_RANGE_WAIT_BEFORE |
				SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
		}
		int main(void)
		{
			int file = open("mnt/file", O_RDWR | O_CREAT, 0644), data = open("mnt/data", O_RDWR | O_CREAT | O_DSYNC, 0644);
			int failed = file < 0 || data < 0 || save_all(file) || save_data(file) || save_range(file) || save_through(data);
			return failed || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) || fsync(file);
		}
	END
	gcc -O1 -g -o saves saves.c
	image true
	umount mnt
	mount -o loop small/image mnt
	strace -f -T -e trace=fsync,fdatasync,sync_file_range,pwrite64,write -P "$T/mnt/file" -P "$T/mnt/data" -o calls \
		"$ELFAULT" record -o trace -- ./saves 2>messages || fail "$(cat messages)"
	umount mnt
	elfault analyze --io --full-paths --format json --where cause=flush trace >io.json
	# What waits; a write to the page cache alone does not.
	jq -r '.operations[] | "\(.call) \(.object | split("/")[-1]) \(.offset)"' io.json >told
	diff told - <<-'END'
		fsync file 0
		fdatasync file 0
		sync_file_range file 4096
		pwrite64 data 4096
		fsync file 0
	END
	# Those that waited have the function, and none waited or took longer than strace saw.
	jq -e '[.operations[0, 1, 3] | .wait_ns > 0 and .initiator == "program" and
		([.stack[].function] | any(startswith("save_")))] | all' io.json || fail "$(cat io.json)"
	sed -n 's/.*\b\(fsync\|fdatasync\|sync_file_range\|pwrite64\)(.*<\([0-9.]*\)>$/\2/p' calls >took
	[ "$(wc -l <took)" = 5 ] || fail "$(cat calls)"
	jq -e --rawfile took took '[[.operations[] | .wait_ns, .latency_ns], [$took | split("\n")[:5][] | tonumber * 1e9 + 1000]] |
		[range(5) as $i | .[0][2 * $i] <= .[0][2 * $i + 1] and .[0][2 * $i + 1] <= .[1][$i]] | all' io.json ||
		fail "$(cat took) $(jq -c '[.operations[].latency_ns]' io.json)"
	elfault analyze trace >screen
	grep -q '; 5 flushes waited' screen || fail "$(cat screen)"
}

@test "nothing is told where it was not recorded" {
	need_bpf
	elfault record --no-storage -o trace -- true
	[ "$code" = 0 ] || fail "$(cat messages)"
	analyze trace
	jq -e '.storage == null and .account.calls == null' trace.json
	elfault dump trace >text
	! grep -qE '^(read|request|path|device|call) ' text
}
