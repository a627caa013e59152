#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault analyze` as a person meets it: output, exit status, messages.
#   test_analyze.sh ELFAULT FIXTURES
set -uo pipefail
elfault=$1 fixtures=$2
command=analyze
. "$(dirname "$0")/../../support/command.sh"

trace=$fixtures/traces/small.txt
echo 1..51

says 0 "" --full "$trace" && [ ! -s "$work/err" ] &&
	grep -q "^4 faults: 3 minor, 1 major" "$work/out" &&
	grep -q "^ *2 *50.0% .* (unattributed: no mapping known)$" "$work/out"
result "a trace gives an answer" $?

says 0 "" --format ndjson "$trace" && [ "$(grep -c '^{"seq":' "$work/out")" = 4 ] &&
	[ "$(wc -l <"$work/out")" = 4 ]
result "ndjson is one fault per line and nothing else" $?

says 0 "" --format ndjson --stacks ids "$trace" && [ "$(grep -c '^{"seq":' "$work/out")" = 4 ] &&
	[ "$(grep -c '^{"stack_id":' "$work/out")" = 2 ] && ! grep '^{"seq":' "$work/out" | grep -q '"stack":'
result "--stacks ids writes each stack once" $?

says 2 "--stacks requires --format ndjson" --stacks ids --format json "$trace" &&
	says 2 "--stacks cannot be combined with --by" --stacks ids --format ndjson --by section "$trace" &&
	says 2 "invalid value 'all' for --stacks (expected ids)" --stacks all --format ndjson "$trace"
result "--stacks of anything else is misuse" $?

says 0 "" --format csv "$trace" && [ "$(wc -l <"$work/out")" = 5 ] &&
	[ "$(head -c 4 "$work/out")" = seq, ]
result "csv is a heading and one fault per row" $?

says 0 "" --format json "$trace" && grep -q '"schema":"elfault.analysis/1"' "$work/out" &&
	! grep -q '"seq"' "$work/out"
result "json has no faults unless asked for" $?

says 0 "" --format json --faults "$trace" && [ "$(grep -c '^{"seq":' "$work/out")" = 4 ]
result "--faults adds them" $?

says 0 "" hello "$trace" && grep -q "^  shown      [0-9]* of 4 faults" "$work/out"
result "an object narrows the answer" $?

says 1 "no object of that name in the trace; it has hello" libnone.so "$trace"
result "an object that is not in the trace is refused, those in it are named" $?

cp "$trace" "$work/elfault.trace"
(cd "$work" && "$elfault" analyze --full >out 2>err) && grep -q "^4 faults" "$work/out"
result "elfault.trace is the default" $?

says 0 "" "$trace" && [ ! -s "$work/err" ] && [ "$(wc -l <"$work/out")" -le 30 ] &&
	[ "$(grep -v " elfault " "$work/out" | wc -L)" -le 80 ] && grep -q "^  INCOMPLETE  11 faults only in the kernel" "$work/out"
result "without options the answer is one screen" $?

(cd "$work" && "$elfault" analyze 2>err | sed -n 's/^  [a-z ]*  elfault /elfault /p' >next) &&
	[ "$(wc -l <"$work/next")" = 4 ] &&
	while read -r _ next; do
		(cd "$work" && eval "'$elfault' $next" >out 2>err </dev/null) || echo "$next"
	done <"$work/next" >"$work/bad" && [ ! -s "$work/bad" ] && [ -s "$work/report.html" ]
result "what it says to type next works as it is printed" $?

says 0 "" --full "$trace" && cp "$work/out" "$work/full" &&
	says 0 "" --top 10 "$trace" && grep -q "^4 faults" "$work/out" &&
	says 0 "" --where access=exec "$trace" && grep -q "^  filter     access=exec" "$work/out" &&
	says 0 "" hello "$trace" && grep -q "^  shown " "$work/out" &&
	says 0 "" --full --format json "$trace" && grep -q '"schema":"elfault.analysis/1"' "$work/out" &&
	says 2 "--full cannot be combined" --full --by kind "$trace" &&
	says 2 "--full cannot be combined" --full --initializers "$trace" &&
	says 2 "--wide cannot be combined" --wide --timeline "$trace"
result "a part of the answer, or a number of rows, is asked of the full one" $?

sed "s|path=\"/usr/bin/hello\"|path=\"/usr/bin/$(printf 'hello%.0s' {1..40})\"|" "$trace" >"$work/names.txt"
says 0 "" --full "$work/names.txt" && grep -q "[helo]\.\.\.[helo]" "$work/out" &&
	says 0 "" --full --wide "$work/names.txt" && ! grep -q "[helo]\.\.\.[helo]" "$work/out" &&
	says 0 "" --wide "$work/names.txt" && ! grep -q "[helo]\.\.\.[helo]" "$work/out" &&
	COLUMNS=60 says 0 "" "$trace" && [ "$(grep -v " elfault " "$work/out" | wc -L)" -le 60 ]
