#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The end of a test run (tests/support/count.py): what failed, what it said, and how many; of a project whose tests
# fail in each way that there is.
set -uo pipefail
support=$(realpath "$(dirname "$0")/../../support")
# shellcheck source=../../support/command.sh
. "$support/command.sh"

echo 1..9
if ! command -v meson >/dev/null; then
	for i in {1..9}; do echo "ok $i - # SKIP meson is not installed"; done
	exit 0
fi

# prints NAME STATUS: a program of the project that prints TAP from the standard input.
mkdir "$work/project"
cat >"$work/project/meson.build" <<-'END'
	project('sample', meson_version: '>=1.0')
END
prints() {
	{ echo "cat <<'TAP'"; cat; printf 'TAP\n%s\n' "$3"; } >"$work/project/$1.sh"
	echo "test('$1', find_program('sh'), args: files('$1.sh'), protocol: '$2', timeout: 30, suite: 'some')" \
		>>"$work/project/meson.build"
}
# As cmocka, bats and node print.
prints cmocka tap 'echo "what a sanitizer says" >&2; exit 2' <<-'END'
	1..3
	ok 1 - fine
	# seed 7
	not ok 2 - of_cmocka
	# 0x1 != 0x2
	# test.c:8: error: Failure!
	ok 3 - also_fine
END
{
	printf '1..4\nok 1 fine\nnot ok 2 of bats\n# (in test file a.bats, line 5)\n#   `false'"'"' failed\n'
	seq -f '# output %g' 100
	printf 'ok 3 is skipped # skip for a reason\nnot ok 4 also of bats\n# its own words\n'
} | prints bats tap 'exit 1'
printf '1..2\nnot ok 1 - of node\n# AssertionError: it is \033[34mblue\033[0m\nok 2 - fine\n' | prints node tap 'exit 1'
prints stops tap 'echo "it went wrong" >&2; exit 3' <<-'END'
	1..5
	not ok 1 - before it stopped
	# said before
	ok 2 - fine
END
prints plain exitcode 'exit 1' <<-'END'
	a plain program
END
prints good tap 'exit 0' <<-'END'
	1..2
	ok 1 - one
	ok 2 - two
END

if ! { meson setup "$work/build" "$work/project" && cd "$work/build" && ! meson test --num-processes 1; } >"$work/err" 2>&1; then
	sed 's/^/# /' "$work/err"
	echo "Bail out! the project of failing tests cannot be run"
	exit 1
fi
code=0
python3 "$support/count.py" --left "one two" meson-logs/testlog.junit.xml 5 >"$work/err" 2>&1 || code=$?

# has LINES: these stand in it, one after the other.
has() {
	python3 -c 'import sys; sys.exit(sys.argv[1] not in open(sys.argv[2]).read())' "$1" "$work/err"
}

[ $code = 1 ] && [ "$(tail -n 1 "$work/err")" = "7 passed, 7 failed, 1 skipped" ]
result "the last line counts cases; one that failed makes the status 1" $?

has "skipped: bats: 3 is skipped (for a reason)
not run, but by script/test --all: one two
failed: cmocka: 2 - of_cmocka
failed: bats: 2 of bats" && has "failed: node: 1 - of node
failed: stops: 1 - before it stopped
failed: stops: ERROR after 2 of 5 cases, status 3
failed: plain: FAIL, status 1"
result "before it stand the names, with what was left to --all, also of a program that ended before its plan" $?

has "---- cmocka: 2 - of_cmocka
    # seed 7
    not ok 2 - of_cmocka
    # 0x1 != 0x2
    # test.c:8: error: Failure!
---- cmocka: standard error of all its cases
    what a sanitizer says
"
result "before them stands what a case of cmocka said" $?

has "---- node: 1 - of node
    not ok 1 - of node
    # AssertionError: it is blue
----"
result "what a case of node said" $?

has "    not ok 2 of bats
    # (in test file a.bats, line 5)
    #   \`false' failed
    # output 1
    … 63 lines …
    # output 65
" && has "    # output 100
---- bats: 4 also of bats
    not ok 4 also of bats
    # its own words
"
result "of many lines of bats the place that failed and the last ones" $?

has "---- stops: ERROR after 2 of 5 cases, status 3
    1..5
    not ok 1 - before it stopped
    # said before
    ok 2 - fine
---- its standard error
    it went wrong
"
result "all that a program said that ended before its plan" $?

! grep -q good "$work/err"
result "nothing of what passed" $?

: >meson-logs/testlog.json
python3 "$support/count.py" meson-logs/testlog.junit.xml 0 >"$work/err" 2>&1
[ $? = 1 ] && [ "$(tail -n 1 "$work/err")" = "0 passed, 1 failed" ]
result "a run without any test has failed" $?

code=0
python3 "$support/count.py" meson-logs/none.junit.xml 1 >"$work/err" 2>&1 || code=$?
[ $code = 1 ] && has "failed: meson-logs/none.junit.xml is not there" && [ "$(tail -n 1 "$work/err")" = "0 passed, 1 failed" ]
result "tests that could not be built are one that failed" $?
exit $failed
