#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Commands that cannot write their output, have closed streams or small limits of the process: each fails
# with a message, and leaves nothing half made.
#   test_surroundings.sh ELFAULT FIXTURES SANITIZED
set -uo pipefail
elfault=$(realpath "$1") trace=$(realpath "$2")/traces/start.txt sanitized=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

n=0 failed=0
is() { # SENTENCE OFFENDERS
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' <<<"$2"
		failed=1
	fi
}
names=$("$elfault" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
"$elfault" order --exact -o list -- true 2>/dev/null || printf 'main\n' >list
printf 'faults <= 1000000\n' >budget

# What is printed or written, a line each.
commands() {
	cat <<-END
		--help
		--version
		analyze --full $trace
		analyze --format json --faults $trace
		map /bin/sh
		report $trace -o page.html
		report $trace -o picture.svg
		export --to folded $trace -o folded
		export --to perfetto $trace -o perfetto
		diff $trace $trace -o page.html
		check --budget budget $trace
		whatif $trace
		order --verify list $elfault
		order $trace -o other
		smaps $$
		dump $trace
	END
	sed 's/$/ --help/' <<<"$names"
}

# check_all SHELL-WORDS: whether each command that does not do all it is to do says so and exits with 1, or 125 of record.
# How many did fail is in $fails.
check_all() {
	local line code
	fails=0
	: >all
	while read -r line; do
		rm -f page.html picture.svg folded perfetto other
		code=0
		# shellcheck disable=SC2086 # words
		(eval "$1" && exec "$elfault" $line) </dev/null 2>err | cat >out
		code=${PIPESTATUS[0]}
		[ "$code" != 0 ] || continue
		fails=$((fails + 1))
		cat err >>all
		case "$code ${line%% *}" in
		"1 "* | "125 record") [ -s err ] || echo "$line: no message" ;;
		*) echo "$line: status $code" ;;
		esac
		[ -z "$(find . -name '*.part')" ] || echo "$line: left $(echo ./*.part)"
	done < <(commands)
}

echo 1..8
said=$(
	while read -r line; do
		for stream in /dev/full '&-'; do
			code=0
			eval "\"\$elfault\" $line >$stream" </dev/null 2>err || code=$?
			case "$code ${line%% *}" in
			"1 "* | "125 record") grep -q '^elfault: standard output: ' err || echo "$line >$stream: $(cat err)" ;;
			*) echo "$line >$stream: status $code" ;;
			esac
		done
	done < <(commands | grep -v -- ' -o ')
)
is "what is printed and cannot be written is a failure" "$said"
said=$("$elfault" analyze --full "$trace" 2>&1 >/dev/null | head -1; "$elfault" analyze --full "$trace" 2>err | head -1 >/dev/null
	[ "${PIPESTATUS[0]}" = 0 ] || echo "status ${PIPESTATUS[*]}"; cat err)
is "a reader that has closed its pipe is none" "$said"

said=$("$elfault" order list "$trace" -o other 2>&- || echo "status $?"; grep 'elfault:' other)
is "no message goes into a file because standard error is closed" "$said"

check_all 'ulimit -f 1' >said
is "a file that gets too large ends each command in a message" "$(cat said; [ $fails -ge 5 ] || echo "only $fails were limited")"
[ "$sanitized" = 1 ] || for limit in 64 32; do
	check_all "ulimit -s $limit" >said
	is "so does a stack of $limit KiB" "$(cat said)"
done
said=$(grep -qx 'elfault: out of stack: the limit is 32 KiB; ulimit -s 8192 allows more' all || cat all)
[ "$sanitized" = 1 ] || is "which names the limit, and how to get more" "$said"
[ "$sanitized" = 0 ] || for i in 64 32 ""; do
	n=$((n + 1))
	echo "ok $n - a stack of ${i:-32} KiB # SKIP the sanitizers need more"
done

"$elfault" report "$trace" -o whole.html
is "a file that is complete has the mode that files have" "$([ "$(stat -c %a whole.html)" = "$(printf '%o' $((0666 & ~$(umask))))" ] || stat -c %a whole.html)"
exit $failed
