#!/usr/bin/env bash
# Every source begins with its licence and what it owns; every header compiles alone; nothing that a
# reader would trip over is left in.
#   sources.sh COMPILER
set -euo pipefail
cc=${1:-cc}
cd "$(dirname "$0")/../.."

mapfile -t sources < <(git ls-files '*.c' '*.h' 2>/dev/null || true)
if [ ${#sources[@]} -eq 0 ]; then
	mapfile -t sources < <(find . -name '*.[ch]' -not -path './build*' | sort)
fi

failed=0
check() { # number, sentence, offenders
	if [ -n "$3" ]; then
		printf 'not ok %d - %s\n' "$1" "$2"
		sed 's/^/# /' <<<"$3"
		failed=1
	else
		echo "ok $1 - $2"
	fi
}

echo 1..7
offenders=$(for file in "${sources[@]}"; do
	line=
	read -r line <"$file" || true
	[[ $line =~ ^//\ SPDX-License-Identifier[:]\  ]] || echo "$file"
done)
check 1 "every source begins with its licence" "$offenders"

offenders=$(for file in "${sources[@]}"; do
	case $file in bpf/kernel/* | bpf/fault_event.h | *.c) continue ;; esac
	printf '#include "%s"\n' "$file" |
		"$cc" -std=gnu11 -D_GNU_SOURCE -I. -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter -Werror -Wno-unused-function -fsyntax-only -x c - 2>&1 |
		head -n 3
done)
check 2 "every header compiles alone" "$offenders"

offenders=$(grep -nE '\b(TODO|FIXME|XXX|HACK)\b' "${sources[@]}" || true)
check 3 "nothing is marked as left to do" "$offenders"

offenders=$(printf '%s\n' "${sources[@]}" | grep '\.h$' | xargs grep -L '^#pragma once' || true)
check 4 "every header guards itself with #pragma once" "$offenders"

# items may be read before the call that moves it.
offenders=$(grep -nE '(\.|->)items\[[a-z0-9_]+\(' "${sources[@]}" || true)
check 5 "no vector is indexed by a call, which may grow it" "$offenders"

# Without it meson takes a test for skipped, whatever it found.
offenders=$(printf '%s\n' "${sources[@]}" | grep '\.c$' | xargs grep -l 'cmocka_run_group_tests' |
	xargs grep -L 'cmocka_set_message_output(CM_OUTPUT_TAP)' || true)
check 6 "every unit test prints TAP" "$offenders"

# A sentence that begins so has no noun: say what the thing is, or what the function does.
offenders=$(awk '
	FNR == 1 { opened = 0 }
	/^[\t ]*(\/\*\*|\/\/) (What|Which|Where|Whose|Who) / && (FNR == 2 || /\/\*\*/) ||
	opened && /^[\t ]*\* (What|Which|Where|Whose|Who) / { print FILENAME ":" FNR ": " $0 }
	{ opened = /^[\t ]*\/\*\*$/ }' "${sources[@]}")
check 7 "headers and doc comments begin with a noun or a verb" "$offenders"
exit $failed
