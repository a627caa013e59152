#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# eslint over the page's modules and their tests, and the types of the modules; tests/browser/eslint.config.js has the rules.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
for command in node npm; do
	command -v "$command" >/dev/null || skip "$command is not installed: script/setup test"
done
tests/support/modules.sh tests/browser || skip "npm ci failed: is the registry within reach?"

echo 1..2
number=0 failed=0
check() { # SENTENCE COMMAND...
	number=$((number + 1))
	if said=$("${@:2}" 2>&1); then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' <<<"$said"
		failed=1
	fi
}
bin=tests/browser/node_modules/.bin
check "eslint finds nothing in the page and its tests" "$bin/eslint" --config tests/browser/eslint.config.js \
	'render/page/assets/**/*.js' 'tests/browser/*.js' 'tests/bench/*.mjs'
check "modules of the page hand each other what render/page/assets/types.d.ts says" "$bin/tsc" -p tests/browser
exit "$failed"
