#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault report` of graphs as a person meets it: .dot, .svg with --graph, messages, names that are code.
#   test_graphs.sh ELFAULT FIXTURES HAS_GRAPHVIZ
set -uo pipefail
elfault=$1 fixtures=$2 has_graphviz=$3
command=report
. "$(dirname "$0")/../../support/command.sh"

trace=$fixtures/traces/start.txt
if [ "$has_graphviz" != 1 ]; then
	echo 1..2
	says 1 "built without graphviz" "$trace" -o "$work/a.dot" && [ ! -e "$work/a.dot" ]
	result "without graphviz .dot is refused and says why" $?
	says 1 "built without graphviz" --graph causes "$trace" -o "$work/a.svg" && [ ! -e "$work/a.svg" ]
	result "and so is a picture of a graph" $?
	exit $failed
fi

well_formed() { ! command -v xmllint >/dev/null || xmllint --noout "$@" 2>"$work/err"; }
# What graphviz's own program makes of a .dot file; it must not complain.
drawn() { # file.dot file.svg
	! command -v dot >/dev/null && { : >"$2" && return; }
	dot -Tsvg "$1" >"$2" 2>"$work/err" && [ ! -s "$work/err" ] && well_formed "$2"
}
echo 1..9

says 0 "" "$trace" -o "$work/a.dot" && [ ! -s "$work/err" ] && grep -q '^strict digraph' "$work/a.dot" &&
	drawn "$work/a.dot" "$work/a.dot.svg"
result "a trace gives a graph that dot draws" $?

says 0 "" --graph objects "$trace" -o "$work/b.dot" && drawn "$work/b.dot" "$work/b.dot.svg" &&
	says 0 "" --graph causes "$trace" -o "$work/c.dot" && cmp -s "$work/a.dot" "$work/c.dot" &&
	! cmp -s "$work/a.dot" "$work/b.dot"
result "--graph chooses, causes is what it is without" $?

says 0 "" --graph causes "$trace" -o "$work/a.svg" && [ ! -s "$work/err" ] && well_formed "$work/a.svg" &&
	says 0 "" --graph objects "$trace" -o "$work/b.svg" && well_formed "$work/b.svg" &&
	grep -q 'who causes what' "$work/a.svg" && grep -q 'file by file' "$work/b.svg"
result "a picture with --graph is laid out" $?

says 0 "" --min-share 100% "$trace" -o "$work/d.dot" && grep -q 'other causes' "$work/d.dot" &&
	says 0 "" --min-share 0 "$trace" -o "$work/d.dot" && ! grep -q 'other causes' "$work/d.dot"
result "--min-share decides what is summed" $?

says 2 "expected causes or objects" --graph all "$trace" -o "$work/e.dot" &&
	says 2 "--graph requires" --graph causes "$trace" -o "$work/e.html" &&
	says 2 "--min-share requires" --min-share 2 "$trace" -o "$work/e.svg" &&
	says 2 "expected a percentage" --min-share 101 "$trace" -o "$work/e.dot" &&
	says 2 "expected a percentage" --min-share nan "$trace" -o "$work/e.dot" &&
	says 2 "--by cannot be combined with --graph" --graph causes --by access "$trace" -o "$work/e.svg"
result "options that make no sense are misuse" $?

# Files whose names are code to graphviz, to SVG, or to nobody because they are too long.
names=('\\G' '\\N\\E' 'b\\' '<b>bold</b>' '<script>alert(1)</script>' 'a"]; evil [label="' 'two\nlines' '&lt;' '${HOME}'
	"$(printf 'n%.0s' {1..12000})")
{
	sed -n '1p;/^meta/p' "$trace"
	for i in "${!names[@]}"; do
		quoted=${names[i]//\"/\\\"}
		echo "map pid=100 tid=100 time=1000200 addr=0x${i}0000000 size=0x1000 prot=r-xp path=\"/lib/$i${quoted//\//|}\""
		echo "fault time=1001000 addr=0x${i}0000010 ip=0x${i}0000010 error=user,fetch"
	done
	echo 'summary end=1002000'
} >"$work/hostile.txt"
for graph in causes objects; do
	says 0 "" --graph $graph "$work/hostile.txt" -o "$work/$graph.dot" && [ ! -s "$work/err" ] &&
		drawn "$work/$graph.dot" "$work/$graph.dot.svg" &&
		says 0 "" --graph $graph "$work/hostile.txt" -o "$work/$graph.svg" && [ ! -s "$work/err" ] &&
		well_formed "$work/$graph.svg"
	result "names that are code are drawn: $graph" $?
done

shown=0
for text in '0\G' '1\N\E' '2b\' '3&lt;b&gt;bold&lt;' '4&lt;script&gt;alert(1)' '7&amp;lt;' '8${HOME}'; do
	grep -qF -- "$text" "$work/objects.svg" || { echo "# no $text"; shown=1; }
done
grep -qE '<(script|b)>|href|<a ' "$work/objects.svg" "$work/causes.svg" && shown=1
[ "$(wc -c <"$work/objects.svg")" -lt 60000 ] || shown=1
result "they show as they are, and long ones are cut" $shown

shown=0
if command -v dot >/dev/null; then
	# In dot's own SVG a backslash, a quote and angle brackets arrive as they were, and nothing is a link.
	for text in '>0\G<' '>1\N\E<' '>2b\<' '>3&lt;b&gt;bold&lt;|b&gt;<' '5a&quot;]; evil [label=&quot;'; do
		grep -qF -- "$text" "$work/objects.dot.svg" || { echo "# no $text"; shown=1; }
	done
	grep -qE '<script|href' "$work/objects.dot.svg" "$work/causes.dot.svg" && shown=1
	grep -q 'label=<\|URL\|href' "$work/objects.dot" "$work/causes.dot" && shown=1
fi
result "and so they do in what dot draws" $shown
exit $failed
