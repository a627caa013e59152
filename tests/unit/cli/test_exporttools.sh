#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Exports as other tools read them: pprof, protoc, sqlite3. Each sum has to be that of `analyze --format json`.
#   test_exporttools.sh ELFAULT FIXTURES SUPPORT HAS_SQLITE
# ELF_FIXTURES is the folder of the ELF files, if they were made.
set -uo pipefail
elfault=$1 fixtures=$2 support=$3 has_sqlite=$4
command='export'
. "$(dirname "$0")/../../support/command.sh"

# The traces name their files in /elf.
TRACES=(start time storage until waits small)
for trace in "${TRACES[@]}"; do
	sed "s|path=\"/elf/|path=\"${ELF_FIXTURES:-/elf}/|" "$fixtures/traces/$trace.txt" >"$work/$trace.txt"
	"$elfault" analyze --format json --faults "$work/$trace.txt" >"$work/$trace.json"
done

# skip SENTENCE TOOL: says that it is missing.
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2 is not installed"
}
# compare KIND TRACE READ: the sums of what a tool read.
compare() {
	python3 "$support/exported.py" "$1" "$work/$2.json" "$3" >"$work/compared" 2>"$work/err"
}
echo 1..10

all=0
if command -v protoc >/dev/null; then
	for trace in "${TRACES[@]}"; do
		says 0 "" --to perfetto "$work/$trace.txt" -o "$work/$trace.perfetto" &&
			protoc --decode=perfetto.protos.Trace -I"$support" "$support/perfetto.proto" \
				<"$work/$trace.perfetto" >"$work/$trace.decoded" 2>"$work/err" &&
			compare perfetto "$trace" "$work/$trace.decoded" || { all=1; break; }
	done
	result "protoc knows each field of perfetto's, and the sums are right" $all

	grep -qx '      timestamp: 1700000000000000000' "$work/start.decoded" &&
		grep -qx '    timestamp_clock_id: 64' "$work/start.decoded" &&
		! grep -q clock "$work/time.decoded"
	result "times are those of day where the trace knows when it began" $?
else
	skip "protoc knows each field of perfetto's, and the sums are right" protoc
	skip "times are those of day where the trace knows when it began" protoc
fi

# Without the network, and with no files of its own.
pprof() {
	env -i PATH="$PATH" HOME="$work" PPROF_TMPDIR="$work" go tool pprof -symbolize=none "$@" 2>"$work/err"
}
if command -v go >/dev/null; then
	all=0
	for trace in "${TRACES[@]}"; do
		says 0 "" --to pprof "$work/$trace.txt" -o "$work/$trace.pb.gz" &&
			pprof -raw "$work/$trace.pb.gz" >"$work/$trace.raw" &&
			compare pprof "$trace" "$work/$trace.raw" || { all=1; break; }
	done
	result "pprof's samples and labels add up to the same" $all

	pprof -top -sample_index=time -unit=ns "$work/start.pb.gz" >"$work/top" && grep -q "Total samples = 102390ns" "$work/top" &&
		pprof -top -sample_index=bytes -unit=B "$work/start.pb.gz" >"$work/top" && grep -q "Total samples = 16384B" "$work/top" &&
		pprof -top "$work/start.pb.gz" >"$work/top" && grep -q "Total samples = 18 *$" "$work/top" &&
		grep -q "Type: faults" "$work/top"
	result "pprof shows the three types, and faults unless asked" $?

	exec=$(jq '[.faults[] | select(.initiator == "exec")] | length' "$work/start.json")
	pprof -top -tagfocus=initiator=exec "$work/start.pb.gz" >"$work/top" && grep -q "Showing nodes accounting for $exec," "$work/top" &&
		pprof -tags "$work/start.pb.gz" >"$work/tags" && grep -q "initiator: Total 18" "$work/tags"
	result "pprof selects by labels" $?
else
	skip "pprof's samples and labels add up to the same" go
	skip "pprof shows the three types, and faults unless asked" go
	skip "pprof selects by labels" go
fi

if [ "$has_sqlite" = 1 ]; then
	all=0
	mkdir "$work/temporary"
	export TMPDIR=$work/temporary
	for trace in "${TRACES[@]}"; do
		says 0 "" --to sqlite "$work/$trace.txt" -o "$work/$trace.db" &&
			compare sqlite "$trace" "$work/$trace.db" || { all=1; break; }
	done
	[ $all = 0 ] && [ -z "$(ls "$TMPDIR")" ]
	result "the database has the same sums, is whole, and leaves nothing behind" $?

	"$elfault" export --to sqlite "$work/start.txt" >"$work/again.db" && cmp "$work/start.db" "$work/again.db" 2>"$work/err"
	result "the same trace gives the same database" $?

	TMPDIR=$work/none says 1 "$work/none/" --to sqlite "$work/start.txt" -o "$work/none.db" && [ ! -e "$work/none.db" ]
	result "where no temporary file can be made is said" $?
	unset TMPDIR
else
	for sentence in "the database has the same sums, is whole, and leaves nothing behind" \
		"the same trace gives the same database" "where no temporary file can be made is said"; do
		n=$((n + 1))
		echo "ok $n - $sentence # SKIP built without SQLite"
	done
fi

says 2 "missing --to FORMAT" "$work/start.txt" && says 2 "requires --to folded" --to pprof --weight time "$work/start.txt" &&
	says 2 "invalid value 'protobuf' for --to (expected folded," --to protobuf "$work/start.txt"
result "what does not go together is misuse" $?

full=0
for format in perfetto pprof sqlite; do
	"$elfault" export --to $format "$work/start.txt" >/dev/full 2>"$work/err"
	[ $? = 1 ] || full=1
done
[ $full = 0 ]
result "a disk that is full is told" $?
exit $failed
