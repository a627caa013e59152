#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tuned starts: what is kept works, what has changed since is told of, and nothing stays behind.
bats_require_minimum_version 1.5.0
load common

setup_file() {
	export BUILT=$BATS_FILE_TMPDIR/built
	mkdir -p "$BUILT" "$BATS_FILE_TMPDIR/data"
	cd "$BUILT" || return
	# A library whose relocations take longer than all the rest of the start.
	{
		echo '#include <fcntl.h>'
		echo '#include <stdlib.h>'
		echo 'static int one; int enormous(void) { return 7; }'
		echo 'void *table[400000] = { [0 ... 399999] = &one };'
		echo 'static void __attribute__((constructor)) begin(void) { const char *path = getenv("BEGUN"); if (path) creat(path, 0644); }'
	} >enormous.c
	gcc -O1 -fPIC -shared -Wl,--build-id -Wl,-soname,libenormous.so enormous.c -o libenormous.so
	cat >user.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		int enormous(void);
		int main(int argc, char **argv)
		{
			const char *folders = getenv("LD_LIBRARY_PATH");
			printf("%s %d %s\n", folders ? folders : "(none)", argc > 1 ? enormous() : 0, argc > 2 ? argv[2] : "");
			return argc > 3 ? 3 : 0;
		}
	END
	gcc -O1 -Wl,--build-id user.c ./libenormous.so "-Wl,-rpath,$BUILT" -o user
}

setup() {
	case $(uname -m) in x86_64) ;; *) skip "stand-ins are written for x86-64 alone" ;; esac
	need gcc
	[ -n "$PREFETCH" ] || skip "elfault-prefetch is not built: no static libc"
	export XDG_DATA_HOME=$BATS_FILE_TMPDIR/data
	folder
	cd "$BUILT" || return
}

# What a tune of ./user has left, once for all tests.
tuned() {
	mkdir -p "$T/temporary"
	[ -e "$XDG_DATA_HOME/elfault/tune/user/settings" ] || TMPDIR=$T/temporary "$ELFAULT" tune --runs 12 -- ./user >screen 2>messages || fail "$(cat screen messages)"
	[ -z "$(ls -A "$T/temporary")" ] || fail "left: $(ls -A "$T/temporary")"
	folder=$XDG_DATA_HOME/elfault/tune/user
}

@test "a library that a start does not use stays away, and is there when it is used" {
	tuned
	grep -q 'stand-ins *for libenormous.so$' screen || fail "$(cat screen messages)"
	grep -q '1 of 4 files are not loaded' screen || fail "$(cat screen)"
	# Where others want the processors, its time on the clock may show nothing.
	grep -qE 'kept: (faster|less processor time)' screen || fail "$(cat screen)"
	grep -q 'elfault tune --undo user' screen
	run -0 env -u LD_LIBRARY_PATH "$folder/run"
	[ "$output" = "(none) 0 " ]
	run -0 env LD_LIBRARY_PATH=/own "$folder/run" use 'a b'
	[ "$output" = "/own 7 a b" ]
	run -3 "$folder/run" 1 2 3
	# Its constructor has not run before it is used.
	run -0 env BEGUN="$T/begun" "$folder/run"
	[ ! -e "$T/begun" ]
	run -0 env BEGUN="$T/begun" "$folder/run" use
	[ -e "$T/begun" ]
	LD_DEBUG=files "$folder/run" use 2>&1 | grep -q "$BUILT/libenormous.so"
}

@test "a library with many of the faults that is used is told of" {
	run -0 "$ELFAULT" tune --runs 2 -o "$T/own" -- ./user use
	[[ $output == *"no stand-in    libenormous.so: the start calls functions of it"* ]] || fail "$output"
}

