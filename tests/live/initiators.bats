#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Why each fault happened, against what is known: fixtures/programs/*.truth, and the names in the call
# stacks (tests/support/truth.py). elfault itself never sees ld.so's and libc's debug files here. Each
# trace is judged with its stacks and again without. The last tests add everything up; docs/measured/initiators.md
# has their tables.
load common

setup_file() {
	# Where the tests leave their counts for the last ones.
	export SUMS=$BATS_FILE_TMPDIR
}

# faults OUT TRACE: what is to be judged; by program, into a folder, where `pids` says which ran.
faults() {
	"$ELFAULT" analyze --debug-dir /nonexistent --format ndjson "$2" >faults 2>messages || fail "$(cat messages)"
	if [ -s pids ]; then
		python3 "$tests/support/byprogram.py" "$1" pids <faults
	else
		mv faults "$1"
	fi
}

# disk: a folder in $DISK whose files the page cache can forget, as those of a tmpfs cannot be.
disk() {
	for DISK in "$T" /var/tmp "$PROGRAMS"; do
		case $(stat -f -c %T "$DISK") in
		tmpfs | ramfs) ;;
		*) return 0 ;;
		esac
	done
	skip "no folder on a disk"
}

# add TAGS NAME PROGRAM: the file PROGRAM, which is NAME.c built with these tags, to those that `run_all` runs.
add() {
	local tags=$1 name=$2 program=$3 arguments=
	[ "$name" != memory ] || arguments=$DISK/elfault-memory-file.$$
	echo "PLUGS=small PLUGS_SUFFIX=-${tags%%,*}.so $program $arguments & echo \$! $tags.${program##*/}; wait \$!" >>script
	echo "$name $tags ${program##*/} with/$tags.${program##*/} with/$tags.${program##*/}" >>runs
}

# run_all: record them one after the other, and have the faults of each in the folder `with`, and in `bare` as they are
# known without stacks.
run_all() {
	local code=0
	hold
	# What a read maps beside it depends on the addresses: the same ones each time.
	setarch -R "$ELFAULT" record --backend bpf --stack-size 32768 -o trace -- \
		sh -ec 'echo $$ -; . ./script' >pids 2>messages || code=$?
	[ "$code" = 0 ] || fail "$(tail -n 1 pids) ended with $code: $(cat messages)"
	faults with trace
	"$ELFAULT" dump trace 2>messages | sed -E '/^stack /d; s/ stack=[0-9]+//' >bare-trace
	faults bare bare-trace
}

# all NAME LINKER MODE...
all() {
	local name=$1 linker=$2 mode program
	shift 2
	for mode; do
		program=$name-$linker-$mode
		if [ ! -e "$PROGRAMS/$program" ]; then
			# No g++ or no musl-gcc.
			echo "# $program is not built" >&3
			continue
		fi
		cp "$PROGRAMS/$program" small/
		add "$linker,${mode/musl-/musl,}" "$name" "small/$program"
	done
}

# stripped NAME LINKER MODE...: without .symtab
stripped() {
	local name=$1 linker=$2 mode program
	shift 2
	for mode; do
		program=$name-$linker-$mode
		[ -e "$PROGRAMS/$program" ] || continue
		strip -o "small/stripped/$program" "$PROGRAMS/$program"
		add "$linker,$mode,stripped" "$name" "small/stripped/$program"
	done
}

# judge WHAT FILE: the runs that it lists, into the counts of that name.
judge() {
	python3 "$tests/support/truth.py" check "$PROGRAMS" "$SUMS/$1" "$SUMS/$1-list" <"$2"
	sed 's,with/,bare/,' "$2" | python3 "$tests/support/truth.py" check "$PROGRAMS" "$SUMS/bare" "$SUMS/bare-list"
}

