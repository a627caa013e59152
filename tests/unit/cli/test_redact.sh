#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault redact` as a person meets it: what is left, that answers stay, exit status, messages.
#   test_redact.sh ELFAULT FIXTURES ELF_FIXTURES
set -uo pipefail
elfault=$(realpath "$1") fixtures=$(realpath "$2") elf=$(realpath "$3")
command=redact
. "$(dirname "$0")/../../support/command.sh"
export HOME=$work/plantedhome
mkdir "$HOME" "$work/again"
cp -r "$elf" "$HOME/elf"
cd "$work" || exit 1
echo 1..12

# A trace whose command line, host, label and files are secrets; the files are in a home directory.
plant() { # TRACE
	sed -E -e "s|path=\"/elf/|path=\"$HOME/elf/|; s|path=\"/mnt/|path=\"/home/plantedother/|" \
		-e "s#^meta( arg=\"([^\"\\\\]|\\\\.)*\")*#meta arg=\"$HOME/elf/app\" arg=\"--token=PLANTEDlong\" arg=\"-pPLANTEDshort\" arg=\"--key\" arg=\"PLANTEDword\" arg=\"A=PLANTEDassigned\" host=\"plantedhost\" label=\"release=7\"#" \
		"$fixtures/traces/$1"
	printf '\nnote text="%s/elf/app: is strange"\n' "$HOME"
}
plant start.txt >start.trace
grep -qi planted start.trace
result "what is searched for is there" $?

says 0 "red.trace: left out 4 words of the command line, 2 home directories, the host; 1 label kept, without --labels; \`elfault dump red.trace\` shows what it has" start.trace -o red.trace
result "it says what was left out, and what was not" $?
"$elfault" dump red.trace >red.txt && ! grep -ai planted red.trace red.txt
result "neither the trace nor its text has a secret" $?
[ "$(stat -c %a red.trace)" = 600 ] && grep -q 'label="release=7"' red.txt
result "its mode is that of traces, and labels stay" $?
says 0 "the value of 1 label" --labels start.trace -o red.trace && "$elfault" dump red.trace | grep -q 'label="release=\\342\\200\\246"'
result "--labels leaves out their values" $?

# Only the name of the trace may differ.
answers() { # TRACE
	"$elfault" analyze --full --wide --allow-truncated "$1"
	"$elfault" analyze --format json --faults --allow-truncated "$1"
	"$elfault" whatif --format json --allow-truncated "$1"
	"$elfault" export --to folded --allow-truncated "$1"
	"$elfault" export --to rows --allow-truncated "$1"
} 2>/dev/null
wrong=
for path in "$fixtures"/traces/*.txt; do
	trace=$(basename "$path")
	plant "$trace" >again/a.trace
	answers again/a.trace >before
	"$elfault" redact --allow-truncated again/a.trace -o again/r.trace 2>/dev/null || wrong+="$trace: exit status; "
	mv again/r.trace again/a.trace
	answers again/a.trace >after
	[ -s before ] && cmp -s before after || wrong+="$trace; "
	grep -qi planted before after && wrong+="$trace has a secret; "
done
[ -z "$wrong" ] || echo "# $wrong"
[ -z "$wrong" ]
result "answers are those of the original, files in the home directory included" $?

"$elfault" redact start.trace -o red.trace 2>/dev/null
[ -z "$("$elfault" diff start.trace red.trace | grep 'arguments of')" ] &&
	"$elfault" dump start.trace | sed 's/PLANTEDword/another/' >other.trace && "$elfault" diff start.trace other.trace | grep -q 'arguments of .* differ'
result "the original and its copy are not said to have other arguments" $?

"$elfault" pack start.trace -o a.pack 2>/dev/null
says 0 "the files in a.pack were left behind" a.pack -o unpacked.trace && "$elfault" dump unpacked.trace >unpacked.txt &&
	! grep -ai planted unpacked.trace unpacked.txt
result "of a pack the trace in it is written" $?
"$elfault" redact start.trace -o red.trace 2>/dev/null && "$elfault" pack red.trace -o red.pack 2>/dev/null &&
	! grep -aqi planted red.pack && HOME=/nonexistent "$elfault" analyze --full red.pack >packed.txt &&
	"$elfault" analyze --full start.trace | sed 's/start\.trace/red.pack/' | cmp - packed.txt
result "a redacted trace can be packed, and the pack answers in any home" $?

says 1 "start.trace: is the trace itself; choose another file with -o" start.trace -o ./start.trace
result "it does not take the place of its original" $?
head -c 700 "$fixtures/corpus/trace/small.bin" >cut.trace
says 1 "cut.trace: incomplete trace; the notes say why; --allow-truncated accepts it" cut.trace -o red.trace &&
	says 0 "incomplete" --allow-truncated cut.trace -o red.trace && "$elfault" dump --allow-truncated red.trace 2>/dev/null | grep -q ^incomplete
result "a cut trace becomes a cut trace" $?
mkdir set && cp start.trace set/1.trace
says 2 "missing -o FILE" start.trace && says 1 "elfault redact set/1.trace" set -o red.trace && says 1 "nothing.trace" nothing.trace -o red.trace
result "misuse, sets and traces that are not there are refused" $?
exit $failed
