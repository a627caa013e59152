#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One list of functions in each form that linkers want: whatever reads order files reads the same from all of them.
#   test_orderforms.sh ELFAULT FIXTURES ELF_FIXTURES
set -uo pipefail
elfault=$1 fixtures=$2 elf=$3
command=order
. "$(dirname "$0")/../../support/command.sh"
if [ ! -f "$elf/order-old.elf" ]; then
	echo "1..0 # SKIP yaml2obj was not found"
	exit 0
fi
sed "s|path=\"/elf/|path=\"$elf/|" "$fixtures/traces/order-old.txt" >"$work/trace"
printf '%s\n' '# elfault order' main beta delta.cold gone >"$work/part.order"

# The answers of everything that reads order files, without the file's name.
answers() { # file, its name in the answers
	"$elfault" whatif --format json --order "$1" "$work/trace" && "$elfault" whatif --order "$1" "$work/trace" &&
		"$elfault" order --format json --verify "$1" "$elf/order-old.elf" "$elf/order-new.elf" |
		sed "s|$1|LIST|"
}

echo 1..6
cp "$fixtures/orders/program.order" "$work"
for list in program part; do
	for form in gold bolt; do
		says 0 "" "$work/$list.order" --format lld -o "$work/lld" && says 0 "" "$work/$list.order" --format "$form" -o "$work/form" &&
			answers "$work/lld" >"$work/expected" 2>"$work/err" && answers "$work/form" >"$work/got" 2>>"$work/err" &&
			grep -q 'functions of order-old.elf' "$work/expected" && grep -q '"found":[24],' "$work/expected" &&
			diff "$work/expected" "$work/got" >>"$work/err"
		result "a list of $form is read as that of lld is: $list" $?
	done
done

# A symbol's name may be anything: the trace's file has the same build-id and other names.
mkdir "$work/evil" "$work/evil/elf"
objcopy --redefine-sym alpha="evil"$'\n'"main" --redefine-sym beta=$'\e'"[31mred" "$elf/order-old.elf" "$work/evil/elf/order-old.elf" 2>>"$work/err"
sed "s|path=\"/elf/|path=\"$work/evil/elf/|" "$fixtures/traces/order-old.txt" >"$work/evil/trace"
says 0 "2 names left out that no line can hold" "$work/evil/trace" -o "$work/evil/order" && ! grep -qa $'evil\|\e' "$work/evil/order"
result "names with control characters are left out, and counted" $?

# What is printed to be typed next is typed as it is.
next=$("$elfault" order "$work/trace" -o "$work/of a start.order" 2>&1 >/dev/null | grep -o 'file=.*\|-o .* --.*')
[ "$(sed -n 1p <<<"$next")" = "-o '$work/of a start.order' -- ~/order" ] &&
	[ "$(sed -n 2p <<<"$next")" = "file='$work/of a start.order' -Wl,--no-warn-symbol-ordering" ] || { echo "$next" >"$work/err"; false; }
result "names with blanks are quoted in the commands that it prints" $?
exit $failed
