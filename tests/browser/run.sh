#!/usr/bin/env bash
# The report page in Debian's chromium, headless and offline. TAP on stdout; reports and screenshots go to OUTPUT.
#   run.sh ELFAULT RENDERSAMPLE OUTPUT
set -euo pipefail
elfault=$(realpath "$1") rendersample=$(realpath "$2") output=$(realpath -m "$3")
cd "$(dirname "$0")"

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
for command in chromium node npm xmllint; do
	command -v "$command" >/dev/null || skip "$command is not installed"
done

../support/modules.sh . || skip "npm ci failed: is the registry within reach?"

mkdir -p "$output"
trace=$output/several.trace
# Programs that differ in size, and a file with initializers; each a process of its own.
if ! "$elfault" record -o "$trace" -- sh -c 'clang-14 --version; git --version; ls /' >"$output/record.log" 2>&1; then
	# Root can record, so then it is elfault that is broken.
	[ "$(id -u)" = 0 ] || skip "this user cannot record: $(tail -n 1 "$output/record.log")"
	cat "$output/record.log" >&2
	exit 1
fi
record() { # TRACE COMMAND...
	"$elfault" record -o "$output/$1" -- "${@:2}" >"$output/record.log" 2>&1 || {
		cat "$output/record.log" >&2
		exit 1
	}
}
# The page of a warm start goes by faults: where files have left memory, or others empty it, again. (No pipe into
# grep -q: what it does not read ends elfault by a signal, which counts.)
for _ in {1..20}; do
	"$elfault" analyze --format json "$trace" >"$output/several.json"
	! grep -q '"counts":{[^}]*"major":0,' "$output/several.json" || break
	record several.trace sh -c 'clang-14 --version; git --version; ls /'
done
# A start beside busy loops, which waits for a processor, and for storage where this user can empty the page cache.
for _ in 1 2 3 4; do
	while :; do :; done &
	loops+=($!)
done
"$elfault" record --cold -o "$output/busy.trace" -- clang-14 --version >"$output/record.log" 2>&1 || record busy.trace clang-14 --version
kill "${loops[@]}"
# A program that is linked with a library of 320 KiB of pointers, and uses nothing of it.
mkdir -p "$output/unused"
{
	echo 'int d[4]; int *const volatile table[] = {'
	seq 40000 | awk '{ print "&d[" $1 % 4 "]," }'
	echo '};'
} | gcc -x c -shared -fPIC -o "$output/unused/libidle.so" - -Wl,-soname,libidle.so
echo 'int main(void) { return 0; }' | gcc -x c -o "$output/unused/app" - -Wl,--no-as-needed -L"$output/unused" -lidle -Wl,-rpath,"$output/unused"
record unused.trace "$output/unused/app"
# A program whose source is here, that computes in code that was inlined.
g++ -g -O2 -o "$output/inlined" ../../fixtures/programs/inlined.cc
# shellcheck disable=SC2046 # words
record code.trace "$output/inlined" $(seq 20000)
# Many faults.
record many.trace sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10; do git --version; clang-14 --version; done'
# Commands whose programs are not what was typed, and one that sleeps after its last fault.
echo 'int main() {}' | g++ -x c++ -c -o "$output/hello.o" -
record link.trace g++ -o "$output/hello" "$output/hello.o"
record node.trace node --version
record sleeps.trace sleep 0.3
record executed.trace env -u LANG git --version
! command -v gdb >/dev/null || record gdb.trace gdb --version
record fewer.trace sh -c 'clang-14 --version; ls /'
# Repeats that differ by so much that no cold run hides it, seven of each so that one such row is
# enough (docs/diff.md).
for run in 1 2 3 4 5 6 7; do
	record "before$run.trace" git --version
	record "after$run.trace" /usr/bin/python3 -c 'import json'
done
# Two builds of one program, of which what differs is known.
for side in before after; do
	mkdir -p "$output/$side-build"
	gcc -O1 -fPIE -pie "-D${side^^}" -o "$output/$side-build/builds" builds.c
	record "$side-build.trace" "$output/$side-build/builds"
done
"$elfault" diff "$output/before-build.trace" "$output/after-build.trace" -o "$output/builds.html"
# One of the runs again, eight times as slow; and beside itself.
"$elfault" dump "$output/after-build.trace" | node slower.js 8 >"$output/slower.txt"
"$elfault" diff "$output/slower.txt" "$output/after-build.trace" -o "$output/slower.html"
"$elfault" diff "$output/after-build.trace" "$output/after-build.trace" -o "$output/same.html"
"$elfault" diff --format json "$output/before-build.trace" "$output/after-build.trace" >"$output/builds.json"
"$elfault" report "$trace" -o "$output/several.html"
"$elfault" report "$output/busy.trace" -o "$output/busy.html"
for name in many link node sleeps executed; do
	"$elfault" report "$output/$name.trace" -o "$output/$name.html"
done
[ ! -e "$output/gdb.trace" ] || "$elfault" report "$output/gdb.trace" -o "$output/gdb.html"
"$elfault" report "$output/unused.trace" -o "$output/unused.html"
"$elfault" report "$output/code.trace" -o "$output/code.html"
"$elfault" analyze --format json "$trace" >"$output/several.json"
"$elfault" analyze --format csv "$trace" >"$output/several.csv"
"$elfault" diff "$trace" "$output/fewer.trace" -o "$output/diff.html"
"$elfault" diff --format json "$trace" "$output/fewer.trace" >"$output/diff.json"
"$elfault" diff "$output"/before?.trace --after "$output"/after?.trace -o "$output/repeats.html"
"$elfault" diff --format json "$output"/before?.trace --after "$output"/after?.trace >"$output/repeats.json"
# Runs of one side that note the same, not equally often.
for run in 1 2 3; do
	cp ../../fixtures/traces/start.txt "$output/calm$run.txt"
	sed "/^summary/i note text=\"a stack is lost\" count=$((8 + 2 * run))" "$output/calm$run.txt" >"$output/noting$run.txt"
done
"$elfault" diff "$output"/noting?.txt --after "$output"/calm?.txt -o "$output/notes.html"
# The same, as if every ninth fault had waited for storage.
"$elfault" dump "$trace" | awk '/^fault/ && !/kind=/ && ++n % 9 == 0 { sub(/ duration=[0-9]+/, " kind=major&000") } 1' >"$output/cold.txt"
"$elfault" report "$output/cold.txt" -o "$output/cold.html"
"$elfault" report ../../fixtures/traces/waits.txt -o "$output/waits.html"
"$elfault" report ../../fixtures/traces/time.txt -o "$output/time.html"
"$elfault" report ../../fixtures/traces/until.txt -o "$output/until.html"
# Its one but last fault as two on one mark: a minor fault, then the major one.
sed '/^fault time=66335000 /{s/kind=major //;p;s/66335000/66336000/;s/duration/kind=major duration/}' ../../fixtures/traces/waits.txt \
	>"$output/outlined.txt"
"$elfault" report "$output/outlined.txt" -o "$output/outlined.html"
"$rendersample" html >"$output/hostile.html"
"$rendersample" diff >"$output/hostile-diff.html"
ELFAULT=$elfault exec node main.js "$output"
