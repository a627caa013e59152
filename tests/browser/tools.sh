#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Exports opened in the tools that they are for: speedscope and Firefox Profiler in Debian's chromium, headless,
# Firefox Profiler's own command line, and the engine of Perfetto's UI. TAP on stdout; traces, exports and screenshots go to OUTPUT.
#   tools.sh ELFAULT OUTPUT
set -euo pipefail
elfault=$(realpath "$1") output=$(realpath -m "$2")
cd "$(dirname "$0")"

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
for command in chromium node npm python3; do
	command -v "$command" >/dev/null || skip "$command is not installed: script/setup test"
done
../support/modules.sh . || skip "npm ci failed: is the registry within reach?"

mkdir -p "$output"
record() { # NAME COMMAND...
	"$elfault" record "${marks[@]}" -o "$output/$1.trace" -- "${@:2}" >"$output/$1.log" 2>&1 && return
	# Root can record, so then it is elfault that is broken.
	[ "$(id -u)" = 0 ] || skip "this user cannot record: $(tail -n 1 "$output/$1.log")"
	cat "$output/$1.log" >&2
	exit 1
}
names=(clang)
# What BPF alone sees is refused elsewhere; a moment in time is not.
marks=(--mark 'soon=1ms' --mark 'never=exec:no-such-program')
record clang clang-14 --version
marks=()
# Several processes and threads.
if [ -z "${ELFAULT_ALL:-}" ]; then
	record several sh -c 'git --version; clang-14 --version; ls / | sort; /usr/bin/python3 -c "import threading; threading.Thread(target=print).start()"'
	names+=(several)
elif command -v firefox-esr >/dev/null; then
	home=$(mktemp -d)
	trap 'rm -rf "$home"' EXIT
	HOME=$home MOZ_DISABLE_CONTENT_SANDBOX=1 record firefox firefox-esr --headless --no-remote --profile "$home" \
		--screenshot "$home/page.png" about:blank
	names+=(firefox)
fi
for name in "${names[@]}"; do
	trace=$output/$name.trace
	for tool in speedscope firefox; do
		"$elfault" export --to "$tool" "$trace" -o "$output/$name.$tool.json"
	done
	"$elfault" export --to perfetto "$trace" -o "$output/$name.perfetto-trace"
	"$elfault" analyze --format ndjson "$trace" >"$output/$name.ndjson"
	# Older traces have none.
	"$elfault" analyze --io --format ndjson "$trace" >"$output/$name.io.ndjson" 2>/dev/null || true
	"$elfault" analyze --format json "$trace" >"$output/$name.json"
	../unit/cli/test_profiles.py "$elfault" "$trace" >"$output/$name.sums" || {
		cat "$output/$name.sums" >&2
		exit 1
	}
	python3 - "$output/$name.speedscope.json" node_modules/speedscope/dist/release/file-format-schema.json <<'END'
import json, sys
import jsonschema
profile, schema = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
jsonschema.validate(profile, schema)
END
done
PROFILER=$(./profiler.sh || true) PERFETTO=$(./perfetto.sh || true) node tools.js "$output" "${names[@]}"