result "names in a pipe are cut, and whole with --wide" $?

mkdir "$work/empty"
(cd "$work/empty" && "$elfault" analyze 2>"$work/err")
[ $? = 2 ] && grep -q "elfault record" "$work/err"
result "without one, no argument is misuse" $?

says 0 "" hello "$trace" && cp "$work/out" "$work/after" && says 0 "" "$trace" hello && cmp -s "$work/out" "$work/after"
result "the trace may come before the objects" $?
says 1 "no object of that name in the trace; it has hello" "$trace" libnone.so
result "then, too, an object that is not in the trace is refused" $?
says 1 "the trace comes last: elfault analyze $elfault elfault.trace" "$elfault"
result "an object without a trace is noticed" $?

cp "$elfault" "$work/"$'e\e[31mvil'
says 1 'e\x1b[31mvil is an ELF file' "$work/"$'e\e[31mvil' && ! grep -q $'\e' "$work/err"
result "the name of a file that is no trace is escaped" $?

says 1 "the last argument is the trace" "$work/none"
result "a trace that is not there is an error" $?

grep -v '^summary' "$trace" >"$work/cut"
says 1 "--allow-truncated accepts it" --full "$work/cut" && grep -q INCOMPLETE "$work/out" &&
	says 1 "--allow-truncated accepts it" "$work/cut" && grep -q INCOMPLETE "$work/out"
result "an incomplete trace is answered, marked, and exits with 1" $?

cp "$work/cut" "$work/"$'e\e[31mvil'
says 1 'e\x1b[31mvil: incomplete trace' "$work/"$'e\e[31mvil' && ! grep -q $'\e' "$work/err"
result "the name of an incomplete trace is escaped" $?

says 0 "incomplete" --allow-truncated "$work/cut"
result "--allow-truncated turns that into 0" $?

says 2 "invalid value 'xml'" --format xml "$trace" && says 2 "invalid value '-1'" --top=-1 "$trace" &&
	says 2 "invalid value 'pink'" --color pink "$trace" && says 2 "--format json" --faults "$trace"
result "options with wrong values are misuse" $?

says 0 "" --help && grep -q "^Examples:" "$work/out"
result "--help is on standard output and has examples" $?

says 0 "" --color always "$trace" && grep -q $'\e\\[1m' "$work/out" &&
	NO_COLOR=1 says 0 "" "$trace" && ! grep -q $'\e' "$work/out"
result "colour comes on demand, not into a pipe" $?

{
	printf 'elfault-trace-text 1\n'
	for i in {1..5000}; do echo "fault addr=$i"; done
	echo summary
} >"$work/long.txt"
"$elfault" analyze --format ndjson "$work/long.txt" 2>"$work/err" | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" = 0 ] && [ ! -s "$work/err" ]
result "a reader that stops early is no error" $?

"$elfault" analyze "$trace" >/dev/full 2>"$work/err"
[ $? = 1 ] && grep -q "standard output: No space left" "$work/err"
result "a full disk is an error" $?

says 0 "" --where 'mechanism=file-map,object=hello' "$trace" &&
	grep -q "^  filter     mechanism=file-map,object=hello$" "$work/out" &&
	grep -q "^  shown      1 of 4 faults (25.0%)" "$work/out" &&
	says 0 "" --format ndjson --where kind=minor --where 'object!=null' "$trace" &&
	[ "$(wc -l <"$work/out")" = 1 ] && grep -q '"object":"\[anon\]"' "$work/out" &&
	says 0 "" --format csv --where access=exec "$trace" && [ "$(wc -l <"$work/out")" = 2 ] &&
	says 0 "" --format json --where kind=major hello "$trace" &&
	grep -q '^"filter":"object=hello,kind=major"' "$work/out"
result "--where filters every output, and says so" $?

says 2 "did you mean initiator" --where initator=exec "$trace" &&
	says 2 "did you mean static-init" --where initiator=static-ini "$trace" &&
	says 2 "is not FIELD=VALUE" --where 'symbol=foo(int, char)' "$trace"
result "a misspelled condition is misuse" $?

says 0 "" --where 'section=.txet' "$trace" && grep -q "no section in the trace is named .txet" "$work/out"
result "a name that nothing has is an answer with a note" $?

says 2 "fields are" --where =1 "$trace"
words=$(sed -n 's/.*fields are //p' "$work/err" | tr -d ,)
says 0 "" --help
missing=$(for word in $words; do grep -qw "$word" "$work/out" || echo "$word"; done)
[ "$(wc -w <<<"$words")" -ge 20 ] && [ -z "$missing" ]
result "--help has all words" $?

