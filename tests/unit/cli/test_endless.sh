#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Text without an end, text that is one line, and text that cannot be read, given to every command that reads a file:
# each ends soon and within a limit of memory, says which file and what is wrong, and exits as for any bad input.
#   test_endless.sh ELFAULT ELFAULT_PREFETCH FIXTURES
set -uo pipefail
elfault=$1 prefetch=$2 fixtures=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trace=$fixtures/traces/start.txt
budget=$fixtures/budgets/start.budget

# A sanitizer reserves far more than it uses.
room=$((800 << 10))
(ulimit -v $room && exec "$elfault" --version >/dev/null 2>&1) || room=unlimited

# Longer than any limit; in a list and a trace behind a good start.
head -c 80M /dev/zero | tr '\0' 1 >"$work/line"
{ echo "elfault-trace-text 1" && cat "$work/line"; } >"$work/line.trace"
{ echo "elfault-prefetch 1" && head -c 60M "$work/line"; } >"$work/line.list"
{ cat "$trace" && cat "$work/line"; } >"$work/late.trace"
{ cat "$budget" && echo && head -c 9000 "$work/line"; } >"$work/late.budget"
{ echo main && head -c 2M "$work/line"; } >"$work/late.order"

rows=() # input, status, message, what runs; IN is the input
on() {
	rows+=("$1|$2|$3|$4")
}
zero=/dev/zero
for command in analyze "report -o $work/out.svg" check whatif "order -o $work/out.order" dump \
	"prefetch -o $work/out.list" "pack -o $work/out.pack" "export --to folded -o $work/out.folded"; do
	[ "$command" = check ] && command="check --budget $budget"
	on $zero 1 "$zero: is a device or socket; a trace must be a regular file" "$command IN"
	on "$work/line" 1 "$work/line: is not a trace" "$command IN"
	on "$work/line.trace" 1 "$work/line.trace:2: '1111" "$command IN"
	on "$work" 1 "$work" "$command IN"
done
on $zero 1 "$zero: is a device" "diff $trace IN"
on "$work/late.trace" 1 "$work/late.trace:$(($(wc -l <"$trace") + 1)): '1111" "diff $trace IN"
on $zero 1 "$zero: not a regular file" "map IN"
on "$work/line" 1 "$work/line: not an ELF file" "map IN"
on $zero 1 "$zero: line 1 is longer than 8.0 KiB: not a budget" "check --budget IN $trace"
on "$work/late.budget" 1 "$work/late.budget: line $(($(wc -l <"$budget") + 2)) is longer than 8.0 KiB: not a budget" \
	"check --budget IN $trace"
on / 1 "/: Is a directory" "check --budget IN $trace"
on /proc/self/mem 1 "/proc/self/mem: Input/output error" "check --budget IN $trace"
on $zero 1 "$zero: larger than 64 MiB" "check --budget $budget --baseline IN $trace"
on "$work/line" 1 "$work/line: larger than 64 MiB" "check --budget $budget --baseline IN $trace"
on / 1 "/: Is a directory" "check --budget $budget --baseline IN $trace"
for command in "whatif --order IN $trace" "order --verify IN $elfault"; do
	on $zero 1 "$zero: line 1 is longer than 1.0 MiB: not an order file" "$command"
	on "$work/line" 1 "$work/line: line 1 is longer than 1.0 MiB: not an order file" "$command"
	on "$work/late.order" 1 "$work/late.order: line 2 is longer than 1.0 MiB: not an order file" "$command"
	on / 1 "/: Is a directory" "$command"
	on /proc/self/mem 1 "/proc/self/mem: Input/output error" "$command"
done
on $zero 0 "$zero: is a device" "prefetch --from IN -- true"
on "$work/line.list" 0 "$work/line.list: line 2: " "prefetch --from IN -- true"
on "$work/line.list" 1 "$work/line.list: line 2: " "prefetch --from IN"
on $zero 1 "$zero: not a regular file" "smaps IN"
on "$work/line" 1 "$work/line: line 1 is longer than 16.0 KiB: not a copy of /proc/PID/smaps" "smaps IN"
on $zero 1 "$zero: not recognized" "import IN -o $work/out.trace"
for format in perf-script bpftrace offsets; do
	on $zero 1 "$zero: line 1 is longer than 64.0 MiB: not a log" "import --from $format IN -o $work/out.trace"
	on "$work/line" 1 "$work/line: line 1 is longer than 64.0 MiB: not a log" "import --from $format IN -o $work/out.trace"
	on / 1 "/: Is a directory" "import --from $format IN -o $work/out.trace"
	on /proc/self/mem 1 "/proc/self/mem: Input/output error" "import --from $format IN -o $work/out.trace"
done
on $zero 1 "standard input: line 1 is longer than 4.0 MiB: not rows of JSON" "resolve <IN"
on "$work/line" 1 "standard input: line 1 is longer than 4.0 MiB: not rows of JSON" "resolve <IN"
on / 1 "standard input: Is a directory" "resolve <IN"
if [ -n "$prefetch" ]; then # where libc.a is
	on $zero 1 "$zero: not a regular file, so not a prefetch list" "elfault-prefetch IN"
	on $zero 0 "$zero: not a regular file, so not a prefetch list" "elfault-prefetch IN true"
	on "$work/line" 1 "$work/line: larger than 64 MiB: not a prefetch list" "elfault-prefetch IN"
	on "$work/line.list" 1 "$work/line.list: line 2: " "elfault-prefetch IN"
fi

# Those that no row is about are given an endless file as well.
while read -r command; do
	case " ${rows[*]}" in *"|$command "*) continue ;; esac
	[[ $command == @(bench|doctor|record) ]] || on $zero any "" "$command IN" # they read no text
done < <("$elfault" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')

run() { # what, input
	local words program=$elfault in=/dev/null
	read -ra words <<<"${1//IN/$2}"
	if [ "${words[0]}" = elfault-prefetch ]; then
		program=$prefetch
		words=("${words[@]:1}")
	elif [[ ${words[-1]} == '<'* ]]; then
		in=${words[-1]#<}
		unset 'words[-1]'
	fi
	# By a pipe, since what asks for a list may complain after COMMAND has ended.
	(ulimit -v $room && cd "$work" && exec timeout 60 "$program" "${words[@]}" <"$in") 2>&1 >"$work/out" | cat >"$work/err"
	return "${PIPESTATUS[0]}"
}

n=0 failed=0
echo "1..${#rows[@]}"
for row in "${rows[@]}"; do
	IFS='|' read -r input status message what <<<"$row"
	run "$what" "$input"
	got=$?
	n=$((n + 1))
	name="$what of $input" name=${name//$work/DIR} name=${name//$fixtures/FIXTURES} name=${name//$elfault/elfault}
	if { [ "$status" = any ] && [ $got -gt 0 ] && [ $got -le 2 ]; } || { [ $got = "$status" ] &&
		grep -qF -- "$message" "$work/err" && [ "$(wc -c <"$work/err")" -lt 2000 ]; }; then
		echo "ok $n - ${name//[\#]/}"
	else
		echo "not ok $n - ${name//[\#]/}"
		echo "# exit status $got, not $status; no '$message'"
		head -c 600 "$work/err" | sed 's/^/# /'
		failed=1
	fi
done
exit $failed
