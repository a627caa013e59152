#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where the dynamic linker looks for libraries, against strace, and whose search path that was.
load common

# build: a program of three libraries in folders of their own; none, empty and wide have no library.
build() {
	mkdir -p none empty wide with deep
	echo 'int third(void) { return 3; }' >third.c
	echo 'int third(void); int second(void) { return third(); }' >second.c
	echo 'int second(void); int first(void) { return second(); }' >first.c
	echo 'int first(void); int main(void) { return first() != 3; }' >main.c
	gcc -shared -fPIC -o deep/libthird.so third.c
	# shellcheck disable=SC2016 # for ld.so
	gcc -shared -fPIC -o with/libsecond.so second.c -Ldeep -lthird -Wl,--enable-new-dtags,-rpath,'$ORIGIN/../none:$ORIGIN/../deep'
	gcc -shared -fPIC -o with/libfirst.so first.c -Lwith -lsecond -Wl,-rpath-link,deep
	# shellcheck disable=SC2016
	gcc -o main main.c -Lwith -lfirst -Wl,-rpath-link,with:deep,--disable-new-dtags,-rpath,'$ORIGIN/empty:$ORIGIN/with'
}

# places: what strace saw, "ok PATH" or "no PATH", without calls on files that are open.
places() {
	sed -nE 's/.*(openat|newfstatat|open|stat)\((AT_FDCWD, )?"([^"]+)".* = (-1|[0-9]+).*/\4 \3/p' |
		sed 's/^-1 /no /; s/^[0-9]* /ok /'
}

# told TRACE: the same of a trace.
told() {
	"$ELFAULT" analyze --format json "$1" |
		jq -r '.library_search.calls[] | (if .error == 0 then "ok " else "no " end) + .path'
}

@test "each place where the dynamic linker looks is the one that strace shows" {
	need_bpf
	need gcc jq strace
	build
	export LD_LIBRARY_PATH=$PWD/wide:$PWD/none
	"$ELFAULT" record --quiet -o main.trace -- ./main
	strace -o main.strace ./main
	# It opens no file of its own.
	places <main.strace >expected
	told main.trace >found
	[ "$(wc -l <expected)" -gt 100 ]
	diff expected found
	"$ELFAULT" analyze --format json main.trace >main.json
	jq -e '.library_search | .opened == 4 and .missed > 40 and .duration_ns > 0 and .lost == 0' main.json
}

@test "each place has the path that it is of" {
	need_bpf
	need gcc jq
	build
	local libraries=$PWD/wide
	LD_LIBRARY_PATH=$libraries "$ELFAULT" record --quiet -o main.trace -- ./main
	"$ELFAULT" analyze --format json main.trace | jq -r --arg here "$PWD/" '.library_search.calls[] |
		select(.library and .path == .folder + "/" + .library) | [.origin, (.owner // "-" | split("/") | last),
			(if .error == 0 then "ok" else "no" end), .library,
			(.folder | ltrimstr($here))] | join(" ")' | sort -u >found
	cat found
	# Of RPATH and LD_LIBRARY_PATH the former comes first, and it serves what the program's libraries need.
	diff - <(grep -v ' libc.so.6 ' found) <<-'EOT'
		library-path - no libthird.so wide
		rpath main no libfirst.so empty
		rpath main no libsecond.so empty
		rpath main ok libfirst.so with
		rpath main ok libsecond.so with
		runpath libsecond.so no libthird.so with/../none
		runpath libsecond.so ok libthird.so with/../deep
	EOT
	grep -q '^cache - ok libc.so.6 ' found
	grep -q '^library-path - no libc.so.6 wide' found
	"$ELFAULT" analyze --full main.trace | grep -A3 'Search for libraries' >text
	grep -q 'RPATH of main' text
}

@test "a program's own failed opens are not the dynamic linker's" {
	need_bpf
	need jq /usr/bin/python3 strace
	/usr/bin/python3 -c 1
	"$ELFAULT" record --quiet -o python.trace -- /usr/bin/python3 -c 'import json
for i in range(300):
    try: open("/nonexistent/lib%d.so" % i)
    except OSError: pass'
	told python.trace >found
	run ! grep -q nonexistent found
	# Modules that it has ld.so open, and nothing else: strace shows where the calls came from.
	strace -i -o python.strace /usr/bin/python3 -c 'import json'
	places <python.strace >all
	[ "$(wc -l <all)" -gt "$(wc -l <found)" ]
	grep -Fxvf all found >rest || true
	[ ! -s rest ] || fail "not by strace: $(cat rest)"
}

@test "from a hundred places in vain on a finding says what to change" {
	need_bpf
	need gcc jq
	build
	local folders='' i
	for i in 1 2 3 4 5 6; do
		mkdir "f$i"
		folders+=$PWD/f$i:
	done
	LD_LIBRARY_PATH=$folders "$ELFAULT" record --quiet -o main.trace -- ./main
	"$ELFAULT" analyze --format json main.trace >main.json
	jq -e '.library_search.missed >= 100' main.json
	jq -e '.findings[] | select(.id == "library-search") |
		(.evidence | contains("by LD_LIBRARY_PATH")) and .saves.duration_ns > 0' main.json
	"$ELFAULT" record --quiet -o plain.trace -- ./main
	run ! jq -e '.findings[] | select(.id == "library-search")' \
		<("$ELFAULT" analyze --format json plain.trace)
}

@test "with perf it is not known, and said so" {
	need_bpf
	need jq
	"$ELFAULT" record --backend perf -o perf.trace -- true 2>messages
	"$ELFAULT" analyze --format json perf.trace | jq -e '.library_search == null'
	grep -q 'no search for libraries' messages
}