@test "what has changed since is told of, and the program starts plainly" {
	tuned
	plainly() {
		run -0 --separate-stderr "$@"
		[ "$output" = "(none) 7 " ] || fail "$output"
		[[ $stderr == *"the program starts as if it had not been tuned"* ]] || fail "$stderr"
	}
	unset LD_LIBRARY_PATH
	tuned_silently() {
		run -0 --separate-stderr env BEGUN="$T/begun" "$folder/run"
		[ "$stderr" = "" ] && [ ! -e "$T/begun" ] || fail "$stderr"
	}
	# The same file, installed again.
	cp -p libenormous.so user "$T/"
	cp libenormous.so "$T/again" && mv "$T/again" libenormous.so
	touch user
	tuned_silently
	# Another one, of the same size and time.
	sed 's/return 7/return 8/' enormous.c >other.c
	gcc -O1 -fPIC -shared -Wl,--build-id -Wl,-soname,libenormous.so other.c -o libenormous.so
	touch -r "$T/libenormous.so" libenormous.so
	run -0 --separate-stderr "$folder/run" use
	[ "$output" = "(none) 8 " ] || fail "$output"
	[[ $stderr == *"libenormous.so has changed; the program starts as if it had not been tuned"* ]] || fail "$stderr"
	cp -p "$T/libenormous.so" libenormous.so
	tuned_silently
	# An upgrade of the program.
	sed 's/argc > 3 ? 3/argc > 3 ? 4/' user.c >user2.c
	gcc -O1 -Wl,--build-id user2.c ./libenormous.so "-Wl,-rpath,$BUILT" -o user
	plainly "$folder/run" use
	[[ $stderr == *"/user has changed; "* ]] || fail "$stderr"
	cp -p "$T/user" user
	tuned_silently
	LD_AUDIT=/nonexistent/audit.so run -0 --separate-stderr "$folder/run" use
	[[ $stderr == *"LD_AUDIT is set"* ]]
	chmod g+w "$folder/lib"
	plainly "$folder/run" use
	chmod g-w "$folder/lib"
	chown nobody "$folder" || skip "needs root"
	plainly "$folder/run" use
	[[ $stderr == *"someone else owns the folder"* ]]
	chown root "$folder"
	mv "$folder/settings" "$T/"
	run -126 "$folder/run" use
	[[ $output == *"settings: No such file"* ]] || fail "$output"
	mv "$T/settings" "$folder/"
}

@test "--list, --check and --print tell of a start until it is tuned again" {
	tuned
	"$ELFAULT" tune --print user >again 2>messages || fail "$(cat messages)"
	cmp screen again || fail "$(diff screen again)"
	"$ELFAULT" tune --list >list
	grep -Eq '^ *user +-[0-9]+% .* tuned ' list || fail "$(cat list)"
	[ "$("$ELFAULT" tune --list --format json | jq -r '.starts[0] | .name, .keeps_standins, .plainly, .command[0]' | paste -sd' ')" = "user true null ./user" ]
	run -0 "$ELFAULT" tune --check
	[ "$output" = "" ] || fail "$output"
	run -0 "$ELFAULT" tune --check user
	run -1 "$ELFAULT" tune --check none
	[[ $output == *"nothing of"*"elfault tune --list"* ]] || fail "$output"
	# An upgrade of the library.
	cp -p libenormous.so "$T/"
	sed 's/return 7/return 9/' enormous.c >other.c
	gcc -O1 -fPIC -shared -Wl,--build-id -Wl,-soname,libenormous.so other.c -o libenormous.so
	run -1 "$ELFAULT" tune --check
	[[ $output == *" user "*plainly*"libenormous.so has changed"* ]] || fail "$output"
	[ "$("$ELFAULT" tune --check --format json user | jq -r '.starts[0].plainly')" = "$BUILT/libenormous.so has changed" ]
	cp "$folder/run" "$T/run"
	cd "$T" || return
	# All the while it can be started: by the launcher that is there, or the new one.
	while [ ! -e "$T/done" ]; do
		"$folder/run" use >"$T/said" 2>&1
		[ "$(tail -n1 "$T/said")" = "(none) 9 " ] || cat "$T/said" >>"$T/failed"
	done &
	run -0 "$ELFAULT" tune --runs 12 --refresh
	touch "$T/done"
	wait
	[ ! -e "$T/failed" ] || fail "$(cat "$T/failed")"
	[[ $output == *"kept: "* ]] || fail "$output"
	run -0 "$ELFAULT" tune --check
	run -0 --separate-stderr "$folder/run" use
	[ "$output,$stderr" = "(none) 9 ," ] || fail "$output,$stderr"
	run -0 "$ELFAULT" tune --refresh
	[ "$output" = "" ] || fail "$output"
	cd "$BUILT" || return
	cp -p "$T/libenormous.so" libenormous.so
	"$ELFAULT" tune --runs 12 --refresh user >screen
}

