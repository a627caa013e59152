#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault diff` as a person meets it: output, exit status, messages.
#   test_diff.sh ELFAULT FIXTURES
set -uo pipefail
elfault=$1 fixtures=$2
command="diff"
. "$(dirname "$0")/../../support/command.sh"

small=$fixtures/traces/small.txt start=$fixtures/traces/start.txt restart=$fixtures/traces/restart.txt
unread=$fixtures/corpus/trace/before-reads.bin
echo 1..37

says 0 "" "$small" "$small" && grep -q "^No differences in faults" "$work/out"
result "a trace does not differ from itself" $?

says 0 "" "$start" "$restart" && grep -q "^18, then 18 faults; major 1, then 0" "$work/out" &&
	grep -q "^Only one run per side: noise cannot be estimated" "$work/out" &&
	grep -q "^ *+2 faults  .*heap" "$work/out"
result "one run each: differences, and that noise cannot be estimated" $?

says 0 "" --full "$start" "$restart" && grep -q "; read 16.0 KiB, then 0 B$" "$work/out" &&
	grep -qE "^ +6 +5 .* -16.0 KiB  file-map$" "$work/out" && ! grep -q "not compared" "$work/out"
result "bytes read are compared" $?

says 0 "" --full "$start" "$restart" && ! grep -qE "  size( |$)" "$work/out"
result "where no size changed there is no column of sizes" $?

sed 's/^meta\( arg="[^"]*"\)*/meta attached=yes/' "$start" >"$work/attached.txt"
says 0 "" "$start" "$work/attached.txt" && grep -q "^after   process 100  " "$work/out" &&
	"$elfault" diff --format json "$start" "$work/attached.txt" | grep -q '"command":"process 100"'
result "a process that ran already is named" $?

faults() { # COUNT: a trace of so many on anonymous pages
	grep "^meta" "$small" | sed '1i elfault-trace-text 1'
	echo 'map time=1000100 pid=100 addr=0x10000000 size=0x4000000 prot=rw-p'
	seq "$1" | awk '{ printf "fault time=%d pid=100 addr=0x1%04d000 error=write,user\n", 1000100 + $1, $1 }'
	echo 'summary end=1900000'
}
faults 3000 >"$work/many.txt"
faults 2999 >"$work/fewer.txt"
faults 1 >"$work/one.txt"
says 0 "" "$work/many.txt" "$work/fewer.txt" && grep -q "^3,000, then 2,999 faults (-1, -<0.1%)" "$work/out" &&
	says 0 "" "$work/fewer.txt" "$work/many.txt" && grep -q "^2,999, then 3,000 faults (+1, +<0.1%)" "$work/out"
result "a small difference is not 0.0%" $?

faults 10 >"$work/ten.txt"
faults 12 >"$work/twelve.txt"
ten=$work/ten.txt twelve=$work/twelve.txt
says 0 "" "$ten" "$ten" "$ten" "$ten" "$ten" --after "$twelve" "$twelve" "$twelve" "$twelve" "$twelve" &&
	grep -qF "is none that the runs can show: the nearest runs of both sides differ by no more than two faults." "$work/out"
result "what is within noise for all its p names the rule" $?

says 0 "" "$work/many.txt" "$work/one.txt" && grep -q "^3,000, then 1 faults (-2,999, -99.9%)" "$work/out"
result "what is still there did not go by 100%" $?

says 0 "" "$unread" "$small" &&
	grep -q "^note: bytes read are not compared: $unread has no data on them" "$work/out" &&
	! grep -qE "read .*( -> |, then )" "$work/out"
result "bytes read that one side does not know are not shown as none" $?

says 0 "" --format json "$unread" "$small" &&
	grep -q '"has_reads":false,"lost":0,[^}]*}\],"after":.*"has_reads":true,"lost":0,[^}]*}\].*"total":.*"read_bytes":null' "$work/out"
result "in JSON they are null" $?

old=() new=()
for i in {1..10}; do
	old+=("$start")
	new+=("$restart")
done
says 0 "" "${old[@]}" --after "${new[@]}" &&
	grep -q "^Medians of 10 and 10 runs" "$work/out" && grep -qE "^ +2 +4 +\+2 +\+100\.0% +real .*heap" "$work/out"
result "repeats stand on both sides of --after" $?

