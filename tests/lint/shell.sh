#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All scripts, by shellcheck, from warnings up.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
command -v shellcheck >/dev/null || skip "shellcheck is not installed: script/setup test"
mapfile -t scripts < <(git ls-files .ci script '*.sh' '*.bash' ':!*.py' 2>/dev/null)
mapfile -t bats < <(git ls-files '*.bats' 2>/dev/null)
[ ${#scripts[@]} -gt 0 ] || skip "not a git checkout"

n=0 failed=0
check() { # what, words of shellcheck
	n=$((n + 1))
	if said=$(shellcheck --severity=warning --format=gcc "${@:2}" 2>&1); then
		echo "ok $n - shellcheck finds nothing in $1"
	else
		echo "not ok $n - shellcheck finds nothing in $1"
		sed 's/^/# /' <<<"$said"
		failed=1
	fi
}
echo 1..2
check "scripts" "${scripts[@]}"
# It does not follow `load common` (2154), and bats ends a test whose cd fails (2164).
check "live tests" --exclude=SC2154,SC2164 "${bats[@]}"
exit $failed