# by LINKER: everything that fixtures/programs/meson.build makes with it.
by() {
	local linker=$1 relr=() static_pie=(static-pie) relr_static_pie=(relr-static-pie)
	need_bpf
	need "ld.$linker" strip setarch
	disk
	small 128m
	mkdir small/stripped
	cp "$PROGRAMS"/lib*-"$linker.so" small/
	[ "$linker" != bfd ] || relr=(relr)
	[ "$linker" != gold ] || static_pie=() relr_static_pie=()
	all starts "$linker" pie now no-pie static "${static_pie[@]}" "${relr[@]}" \
		"${relr_static_pie[@]}" musl-pie musl-no-pie tableless tableless-static
	all binds "$linker" pie now no-pie "${relr[@]}"
	all plugs "$linker" pie no-pie
	all jumps "$linker" pie now no-pie
	all leaves "$linker" pie no-pie static
	all throws "$linker" pie no-pie static "${static_pie[@]}"
	all bare "$linker" pie static
	all memory "$linker" pie
	all touch "$linker" pie no-pie static "${static_pie[@]}" "${relr[@]}"
	all tls "$linker" pie static "${static_pie[@]}"
	stripped starts "$linker" pie
	stripped throws "$linker" pie
	stripped leaves "$linker" pie
	mv runs named
	stripped starts "$linker" static "${static_pie[@]}"
	stripped leaves "$linker" static
	stripped throws "$linker" static
	run_all
	judge stacks named
	judge nameless runs
}

@test "why each fault happened, linked by bfd" { by bfd; }
@test "why each fault happened, linked by gold" { by gold; }
@test "why each fault happened, linked by lld" { by lld; }
@test "why each fault happened, linked by mold" { by mold; }

@test "why each fault happened, with musl, statically" {
	need_bpf
	need musl-gcc
	small 64m
	all starts bfd musl-static
	all starts gold musl-static
	run_all
	judge stacks runs
}

# sums WHAT RIGHT WRONG [some]: the table of these counts must keep to the limits, in percent.
sums() {
	local code=0
	[ -s "$SUMS/$1" ] || skip "nothing was recorded"
	python3 "$tests/support/truth.py" total "$2" "$3" "$SUMS/$1" "${4:-all}" >table || code=$?
	sed 's/^/# /' table >&3
	[ $code = 0 ] || sort -r "$SUMS/$1-list" | head -n 400 # the wrong ones, then the unknown ones
	[ $code = 0 ]
}

@test "right at least 99 %, never wrong" { sums stacks 99 0; }
@test "never wrong without stacks" { sums bare 0 0; }
# libc's functions stand nameless among the program's own: what it does before main is hard to tell apart, and what
# it does for main is main's.
@test "static programs without symbols: right at least 98 %, never wrong" { sums nameless 98 0 some; }

@test "never wrong in a recording without stacks" {
	need_bpf
	need ld.bfd
	small 64m
	cp "$PROGRAMS/starts-bfd-pie" small/
	hold
	elfault record --backend bpf --no-stacks -o trace -- small/starts-bfd-pie
	[ "$code" = 0 ]
	faults starts trace
	echo "starts bfd,pie starts-bfd-pie starts starts" >runs
	python3 "$tests/support/truth.py" check "$PROGRAMS" counts list <runs
	run grep '^wrong' list
	[ "$status" = 1 ]
}