@test "a file of the list that changes is no message at every start" {
	tuned
	cp -r "$folder" "$T/copy"
	echo data >"$T/data"
	printf 'elfault-prefetch 1\nfile 1 9999 1.000000000 - %s\n1 0 4 read\nend 1 1\n' "$T/data" >"$T/copy/list"
	grep -qx list "$T/copy/settings" || echo list >>"$T/copy/settings"
	run -0 --separate-stderr "$T/copy/run" use
	[ "$stderr" = "" ] || fail "$stderr"
	# A list that is none is.
	echo nonsense >"$T/copy/list"
	run -0 --separate-stderr "$T/copy/run" use
	[[ $stderr == *"list: line 1"* ]] || fail "$stderr"
}

@test "a start that may is tuned again by its launcher, once" {
	cp -p libenormous.so "$T/"
	"$ELFAULT" tune --runs 8 --self-refresh -o "$T/own" -- ./user >screen2 2>&1 || fail "$(cat screen2)"
	grep -q 'kept: ' screen2 || fail "$(cat screen2)"
	sed 's/return 7/return 6/' enormous.c >other.c
	gcc -O1 -fPIC -shared -Wl,--build-id -Wl,-soname,libenormous.so other.c -o libenormous.so
	run -0 --separate-stderr "$T/own/run" use
	[ "$output" = "(none) 6 " ] || fail "$output"
	[[ $stderr == *"libenormous.so has changed"*"tuned again in the background"* ]] || fail "$stderr"
	run -0 --separate-stderr "$T/own/run" use
	[[ $stderr != *"tuned again in the background"* ]] || fail "$stderr"
	for ((i = 0; i < 600; i++)); do
		[ -e "$T/own/refreshing" ] || break
		sleep 0.5
	done
	[ ! -e "$T/own/refreshing" ] || fail "it is under way for 5 minutes"
	run -0 "$ELFAULT" tune --check "$T/own"
	run -0 --separate-stderr "$T/own/run" use
	[ "$output,$stderr" = "(none) 6 ," ] || fail "$output,$stderr"
	cp -p "$T/libenormous.so" libenormous.so
	# It was tried before: not at each start again.
	touch "$T/own/refreshing"
	run -0 --separate-stderr "$T/own/run" use
	[[ $stderr == *"tune --refresh"* ]] || fail "$stderr"
	run -0 "$ELFAULT" tune --undo "$T/own"
	[ ! -e "$T/own" ]
}

@test "a command that somebody else has named is not started" {
	mkdir -p "$T/theirs"
	printf 'elfault tune 1\nprogram /bin/true\nname true\n' >"$T/theirs/settings"
	printf '{"starts":[{"program":"/usr/bin/touch","directory":"/","command":["touch","%s"]}]}\n' "$T/started" >"$T/theirs/result.json"
	run -0 "$ELFAULT" tune --print "$T/theirs"
	chmod g+w "$T/theirs/result.json"
	run -1 "$ELFAULT" tune --runs 1 --refresh "$T/theirs"
	[[ $output == *"someone else owns what was measured, or may write to it"* ]] || fail "$output"
	chmod g-w "$T/theirs/result.json"
	if [ "$(id -u)" = 0 ]; then
		chown nobody "$T/theirs"
		run -1 "$ELFAULT" tune --runs 1 --refresh "$T/theirs"
		[[ $output == *"someone else owns"* ]] || fail "$output"
		chown root "$T/theirs"
	fi
	[ ! -e "$T/started" ]
	# What is no result is no harm.
	local text
	for text in '' '[' '[]' '{"starts":7}' '{"starts":[7]}' '{"starts":[{"command":[7],"program":[],"cold":"x","links":[3],"refusals":{}}]}'; do
		printf '%s' "$text" >"$T/theirs/result.json"
		run -0 "$ELFAULT" tune --print "$T/theirs"
		run -0 "$ELFAULT" tune --list --format json "$T/theirs"
		run -1 "$ELFAULT" tune --refresh "$T/theirs"
	done
}

@test "a static program has no stand-ins, and may have a list" {
	echo 'int main(void) { return 0; }' >static.c
	gcc -static -no-pie static.c -o static || skip "no static libc"
	run -0 "$ELFAULT" tune --runs 2 -o "$T/own" -- ./static
	[[ $output == *"stand-ins      none"*"prefetch list "* ]] || fail "$output"
}

