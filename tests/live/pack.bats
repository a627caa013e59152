#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Traces that travel: what is answered where the recorded files are not is what is answered at home.
load common

# bare_root: a folder that is the root of another machine, which has elfault and nothing else.
bare_root() {
	local file plugins
	mkdir -p root/bin root/copy
	cp "$ELFAULT" root/bin/elfault
	[ -z "$PREFETCH" ] || cp "$PREFETCH" root/bin/elfault-prefetch
	# capstone is opened when it is needed.
	{ ldd "$ELFAULT" | grep -o '/[^ ]*' && ldconfig -p | grep -o '/[^ ]*/libcapstone\.so\.[0-9]*$'; } | while read -r file; do
		mkdir -p "root$(dirname "$file")"
		cp -L "$file" "root$file"
	done
	# graphviz has its layouts in plugins.
	for plugins in /usr/lib/*/graphviz; do
		[ -d "$plugins" ] || continue
		mkdir -p "root$plugins"
		cp -a "$plugins/." "root$plugins"
	done
}

# there ARGUMENT...: elfault in that root, without a network. Its messages in the file `messages`.
there() {
	code=0
	unshare --net chroot root /bin/elfault "$@" 2>messages || code=$?
	[ "$code" = 0 ] || fail "ended with $code: $(cat messages)"
}

# copy_of TRACE: the files that it maps, and their debug files, below copy. Their paths and build-ids: files.
copy_of() {
	local path id
	"$ELFAULT" dump "$1" | sed -nE 's/^map .*path="?(\/[^" ]*)"?.* build_id=([0-9a-f]*).*/\1 \2/p; s/^map .*path="?(\/[^" ]*).*/\1 -/p' |
		sort -u >files
	while read -r path id; do
		for path in "$path" "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"; do
			[ -f "$path" ] || continue
			mkdir -p "copy$(dirname "$path")"
			cp -p "$path" "copy$path"
		done
	done <files
}

@test "clang's report from a pack, in a root without clang, has the bytes of the one made at home" {
	need_bpf
	need clang-14 jq unshare
	local trace=$T/clang.trace other id
	# What a cold start is told to do names elfault-prefetch as PATH finds it, here as there.
	[ -z "$PREFETCH" ] || PATH=$(dirname "$PREFETCH"):$PATH
	elfault record --backend bpf --cold -o "$trace" -- clang-14 --version
	[ "$code" = 0 ] || fail "$(cat messages)"
	"$ELFAULT" report "$trace" -o home.html
	"$ELFAULT" analyze --format json --faults "$trace" >home.json
	"$ELFAULT" whatif "$trace" >home.whatif
	"$ELFAULT" export --to speedscope "$trace" >home.speedscope
	# What stripped files hide their packages have.
	if dpkg -S "$(readlink -f /usr/lib/llvm-14/bin/clang)" >/dev/null 2>&1; then
		elfault analyze --full "$trace" >/dev/null
		says "hint: " "libLLVM-14.so.1" " stripped. To get the names, run apt install " "libllvm14-dbgsym"
	fi
	elfault pack "$trace" -o clang.pack
	[ "$code" = 0 ] || fail "$(cat messages)"
	says "clang.pack: " "next: elfault analyze clang.pack"
	[ "$(stat -c '%a' clang.pack)" = 600 ]
	[ "$(stat -c '%s' clang.pack)" -lt $((25 << 20)) ]

	bare_root
	cp clang.pack root
	cp --parents "$trace" root
	there analyze --full "$trace" >without
	grep -q "files that the trace names are not on this machine: .*--sysroot DIR" without
	[ "$(grep -c "sections and symbols unavailable" without)" = 1 ]

	there report /clang.pack -o /there.html
	[ ! -s messages ] || fail "$(cat messages)"
	cmp home.html root/there.html
	there analyze --format json --faults /clang.pack | cmp - home.json
	there whatif /clang.pack | cmp - home.whatif
	there diff "$trace" /clang.pack >diff.text
	there dump /clang.pack | cmp - <("$ELFAULT" dump "$trace")

	# The same from a copy of the files.
	mkdir copy
	copy_of "$trace"
	mv copy root
	there report --sysroot /copy "$trace" -o /copy.html
	cmp home.html root/copy.html
	there export --to speedscope --sysroot /copy "$trace" | cmp - home.speedscope

	# Another file is not taken: of libLLVM's build-id one byte is changed.
	read -r other id < <(grep libLLVM files)
	[ -n "$other" ]
	python3 - "root/copy$other" "$id" <<-'END'
		import sys
		with open(sys.argv[1], "r+b") as file:
		    at = file.read(1 << 16).index(bytes.fromhex(sys.argv[2]))
		    file.seek(at)
		    file.write(bytes([bytes.fromhex(sys.argv[2])[0] ^ 1]))
	END
	there analyze --full --sysroot /copy "$trace" >other
	grep -q "/copy$other: not the recorded file (recorded build-id .*sections and symbols not used" other
}

