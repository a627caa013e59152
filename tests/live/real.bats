#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Real programs: nothing lost, every fault that the kernel counted seen, nearly all of them named.
load common

@test "clang --version" { need clang-14; real named clang-14 --version; grep -q clang output; }
@test "ld.lld --version" { need ld.lld; real named ld.lld --version; }
@test "git --version" { need git; real named-but-stripped git --version; }
@test "python3 -c 'import json'" { real named /usr/bin/python3 -c 'import json'; }

@test "firefox-esr --headless --screenshot" {
	need firefox-esr
	need_bpf
	mkdir home
	# With an environment so small that it and the arguments fit into one page: exec touches each page
	# of them without an event, and one for each exec is what is expected.
	record trace env -i PATH="$PATH" HOME="$T/home" XDG_CACHE_HOME="$T/home" \
		XDG_CONFIG_HOME="$T/home" timeout 300 firefox-esr --no-remote --profile "$T/home" --headless \
		--screenshot "$T/page.png" "data:text/html,<h1>elfault</h1>" >output
	[ -s page.png ]
	analyze trace
	"$ELFAULT" dump trace >dump 2>messages
	summary trace.json complete tasks dump processes 4 named-but-stripped
}

@test "a static PIE" { real named "$PROGRAMS/touch-bfd-static-pie"; }
@test "a static program" { real named "$PROGRAMS/touch-bfd-static"; }
@test "a program that is not position-independent" { real named "$PROGRAMS/touch-bfd-no-pie"; }

@test "a Go program, as built, stripped and by C's linker" {
	need go
	need_bpf
	GOFLAGS=-mod=mod go build -o whole "$fixtures/gostart.go"
	GOFLAGS=-mod=mod go build -ldflags='-s -w' -o stripped "$fixtures/gostart.go"
	# C's linker makes it, and C's start begins it.
	sed '/^package/a import "C"' "$fixtures/gostart.go" >cgostart.go
	GOFLAGS=-mod=mod CGO_ENABLED=1 go build -o cgo cgostart.go && nm cgo | grep -q ' main$' ||
		fail "no program of C's linker"
	for each in whole stripped cgo; do
		record "$each.trace" "./$each" >output
		"$ELFAULT" analyze --format ndjson "$each.trace" >faults
		# What init did is static-init; what main and its goroutine did is the program's. Unknown is a
		# scheduler's stack while nobody knows whether main has begun: 26 of 1,450, and a few more when the
		# machine is so busy that goroutines move to other threads.
		jq -es 'def on(f): any(.stack[]?; .function == f);
			length as $all |
			(map(select(.initiator == "unknown")) | length * 33 <= $all) and
			(map(select(on("main.main") or on("main.main.func1")) | .initiator) | length > 100 and all(. == "program")) and
			(map(select(on("main.init.0")) | .initiator) | length > 10 and all(. == "static-init"))' faults ||
			fail "$each: $(jq -rs 'group_by(.initiator)[] | "\(length) \(.[0].initiator)"' faults)
				$(jq -r 'select(.initiator == "unknown") | [.stack[]?.function] | join(" ")' faults | sort | uniq -c)
				$("$ELFAULT" analyze "$each.trace")"
	done
}