@test "a warm start has nobody who asks, a cold one has" {
	need strace
	tuned
	cp -r "$folder" "$T/own"
	"$ELFAULT" record --quiet -o "$T/trace" -- "$T/own/run" >/dev/null
	"$ELFAULT" prefetch "$T/trace" -o "$T/own/list" || skip "its files are in memory alone"
	grep -qx list "$T/own/settings" || echo list >>"$T/own/settings"
	"$T/own/run" >/dev/null
	strace -o "$T/warm" "$T/own/run" >/dev/null
	grep -q RWF_NOWAIT "$T/warm" || fail "$(cat "$T/warm")"
	sed '1d; /execve/q' "$T/warm" >"$T/launcher"
	! grep -q 'clone\|fork' "$T/launcher" || fail "$(cat "$T/launcher")"
	python3 -c 'import os, sys; os.posix_fadvise(os.open(sys.argv[1], os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)' user
	strace -o "$T/cold" "$T/own/run" >/dev/null
	sed '1d; /execve/q' "$T/cold" | grep -q 'clone\|fork' || fail "$(cat "$T/cold")"
}

# Bytes of the list of a command.
list_bytes() {
	rm -rf "$T/own"
	"$ELFAULT" tune --runs 2 -o "$T/own" --format json -- "$@" >answer 2>messages || fail "$(cat messages)"
	jq '.starts[0].list_bytes' answer
}

@test "what a start only reads is in its list, and root's list has no pages beside those touched" {
	need jq
	cat >reader.c <<-'END'
		#include <fcntl.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			static char bytes[1 << 20];
			int fd = open(argv[1], O_RDONLY), sum = read(fd, bytes, argc > 2 ? 1 : sizeof(bytes)) < 0;
			char *at = mmap(0, 4 << 20, PROT_READ, MAP_PRIVATE, fd, 0);
			for (int i = 0; argc > 2 && i < 4 << 20; i += 256 << 10)
				sum += at[i];
			return sum;
		}
	END
	# Static: how much of libc is listed goes by what other programs have of it.
	gcc -O1 -static reader.c -o reader
	head -c 200000 /dev/urandom >data
	: >nothing
	with=$(list_bytes ./reader data) without=$(list_bytes ./reader nothing)
	[ $((with - without)) -ge 200000 ] || fail "$with, without the file $without"
	[ "$(id -u)" = 0 ] || return 0
	head -c $((4 << 20)) /dev/urandom >large
	touched=$(list_bytes ./reader large touch)
	# 16 pages, each with up to 16 about it.
	[ $((touched - without)) -lt 300000 ] || fail "$touched, without the file $without"
	# What somebody has in memory is mapped around what is touched, which tells of no page alone.
	python3 -c '
import mmap, os, sys, time
file = os.open("large", os.O_RDONLY)
held = mmap.mmap(file, 0, prot=mmap.PROT_READ)
sum(held[::4096])
open("held", "w").close()
time.sleep(600)' &
	holder=$!
	until_true 1200 test -e held
	touched=$(list_bytes ./reader large touch)
	kill "$holder"
	rm held
	[ $((touched - without)) -gt 600000 ] || fail "held: $touched, without the file $without"
}

@test "a folder that is gone, and a start that does not pay any more" {
	"$ELFAULT" tune --runs 12 -o "$T/own" -- ./user >screen2 2>&1 || fail "$(cat screen2)"
	# Nothing of it is left to leave out: the launcher stays, and starts the program.
	mv user "$T/user.old"
	echo '#include <stdio.h>' >less.c
	echo 'int main(void) { puts("less"); return 0; }' >>less.c
	gcc -O1 less.c -o user
	run -0 "$ELFAULT" tune --runs 6 --refresh "$T/own"
	[[ $output == *"nothing pays here"* ]] || fail "$output"
	run -0 "$T/own/run"
	[ "$output" = less ] || fail "$output"
	mv "$T/user.old" user
	run -0 "$ELFAULT" tune --undo "$T/own"
	[ ! -e "$T/own" ]
	run -1 "$ELFAULT" tune --refresh "$T/own"
	run -1 "$ELFAULT" tune --print "$T/own"
}

@test "a start by another user, with nothing to write to" {
	tuned
	[ "$(id -u)" = 0 ] || skip "needs root"
	chmod -R a+rX "$BATS_FILE_TMPDIR" "$BUILT"
	local up=$BUILT
	while [ "$up" != / ]; do
		[ -O "$up" ] && chmod a+x "$up" 2>/dev/null
		up=$(dirname "$up")
	done
	run -0 --separate-stderr env -u LD_LIBRARY_PATH HOME=/nonexistent setpriv --reuid=65534 --regid=65534 --clear-groups "$folder/run" use
	[ "$output" = "(none) 7 " ] || fail "$output $stderr"
}