@test "of each function that took a fault, however cheap, a pack has the code" {
	need_bpf
	need gcc
	local name of
	# More than a report lists, of some pages each.
	for name in fn_{1..80}; do
		printf 'static void %s(void) { area[++page * 4096] = 1; __asm__(".rept 8192; nop; .endr"); }\n' "$name"
		of+="$name(); "
	done >functions.c
	printf 'static volatile char area[1 << 20];\nstatic int page;\n%s\nint main(void) { %s }\n' \
		"$(sed 's/^static/& __attribute__((noinline))/' functions.c)" "$of" >many.c
	gcc -O1 many.c -o many
	record many.trace ./many
	elfault pack many.trace -o many.pack
	for name in fn_{1..80}; do
		"$ELFAULT" analyze --full --function "$name" many.trace >home
		grep -qw nop home
		"$ELFAULT" analyze --full --function "$name" many.pack | diff home - >differs ||
			fail "$name: $(head -3 differs)"
	done
}

@test "a pack that was cut or changed is refused, and so is a pack of a pack" {
	printf 'elfault-trace-text 1\nmeta arg=prog page_size=4096 root_pid=10\nexec comm=prog\nsummary\n' >trace
	elfault pack trace -o trace.pack
	[ "$code" = 0 ] || fail "$(cat messages)"
	elfault pack trace.pack -o twice
	[ "$code" = 1 ]
	says "trace.pack: is packed already"
	head -c 100 trace.pack >short
	elfault analyze short
	[ "$code" = 1 ]
	says "short: damaged pack: "
	[ ! -e twice ]
}

# as_nobody: elfault as a user who is not root, with a cache of his own, without /usr/lib/debug. Its
# answer in the file `answer`.
as_nobody() {
	timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$T/home" "$ELFAULT" analyze \
		--format json --faults --debug-dir /nonexistent ls.trace >answer
}

# libc_code: how many frames of libc's have a source line, and how many faults were in inlined code of it.
libc_code() {
	jq -r '"\([.faults[].stack[]? | select(.object // "" | test("libc.so.6")) | .source | select(.)] | length)" +
		" \([.faults[].by | select(.object // "" | test("libc.so.6")) | .inlined[]?] | length)"' answer
}

# notes_of WORDS: the answer has one note with them.
notes_of() {
	[ "$(jq --arg words "$1" '[.notes[] | select(contains($words))] | length' answer)" = 1 ] ||
		fail "no note '$1': $(jq -c .notes answer)"
}