@test "Go's initializers are those of GODEBUG=inittrace, in its order" {
	need go
	need_bpf
	GOFLAGS=-mod=mod go build -o whole "$fixtures/gostart.go"
	GOFLAGS=-mod=mod go build -buildmode=pie -ldflags='-s -w' -o stripped "$fixtures/gostart.go"
	sed '/^package/a import "C"' "$fixtures/gostart.go" >cgostart.go
	GOFLAGS=-mod=mod CGO_ENABLED=1 go build -o cgo cgostart.go
	{
		sed 's/^func main/func work/' cgostart.go
		printf '//export start\nfunc start() { work() }\nfunc main() {}\n'
	} >library.go
	GOFLAGS=-mod=mod CGO_ENABLED=1 go build -buildmode=c-shared -o libgo.so library.go
	echo 'void start(void); int main(void) { start(); return 0; }' >calls.c
	cc -o calls calls.c -L. -lgo "-Wl,-rpath,$PWD"
	for each in whole stripped cgo calls; do
		GODEBUG=inittrace=1 "./$each" 2>told >output
		record "$each.trace" "./$each" >output
		"$ELFAULT" analyze --initializers=all --sort order --format json "$each.trace" >initializers
		diff <(sed -n 's/^init \([^ ]*\) @.*/\1/p' told) <(jq -r '.initializers[].package // empty' initializers)
		# main's fill a table of a thousand strings.
		jq -e '[.initializers[] | select(.package == "main")] | length == 1 and .[0].pages >= 10' initializers
	done
}

# Its stack is in Go's heap: more than the copy of one whose end is not known.
@test "the stack of a goroutine is copied to its end" {
	need go
	need_bpf
	cat >deep.go <<-'END'
		package main

		var page [1 << 20]byte

		//go:noinline
		func descend(depth int) byte {
			var frame [1 << 10]byte
			frame[depth] = byte(depth)
			if depth == 0 {
				for i := 0; i < len(page); i += 4096 {
					page[i] = 1
				}
				return 0
			}
			return descend(depth-1) + frame[depth>>1]
		}

		func main() {
			done := make(chan byte)
			go func() { done <- descend(100) }()
			<-done
		}
	END
	GOFLAGS=-mod=mod go build -o deep deep.go
	record trace ./deep
	"$ELFAULT" analyze --format ndjson --where symbol=main.page trace >faults
	jq -es 'length >= 200 and all(.stack_end == "outermost" and .initiator == "program" and
		.stack[-1].function == "runtime.goexit.abi0" and .stack[-2].function == "main.main.func1")' faults ||
		fail "$(jq -c '[.initiator, .stack_end, (.stack | length), .stack[-1].function]' faults | sort | uniq -c)"
}

# Go's linker takes C code without its unwinding data.
@test "a Go program with C code" {
	need go
	need_bpf
	go version >output
	record trace "$(go env GOROOT)/bin/go" version >output
	"$ELFAULT" analyze --format ndjson trace >faults
	jq -es 'any(.[].stack[]?; .function == "threadentry")' faults || skip "go was built without cgo"
	jq -es 'def on(f): any(.stack[]?; .function == f);
		length as $all |
		(map(select(.initiator == "unknown")) | length * 50 <= $all) and
		(map(select(on("threadentry")) | .initiator) | all(. == "program")) and
		(map(select(on("x_cgo_init")) | .initiator) | all(. == "startup" or . == "tls-setup"))' faults
}

@test "node's code in huge pages is a copy: its cost is what is saved without it" {
	need node
	need_bpf
	grep -vq '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled || skip "no huge pages"
	record with node --use-largepages=on -e 1
	record without node -e 1
	"$ELFAULT" analyze --format json without >plain
	"$ELFAULT" analyze --format json with >copied
	jq -e '[.findings[] | select(.id == "code-copies")] | length == 0' plain
	jq -e --slurpfile plain plain '(.counts.recorded - $plain[0].counts.recorded) as $less |
		[.findings[] | select(.id == "code-copies")] | length == 1 and
		(.[0].saves.faults > $less * 0.9 and .[0].saves.faults < $less * 1.1)' copied ||
		fail "$(jq -c '[.counts.recorded, [.findings[] | {id, saves}]]' copied)"
}

