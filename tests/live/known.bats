#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that touch known bytes in a known order, by each linker in each way of linking: the table
# fixtures/programs/NAME.expected lists every fault, and there must be no other.
load common

# known NAME LINKER MODE...: all in one recording.
known() {
	local name=$1 linker=$2 mode failed=0 kernel
	shift 2
	need_bpf
	command -v "ld.$linker" >/dev/null || skip "ld.$linker is not installed"
	small 64m
	kernel=$(zero_page)
	for mode; do
		cp "$PROGRAMS/$name-$linker-$mode" small/
		echo "small/$name-$linker-$mode & echo \$! $mode; wait \$!"
	done >script
	hold
	record trace sh -ec 'echo $$ -; . ./script' >pids
	"$ELFAULT" analyze --format ndjson trace 2>messages | python3 "$tests/support/byprogram.py" by pids
	for mode; do
		python3 "$tests/support/expect.py" "$fixtures/$name.expected" \
			"small/$name-$linker-$mode" "$linker,$mode,$kernel" <"by/$mode" || failed=1
	done
	[ $failed = 0 ]
}

@test "known bytes, linked by bfd" {
	known touch bfd pie now no-pie static static-pie relr relr-static-pie
}
@test "known bytes, linked by gold" { known touch gold pie now no-pie static; }
@test "known bytes, linked by lld" {
	known touch lld pie now no-pie static static-pie relr-static-pie
}
@test "known bytes, linked by mold" {
	known touch mold pie now no-pie static static-pie relr-static-pie
}
@test "thread-local storage, linked by bfd" {
	known tls bfd pie now no-pie static static-pie relr-static-pie
}
@test "thread-local storage, linked by gold" { known tls gold pie now no-pie static; }
@test "thread-local storage, linked by lld" {
	known tls lld pie now no-pie static static-pie relr-static-pie
}
@test "thread-local storage, linked by mold" {
	known tls mold pie now no-pie static static-pie relr-static-pie
}
@test "the edges of segments, linked by bfd" { known edges bfd pie; }
@test "the edges of segments, linked by gold" { known edges gold pie; }
@test "the edges of segments, linked by lld" { known edges lld pie; }
@test "the edges of segments, linked by mold" { known edges mold pie; }

@test "names easily got wrong, linked by bfd" { known places bfd pie no-pie static O0 O2; }
@test "names easily got wrong, linked by gold" { known places gold pie O2; }
@test "names easily got wrong, linked by lld" { known places lld pie static O0 clang; }
@test "names easily got wrong, linked by mold" { known places mold pie O2; }

@test "names easily got wrong, recorded with perf" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	small 64m
	cp "$PROGRAMS/places-bfd-pie" small/
	hold
	elfault record --backend perf -o trace -- small/places-bfd-pie
	[ "$code" = 0 ] || fail "$(cat messages)"
	"$ELFAULT" analyze --format ndjson trace >faults 2>messages
	python3 "$tests/support/expect.py" "$fixtures/places.expected" small/places-bfd-pie "bfd,pie,$(zero_page)" <faults
}

# mapped_at_once FILE FIRST COUNT STEP: read pages of a file; what is said to be mapped by that is what the
# page table has. Prints how many there were at most.
mapped_at_once() {
	record trace "$PROGRAMS/folios" "$@" >pagemap
	! grep -q "does not report which pages it maps around" messages || skip "$(cat messages)"
	"$ELFAULT" analyze --format ndjson trace 2>messages |
		python3 "$tests/support/folios.py" "$1" pagemap
}

@test "pages mapped at once are those of the page table: large folios" {
	need_bpf
	# Read one after the other, pages come in ever larger folios where the file system has such.
	head -c 32M /dev/urandom >data
	sync data
	dd if=data iflag=nocache count=0 status=none
	cat data >/dev/null
	mapped_at_once data 0 8192 37 >most
	mapped_at_once data 100 3000 61 # a mapping that cuts folios
	mapped_at_once data 7000 1192 29
	[ "$(cat most)" -gt 16 ] || skip "large folios are not mapped whole here: 16 pages at most"
}