@test "a stripped library's finalizer that the program calls is the program's" {
	need_bpf
	need gcc
	cat >library.c <<-'END'
		#include <sys/mman.h>
		__attribute__((destructor)) void release(void)
		{
			volatile char *pages = mmap(0, 50 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			for (long i = 0; i < 50; i++)
				pages[i * 4096] = 1;
		}
	END
	printf '#include <unistd.h>\nvoid release(void);\nint main(void) { release(); _exit(0); }\n' >program.c
	local soname
	for soname in '' -Wl,-soname,library.so; do
		gcc -O1 -shared -fPIC -s ${soname:+"$soname"} library.c -o library.so
		gcc -O1 program.c -o program ./library.so -Wl,-rpath,.
		record trace ./program
		faults answer trace
		run jq -r 'select(.by.function == "release") | .initiator' answer
		[ "$(sort <<<"$output" | uniq -c | xargs)" = "50 program" ]
	done
}

# Nothing states where its functions begin; each but the first is called by a pointer, as Pascal's units are.
@test "a static program without libc, unwinding data or symbols: what its entry point calls is the program" {
	need_bpf
	need jq
	cat >lone.c <<-'END'
		static volatile char pages[5][4096] __attribute__((aligned(4096)));
		#define F __attribute__((noinline, used))
		F void leaf(int i) { pages[i][0] = 1; }
		F void many(int i) { volatile char room[200]; room[i] = 1; leaf(i); pages[i + 1][room[i]] = 1; }
		F void work(int i) { many(i); leaf(i + 2); }
		void (*volatile run)(int) = work;
		F void start(void) { pages[0][0] = 1; run(1); __asm__ volatile("syscall" ::"a"(231L), "D"(0L)); }
		__asm__(".globl _start\n_start: xor %ebp,%ebp\n.rept 40\n lea 1(%rax),%rax\n.endr\n call start\n hlt\n");
	END
	gcc -O1 -fno-builtin -fcf-protection=none -fno-asynchronous-unwind-tables -fno-pie -no-pie -nostdlib -static \
		-Wl,--build-id=none -falign-functions=16 lone.c -o lone
	strip -R .comment -o stripped lone
	! readelf -SW stripped | grep -E 'eh_frame|symtab' || fail "it has tables"
	local backend program
	for backend in bpf perf; do
		for program in lone stripped; do
			elfault record --backend $backend -o trace -- ./$program
			"$ELFAULT" analyze --format ndjson trace >faults
			jq -es 'map(select(.at.section == ".bss" and .mode == "user")) | length >= 4 and
				all(.initiator == "program" and .certainty == "stack" and .stack_end == "outermost")' faults ||
				fail "$backend, $program: $(jq -c '[.at.section, .initiator, .certainty, .stack_end]' faults)"
			jq -es 'any(.initiator == "startup") and all(.initiator != "unknown")' faults ||
				fail "$backend, $program: $(jq -c '[.at.section, .initiator]' faults)"
		done
	done
}

@test "Free Pascal's programs, with libc and without: main, units that are finalized, and the start" {
	need_bpf
	need fpc jq
	cat >plain.pas <<-'END'
		program plain;
		uses sysutils, classes;
		var list: tstringlist;
		begin
		  list := tstringlist.create;
		  list.add('one');
		  writeln(list[0]);
		  list.free;
		end.
	END
	sed 's/plain/threaded/; s/uses/uses cthreads,/' plain.pas >threaded.pas
	local name
	for name in plain threaded; do
		fpc -O2 -Xs $name.pas >messages 2>&1 || fail "$(cat messages)"
		record trace ./$name >output
		"$ELFAULT" analyze --format ndjson trace >faults
		jq -es 'all(.initiator != "unknown") and any(.initiator == "startup") and
			(map(select(.initiator == "program")) | length > 50)' faults || fail "$name: $(jq -c '[.initiator, .stack_end]' faults)"
	done
}

# In a static program, where nothing tells exit() from leftovers: no other stack may be asked for the outer frames.
@test "of a stack of 300 frames the innermost and the outermost are kept" {
	need_bpf
	need jq
	cat >deep.c <<-'END'
		#include <stdlib.h>
		static volatile char pages[5][4096] __attribute__((aligned(4096)));
		__attribute__((noinline)) static int recurse(int depth, volatile char *page)
		{
			volatile char room[8];
			room[0] = depth;
			if (depth == 300)
				*page = 1;
			return depth < 300 ? recurse(depth + 1, page) + room[0] : 0;
		}
		__attribute__((constructor)) static void construct(void) { recurse(0, pages[1]); }
		static void finish(void) { recurse(0, pages[3]); }
		int main(void) { atexit(finish); recurse(0, pages[2]); return 0; }
	END
	gcc -O1 -static deep.c -o deep
	local backend
	for backend in bpf perf; do
		elfault record --backend $backend -o trace -- ./deep
		"$ELFAULT" analyze --format ndjson trace | jq -c 'select(.by.function == "recurse" and .at.symbol == "pages")' >faults
		[ "$(jq -r '[.initiator, .initializer.function, .stack_end, (.stack | length)] | @tsv' faults | tr '\t\n' ' ;')" = \
			"static-init construct outermost 256;program  outermost 256;static-fini  outermost 256;" ] ||
			fail "$backend: $(jq -c '[.initiator, .initializer.function, .stack_end, (.stack | length)]' faults)"
	done
}

# The stack of the initializer shows neither the dlopen nor, with perf, main.
@test "what a dlopen amid a recursion initializes by a recursion is not the program's" {
	need_bpf
	need jq
	cat >recurse.h <<-'END'
		__attribute__((noinline)) static int recurse(int depth, volatile char *page, void (*then)(void))
		{
			volatile char room[200];
			room[0] = depth;
			if (depth == 300) {
				*page = 1;
				if (then)
					then();
			}
			return depth < 300 ? recurse(depth + 1, page, then) + room[0] : 0;
		}
	END
	cat >library.c <<-'END'
		#include "recurse.h"
		static volatile char initialized[4096] __attribute__((aligned(4096)));
		__attribute__((constructor)) static void construct(void) { recurse(0, initialized, 0); }
	END
	cat >program.c <<-'END'
		#include "recurse.h"
		#include <dlfcn.h>
		#include <stdlib.h>
		static volatile char before[4096] __attribute__((aligned(4096)));
		static volatile char after[4096] __attribute__((aligned(4096)));
		static volatile char later[4096] __attribute__((aligned(4096)));
		static volatile char last[4096] __attribute__((aligned(4096)));
		static volatile char handled[4096] __attribute__((aligned(4096)));
		static void load(void)
		{
			dlopen("./library.so", RTLD_NOW);
			after[0] = 1;
		}
		static void handle(void) { recurse(0, handled, 0); }
		int main(void)
		{
			atexit(handle);
			recurse(0, before, load);
			recurse(0, later, 0);
			last[0] = 1;
			exit(0);
		}
	END
	gcc -O1 -fPIC -shared library.c -o library.so
	gcc -O1 program.c -o program -ldl
	local backend other=
	for backend in bpf perf; do
		elfault record --backend $backend -o trace -- ./program
		"$ELFAULT" analyze --format ndjson trace |
			jq -r 'select(.access == "write" and .mode == "user" and (.at.symbol | IN("initialized", "before", "after", "later", "last", "handled"))) | "\(.at.symbol) \(.initiator)"' |
			sort -u >faults
		! grep -vE '^(initialized (static-init|unknown)|handled (static-fini|unknown)|(before|after|later|last) (program'$other'))$' faults || fail "$backend: $(cat faults)"
		[ "$(wc -l <faults)" = 6 ] || fail "$backend: $(cat faults)"
		other='|unknown' # where a busy machine lost the stack that shows the dlopen
	done
}

@test "functions of the program's own that have libc's or a compiler's names are the program's" {
	need_bpf
	need jq
	cat >named.c <<-'END'
		static volatile char pages[16][4096] __attribute__((aligned(4096)));
		#define TOUCH(name, page) __attribute__((noinline)) void name(void) { pages[page][0] = 1; }
		TOUCH(dlopen, 8) TOUCH(dlclose, 9) TOUCH(dlsym, 10) TOUCH(dladdr, 11) TOUCH(dlinfo, 12)
		LOCAL TOUCH(exit, 6) LOCAL TOUCH(quick_exit, 7)
		TOUCH(apply_irel, 1) TOUCH(__init_tls, 2) TOUCH(_GLOBAL__sub_I_x, 3) TOUCH(__copy_tls, 4) TOUCH(init_cpu_features, 5)
		__attribute__((noinline)) void helper(void) { apply_irel(); __init_tls(); _GLOBAL__sub_I_x(); }
		int main(int argc, char **argv)
		{
			helper(); __copy_tls(); init_cpu_features();
			dlopen(); dlclose(); dlsym(); dladdr(); dlinfo(); exit(); quick_exit();
			return argc != 1 || !argv;
		}
	END
	local compiler mode
	for compiler in gcc musl-gcc; do
		command -v $compiler >/dev/null || continue
		for mode in '-DLOCAL=' '-DLOCAL=static -static'; do
			# musl's start calls __init_tls(), whoever defines it.
			[ "$compiler${mode#* }" != musl-gcc-static ] || continue
			$compiler -O1 -fno-builtin -fno-optimize-sibling-calls $mode named.c -o named
			record trace ./named
			"$ELFAULT" analyze --format ndjson trace | jq -c 'select(.at.symbol == "pages" and .mode == "user")' >faults
			jq -es 'length == 12 and all(.initiator == "program" and .certainty == "stack")' faults ||
				fail "$compiler $mode: $(jq -c '[.by.function, .initiator, .certainty]' faults)"
		done
	done
}
