#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reads by faults from a disk: a file of known size whose pages are known not to be in memory, touched
# at known places, against what is written here, the kernel's own counts and perf's tracepoint.
load common

PAGES=8192 # of the file: several windows of read-ahead, which then takes large folios

# reading SIZE COMMAND...: run fixtures/programs/cold.c by COMMAND on a new file, of which it shall read so many bytes.
# Where pages were taken from the page cache meanwhile, what had been read ahead was read again, by the kernel's own
# count, and the run is no use.
reading() {
	local size=$1 try
	shift
	need_bpf
	for try in {1..30}; do
		head -c $((PAGES * 4096)) /dev/urandom >file
		code=0
		"$@" >counts 2>messages || code=$?
		[ "$code" = 2 ] && skip "files in $T stay in memory"
		[ "$code" = 0 ] || fail "$1 ended with $code: $(cat messages)"
		[ "$(cat counts)" != "$size $size" ] || return 0
		echo "try $try: the kernel read $(cat counts), not $size"
	done
	fail "the kernel never reads $size bytes"
}

# cold PAGES ADVICE WORD...: record it; what it read into `reads`.
cold() {
	reading $(($1 * 4096)) "$ELFAULT" record --backend bpf -o trace -- "$PROGRAMS/cold" file "${@:2}"
	"$ELFAULT" analyze --format ndjson trace >faults 2>messages
	python3 "$tests/support/reads.py" elfault file <faults >reads
}

# What /proc/self/io and getrusage() counted is the sum.
adds_up() {
	local sum
	sum=$(sed -n 's/^sum //p' reads)
	[ "$(cat counts)" = "$sum $sum" ] || fail "the kernel counted $(cat counts), read: $(cat reads)"
}

@test "one page at a time where the program says that it reads at random" {
	cold 5 random 3 700 701 2047 64
	diff reads - <<-END
		3 1 1
		700 1 1
		701 1 1
		2047 1 1
		64 1 1
		sum 20480
	END
	adds_up
}

@test "each page is read once, however far read-ahead reaches" {
	for advice in sequential normal; do
		cold $PAGES "$advice" all
		[ "$(tail -n 1 reads)" = "sum $((PAGES * 4096))" ] || fail "$(cat reads)"
		# The ranges lie end to end.
		awk -v next_page=0 '$1 != "sum" { if ($1 != next_page || $2 != $3) exit 1; next_page += $3 }
			END { exit next_page != '$PAGES' }' reads || fail "$(cat reads)"
		adds_up
	done
}

@test "pages that were there before are not counted, nor what read() brings in" {
	cold $((PAGES - 3)) normal +100 +101 +1000 all
	[ "$(tail -n 1 reads)" = "sum $(((PAGES - 3) * 4096))" ] || fail "$(cat reads)"
	adds_up
	awk '$1 != "sum" { pages += $2; span += $3 } END { exit !(pages == '$PAGES' - 3 && span > pages) }' \
		reads || fail "no range spans what was there: $(cat reads)"
}

@test "a file that is in memory is not read" {
	need_bpf
	local program
	program=$(command -v cat)
	head -c $((PAGES * 4096)) /dev/urandom >file
	# shellcheck disable=SC2046 # a word each
	hold file "$program" $(libraries "$program")
	LC_ALL=C record trace "$program" file >/dev/null
	analyze trace
	jq -e '.counts.read_bytes == 0 and .trace.has_reads and ([.objects[].read_bytes] | add == 0)' trace.json
}

@test "the same pages as perf sees" {
	need_bpf
	need perf
	[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing ||
		skip "no tracefs"
	local try sum="sum $((PAGES * 4096))"
	# Where its reader comes late perf loses events, and says so at most; then it saw less than the kernel counted.
	# -B: this perf can overwrite its stack when it reads build-ids (build_id__init() truncates them since 2025).
	for try in {1..10}; do
		reading $((PAGES * 4096)) perf record -q -B -a -o perf.data -e filemap:mm_filemap_add_to_page_cache -- \
			"$ELFAULT" record -o trace -- "$PROGRAMS/cold" file normal 7 all
		perf script -i perf.data 2>messages | python3 "$tests/support/reads.py" perf file >perfs
		[ "$(cat perfs)" != "$sum" ] || break
		echo "try $try: perf kept $(cat perfs) of $sum"
	done
	[ "$(cat perfs)" = "$sum" ]
	"$ELFAULT" analyze --format ndjson trace 2>messages |
		python3 "$tests/support/reads.py" elfault file >reads
	diff perfs <(tail -n 1 reads)
	adds_up
}

@test "the perf backend knows nothing of it, and says so" {
	head -c 40960 /dev/urandom >file
	elfault record --backend perf -o trace -- cat file >/dev/null
	[ "$code" = 0 ] || skip "perf events are not allowed: $(cat messages)"
	says "no bytes read by faults"
	analyze trace
	jq -e '.counts.read_bytes == null and (.trace.has_reads | not)' trace.json
}