says 0 "" --initializers "$trace" && grep -q "^  No initializers" "$work/out" &&
	says 0 "" --initializers=all --sort faults --format csv "$trace" &&
	[ "$(cut -c 1-19 "$work/out")" = object,array,index, ] &&
	says 0 "" --initializers --format json hello "$trace" &&
	grep -q '"schema":"elfault.initializers/1"' "$work/out"
result "--initializers is an answer of its own in text, csv and json" $?

says 2 "invalid value 'none'" --initializers=none "$trace" && says 2 "invalid value 'name'" --sort name "$trace" &&
	says 2 "requires --initializers" --sort faults "$trace" &&
	says 2 "does not support --format ndjson" --initializers --format ndjson "$trace" &&
	says 2 "--faults cannot be combined" --initializers --format json --faults "$trace" &&
	says 2 "name an OBJECT" --initializers --where kind=major "$trace"&&
	says 2 "use --by initializer alone" --initializers --by kind "$trace"
result "what cannot be combined with --initializers is misuse" $?

for sort in time read faults order; do
	says 0 "" --initializers --sort "$sort" "$trace" || break
done && says 2 "(expected time, read, faults or order)" --initializers --sort name "$trace"
result "initializers are sorted by time, bytes, faults or as they ran" $?

says 0 "" --by initiator,access "$trace" && grep -q "^4 faults by initiator, access: 1 major" "$work/out" &&
	says 0 "" --by access --format csv "$trace" && [ "$(sed -n 2p "$work/out")" = "write,2,0,812,812,0,2,0" ] &&
	says 0 "" --by access --format ndjson --where kind=major "$trace" &&
	[ "$(cat "$work/out")" = '{"access":"exec","faults":1,"major":1,"duration_ns":120344,"own_ns":120344,"late_ns":0,"pages":1,"read_bytes":12288}' ]
result "--by counts in every format" $?

says 2 "did you mean section" --by initiator,sction "$trace" && says 2 "at most 3" --by pid,tid,kind,mode "$trace" &&
	says 2 "one lists faults, the other counts them" --by kind --format json --faults "$trace"
result "--by with words that are none is misuse" $?

mkdir "$work/set" && cp "$trace" "$work/set/10.trace" && cp "$trace" "$work/set/2.trace"
says 0 "" "$work/set" && grep -q "^  runs       2 in $work/set; " "$work/out" &&
	says 0 "$work/set: 2 runs; $work/set/2.trace, the nearest to the median, is shown" --by kind "$work/set" &&
	says 0 "" --format json "$work/set" && jq -e ".set.runs == 2 and .trace.path == \"$work/set/2.trace\"" "$work/out" >/dev/null
result "of a set of repeats it shows the run nearest to the median, and says so" $?

program=$(realpath "$elfault")
mkdir -p "$work/empty/elfault.repeats"
(cd "$work/empty" && "$program" analyze 2>err; [ $? = 2 ] && grep -q "but elfault.repeats, which" err)
result "a set in the directory is named where there is no trace" $?

sed 's/ arg="[^"]*"/ arg="other"/' "$trace" >"$work/set/3.trace"
says 1 "$work/set: not a set of one command: $work/set/2.trace is of " "$work/set" && rm "$work/set/3.trace"
result "traces of different commands are no set" $?

elsewhere() { # COUNT: a trace of faults in so many files that are not here
	grep "^meta" "$trace" | sed '1i elfault-trace-text 1'
	seq "$1" | awk '{ printf "map time=1000100 pid=100 addr=0x%d0000000 size=0x1000 prot=r--p path=\"/nowhere/%d\"\n", $1, $1
		printf "fault time=%d pid=100 addr=0x%d0000010 error=user\n", 1000100 + $1, $1 }'
	echo 'summary end=1900000'
}
notes_of() { # COUNT
	elsewhere "$1" >"$work/elsewhere.txt"
	says 0 "" --full "$work/elsewhere.txt" && grep "sections and symbols unavailable" "$work/out"
}
cure="; --sysroot DIR takes them from a copy, \`elfault pack\` puts them into one file with the trace"
[ "$(notes_of 1)" = "  - /nowhere/1: file does not exist here; sections and symbols unavailable" ] &&
	[ "$(notes_of 2)" = "  - 2 files that the trace names are not on this machine: /nowhere/1 and /nowhere/2; sections and symbols unavailable$cure" ] &&
	[ "$(notes_of 4)" = "  - 4 files that the trace names are not on this machine: /nowhere/1, /nowhere/2, /nowhere/3 and /nowhere/4; sections and symbols unavailable$cure" ] &&
	[ "$(notes_of 9)" = "  - 9 files that the trace names are not on this machine: /nowhere/1, /nowhere/2, /nowhere/3 and 6 more; sections and symbols unavailable$cure" ]
result "all files that are not here are one note" $?

