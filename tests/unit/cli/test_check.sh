#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault check` as a person and CI meet it: output, exit status, messages.
#   test_check.sh ELFAULT FIXTURES BASELINE_SCHEMA
set -uo pipefail
elfault=$1 fixtures=$2 schema=$3
command=check
. "$(dirname "$0")/../../support/command.sh"

small=$fixtures/traces/small.txt start=$fixtures/traces/start.txt restart=$fixtures/traces/restart.txt
budget=$work/app.budget
echo 1..21

# budget LINE...: the limits from here on.
budget() {
	printf '%s\n' "$@" >"$budget"
}

budget 'faults <= 18' 'faults{object=[heap]} <= 4'
says 0 "" --budget "$budget" "$restart" && grep -q "^.*app.budget: all 2 limits are met" "$work/out" &&
	grep -q "one run: noise unknown" "$work/out"
result "limits that are met end with 0, and one run says that noise is unknown" $?

budget 'faults <= 17 # too few'
says 3 "" --budget "$budget" "$restart" && grep -q "app.budget:1: faults" "$work/out" &&
	grep -q "is broken: 18, 1 above 17 (<= 17)" "$work/out" && grep -q "4  unknown in \[heap\]" "$work/out"
result "a broken limit ends with 3, and who broke it is named" $?

mkdir "$work/runs"
cp "$restart" "$work/runs/1.trace"
cp "$restart" "$work/runs/2.trace"
cp "$small" "$work/runs/10.trace"
says 3 "" --budget "$budget" "$work/runs" && grep -q "medians of 3 runs" "$work/out" &&
	grep -q "10.trace: records another command" "$work/out"
result "a directory of repeats counts by its median" $?

for run in 1:10 2:0 10:14; do
	[ "${run#*:}" = 0 ] || sed -i "/^summary/i note text=\"a stack is lost\" count=${run#*:}" "$work/runs/${run%:*}.trace"
done
says 3 "" --budget "$budget" "$work/runs" && grep -qx "note: a stack is lost (10 to 14 times, in 2 of 3 runs)" "$work/out"
result "what the repeats note is one note, with its range" $?

budget 'faults <= 4' '' 'fauts <= 4'
says 1 "app.budget:3:1: unknown metric 'fauts' (did you mean faults?)" --budget "$budget" "$restart"
result "what is wrong in a budget is named with its place" $?

budget 'faults <= baseline'
says 1 "app.budget:1:11: baseline $budget.baseline does not exist; create it from a run that meets the limits: elfault check --update --budget $budget $restart" \
	--budget "$budget" "$restart" && [ ! -s "$work/out" ]
result "without a baseline that is needed, the command that writes one is named" $?

says 0 "" --update --budget "$budget" "$restart" && grep -q "^Wrote .*app.budget.baseline: 1 value of 1 run" "$work/out" &&
	says 0 "" --budget "$budget" "$restart" &&
	says 0 "" --update --budget "$budget" "$restart" && grep -q "^  1 value is the same" "$work/out"
result "--update writes the baseline, and then the limit is kept" $?

python3 -c 'import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
	"$budget.baseline" "$schema" 2>"$work/err"
result "the baseline is as its schema has it" $?

! grep -q somebody "$budget.baseline"
result "no home directory is in the baseline" $?

cp "$budget.baseline" "$work/before"
says 0 "" --update --budget "$budget" "$restart" && cmp -s "$work/before" "$budget.baseline"
result "the same traces give the same bytes" $?

sed -i 's/"value": 18/"value": 10/; s/\[4, \(.*\[heap\]\)/[1, \1/' "$budget.baseline"
says 3 "" --budget "$budget" "$restart" && grep -q "18, 8 above 10 (<= baseline)" "$work/out" &&
	grep -qF '+3  unknown in [heap]  (1 -> 4)' "$work/out" &&
	grep -qF '+3  (no name) of [heap]  (1 -> 4)' "$work/out"
result "against a baseline, what grew is named" $?

echo '{"schema": 1}' >"$budget.baseline"
says 1 'app.budget.baseline: has no string "schema"; recreate it with elfault check --update' --budget "$budget" "$restart" &&
	says 0 "" --update --budget "$budget" "$restart" && says 0 "" --budget "$budget" "$restart"
