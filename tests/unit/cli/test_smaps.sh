#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault smaps` as a person or a script meets it: schemas, exit status, messages.
#   test_smaps.sh ELFAULT FIXTURES SCHEMAS
set -uo pipefail
elfault=$1 fixtures=$2/smaps schemas=$3
command=smaps
. "$(dirname "$0")/../../support/command.sh"

echo 1..10

valid() { # schema, arguments
	"$(dirname "$0")/../../support/schema.py" "$schemas/$1.schema.json" "$elfault" smaps --format json "${@:2}" >"$work/out" 2>"$work/err"
}
valid smaps "$fixtures/two"
result "JSON of one is as its schema says" $?
valid smaps-diff "$fixtures/before" "$fixtures/after"
result "JSON of two is as its schema says" $?

says 0 "" --format csv "$fixtures/before" && python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
sys.exit(not (len(rows) == 5 - 1 and "/opt/none/na,me=x" in [r["path"] for r in rows] and
              sum(int(r["rss"]) for r in rows) == 2132 * 1024))' "$work/out"
result "CSV has a row per section, and names with commas" $?

says 0 "" "$fixtures/before" && grep -qE 'Rss 2\.1 MiB = 2\.0 MiB private \+ 72\.0 KiB shared' "$work/out" &&
	grep -qE ' [0-9.]+ MiB .*\[heap\]' "$work/out"
result "text starts with the sums" $?

sed $'s|/opt/none/na,me=x|/opt/\e[1m\xff|' "$fixtures/before" >"$work/hostile"
says 0 "" "$work/hostile" && ! LC_ALL=C grep -q $'\e' "$work/out" && grep -qF '\x1b[1m\xff' "$work/out" &&
	says 0 "" --format csv "$work/hostile" && ! LC_ALL=C grep -q $'\e' "$work/out"
result "a name cannot act on the terminal" $?

grep -v '^[A-Z]' "$fixtures/before" >"$work/maps"
mkfifo "$work/fifo"
says 1 "$work/maps: line 2: the mapping before has no Rss: copy /proc/PID/smaps, not maps" "$work/maps" &&
	says 1 "$work/fifo: not a regular file" "$work/fifo" && says 1 "not a regular file" "$work" &&
	says 1 "$work/none: No such file" "$work/none" && [ ! -s "$work/out" ]
result "what is no smaps is named with its line, with exit status 1" $?

says 1 "process 999999999: no such process" 999999999 && says 1 "no process of that name, and no file" no-such-name
result "a process that is not there is said so" $?

# shellcheck disable=SC2016 # the inner shell's
printf '#!/bin/sh\nulimit -n 4 && exec "%s" "$@"\n' "$elfault" >"$work/limited"
chmod +x "$work/limited"
elfault=$work/limited says 1 "no-such-name: Too many open files: raise the limit with ulimit -n" no-such-name &&
	elfault=$work/limited says 0 "" $$ && grep -q 'Too many open files: raise the limit with ulimit -n; sections unavailable' "$work"/{out,err}
result "too few open files are not a process that is not there" $?

says 2 "invalid value 'uptime' for -t" -t uptime "$fixtures/before" && says 2 "missing PID, NAME or FILE" &&
	says 2 "one or two at a time" 1 2 3 && says 2 "invalid value 'xml'" --format xml 1
result "misuse says what is wrong, with exit status 2" $?

says 0 "" $$ && says 0 "" --top 1 $$ && grep -q 'more: --top 0' "$work/out" && says 0 "" --help &&
	grep -q 'elfault smaps before 1234' "$work/out"
result "a process of one's own can be looked into" $?

exit $failed
