#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/support/skips.sh: a skipped test is none that failed, and one that failed stays so.
set -uo pipefail
run=$(dirname "$0")/../../support/skips.sh

failed=0
result() { # NUMBER SENTENCE STATUS
	if [ "$3" = 0 ]; then
		echo "ok $1 - $2"
	else
		echo "not ok $1 - $2"
		failed=1
	fi
}
echo 1..3
[ "$("$run" echo 'not ok 3 # SKIP no_such_tool')" = 'ok 3 # SKIP no_such_tool' ]
result 1 "a skipped test is ok" $?
[ "$("$run" printf '%s\n' 'not ok 3 - adds_up' 'ok 4 - # SKIP')" = $'not ok 3 - adds_up\nok 4 - # SKIP' ]
result 2 "another one is what it was" $?
! "$run" false
result 3 "the program's status is kept" $?
exit $failed