result "a baseline that cannot be read is refused, and --update writes it anew" $?

budget 'faults <= 19'
says 1 "" --budget "$budget" "$start" && grep -q "unsure: 18; <= 19: 3 events are missing" "$work/out" &&
	says 0 "" --allow-truncated --budget "$budget" "$start"
result "what was lost makes a limit unsure, --allow-truncated accepts it" $?

says 1 "incomplete: 3 faults lost; --allow-incomplete accepts it" --update --budget "$budget" "$start"
result "traces with losses are no baseline" $?

# Only the faults of one program were recorded; 61 of another were hidden on purpose.
sed '/^summary/s/unsampled=1/unsampled=62 exec_unsampled=1 hidden=61/; /^summary/s/rusage_minor=19/rusage_minor=80/' \
	"$restart" >"$work/hidden.txt"
budget 'faults <= 1000'
says 1 "hidden.txt: incomplete: 61 faults of a program that the user may not trace (setuid or unreadable); --allow-incomplete accepts it" \
	--budget "$budget" "$work/hidden.txt" &&
	says 1 "--allow-incomplete accepts it" --allow-truncated --budget "$budget" "$work/hidden.txt" &&
	says 0 "" --allow-incomplete --budget "$budget" "$work/hidden.txt"
result "a trace that lacks the faults of a program keeps no limit" $?

budget 'faults <= 20'
says 1 "incomplete" --budget "$budget" "$work/hidden.txt" && grep -q "unsure: 18; <= 20: 61 events are missing" "$work/out"
result "what is missing may exceed a limit" $?

"$elfault" dump "$small" >"$work/cut.txt" && sed -i '/^summary/d' "$work/cut.txt"
budget 'faults <= 1000'
says 1 "incomplete trace" --budget "$budget" "$work/cut.txt" && grep -q "unsure" "$work/out" &&
	says 0 "" --allow-truncated --budget "$budget" "$work/cut.txt" &&
	says 1 "incomplete trace" --update --budget "$budget" "$work/cut.txt"
result "an incomplete trace keeps no upper limit for certain" $?

budget 'faults{object=/home/somebody/relocation64} <= 1'
says 0 "" --format github --budget "$budget" "$restart" &&
	grep -q "^::warning file=$(sed 's/:/%3A/g; s/,/%2C/g' <<<"$budget"),line=1,title=Page fault budget::no object of the trace is named .*relocation64" "$work/out"
result "a name that nothing has is a warning" $?

says 2 "missing --budget FILE, a file with one limit per line; to begin with, echo 'faults <= 4000' >app.budget" "$restart" && says 2 "--format cannot be combined with --update" --update --format json --budget "$budget" "$restart" &&
	says 2 "expected text, json, markdown, junit or github" --budget "$budget" --format xml "$restart" &&
	says 2 "unrecognized option '--no-demangle'" --budget "$budget" --no-demangle "$restart"
result "misuse ends with 2" $?

says 1 "none.budget: No such file" --budget "$work/none.budget" "$restart" && says 1 "none.trace" --budget "$budget" "$work/none.trace"
result "files that are not there are named" $?

budget 'faults <= 1' "faults{object=\"a,b::%\"} <= 1" 'faults <= 1'
if command -v xmllint >/dev/null; then
	says 3 "" --format junit --budget "$budget" "$restart" && xmllint --noout "$work/out" 2>"$work/err" &&
		[ "$(xmllint --xpath 'count(/testsuites/testsuite[@tests=3 and @failures=2 and @errors=0]/testcase[@name and @classname and @file and @time])' "$work/out")" = 3 ] &&
		[ "$(xmllint --xpath 'count(//testcase/failure[@message and contains(text(), "heap")])' "$work/out")" = 2 ] &&
		[ "$(xmllint --xpath 'string(//testcase[3]/@name)' "$work/out")" = 'faults <= 1 (line 3)' ]
	result "the JUnit report is what GitLab reads" $?
else
	echo "ok 18 - the JUnit report is what GitLab reads # SKIP xmllint is not installed"
fi

exit $failed