@test "a deep recursion in a static program without names" {
	need gcc
	need_bpf
	cat >deep.c <<-'END'
		#include <stdlib.h>
		static volatile char page[64][4096] __attribute__((aligned(4096)));
		__attribute__((noinline)) static int walk(int depth, int which) {
			volatile char frame[64];
			frame[0] = (char)depth;
			if (depth == 0)
				page[20 + 20 * which][0] = 1;
			return depth > 0 ? walk(depth - 1, which) + frame[0] : 0;
		}
		static void at_end(void) { walk(300, 1); }
		__attribute__((noinline)) static int leave(int depth) {
			volatile char frame[64];
			frame[0] = (char)depth;
			if (depth == 0)
				exit(0);
			return leave(depth - 1) + frame[0];
		}
		int main(void) {
			atexit(at_end);
			walk(300, 0);
			return leave(200);
		}
	END
	gcc -O1 -static -s deep.c -o deep
	record trace ./deep
	"$ELFAULT" analyze --format ndjson trace >faults
	# The middle of the first goes on as its innermost frames do. In that of the second exit() is.
	jq -es 'map(select(.at.section == ".bss" and (.stack | length) > 100)) | length == 2 and
		(.[0] | .stack_end == "outermost" and .initiator == "program" and (.stack | length) == 256) and
		(.[1] | .stack_end == "cut" and (.initiator == "static-fini" or .initiator == "unknown"))' faults ||
		fail "$(jq -c '[.initiator, .stack_end, (.stack | length), .stack[-1].function]' faults | sort | uniq -c)"
}

# musl calls initializers by a loop behind a jump to where a register points, and has no unwinding data.
@test "initializers that end by a jump, with musl" {
	need musl-gcc
	need_bpf
	cat >jumps.c <<-'END'
		#include <string.h>
		static char pages[1 << 17], kept[1 << 17];
		__attribute__((constructor)) static void jumps(void) { memset(pages, 1, sizeof pages); }
		__attribute__((constructor)) static void calls(void) { memset(kept, 1, sizeof kept); kept[1] = 2; }
		int main(void) { return pages[0] + kept[1] - 3; }
	END
	musl-gcc -O2 jumps.c -o dynamic
	musl-gcc -O2 -static jumps.c -o static
	for each in dynamic static; do
		record trace "./$each"
		"$ELFAULT" analyze --format ndjson trace >faults
		jq -es 'map(select(.at.symbol == "pages" or .at.symbol == "kept") | .initiator) |
			length >= 60 and all(. == "static-init")' faults || fail "$each: $(jq -c '[.initiator, .stack_end, [.stack[].function]]' faults | sort | uniq -c)"
	done
}

@test "a coroutine works for the program" {
	need_bpf
	record trace "$PROGRAMS/coroutine"
	"$ELFAULT" analyze --format ndjson trace >faults
	jq -es 'map(select(any(.stack[]?; .function == "work")) | .initiator) |
		length > 700 and all(. == "program")' faults ||
		fail "$(jq -r '[.initiator, .stack[0].function, .stack_end] | join(" ")' faults | sort | uniq -c | sort -rn | head)"
}

# V8's own functions have frame pointers and no unwinding data, and jump to what they call.
@test "JavaScript works for the main that runs it" {
	need node
	need_bpf
	record trace node -e 1
	"$ELFAULT" analyze --format ndjson trace >faults
	jq -es 'any(.[].stack[]?; .function == "Builtins_InterpreterEntryTrampoline")' faults >answer || skip "node has no names for V8's functions"
	jq -es 'def on(f): any(.stack[]?; .function == f);
		length as $all |
		(map(select(.initiator == "unknown")) | length * 50 <= $all) and
		(map(select(on("Builtins_JSEntry")) | "\(.initiator) \(.stack_end)") | length > 50 and all(. == "program outermost"))' faults ||
		fail "$(jq -r 'select(.initiator == "unknown") | [.stack_end, .stack[-1].function] | join(" ")' faults | sort | uniq -c | sort -rn | head)"
}

