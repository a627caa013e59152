#!/usr/bin/env bash
# Each folder includes only what its layer may: the table of docs/inside/architecture.md, held.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A allowed=(
	[base]="base"
	[prefetch]="prefetch"
	[depot]="base depot"
	[elfmap]="base depot elfmap"
	[libelfmap]="base depot elfmap libelfmap"
	[trace]="base trace"
	[unwind]="base trace unwind"
	[bpf]="base trace unwind bpf"
	[record]="base trace unwind bpf record"
	[model]="base model"
	[correlate]="base depot elfmap trace model correlate"
	[smaps]="base elfmap model smaps"
	[derive]="base model derive"
	[compare]="base model derive compare"
	[cure]="base prefetch model derive compare cure"
	[advice]="base model derive compare cure advice"
	[budget]="base model derive compare cure advice budget"
	[render]="base model derive compare cure advice budget render"
	[exchange]="base prefetch trace model derive compare cure advice budget render exchange"
	[cli]="base depot elfmap trace unwind bpf record model correlate smaps derive compare cure advice budget prefetch render exchange cli"
)
# libbpf's own headers live under bpf/ too.
foreign='^bpf/(libbpf|bpf|btf|bpf_helpers|bpf_core_read|bpf_tracing|bpf_endian)\.h$'

n=0 failed=0
echo "1..${#allowed[@]}"
for folder in base prefetch depot elfmap libelfmap trace unwind bpf record model correlate smaps derive compare cure advice budget render exchange cli; do
	n=$((n + 1))
	bad=
	while IFS=: read -r file line text; do
		target=${text#*[\"<]} target=${target%%[\">]*}
		[[ $target =~ $foreign ]] && continue
		into=${target%%/*}
		[ -n "${allowed[$into]:-}" ] || continue
		[[ " ${allowed[$folder]} " == *" $into "* ]] || bad+="# $file:$line includes $target"$'\n'
	done < <(grep -nE '^#include' -r "$folder" --include='*.[ch]')
	if [ -n "$bad" ]; then
		printf 'not ok %d - %s includes only what its layer may\n%s' "$n" "$folder" "$bad"
		failed=1
	else
		echo "ok $n - $folder includes only what its layer may"
	fi
done
exit $failed
