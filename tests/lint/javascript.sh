#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# eslint over the page's modules and their tests; tests/browser/eslint.config.js has the rules.
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

echo 1..1
if said=$(tests/browser/node_modules/.bin/eslint --config tests/browser/eslint.config.js \
	'render/page/assets/**/*.js' 'tests/browser/*.js' 'tests/bench/*.mjs' 2>&1); then
	echo "ok 1 - eslint finds nothing in the page and its tests"
else
	echo "not ok 1 - eslint finds nothing in the page and its tests"
	sed 's/^/# /' <<<"$said"
	exit 1
fi
