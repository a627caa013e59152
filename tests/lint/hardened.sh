#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installed programs are hardened as Debian's packages are, however it was built.
#   hardened.sh FORTIFIED PIE...  -  STATIC...  -  SHARED...  -  OBJECT...  -  MUSL-OBJECT...
# FORTIFIED: 1 if the build is to be. OBJECTs were compiled of sources that print. musl has no checked calls: the same
# sources are among the other OBJECTs.
set -euo pipefail

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
for tool in readelf nm objdump; do
	command -v $tool >/dev/null || skip "$tool is not installed: script/setup test"
done
fortified=$1
shift
lists=("" "" "" "" "") at=0
for word; do
	if [ "$word" = - ]; then at=$((at + 1)); else lists[at]+="$word"$'\n'; fi
done
mapfile -t pies <<<"${lists[0]%$'\n'}"
mapfile -t static <<<"${lists[1]%$'\n'}"
mapfile -t shared <<<"${lists[2]%$'\n'}"
mapfile -t objects <<<"${lists[3]%$'\n'}"
mapfile -t musl <<<"${lists[4]%$'\n'}"

n=0 failed=0
# each SENTENCE COMMAND FILE...: COMMAND says yes of each; an empty name is none.
each() {
	local file offenders=
	for file in "${@:3}"; do
		[ -z "$file" ] || "$2" "$file" || offenders+="# $file"$'\n'
	done
	n=$((n + 1))
	if [ -z "$offenders" ]; then
		echo "ok $n - $1"
	else
		printf 'not ok %d - %s\n%s' "$n" "$1" "$offenders"
		failed=1
	fi
}
# Into a variable: grep -q would end readelf early.
has() { # PATTERN COMMAND...
	local text
	text=$("${@:2}" 2>/dev/null)
	grep -qE "$1" <<<"$text"
}
is_pie() { has '^ +Type: +DYN \(Position-Independent Executable' readelf -h "$1"; }
has_relro() { has '^ +GNU_RELRO ' readelf -lW "$1"; }
binds_now() { has '\(FLAGS_1\).*NOW' readelf -dW "$1"; }
has_no_executable_stack() { has '^ +GNU_STACK .* RW ' readelf -lW "$1"; }
has_canaries() { has ' __stack_chk_fail' nm "$1"; }
has_landing_pads() { has 'endbr64' objdump -d "$1"; }
has_checked_calls() { has ' U __[a-z_]+_chk(@|$)' nm "$1"; }

echo 1..7
each "programs load at any address" is_pie "${pies[@]}"
each "what is relocated is read-only after the start" has_relro "${pies[@]}" "${static[@]}" "${shared[@]}"
each "and no function is bound later" binds_now "${pies[@]}" "${shared[@]}"
each "stacks are not executable" has_no_executable_stack "${pies[@]}" "${static[@]}" "${shared[@]}"
each "stacks are protected" has_canaries "${objects[@]}" "${musl[@]}"
if [ "$(uname -m)" = x86_64 ]; then
	each "functions begin with a landing pad" has_landing_pads "${objects[@]}" "${musl[@]}"
else
	n=$((n + 1))
	echo "ok $n - functions begin with a landing pad # SKIP not x86-64"
fi
if [ "$fortified" = 1 ]; then
	each "calls that print or copy are checked" has_checked_calls "${objects[@]}"
else
	n=$((n + 1))
	echo "ok $n - calls that print or copy are checked # SKIP sanitized, or not optimized"
fi
exit $failed