@test "pages mapped at once are those of the page table: huge pages" {
	need_bpf
	mkdir small
	mount -t tmpfs -o huge=always,size=64m elfault-live small || skip "cannot mount a tmpfs with huge pages"
	head -c 16M /dev/urandom >small/data
	mapped_at_once small/data 0 4096 37 >most
	mapped_at_once small/data 100 3000 61
	[ "$(cat most)" = 512 ] || skip "no huge page was mapped: $(cat most) pages at most"
}

@test "static PIE and RELR by gold" {
	skip "gold has neither --no-dynamic-linker nor RELR"
}
@test "RELR in a dynamic program by lld or mold" {
	skip "lld 14 and mold 1.10 leave out GLIBC_ABI_DT_RELR, glibc refuses to run it"
}

@test "two libraries at one address keep their own faults" {
	need_bpf
	small 64m
	cp "$PROGRAMS/swap" "$PROGRAMS/libleft.so" "$PROGRAMS/libright.so" small/
	hold
	record trace small/swap small >same
	[ "$(cat same)" -ge 50 ] || fail "the libraries met only $(cat same) times"
	"$ELFAULT" analyze --format ndjson trace >faults 2>messages
	python3 "$tests/support/expect.py" "$fixtures/swap.expected" small/swap swap <faults
}

@test "code that a program copies over itself keeps its names and its stacks" {
	need_bpf
	need jq
	local backend way
	for backend in bpf perf; do
		for way in mmap mremap later; do
			elfault record --backend $backend -o trace -- "$PROGRAMS/moved" $way
			"$ELFAULT" analyze --format ndjson trace >faults
			jq -es 'map(select(.at.symbol == "behind")) | length >= 49 and all(.by.function == "fill_moved" and
				.initiator == "program" and any(.stack[]; .function == "main"))' faults ||
				fail "$backend, $way: $(jq -c 'select(.at.symbol == "behind") | [.initiator, .by.function, .stack_end]' faults | sort | uniq -c)"
			# The copy itself is memory, not the file.
			[ $way != mmap ] || jq -es 'map(select(.by.function == "move" and .at.symbol == "fill_moved" and
				.access == "write")) | length == 1 and .[0].mechanism == "zero-fill" and .[0].at.offset == null' faults
		done
	done
}

# A coroutine's stack shows nobody further out; what is around it does.
@test "what main does behind a dlopen() that finds nothing is main's" {
	need_bpf
	need gcc jq
	cat >nothing.c <<-'END'
		#include <dlfcn.h>
		#include <ucontext.h>
		static volatile char pages[4][1 << 14], stack[1 << 16];
		static ucontext_t outer, inner;
		static void work(void)
		{
			pages[1][1 << 13] = 1;
			swapcontext(&inner, &outer);
			pages[2][1 << 13] = 1;
		}
		int main(void)
		{
			pages[0][1 << 13] = 1;
			getcontext(&inner);
			inner.uc_stack.ss_sp = (void *)stack;
			inner.uc_stack.ss_size = sizeof(stack);
			inner.uc_link = &outer;
			makecontext(&inner, work, 0);
			swapcontext(&outer, &inner);
			dlopen("libnothing-has-this-name.so", RTLD_NOW);
			swapcontext(&outer, &inner);
			pages[3][1 << 13] = 1;
			return 0;
		}
	END
	gcc -O1 -o nothing nothing.c
	for backend in bpf perf; do
		elfault record --backend $backend -o trace -- ./nothing
		"$ELFAULT" analyze --format ndjson trace >faults
		jq -es 'any(.initiator == "loader" and any(.stack[]; .function == "dlopen"))' faults || fail "nobody sees the linker load"
		jq -es '[.[] | select(.at.symbol == "pages") | .initiator] == ["program", "program", "program", "program"]' faults ||
			fail "$backend: $(jq -c 'select(.at.symbol == "pages") | [.initiator, .stack_end, .by.function]' faults)"
	done
}