cut_stack() { # INSTRUCTION...: a trace with a fault each, of a stack that is cut in its first frame
	grep "^meta" "$trace" | sed '1i elfault-trace-text 1'
	echo 'map time=1000050 pid=100 addr=0x10000000 size=0x100000 prot=rw-p'
	echo 'stack id=1 frames=0x555555555139 truncated=yes'
	echo 'note text="a distinct call stack has no callers: the innermost frame is larger than the copy of the stack (see --stack-size)"'
	local ip time=1000100
	for ip; do
		echo "fault time=$((time++)) pid=100 addr=0x10000$((time % 10))10 ip=$ip error=user,write stack=1"
	done
	echo 'summary end=1900000'
}
cut_stack 0x555555555139 0x555555555139 >"$work/cut.txt"
says 0 "" --full "$work/cut.txt" && [ "$(grep -c "innermost frame" "$work/out")" = 1 ] &&
	grep -qx "  - the initiator of a fault is unknown: its innermost frame is larger than the copy of the stack (record --stack-size) (2 times)" "$work/out"
result "a frame larger than the copy of the stack is noted by the faults that it concerns" $?

cut_stack >"$work/cut.txt"
says 0 "" --full "$work/cut.txt" && ! grep -q "innermost frame" "$work/out"
result "and not where it concerns none" $?

has_color() { # ENVIRONMENT...
	env -u NO_COLOR -u CLICOLOR_FORCE "$@" "$elfault" analyze "$trace" 2>"$work/err" | grep -q $'\e'
}
! has_color && has_color CLICOLOR_FORCE=1 && has_color CLICOLOR_FORCE=1 TERM=dumb && ! has_color CLICOLOR_FORCE=0 &&
	! has_color CLICOLOR_FORCE= && ! has_color CLICOLOR_FORCE=1 NO_COLOR=1
result "CLICOLOR_FORCE colours what goes to no terminal, unless NO_COLOR is set" $?

awk 'BEGIN {
	print "elfault-trace-text 1\nmeta backend=\"bpf\" page_size=4096 root_pid=10 start=1000"
	print "map pid=10 tid=10 time=2000 addr=0x10000 size=0x40000000 prot=rw-p path=\"//anon\""
	for (i = 1; i <= 100000; i++)
		print "fault pid=10 tid=10 time=" 2000 + i " addr=" 65536 + 4096 * (i % 1000) " error=user"
}' >"$work/large.trace"
says 1 "more than the 4.0 MiB that --memory allows is needed; --memory SIZE allows more, a shorter recording needs less" \
	--memory 4M --allow-truncated "$work/large.trace" && [ ! -s "$work/out" ] &&
	says 0 "" --full --memory 1G --allow-truncated "$work/large.trace" && grep -q "^100,000 faults" "$work/out"
result "no more memory is taken than --memory allows" $?

seq=$("$elfault" analyze --format ndjson "$trace" 2>/dev/null | tail -n 1)
last=$(sed 's/.*"seq":\([0-9]*\).*/\1/' <<<"$seq") addr=$(sed 's/.*"addr":"\([^"]*\)".*/\1/' <<<"$seq")
says 0 "" --fault "$last" "$trace" && grep -q "^  touched  *$addr: " "$work/out" && grep -q "^  stack" "$work/out" &&
	grep -qx "  filter     seq=$last" "$work/out" && grep -q "^  shown      1 of " "$work/out"
result "--fault shows the one that has this seq, and its stack" $?

says 0 "" --fault "$last" --format json "$trace" && python3 -c 'import json, sys
[fault] = json.load(open(sys.argv[1]))["faults"]
sys.exit(fault["addr"] != sys.argv[2])' "$work/out" "$addr"
result "in JSON it is there without --faults" $?

says 1 "seq=999999: no fault of the trace, which has " --fault 999999 "$trace" && [ ! -s "$work/out" ] &&
	says 2 "expected a number, from 0" --fault x "$trace"
result "a fault that is not there is said" $?

printf '%s\n' 'elfault-trace-text 1' 'meta backend="bpf" page_size=4096 root_pid=10 start=1000' \
	'map pid=10 tid=10 time=2000 addr=0x10000 size=0x40000 prot=rw-p path="//anon"' \
	'fault pid=10 tid=10 time=3000 addr=0x11000 error=user' 'summary end=9000' >"$work/plain.trace"
says 0 "" --fault 0 "$work/plain.trace" && grep -q "no call stack" "$work/out"
result "a fault without a stack says so" $?

says 1 'function="a"\""b,*": no fault and no sample of the trace, which has ' --function 'a"b,*' "$trace"
result "--function takes a name as it is" $?

for size in 4X 0 -1 "" M 99999999999T; do
	says 2 "invalid value '$size' for --memory (expected a size such as 512M or 4G)" --memory "$size" "$trace" ||
		break
done
result "a size that is none is misuse" $?

exit $failed