# What a signal interrupted says why its handler works, not that the handler has a stack of its own.
@test "a handler on a stack of its own works for what the signal interrupted" {
	need_bpf
	local build backend
	cat >expected <<-END
		in_child program
		in_coroutine program
		in_exit static-fini
		in_fini static-fini
		in_handler program
		in_init static-init
		in_kept unknown
		in_loop program
		in_main program
		in_main_again program
		in_protected program
		in_thread program
	END
	for build in gcc-O0 gcc-O2 clang static musl; do
		[ -x "$PROGRAMS/altstack-$build" ] || {
			echo "# altstack-$build is not built" >&3
			continue
		}
		for backend in bpf perf; do
			elfault record --backend $backend -o trace -- "$PROGRAMS/altstack-$build"
			[ "$code" = 0 ] || fail "$(cat messages)"
			"$ELFAULT" analyze --debug-dir /nonexistent --format ndjson trace |
				jq -r '.at.symbol as $at | select($at // "" | startswith("in_")) | "\($at) \(.initiator)"' |
				sort >"answer-$backend"
		done
		# musl has no coroutines. Its raise() has no unwinding data, and is left by what its code shows.
		if [ "$build" = musl ]; then
			sed '/coroutine/d' expected >wanted
		else
			cp expected wanted
		fi
		diff wanted answer-bpf >&2 || fail "$build"
		# perf copies the stack of the handler alone: what was interrupted may tell, and nothing is wrong.
		[ "$(wc -l <answer-perf)" = "$(wc -l <wanted)" ] || fail "$build: $(cat answer-perf)"
		! grep -v ' unknown$' answer-perf | grep -vxFf wanted || fail "$build, perf"
		grep -qx 'in_protected program' answer-perf || fail "$build, perf: $(cat answer-perf)"
	done
}

# depths TRACE [FUNCTION]: "INITIATOR END" of each fault below the large frames, and how often it is so.
depths() {
	"$ELFAULT" analyze --format ndjson "$1" | jq -r --arg by "${2:-touch_pages}" 'select(.by.function == $by)
		| "\(.initiator) \(.stack_end)"' | sort | uniq -c | sed 's/^ *//'
}

@test "stacks of 700 KiB are copied whole, past pages that were never touched" {
	need_bpf
	record trace "$PROGRAMS/depths"
	depths trace >answer
	[ "$(cat answer)" = "200 program outermost" ] || fail "$(cat answer messages)"
	# Nor is the page that the stack pointer is on.
	depths trace touch_before_stack >answer
	[ "$(cat answer)" = "200 program outermost" ] || fail "$(cat answer)"
	# Not more than was asked for.
	elfault record --backend bpf --stack-size 64K -o trace -- "$PROGRAMS/depths"
	depths trace >answer
	# What surrounds the first tells whose they are; behind the others main is not seen again.
	[ "$(tr '\n' ' ' <answer)" = "100 program cut 100 unknown cut " ] || fail "$(cat answer)"
	grep -q "record with --stack-size=7[0-9][0-9]K" messages
	# perf stops at the first of these pages, whatever was asked for.
	elfault record --backend perf --stack-size 64K -o trace -- "$PROGRAMS/depths"
	says "KiB copied, less than --stack-size allows: the kernel could copy no more"
}

# The table by program of --full, `runs faults program` a line.
programs_of() {
	"$ELFAULT" analyze --full "$1" 2>messages |
		awk '/^ +runs +(time|wall) / { for (faults = 1; $faults != "faults";) faults++; on = 1; next } !NF { on = 0 }
			on { gsub(",", ""); gsub(/ (ns|us|ms|s) /, " "); print $1, $faults, $NF }'
}