# Their stacks begin in clone(), as a thread's does: they do not show who made the processes.
@test "processes made by clone() and posix_spawn() work for the initializer, main or exit handler that makes them" {
	need_bpf
	need gcc jq
	cat >makes.h <<-'END'
		#define _GNU_SOURCE
		#include <sched.h>
		#include <signal.h>
		#include <spawn.h>
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		static volatile char own[4][1 << 14];
		static int work(void *page)
		{
			((volatile char *)page)[1 << 13] = 1;
			return 0;
		}
		static void make(volatile char *page)
		{
			char *stack = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			waitpid(clone(work, stack + (1 << 16), SIGCHLD, (void *)page), NULL, 0);
		}
		static void spawn(void)
		{
			char *words[] = {"true", NULL};
			pid_t pid;
			posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ);
			waitpid(pid, NULL, 0);
		}
	END
	cat >library.c <<-'END'
		#include "makes.h"
		static volatile char of_init[1 << 14], of_vfork[1 << 14];
		__attribute__((constructor)) static void construct(void)
		{
			own[0][1 << 13] = 1;
			make(of_init);
			own[1][1 << 13] = 1;
			spawn();
			own[2][1 << 13] = 1;
			if (vfork() == 0) {
				of_vfork[1 << 13] = 1;
				_exit(0);
			}
		}
	END
	cat >makes.c <<-'END'
		#include "makes.h"
		static volatile char of_main[1 << 14], of_exit[1 << 14];
		static void last(void) { make(of_exit); }
		int main(void)
		{
			atexit(last);
			own[0][1 << 13] = 1;
			make(of_main);
			own[1][1 << 13] = 1;
			spawn();
			own[2][1 << 13] = 1;
			return 0;
		}
	END
	gcc -O1 -shared -fPIC -o library.so library.c
	gcc -O1 -o makes makes.c -Wl,--no-as-needed ./library.so -Wl,-rpath,.
	local backend
	for backend in bpf perf; do
		elfault record --backend $backend -o trace -- ./makes
		"$ELFAULT" analyze --format ndjson --where comm=makes trace >faults
		jq -es '[.[] | select(.at.symbol | IN("of_init", "of_vfork", "of_main", "of_exit"))
				| [.at.symbol, .initiator, .initializer.function]] ==
			[["of_init", "static-init", "construct"], ["of_vfork", "static-init", "construct"],
				["of_main", "program", null], ["of_exit", "static-fini", null]]' faults || fail "$backend: $(cat faults)"
		# With what posix_spawn() does until it executes.
		jq -es '.[0].pid as $first | map(select(.pid != $first)) | group_by(.pid) |
			map(map(.initiator) | unique) | sort == ([["static-init"], ["static-init"], ["static-init"], ["program"],
				["program"], ["static-fini"]] | sort)' faults || fail "$backend: $(cat faults)"
	done
}

# main has returned, or not.
@test "who made a process is unknown where only one side of it is shown" {
	need_bpf
	need gcc jq
	cat >last.c <<-'END'
		#define _GNU_SOURCE
		#include <sched.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		static char stack[1 << 16], page[1 << 14], before[1 << 14];
		static int work(void *page)
		{
			((volatile char *)page)[1 << 13] = 1;
			return 0;
		}
		int main(void)
		{
			((volatile char *)before)[1 << 13] = 1;
			((volatile char *)stack)[sizeof(stack) - 8] = 1;
			clone(work, stack + sizeof(stack), SIGCHLD | CLONE_VM | CLONE_VFORK, page);
			return 0;
		}
	END
	gcc -O1 -o last last.c
	elfault record --backend perf --cpu off -o trace -- ./last # which does not record that it waits
	"$ELFAULT" analyze --format ndjson --where symbol=page trace >faults
	jq -es 'length == 1 and .[0].initiator == "unknown" and .[0].stack[-1].function == "__clone"' faults || fail "$(cat faults)"
	record trace ./last
	"$ELFAULT" analyze --format ndjson --where symbol=page trace >faults
	jq -es 'length == 1 and .[0].initiator == "program"' faults || fail "$(cat faults)"
}

