#!/usr/bin/env bash
# `elfault dump` as a person meets it: output, exit status, messages.
#   test_dump.sh ELFAULT FIXTURES
set -uo pipefail
elfault=$1 fixtures=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

n=0 failed=0
result() { # sentence, whether it holds
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' "$work/err"
		failed=1
	fi
}
# Run elfault dump; holds if it exits with status $1 and says $2 on stderr.
dump() { # status, message, arguments
	local status=$1 message=$2
	shift 2
	"$elfault" dump "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = "$status" ] && grep -qF -- "$message" "$work/err"
}

trace=$fixtures/corpus/trace/small.bin
echo 1..10

dump 0 "" "$trace"
[ ! -s "$work/err" ] && "$elfault" dump "$fixtures/traces/small.txt" | cmp -s - "$work/out"
result "a trace and the text it was made from give the same dump" $?

cp "$work/out" "$work/again.txt"
dump 0 "" "$work/again.txt"
cmp -s "$work/out" "$work/again.txt"
result "a dump of a dump is the same" $?

head -c 700 "$trace" >"$work/cut"
dump 1 "incomplete" "$work/cut" && grep -q "^note .*is cut at byte" "$work/out"
result "a cut trace exits with 1 and says where it is cut" $?

dump 0 "incomplete" --allow-truncated "$work/cut" && grep -q "^incomplete$" "$work/out"
result "--allow-truncated turns that into 0" $?

dump 1 "$work: is a directory" "$work"
result "a directory is refused by name" $?

mkfifo "$work/fifo"
timeout 5 "$elfault" dump "$work/fifo" 2>"$work/err"
[ $? = 1 ] && grep -q "is a FIFO" "$work/err"
result "a FIFO is refused without waiting" $?

dump 2 "elfault dump elfault.trace"
result "no trace is misuse with an example" $?

dump 2 "one trace at a time" "$trace" "$trace"
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