@test "several programs are a table, and the answer one screen whose commands work" {
	need_bpf
	for backend in bpf perf; do
		elfault record --backend $backend -o trace -- \
			sh -c 'for i in 1 2 3; do /bin/true; done; /bin/echo | /bin/cat; :' >output
		[ "$code" = 0 ] || fail "$(cat messages)"
		programs_of trace >table
		cat table
		[ "$(sort -k 3 table | awk '{ print $1, $3 }' | tr '\n' ' ')" = "1 cat 1 echo 1 sh 3 true " ] || fail "$backend"
		[ "$(awk '{ n += $2 } END { print n }' table)" = "$("$ELFAULT" analyze --format json trace | jq .counts.recorded)" ]
		"$ELFAULT" analyze trace >screen 2>messages
		[ "$(wc -l <screen)" -le 40 ] || fail "$(cat screen)"
		! grep -v ' elfault ' screen | grep '.\{81\}' || fail "wider than 80"
		# As many columns as there are.
		for columns in 60 100; do
			COLUMNS=$columns "$ELFAULT" analyze trace 2>messages | grep -v ' elfault ' >narrow
			! grep ".\{$((columns + 1))\}" narrow || fail "wider than $columns"
		done
		mkdir -p bin && ln -sf "$ELFAULT" bin/elfault
		sed -n 's/^  [a-z ]*  elfault /elfault /p' screen >next
		[ "$(wc -l <next)" -ge 3 ]
		while read -r line; do
			PATH=$T/bin:$PATH sh -c "${line//COMMAND/true}" >out 2>messages || fail "$line: $(cat messages)"
		done <next
	done
}

@test "where stacks are cut, the size that is named would do" {
	need_bpf
	elfault record --stack-size 2K -o trace -- "$PROGRAMS/depths"
	"$ELFAULT" analyze --full trace >answer
	grep -q '^  unknown .*deeper than the copy' answer
	size=$(grep -o -m 1 'record with --stack-size=[0-9]*K' answer | grep -o '[0-9]*K')
	elfault record --stack-size "$size" -o trace -- "$PROGRAMS/depths"
	"$ELFAULT" analyze --full trace >answer
	run ! grep -q '^  unknown ' answer
}

@test "a 32-bit program" {
	[ -x "$PROGRAMS/storm32" ] || skip "gcc -m32 does not work here (gcc-multilib)"
	"$PROGRAMS/storm32" 0 || [ $? -ne 126 ] || skip "this kernel does not run 32-bit programs"
	# Three dozen faults besides those of the loop: too few for a share with names.
	real sections "$PROGRAMS/storm32" 2
	summary trace.json by-function main 2000
}

@test "a program that forks 1,000 times" {
	real named "$PROGRAMS/forks"
	summary trace.json processes 1001 by-function write_in_child 1000 mechanism fork-cow 1000
}

@test "64 threads that fault at once" {
	real named "$PROGRAMS/threads"
	summary trace.json threads 65 by-function write_pages 6400 symbol pages 6400
}

@test "the recorder's priority is not the command's" {
	need_bpf
	[ "$(nice -n -20 nice 2>&1)" = -20 ] || skip "root without CAP_SYS_NICE"
	record trace nice >output
	[ "$(cat output)" = "$(nice)" ]
	# What the recorder has while it drains, from a child of its command.
	record trace sh -c 'ps -o ni= -p $PPID' >output
	[ "$(tr -d " " <output)" = -20 ]
}

@test "perf: a recorder that cannot run loses stacks and no fault" {
	need_bpf # no less privilege is meant here
	# Per CPU 5,600 faults, or 62 stacks.
	elfault record --backend perf --ring-size 1M -o trace -- \
		sh -c 'kill -STOP $PPID; "$0" 1 1; kill -CONT $PPID' "$PROGRAMS/deep"
	[ "$code" = 0 ]
	says "(0 lost; " " KiB of faults and "
	analyze trace
	summary trace.json complete stacks-lost by-function write_pages 1000
}

@test "a shell pipeline" {
	real named-but-stripped sh -c 'seq 20000 | sort -n | tail -n 1'
	[ "$(cat output)" = 20000 ]
	summary trace.json processes 4
}

@test "a program that opens and closes libraries" {
	real named "$PROGRAMS/swap" "$PROGRAMS"
	summary trace.json by-function left_touch 50 by-function right_touch 50
}