# A thread that executes a program takes the number of its process; nothing tells the end of its own.
@test "a program executed by a thread: what was recorded is what the kernel counted" {
	need_bpf
	need jq
	record trace "$PROGRAMS/threadexec" /bin/true
	analyze trace
	summary trace.json complete exact threads 3 by-function write_pages 100
	jq -e '.counts.processes == 1 and .counts.programs == 2' trace.json
	! grep -F 'still running' messages || fail "$(cat messages)"
	elfault record --backend perf -o trace -- "$PROGRAMS/threadexec" /bin/true
	! grep -F 'still running' messages || fail "$(cat messages)"
}

@test "a process that still runs explains its own faults and no others" {
	need_bpf
	local backend
	for backend in bpf perf; do
		rm -f said
		elfault record --backend $backend -o trace -- sh -c '
			"$0" >said 3>&- 2>&1 & echo $! >pid
			until [ -s said ]; do sleep 0.02; done' "$PROGRAMS/waits"
		LOOPS+=("$(cat pid)")
		[ "$code" = 0 ] || fail "$(cat messages)"
		says "1 process (2 threads) started by the command was still running"
		"$ELFAULT" analyze --full trace >out 2>&1
		grep -E 'rusage .* - [0-9]+ of processes still running' out || fail "$(cat out)"
		! grep -F 'more than the kernel counted' out || fail "$(cat out)"
		[ $backend = perf ] || grep -qF 'still running (complete)' out || fail "$(cat out)"
	done
}

@test "faults that system calls take without an event are the calls', by their own count" {
	need_bpf
	[ "$(id -u)" = 0 ] || skip "needs root"
	need jq
	code=0
	"$ELFAULT" record --backend bpf --strict -o trace -- "$PROGRAMS/locks" >said 2>messages || code=$?
	[ "$code" != 77 ] || skip "this kernel has no MADV_POPULATE_WRITE"
	[ "$code" = 0 ] || fail "$(cat messages)"
	analyze trace
	summary trace.json complete exact
	local call count
	while read -r call count; do
		[ "$count" -gt 0 ]
		jq -e --arg call "$call" --argjson count "$count" \
			'[.prefaults[] | select(.call == $call) | .faults] | add == $count' trace.json ||
			fail "$call $count: $(jq -c '[.prefaults, .counts]' trace.json)"
	done <said
	jq -e '.counts.call_unsampled == ([.prefaults[].faults] | add) and .counts.missing == 0 and
		.counts.unsampled == .counts.exec_unsampled + .counts.call_unsampled' trace.json
	echo "faults <= $(jq '.counts.recorded + .counts.call_unsampled - 1' trace.json)" >budget
	elfault check --budget budget trace >out
	[ "$code" = 3 ] || fail "check ended with $code: $(cat out messages)"

	# perf cannot tell, and must not take them for exec's.
	elfault record --backend perf --strict -o trace -- "$PROGRAMS/locks" >said
	[ "$code" = 4 ] || fail "ended with $code: $(cat messages)"
	grep -E '[0-9,]+ without an event\)' messages || fail "$(cat messages)"
	analyze trace
	local all
	all=$(awk '{ all += $2 } END { print all }' said)
	jq -e --argjson all "$all" '(.trace.complete | not) and .counts.missing >= $all - 2 and .counts.missing <= $all + 2' trace.json ||
		fail "$all: $(jq -c .counts trace.json)"
}

@test "exec's faults without an event are no more than the bound that perf recordings have" {
	need_bpf
	need jq
	local words program
	for words in 1 10 100; do
		for program in /bin/true "$PROGRAMS/touch-bfd-static"; do
			mapfile -t many < <(yes "$(printf '%10000s' x)" | head -n $words)
			record trace "$program" "${many[@]}"
			analyze trace
			elfault record --backend perf -o perf.trace -- "$program" "${many[@]}"
			[ "$code" = 0 ] || fail "$(cat messages)"
			analyze perf.trace
			jq -se '.[0].counts.exec_unsampled as $took | .[1].counts.exec_unsampled as $most |
				.[0].counts.unsampled == $took and $took <= $most and $most <= $took + 1 and
				.[1].trace.complete' trace.json perf.trace.json ||
				fail "$(jq -c .counts trace.json perf.trace.json)"
		done
	done
}