@test "under sudo the start is the caller's, and so is the folder" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	chmod -R a+rX "$BATS_FILE_TMPDIR" "$BUILT"
	mkdir "$T/own"
	chmod 755 "$T"
	chown 65534 "$T/own"
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody HOME=$T/own "$ELFAULT" tune --runs 12 -o "$T/own/user" -- ./user >screen2 2>&1 || fail "$(cat screen2)"
	grep -q 'kept: ' screen2 || fail "$(cat screen2)"
	[ "$(stat -c %u "$T/own/user/run")" = 65534 ]
}

@test "a server is tuned until it listens, and is measured up to there" {
	[ "$(id -u)" = 0 ] || skip "needs root: listen is seen by BPF"
	cat >server.c <<-'END'
		#include <netinet/in.h>
		#include <stdio.h>
		#include <sys/socket.h>
		#include <time.h>
		#include <unistd.h>
		int enormous(void);
		int main(int argc, char **argv)
		{
			struct timespec now;
			int fd = socket(AF_INET, SOCK_STREAM, 0);
			clock_gettime(CLOCK_MONOTONIC, &now);
			printf("begins at %ld\n", now.tv_nsec);
			if (argc > 2)
				return enormous();
			if (listen(fd, 1) != 0)
				return 1;
			for (;;)
				pause();
		}
	END
	gcc -O1 server.c ./libenormous.so "-Wl,-rpath,$BUILT" -o server
	"$ELFAULT" doctor >/dev/null 2>&1 || skip "nothing can be recorded here"
	mkdir "$T/empty"
	TMPDIR=$T/empty "$ELFAULT" tune --runs 8 -o "$T/own" --until listen -- ./server 1 >screen2 2>&1 || fail "$(cat screen2)"
	[ -z "$(ls -A "$T/empty")" ] || fail "left: $(ls -A "$T/empty")"
	grep -q '^  until  *listen$' screen2
	grep -q 'stand-ins *for libenormous.so$' screen2 || fail "$(cat screen2)"
	grep -q 'kept: ' screen2 || fail "$(cat screen2)"
	[ "$(jq -r '.starts[0].until' "$T/own/result.json")" = listen ]
	# Up to the condition, not to the end of the patience that ended it.
	[ "$(jq '.starts[0].with_standins.plain_own_ns < 2e9' "$T/own/result.json")" = true ]
	run -1 "$ELFAULT" tune --runs 8 -o "$T/never" --until listen -- ./server 1 2
	[[ $output == *"./server: listen did not hold before its end"* ]] || fail "$output"
	run -1 "$ELFAULT" tune --runs 8 -o "$T/never" --until nonsense -- ./server
	[[ $output == *"nonsense"* ]] || fail "$output"
	[ ! -e "$T/never" ]
	[ "$(pgrep -cx server)" = 0 ]
}

is_empty() { [ -z "$(ls -A "$1")" ]; }
# What is tried now is in use.
is_measuring() { [ "$T/own/settings" -nt "$T/begun" ] && ! is_plain "$T/own"; }
is_plain() { ! grep -q '^lib' "$1/settings"; }

@test "whatever interrupts it leaves nothing, or a folder that starts the program plainly" {
	mkdir "$T/temporary"
	interrupted() { # SIGNAL WHOM: "" the process, "-" all of its group, as Ctrl-C does
		touch "$T/begun"
		TMPDIR=$T/temporary setsid env --default-signal=HUP,INT,TERM "$ELFAULT" tune --runs 1000 -o "$T/own" -- ./user >"$T/output" 2>&1 &
		pid=$!
		until_true 1200 is_measuring || fail "$(cat "$T/output")"
		kill "-$1" -- "$2$pid"
		wait "$pid" || true
		until_true 1200 is_empty "$T/temporary" || fail "$1: $(ls "$T/temporary")"
	}
	for signal in INT TERM HUP KILL; do
		interrupted "$signal" -
		until_true 1200 test ! -e "$T/own" || fail "$signal: $(ls "$T/own")"
	done
	interrupted TERM ""
	until_true 1200 test ! -e "$T/own" || fail "$(ls "$T/own")"
	"$ELFAULT" tune --runs 12 -o "$T/own" -- ./user >/dev/null 2>&1
	interrupted INT -
	until_true 1200 is_plain "$T/own" || fail "$(cat "$T/own/settings")"
	run -0 "$T/own/run"
	[ "$output" = "(none) 0 " ] || fail "$output"
	[ ! -e "$T/own/lib2" ]
}

