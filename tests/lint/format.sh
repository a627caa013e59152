#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format would change no source.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
command -v clang-format-14 >/dev/null || skip "clang-format-14 is not installed: script/setup test"
mapfile -t sources < <(git ls-files '*.[ch]' 2>/dev/null)
[ ${#sources[@]} -gt 0 ] || skip "not a git checkout"

echo 1..1
# Without --Werror its status is 0 whatever it finds.
changed=$(clang-format-14 --dry-run "${sources[@]}" 2>&1 |
	sed -nE 's/^([^:]+):[0-9]+:[0-9]+: warning: .*/\1/p' | sort | uniq -c)
if [ -z "$changed" ]; then
	echo "ok 1 - sources are as clang-format writes them"
else
	echo "not ok 1 - sources are as clang-format writes them"
	echo "# places to change, file; clang-format-14 -i FILE:"
	sed 's/^/# /' <<<"$changed"
	exit 1
fi
