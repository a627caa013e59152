#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# script/soak on a repository whose tests take no time.
set -uo pipefail
root=$(realpath "$(dirname "$0")/../../..")
# shellcheck source=../../support/command.sh
. "$root/tests/support/command.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
export TMPDIR=$work/tmp

echo 1..5
project=$work/project
mkdir -p "$project/script" "$project/.ci" "$TMPDIR"
cp "$root/script/soak" "$project/script"
git init -q "$project"
# tests WORDS: what they do, committed.
tests() {
	echo "$1" >"$project/.ci/run"
	git -C "$project" add -A
	git -C "$project" commit -q -m tests
}
soak() {
	code=0
	"$project/script/soak" "$@" >"$work/err" 2>&1 || code=$?
}

# shellcheck disable=SC2016 # of the tests
tests 'echo "$CI: 7 passed, 0 failed"'
soak 4 2 0
[ $code = 0 ] && [ "$(grep -c '^run [1-4]: true: 7 passed, 0 failed (' "$work/err")" = 4 ] &&
	[ "$(tail -n 1 "$work/err")" = "4 runs passed, 0 failed" ]
result "each run is told and counted" $?
[ "$(cd "$TMPDIR"/elfault-soak.* && echo *)" = "1.log 2.log 3.log 4.log" ]
result "of runs that pass the logs are kept" $?

tests "echo . >>'$work/turns'; [ \"\$(wc -l <'$work/turns')\" != 2 ]"
rm -rf "${TMPDIR:?}"/*
soak 9 1 0
[ $code = 1 ] && [ "$(tail -n 1 "$work/err")" = "1 runs passed, 1 failed" ] && [ -d "$(echo "$TMPDIR"/elfault-soak.*/2/.ci)" ]
result "the first failure ends the row, and its clone is kept" $?

# shellcheck disable=SC2016 # of the tests
tests 'ps -o args= --ppid $(ps -o ppid= -p $PPID) | grep -c "^sh -c while"; exit 0'
soak 3 1 2
[ $code = 0 ] && [ "$(sed -n 's/^run \([0-9]\): \([0-9]\) (.*/\1 \2/p' "$work/err" | tr '\n' ' ')" = "1 2 2 2 3 0 " ]
result "busy loops run beside the first runs alone" $?

soak 3 0
[ $code = 2 ] && grep -q '^usage: script/soak' "$work/err"
result "no lanes are a misuse" $?
exit $failed
