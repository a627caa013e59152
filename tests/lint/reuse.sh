#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every file has a copyright and a license whose text is in LICENSES/, by the rules of reuse.software.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
command -v reuse >/dev/null || skip "reuse is not installed: script/setup test"
[ -e .git ] || skip "not a git checkout"
echo 1..1
if said=$(reuse lint 2>&1) && ! grep -q ERROR <<<"$said"; then
	echo "ok 1 - every file has a license"
else
	echo "not ok 1 - every file has a license"
	sed 's/^/# /' <<<"$said"
	exit 1
fi