# Four runs that are alike may be so by chance.
says 0 "" --full "${old[@]:0:4}" --after "${new[@]:0:4}" &&
	grep -q "^Medians of 4 and 4 runs" "$work/out" && grep -qE "^ +2 +4 +\+2 +\+100\.0% +noise .*heap" "$work/out"
result "two faults more in four runs are within noise" $?

says 0 "" "$start" "$start" "$start" "$restart" --after "$restart" "$restart" "$restart" "$start" &&
	grep -q "^No cause of faults differs beyond noise" "$work/out"
result "where all differences are noise it does not say that there are none" $?

says 0 "" "$start" "$start" "$start" --after "$restart" "$restart" "$restart" &&
	grep -q "too few to estimate noise" "$work/out" && ! grep -q " real " "$work/out"
result "three runs each are too few, and it says so" $?

says 2 "two traces are needed, or two directories of repeats" "$start"
result "one trace is misuse" $?

says 2 "separate the sides" "$start" "$start" "$start"
result "three traces need --after" $?

says 2 "two traces are needed, or two directories of repeats" "$start" "$start" --after
result "--after needs traces behind it" $?

says 2 "--after: may be given once" "$start" --after "$start" --after "$start"
result "--after may be given once" $?

says 2 "expected OLD=NEW" --pair hello "$start" "$start"
result "a pair without = is misuse" $?

says 1 "after has no object nothing.so" --pair relocations64.elf=nothing.so "$start" "$restart"
result "a pair that names no file is refused" $?

says 1 "$work/none: No such file" "$start" "$work/none" && [ ! -s "$work/out" ]
result "a trace that is not there is named" $?

says 2 "expected text, json or markdown" --format csv "$start" "$start"
result "an unknown format is misuse" $?

sed 's/arg="--quick"/arg="--slow"/' "$restart" >"$work/slow.txt"
says 0 "" "$start" "$work/slow.txt" && grep -q "^note: the command lines differ, .* --quick' .* --slow'" "$work/out" &&
	says 0 "" "$start" "$restart" && ! grep -q "command lines" "$work/out"
result "a note tells that the command lines differ" $?

"$elfault" dump "$small" >"$work/cut.txt" && sed -i '/^summary/d' "$work/cut.txt"
says 1 "incomplete trace" "$start" "$work/cut.txt" && grep -q "^Most significant differences" "$work/out" &&
	says 0 "" --allow-truncated "$start" "$work/cut.txt"
result "an incomplete trace is compared, but the status says it" $?

noisy=("$start" "$start" "$start" "$start" --after "$start" "$start" "$restart" "$restart")
says 0 "" --full --color always "${noisy[@]}" &&
	grep -q $'\x1b\[2m.*heap' "$work/out" && ! grep -q " real " "$work/out"
result "differences within noise are dimmed" $?

says 0 "" "${noisy[@]}" && grep -qE "^[0-9]+ rows are within noise; --full lists them$" "$work/out" &&
	! grep -qE "heap| -> | noise " "$work/out"
result "without --full they are only counted" $?

says 0 "" "$start" "$restart" && grep -qE "^[0-9]+ rows have no verdict; --full lists them$" "$work/out" &&
	! grep -qE " -> |^ +before +after" "$work/out" && says 0 "" --full "$start" "$restart" && grep -qE "^ +before +after" "$work/out" &&
	! grep -q "no verdict" "$work/out"
result "one run each has no tables without --full" $?

mkdir "$work/old" "$work/new" "$work/empty"
for i in {1..10}; do
	cp "$start" "$work/old/$i.trace"
	cp "$restart" "$work/new/$i.trace"
done
says 0 "" "$work/old" "$work/new/" && grep -q "^Medians of 10 and 10 runs" "$work/out" &&
	grep -qE "^ +2 +4 +\+2 +\+100\.0% +real .*heap" "$work/out"
result "a directory is a side with repeats" $?

says 0 "" "$work/old" "$start" --after "$work/new" && grep -q "^Medians of 11 and 10 runs" "$work/out"
result "directories and files mix" $?

says 1 "$work/empty: is a directory without traces" "$start" "$work/empty" && [ ! -s "$work/out" ]
result "a directory without traces is refused" $?

says 2 "the file name must end with .html" "$start" "$restart" -o "$work/diff.svg" && [ ! -e "$work/diff.svg" ]
result "a page is all that -o writes" $?

