#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault dump` as a person meets it: output, exit status, messages.
#   test_dump.sh ELFAULT FIXTURES
set -uo pipefail
elfault=$1 fixtures=$2
command=dump
. "$(dirname "$0")/../../support/command.sh"

trace=$fixtures/corpus/trace/small.bin
echo 1..12

says 0 "" "$trace"
[ ! -s "$work/err" ] && "$elfault" dump "$fixtures/traces/small.txt" | cmp -s - "$work/out"
result "a trace and the text it was made from give the same dump" $?

cp "$work/out" "$work/again.txt"
says 0 "" "$work/again.txt"
cmp -s "$work/out" "$work/again.txt"
result "a dump of a dump is the same" $?

head -c 700 "$trace" >"$work/cut"
says 1 "incomplete" "$work/cut" && grep -q "^note .*is cut at byte" "$work/out"
result "a cut trace exits with 1 and says where it is cut" $?

says 0 "incomplete" --allow-truncated "$work/cut" && grep -q "^incomplete$" "$work/out"
result "--allow-truncated turns that into 0" $?

cp "$work/cut" "$work/"$'e\e[31mvil'
says 1 'e\x1b[31mvil: incomplete trace' "$work/"$'e\e[31mvil' && ! grep -q $'\e' "$work/err"
result "the name of a cut trace is escaped" $?

says 1 "$work: is a directory" "$work"
result "a directory is refused by name" $?

mkdir "$work/set" && cp "$trace" "$work/set/1.trace"
says 1 "$work/set: is a directory with 1 trace, but dump reads only one: elfault dump $work/set/1.trace; \`elfault diff BEFORE $work/set\` compares sets" "$work/set"
result "of a set of repeats it says what to type" $?

mkfifo "$work/fifo"
timeout 60 "$elfault" dump "$work/fifo" 2>"$work/err"
[ $? = 1 ] && grep -q "is a FIFO" "$work/err"
result "a FIFO is refused without waiting" $?

says 2 "elfault dump elfault.trace"
result "no trace is misuse with an example" $?

says 2 "one trace at a time" "$trace" "$trace"
result "two traces are misuse" $?

{
	printf 'elfault-trace-text 1\n'
	for i in {1..5000}; do echo "fault addr=$i"; done
	echo summary
} >"$work/long.txt"
"$elfault" dump "$work/long.txt" 2>"$work/err" | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" = 0 ] && [ ! -s "$work/err" ]
result "a reader that stops early is no error" $?

"$elfault" dump "$work/long.txt" >/dev/full 2>"$work/err"
[ $? = 1 ] && grep -q "standard output: No space left" "$work/err"
result "a full disk is an error" $?

exit $failed