@test "a command that writes where it stands is told of" {
	mkdir "$T/here"
	cd "$T/here"
	run -0 "$ELFAULT" tune --runs 2 -o "$T/own" -- touch a b c d
	[[ $output == *"touch: writes into the folder that it is started in, at each of its starts: a, b, c, 1 more"* ]] || fail "$output"
	run -0 "$ELFAULT" tune --runs 2 -o "$T/own" -- true
	[[ $output != *writes* ]] || fail "$output"
}

@test "--undo leaves no file" {
	"$ELFAULT" tune --runs 12 -o "$T/own" -- ./user >screen2 2>&1 || fail "$(cat screen2)"
	grep -q -- "--undo .*own" screen2
	run -0 "$ELFAULT" tune --undo "$T/own"
	[ "$(ls -A "$T")" = "" ]
	run -1 "$ELFAULT" tune --undo "$T/own"
	export XDG_DATA_HOME=$T/share
	mkdir -p "$T/share/elfault/tune/half"
	echo 'elfault tune 1' >"$T/share/elfault/tune/half/settings"
	run -0 "$ELFAULT" tune --undo half
	[ "$(ls -A "$T/share")" = "" ]
	run -1 "$ELFAULT" tune --undo "$T"
	[ -d "$T" ]
}

@test "a folder that is somebody's own loses nothing" {
	mkdir -p "$T/project/lib"
	touch "$T/project/run" "$T/project/list" "$T/project/lib/libown.so"
	find "$T/project" | sort >before
	run -1 "$ELFAULT" tune --runs 1 -o "$T/project" -- ./user
	[[ $output == *"is there, and not what \`elfault tune\` writes"* ]] || fail "$output"
	run -1 "$ELFAULT" tune --undo "$T/project"
	[[ $output == *"nothing of \`elfault tune\` is there"* ]] || fail "$output"
	find "$T/project" | sort | cmp before -
	# What was left half made is not in the way.
	mkdir -p "$T/half/lib"
	echo 'elfault tune 1' >"$T/half/settings"
	touch "$T/half/run" "$T/half/lib/libold.so"
	run -0 "$ELFAULT" tune --undo "$T/half"
	[ ! -e "$T/half" ]
}

@test "a command that differs from run to run is refused at once" {
	run -1 "$ELFAULT" tune -o "$T/own" -- sh -c 'date +%N'
	[[ $output == *"two plain starts are not alike (the output differs from byte"* ]] || fail "$output"
	[ ! -e "$T/own" ]
	run -1 "$ELFAULT" tune -o "$T/own" -- no-such-command
	[[ $output == *"no-such-command: command not found"* ]]
}

@test "a script has a list alone, and the program that takes its time is named" {
	# Linux names a process after the link, which the program need not be called.
	ln -s "$BUILT/user" linked
	printf '#!/bin/sh\n./linked "$@"\nexit 4\n' >script
	chmod +x script
	run -0 "$ELFAULT" tune --runs 6 -o "$T/own" -- ./script use
	[[ $output == *"stand-ins      none: a script"* ]] || fail "$output"
	[[ $output == *"most of its time is of "*"/user, which may have some"* ]] || fail "$output"
	[[ $output == *"prefetch list  "*" MiB"* ]] || fail "$output"
	[[ $output != *"/./script"* ]] || fail "$output"
	# Kept or not, by what this machine's storage takes: the launcher starts it all the same.
	if [ -x "$T/own/run" ]; then
		[[ $output == *"by its time    "*"/script has no build-id"* ]] || fail "$output"
		run -4 "$T/own/run" use
		[[ $output == *" 7 "* ]] || fail "$output"
		grep -q "^file .* - .*/script$" "$T/own/settings"
	else
		[[ $output == *"nothing pays here"* && $output != *"by its time"* ]] || fail "$output"
	fi
}

@test "a full disk and a folder that cannot be written end with a message, and leave nothing" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir "$T/full"
	mount -t tmpfs -o size=64k none "$T/full" || skip "no tmpfs"
	run -1 "$ELFAULT" tune -o "$T/full/own" -- ./user
	[[ $output == *"No space left"* ]] || fail "$output"
	[ "$(ls -A "$T/full")" = "" ]
	umount "$T/full"
	run -1 "$ELFAULT" tune -o /proc/own -- ./user
	[[ $output == *"/proc/own: "* ]] || fail "$output"
}