says 2 "cannot be combined with -o FILE.html" --format json "$start" "$restart" -o "$work/diff.html" && [ ! -e "$work/diff.html" ]
result "options of the other output are misuse" $?

says 0 "" "$start" "$restart" -o "$work/diff.html" && [ ! -s "$work/out" ] && grep -q "<title>elfault diff" "$work/diff.html" &&
	[ "$(grep -c '<script type="application/octet-stream"' "$work/diff.html")" = 3 ] && ! ls "$work"/*.part 2>/dev/null
result "-o writes a page with three blocks of data, and nothing else" $?

# Home directories stand in the comparison's block and in those of the sides.
mkdir -p "$work/home/ada" && cp "$start" "$work/home/ada/start.txt" && cp "$restart" "$work/home/ada/restart.txt"
unpack() { # what the blocks of the page hold, to a file
	grep -o 'octet-stream" id="[^"]*">[^<]*' "$work/diff.html" | sed 's/.*>//' |
		while read -r block; do base64 -d <<<"$block" | gzip -dc | tr -d '\0'; done >"$work/blocks"
}
# shellcheck disable=SC2088 # the page has a ~
HOME=$work/home/ada says 0 "" "$work/home/ada/start.txt" "$work/home/ada/restart.txt" -o "$work/diff.html" && unpack &&
	! grep -q -a "home/ada" "$work/blocks" && grep -q -a "~/start.txt" "$work/blocks" &&
	HOME=$work/home/ada says 0 "" --full-paths "$work/home/ada/start.txt" "$work/home/ada/restart.txt" -o "$work/diff.html" && unpack &&
	grep -q -a "home/ada/start.txt" "$work/blocks"
result "home directories are left out of the page unless --full-paths" $?

# run FILE COUNT LOST: a run that notes something COUNT times and lost LOST faults.
run() {
	sed "s/lost=3/lost=$3/; /^summary/s/rusage_minor=21/rusage_minor=$((18 + $3))/" "$start" >"$1"
	[ "$2" = 0 ] || sed -i "/^summary/i note text=\"a stack is lost\" count=$2" "$1"
}
mkdir "$work/noting" "$work/calm"
counts=(10 0 14 12 0)
for i in "${!counts[@]}"; do
	run "$work/noting/$i.trace" "${counts[i]}" $((i * 1000))
	run "$work/calm/$i.trace" 2 0
done
says 0 "" "$work/noting" "$work/calm" && [ "$(grep -c "^note: .*a stack is lost" "$work/out")" = 2 ] &&
	grep -qx "note: before: a stack is lost (10 to 14 times, in 3 of 5 runs)" "$work/out" &&
	grep -qx "note: after: a stack is lost (2 times in each of 5 runs)" "$work/out" &&
	grep -qx "note: before: 1,000 to 4,000 faults are missing from the recording, in 4 of 5 runs" "$work/out" &&
	grep -qx "note: 2 files that the trace names are not on this machine: .*; sections and symbols unavailable; .*" "$work/out"
result "what the runs of a side note is one note, with its range" $?

says 0 "" --format json "$work/noting" "$work/calm" &&
	grep -q '^"run_notes":.*{"text":"a stack is lost","runs":3,"least":10,"most":14}.*{"text":"a stack is lost","runs":5,"least":2,"most":2}' "$work/out" &&
	grep -q '"path":"[^"]*noting/4.trace",[^}]*"lost":4000,' "$work/out"
result "in JSON it is numbers, too" $?

# Durations that add up to what no signed number of 64 bits holds: 2^64 - 1 and 0.
grew() { # DURATION
	faults 2 | sed "s/error=write,user/error=write,user duration=$1/"
}
grew 9223372036854775807 >"$work/longest.txt"
grew 1 >"$work/short.txt"
says 0 "" --format json "$work/short.txt" "$work/longest.txt" && python3 - "$work/out" <<-'END' &&
	import json, sys
	found = json.load(open(sys.argv[1]))["total"]["duration_ns"]
	sys.exit(found["before"] != 2 or found["after"] != 2**64 or found["difference"] != 2**64)
END
	says 0 "" "$work/short.txt" "$work/longest.txt" && says 0 "" "$work/longest.txt" "$work/short.txt"
result "a duration larger than a signed number is written whole" $?

exit $failed
