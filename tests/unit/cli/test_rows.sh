#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault export --to rows` as a person meets it: output, exit status, messages.
#   test_rows.sh ELFAULT FIXTURES
set -uo pipefail
elfault=$1 fixtures=$2
command="export"
. "$(dirname "$0")/../../support/command.sh"

trace=$fixtures/traces/small.txt
echo 1..11

says 0 "" --to rows "$trace" && [ ! -s "$work/err" ] && [ "$(wc -l <"$work/out")" = 4 ] &&
	! grep -q null "$work/out"
result "a trace gives rows without null" $?

# By hand: the third fault of small.txt alone is in [anon].
grep -qF '"object":"[anon]","build_id":"","section":"[anon]","initiator":"unknown","mechanism":"cow-break","initializer":"","init_object":"","init_build_id":"","init_offset":0,"faults":1,"majors":0,"time_ns":0,"bytes":0}' "$work/out"
result "a row says what was touched, why, and the sums" $?

"$elfault" dump "$trace" | sed 's/^meta /meta host="build \\"7\\"" label="release=1.0" label="site=a b" /' >"$work/labelled.txt"
says 0 "" --to rows "$work/labelled.txt" && [ "$(grep -cF '"host":"",' "$work/out")" = 4 ] &&
	says 0 "" --to rows --host "$work/labelled.txt" && [ "$(grep -cF '"host":"build \"7\"",' "$work/out")" = 4 ] &&
	[ "$(grep -cF '"labels":["release=1.0","site=a b"],' "$work/out")" = 4 ]
result "host and labels come from the trace" $?

"$elfault" dump "$work/labelled.txt" | grep -qF 'host="build \"7\"" label="release=1.0" label="site=a b"'
result "dump shows them" $?

says 0 "" --to rows --label release=1.1 --label cure=relr --label cure=none "$work/labelled.txt" &&
	[ "$(grep -cF '"labels":["cure=none","release=1.1","site=a b"],' "$work/out")" = 4 ]
result "--label replaces the label with its key, the last one counts" $?

says 2 "invalid value 'release' for --label (expected KEY=VALUE" --to rows --label release "$trace" &&
	says 2 "invalid value '=1' for --label" --to rows --label =1 "$trace" &&
	says 2 "invalid value 'a b=1' for --label" --to rows --label "a b=1" "$trace" &&
	says 2 "--label requires --to rows" --to folded --label a=b "$trace"
result "a label without a key, or of another format, is misuse" $?

mkdir "$work/set"
cp "$fixtures/corpus/trace/small.bin" "$work/set/2.trace"
cp "$fixtures/traces/restart.txt" "$work/set/10.trace"
says 0 "" --to rows "$work/set" "$fixtures/traces/time.txt" -o "$work/rows.ndjson" && [ ! -s "$work/out" ]
cut -d, -f1 "$work/rows.ndjson" | uniq >"$work/ids"
[ "$(wc -l <"$work/ids")" = 3 ] && [ "$(sort -u "$work/ids" | wc -l)" = 3 ]
result "directories and traces are exported one after the other" $?

"$elfault" dump "$work/set/2.trace" >"$work/text.txt"
[ "$("$elfault" export --to rows "$work/text.txt")" = "$("$elfault" export --to rows "$work/set/2.trace")" ]
result "a trace and its text have the same rows, and so the same id" $?

grep -v '^summary' "$work/set/10.trace" >"$work/set/3.trace"
says 1 "incomplete trace" --to rows "$work/set" && grep -q '"complete":0' "$work/out" && grep -q '"complete":1.*relocations64' "$work/out"
result "a cut trace is exported as one, and the exit status is 1" $?

rm "$work/rows.ndjson"
says 1 "not a trace" --to rows "$work/set/2.trace" "$0" -o "$work/rows.ndjson" && [ ! -e "$work/rows.ndjson" ]
result "what is no trace leaves no file" $?

"$elfault" export --to rows "$work/set" >/dev/full 2>"$work/err"
[ $? = 1 ] && grep -q "No space left" "$work/err"
result "a full disk is an error" $?
exit $failed
