#!/usr/bin/env bash
# The page's modules against C, without a browser. TAP on stdout.
#   run.sh TWINS ASSETS
set -euo pipefail
command -v node >/dev/null || {
	echo "1..0 # SKIP node is not installed"
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Modules, whatever the version of node takes .js for.
echo '{"type": "module"}' >"$work/package.json"
cp -r "$2"/* "$(dirname "$0")/twins.js" "$work"
"$1" >"$work/twins.json"
node "$work/twins.js" "$work/twins.json"