@test "debuginfod gives libc's lines and inlined frames; one that is dead costs seconds, and root asks none" {
	need_bpf
	need debuginfod jq setpriv unshare ip python3
	local id file
	record ls.trace ls
	chmod 644 ls.trace
	id=$("$ELFAULT" dump ls.trace | sed -nE 's/^map .*libc\.so\.6"? .*build_id=([0-9a-f]+).*/\1/p' | head -1)
	file=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	[ -r "$file" ] || skip "libc's debug file is not installed"
	mkdir -m 777 home
	mkdir served
	cp "$file" served

	as_nobody
	[ "$(libc_code)" = "0 0" ]
	export -f as_nobody libc_code notes_of fail
	export T ELFAULT id
	# Servers of a network of their own.
	timeout 150 unshare --net bash -eux <<-'END'
		ip link set lo up
		debuginfod -p 8002 -d :memory: -F served >server.log 2>&1 3>&- &
		server=$!
		python3 -c 'import socket, time
mute = socket.create_server(("127.0.0.1", 8003), backlog=50)
time.sleep(300)' 3>&- &
		mute=$!
		trap 'kill $server $mute' EXIT
		# It answers before it has looked at its files.
		until python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' \
			"http://127.0.0.1:8002/buildid/$id/debuginfo" 2>/dev/null; do
			kill -0 $server
			sleep 0.2
		done
		DEBUGINFOD_URLS=http://127.0.0.1:8002 as_nobody
		read -r lines inlined <<<"$(libc_code)"
		[ "$lines" -gt 0 ]
		[ "$inlined" -gt 0 ]
		[ -s "home/.cache/debuginfod_client/$id/debuginfo" ]
		# From the cache, without the server.
		DEBUGINFOD_URLS=http://127.0.0.1:1 as_nobody
		[ "$(libc_code)" = "$lines $inlined" ]

		rm -r home/.cache
		DEBUGINFOD_URLS=http://127.0.0.1:1 as_nobody
		notes_of "debuginfod cannot be reached: "
		[ "$(libc_code)" = "0 0" ]
		rm -rf home/.cache
		DEBUGINFOD_TIMEOUT=2 DEBUGINFOD_URLS=http://127.0.0.1:8003 as_nobody
		notes_of "debuginfod does not answer: nothing came for 2 seconds"
		rm -rf home/.cache
		DEBUGINFOD_MAXSIZE=100000 DEBUGINFOD_URLS=http://127.0.0.1:8002 as_nobody
		[ "$(libc_code)" = "0 0" ]
		rm -rf home/.cache
		export DEBUGINFOD_URLS=http://127.0.0.1:8002
		"$ELFAULT" analyze --format json --faults --debug-dir /nonexistent ls.trace >answer
		notes_of "nothing is downloaded as root"
		[ "$(libc_code)" = "0 0" ]
	END
}

@test "of a program whose debug file is linked, with a part of it moved by dwz, all of it travels" {
	need_bpf
	need gcc dwz objcopy strip jq
	local name
	for name in a b; do
		cat >$name.c <<-END
			#include <string.h>
			struct of { int byte; char *names[9]; struct of *next; };
			static char area[1 << 20];
			static inline __attribute__((always_inline)) void touch_$name(int page, struct of *of)
			{
				memset(area + page * 4096, of->byte, 64);
			}
			int main(int argc, char **argv)
			{
				for (int page = 0; page < 200; page++)
					touch_$name(page, (void *)argv);
				return area[argc] & 1;
			}
		END
		gcc -g -O1 -Wl,--build-id=sha1 $name.c -o $name
		objcopy --only-keep-debug $name $name.debug
	done
	dwz -m common.dwz -M "$T/common.dwz" a.debug b.debug || skip "dwz cannot read what gcc writes here"
	strip a
	objcopy --add-gnu-debuglink=a.debug a
	# Source does not travel.
	rm a.c
	elfault record -o a.trace -- ./a
	"$ELFAULT" report a.trace -o home.html
	"$ELFAULT" pack a.trace -o a.pack 2>/dev/null
	mkdir -p "copy$T"
	mv a a.debug common.dwz "copy$T"
	"$ELFAULT" report a.pack -o packed.html
	cmp home.html packed.html
	"$ELFAULT" report --sysroot copy a.trace -o copied.html
	cmp home.html copied.html
	"$ELFAULT" analyze --format json --faults a.pack >answer
	[ "$(jq '[.faults[].by.inlined[]? | select(.function == "touch_a")] | length' answer)" -ge 190 ] ||
		fail "$(jq -c .notes answer)"
}
