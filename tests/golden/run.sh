#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whole answers, byte for byte: tests/golden/CASE/cmd holds the arguments of elfault, `expected` what it
# prints. UPDATE_GOLDEN=1 writes `expected` anew: look at the difference before it is committed.
# The first word of cmd is where it runs: traces or elf, the folders of the fixtures; or both, a copy of the
# traces, a set of them, budgets and order files in which /elf is the folder of the ELF fixtures. OUT in cmd is a file whose content is shown, too; OUT.trace as dump shows it.
#   run.sh ELFAULT CASES TRACES ELF_FIXTURES
set -uo pipefail
elfault=$1 cases=$2 traces=$3 elf=$4
work=$(mktemp -d)
out=$work/out
trap 'rm -rf "$work"' EXIT
mkdir "$work/both"
for trace in "$traces"/*.txt; do
	sed "s|path=\"/elf/|path=\"$elf/|" "$trace" >"$work/both/$(basename "$trace")"
done
# A set of repeats, two of them beside a run that was not recorded.
mkdir "$work/both/set"
plain() { # WALL CPU: a plain run of so many nanoseconds, in the meta line of a trace
	sed "s/^meta .*/& plain_wall=$1 plain_user=$2 plain_system=1000000 plain_minor=70/"
}
plain 19000000 15000000 <"$traces/time.txt" >"$work/both/set/1.trace"
plain 21000000 17000000 <"$traces/time-slower.txt" >"$work/both/set/2.trace"
cp "$traces/time.txt" "$work/both/set/3.trace"
cp "$traces"/../budgets/* "$traces"/../orders/* "$work/both"

folders=("$cases"/*/)
n=0 failed=0
echo "1..${#folders[@]}"
for folder in "${folders[@]}"; do
	n=$((n + 1))
	name=$(basename "$folder")
	read -r where arguments <"$folder/cmd"
	case $where in
	traces) at=$traces ;;
	elf) at=$elf ;;
	both) at=$work/both arguments=${arguments//\/elf\//$elf/} ;;
	*) echo "Bail out! $folder/cmd: the first word is traces, elf or both"; exit 1 ;;
	esac
	if [ "$where" != traces ] && ! compgen -G "$elf/*.elf" >/dev/null; then
		echo "ok $n - $name # SKIP yaml2obj was not found"
		continue
	fi
	if [[ $arguments == *OUT.dot* && ${HAS_GRAPHVIZ:-1} != 1 ]]; then
		echo "ok $n - $name # SKIP built without graphviz"
		continue
	fi
	# From inside the folder, so that no path of this machine is in the answer.
	# shellcheck disable=SC2086 # words of cmd are separate arguments
	(cd "$at" && "$elfault" ${arguments//OUT/$work/file}) >"$out" 2>&1
	echo "exit status $?" >>"$out"
	for file in "$work"/file.*; do
		[ -f "$file" ] || continue
		case $file in
		*.trace) "$elfault" dump "$file" | sed 's/ producer="[^"]*"//' >>"$out" ;;
		*) cat "$file" >>"$out" ;;
		esac
		rm "$file"
	done
	sed -i "s|$elf/|/elf/|g; s|$work/file|OUT|g" "$out"
	if [ "${UPDATE_GOLDEN:-}" = 1 ]; then
		cp "$out" "$folder/expected"
	fi
	if diff -u "$folder/expected" "$out" >"$out.diff"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$out.diff"
		failed=1
	fi
	rm -f "$out.diff"
done
exit $failed
