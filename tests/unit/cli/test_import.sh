#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault import` as a person or a script meets it: output, exit status, messages, and what other commands say of
# its trace.
#   test_import.sh ELFAULT FIXTURES SCHEMAS
set -uo pipefail
elfault=$1 logs=$2/logs schemas=$3
command=import
. "$(dirname "$0")/../../support/command.sh"
trace=$work/a.trace

echo 1..12

says 0 "$trace: 6 faults and 5 mappings from bpftrace, 3 lost, 1 of 16 lines not understood; next: elfault analyze $trace" \
	"$logs/bpftrace.log" -o "$trace" && [ ! -s "$work/out" ] && [ "$(stat -c %a "$trace")" = 600 ]
result "a log becomes a trace that only its owner reads, and a line says what to type next" $?

says 0 "" --from perf-script "$logs/perf-script.txt" -o "$trace" && [ -e "$trace.old" ]
result "an older trace is kept" $?

"$elfault" import - -o "$trace" <"$logs/offsets.txt" 2>"$work/err" && "$elfault" dump "$trace" | grep -q '"imported from a list of file offsets (standard input)'
result "standard input is read" $?

says 2 "missing FILE" && says 2 "missing -o TRACE" x && says 2 "one log at a time" x y -o z &&
	says 2 "invalid value 'perf' for --from (expected perf-script, bpftrace or offsets)" --from perf x -o y
result "misuse is told with status 2" $?

printf 'PERFILE2\0' >"$work/perf.data"
printf 'demo 1/1 5.0: 1 page-faults:\n\t1010 f (/lib/x)\n\n' >"$work/log"
says 1 "$work/none: No such file" "$work/none" -o "$work/b" &&
	says 1 "$work: Is a directory" "$work" -o "$work/b" &&
	says 1 "$work/perf.data: is perf's own data: print it with perf script first" "$work/perf.data" -o "$work/b" &&
	says 1 "$work/log: line 1: the fault has no address" "$work/log" -o "$work/b" &&
	says 1 "$logs/offsets.txt: none of its 6 lines is" --from bpftrace "$logs/offsets.txt" -o "$work/b" &&
	[ ! -e "$work/b" ]
result "what is no log is named with its line, and leaves no trace" $?

printf 'page_fault_user("\e[1m-1", address=0x1, ip=0x2)\nmmap("\e[1m-1", fd=3, fname="/\e[31m",off=0, len=1, ret=0x1000)\n' >"$work/"$'\e[1mlog'
says 0 "" "$work/"$'\e[1mlog' -o "$trace" && ! grep -q $'\e' "$work/err" &&
	! "$elfault" analyze --full "$trace" | grep -q $'\e'
result "no name acts on the terminal" $?

says 0 "" "$logs/bpftrace.log" -o "$trace"
"$(dirname "$0")/../../support/schema.py" "$schemas/analysis.schema.json" "$elfault" analyze --format json "$trace" >"$work/out" 2>"$work/err" &&
	"$(dirname "$0")/../../support/schema.py" --lines "$schemas/fault.schema.json" "$elfault" analyze --format ndjson "$trace" >"$work/out" 2>"$work/err"
result "JSON of an imported trace is as the schema says" $?

"$elfault" analyze --format json "$trace" | python3 -c 'import json, sys
answer = json.load(sys.stdin)
sys.exit(not (answer["trace"]["duration_ns"] is None and answer["trace"]["backend"] == "bpftrace" and answer["counts"]["lost"] == 3 and
              answer["counts"]["major"] is None and
              answer["counts"]["unattributed"] == 1 and any("minor or major" in note for note in answer["notes"])))'
result "what was not recorded is null, or a note" $?

"$elfault" analyze "$trace" >"$work/out" && grep -q "no times were recorded" "$work/out" &&
	tr -s '\n ' ' ' <"$work/out" | grep -q "the log that was imported does not tell" &&
	"$elfault" report "$trace" -o "$work/a.svg" 2>"$work/err" && grep -q "no times were recorded" "$work/a.svg"
result "texts and pictures say that there are no times" $?

printf 'major <= 5\n' >"$work/budget"
"$elfault" check "$trace" --budget "$work/budget" >"$work/out" 2>&1
[ $? != 0 ] && grep -q "bpftrace does not tell minor from major" "$work/out"
result "no limit on major faults holds where nobody recorded them" $?

"$elfault" diff "$2/traces/start.txt" "$trace" >"$work/out" 2>"$work/err" &&
	! grep -q "What changed" "$work/out" && tr -s '\n ' ' ' <"$work/out" | grep -q "different tools recorded the sides"
result "what one tool does not tell is no reason for a difference" $?

cp /bin/true "$work/true.so" && echo "$work/true.so 0x40" >"$work/list" &&
	"$elfault" import "$work/list" -o "$trace" 2>"$work/err" &&
	"$elfault" analyze --format json "$trace" | grep -q '"section": *"\[program-headers\]"' &&
	cp "$elfault" "$work/true.so" && "$elfault" analyze --full "$trace" | grep -q "true.so: changed since recording"
result "a file that changes after the import is noticed" $?
exit $failed
