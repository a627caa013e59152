#!/usr/bin/env bash
# Each folder includes only what its layer may: the table of docs/architecture.md, held.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A allowed=(
	[base]="base"
	[elfmap]="base elfmap"
	[trace]="base trace"
	[unwind]="base trace unwind"
	[bpf]="base trace unwind bpf"
	[record]="base trace unwind bpf record"
	[correlate]="base elfmap trace correlate"
	[findings]="base correlate findings"
	[compare]="base correlate compare"
	[changes]="base correlate compare changes"
	[budget]="base correlate budget"
	[render]="base correlate compare budget render"
	[cli]="base elfmap trace unwind bpf record correlate findings compare changes budget render cli"
)
# libbpf's own headers live under bpf/ too.
foreign='^bpf/(libbpf|bpf|btf|bpf_helpers|bpf_core_read|bpf_tracing|bpf_endian)\.h$'

n=0 failed=0
echo "1..${#allowed[@]}"
for folder in base elfmap trace unwind bpf record correlate findings compare changes budget render cli; do
	n=$((n + 1))
	bad=
	while IFS=: read -r file line text; do
		target=$(sed -E 's/.*["<]([^">]+)[">].*/\1/' <<<"$text")
		[[ $target =~ $foreign ]] && continue
		into=${target%%/*}
		[ -n "${allowed[$into]:-}" ] || continue
		[[ " ${allowed[$folder]} " == *" $into "* ]] || bad+="# $file:$line includes $target"$'\n'
	done < <(grep -nE '^#include' -r "$folder" --include='*.[ch]')
	# findings, compare, changes, budget and render read models, never the attribution behind them; budgets
	# are in the words of a fault, which --where and --by have, too.
	also=
	[ "$folder" = budget ] && also='|correlate/(field|filter|pivot)\.h"'
	if [[ " findings compare changes budget render " == *" $folder "* ]]; then
		while IFS=: read -r file line text; do
			bad+="# $file:$line: $folder may include model headers only"$'\n'
		done < <(grep -nE '#include "correlate/' -r "$folder" --include='*.[ch]' | grep -vE "correlate/[a-z]*model\\.h\"$also")
	fi
	if [ -n "$bad" ]; then
		printf 'not ok %d - %s includes only what its layer may\n%s' "$n" "$folder" "$bad"
		failed=1
	else
		echo "ok $n - $folder includes only what its layer may"
	fi
done
exit $failed
