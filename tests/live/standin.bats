#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Stand-ins: what they write, what they refuse, and that nobody notices them.
bats_require_minimum_version 1.5.0
load common

sources=$BATS_TEST_DIRNAME/standin

setup_file() {
	export BUILT=$BATS_FILE_TMPDIR/built
	mkdir -p "$BUILT"/{real,lib,now}
	cd "$BUILT" || return
	gcc -O2 -mno-vzeroupper -fPIC -shared -Wno-psabi -Wl,-soname,libkinds.so.1 -Wl,--version-script="$sources/kinds.map" \
		"$sources/kinds.c" -o real/libkinds.so.1
	local link=(real/libkinds.so.1 "-Wl,-rpath,$BUILT/real" -Wno-psabi)
	gcc -O2 -Wl,-z,lazy "$sources/calls.c" -pthread "${link[@]}" -o calls
	gcc -O2 -Wl,-z,now "$sources/calls.c" -pthread "${link[@]}" -o calls-now
	g++ -O2 "$sources/throws.cc" "${link[@]}" -o throws
	gcc -O2 -shared -fPIC "$sources/plugin.c" "${link[@]}" -o plugin.so
	gcc -O2 "$sources/opens.c" -o opens
	gcc -O2 -Wl,--no-as-needed "$sources/environment.c" "${link[@]}" -o environment
	"$ELFAULT" standin libkinds.so.1 -o lib/libkinds.so.1 --for ./calls --for ./throws
}

# same COMMAND...: prints the same with the stand-in as without; the library ends where it ended.
same() {
	"$@" >plain 2>plain-errors || return
	env LD_LIBRARY_PATH="$BUILT/lib" "$@" >other 2>other-errors || fail "with the stand-in: $(cat other-errors)"
	cmp plain other || fail "$(diff plain other)"
}

setup() {
	case $(uname -m) in x86_64) ;; *) skip "stand-ins are written for x86-64 alone" ;; esac
	need gcc g++
	cd "$BUILT" || return
}

@test "a thousand functions of every calling convention, from 16 threads, with signals: the same results" {
	same ./calls
	[ "$(grep -c ^numbers other)" = 16 ]
	same ./calls-now
	LD_BIND_NOW=1 same ./calls
	same ./calls fork
	ELFAULT_STANDIN=open same ./calls
}

@test "exceptions pass, and the library stays away until it is called" {
	same ./throws
	[ "$(cat other)" = $'caught through the library\ncaught through the library' ]
	run -0 env LD_LIBRARY_PATH="$BUILT/lib" ./environment
	[[ $output != *"the library begins"* ]]
	run -0 env LD_LIBRARY_PATH="$BUILT/lib" ELFAULT_STANDIN=open ./environment
	[[ $output == *"the library begins"* ]]
}

@test "a plugin that is closed takes the library with it" {
	same ./opens ./plugin.so
	cmp plain-errors other-errors || fail "$(diff plain-errors other-errors)"
}

@test "stacks lead through the first call" {
	need gdb
	gdb -batch -ex 'set breakpoint pending on' -ex 'set startup-with-shell off' -ex 'set environment LD_LIBRARY_PATH lib' -ex 'break begin' -ex run -ex bt ./throws >stack 2>&1
	grep -q ' main ' stack || fail "$(cat stack)"
}

@test "readelf finds nothing to complain of" {
	readelf -aW lib/libkinds.so.1 2>&1 >all | tee complaints
	[ ! -s complaints ]
	readelf --debug-dump=frames lib/libkinds.so.1 >>all 2>complaints
	[ ! -s complaints ]
	# What it exports is what the real one does, versions too.
	for side in real lib; do
		readelf --dyn-syms -W "$side/libkinds.so.1" | awk '$7 != "UND" && $4 == "FUNC" { print $5, $8 }' | sort >"$side.names"
	done
	cmp real.names lib.names || fail "$(diff real.names lib.names | head)"
	[ "$(grep -c number_ lib.names)" = 1000 ]
}

@test "a call after the first costs three instructions" {
	need valgrind
	cat >many.c <<-'END'
		#include <stdint.h>
		#include <stdlib.h>
		int64_t number_001(int64_t a, int64_t b);
		int main(int argc, char **argv)
		{
			int64_t sum = 0;
			for (long i = atol(argv[1]); i > 0; i--)
				sum = number_001(sum, i);
			return sum == 1;
		}
	END
	gcc -O1 many.c real/libkinds.so.1 "-Wl,-rpath,$BUILT/real" -o many
	instructions() {
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'
	}
	plain=$(($(instructions ./many 11000) - $(instructions ./many 1000)))
	export LD_LIBRARY_PATH=$BUILT/lib
	other=$(($(instructions ./many 11000) - $(instructions ./many 1000)))
	# Of the first call as many as in both.
	[ $(((other - plain + 50) / 100)) = 300 ] || fail "$((other - plain)) instructions more for 10,000 calls"
}

@test "a library that cannot be opened ends the program with a message" {
	mkdir -p gone
	cp real/libkinds.so.1 gone/
	LD_LIBRARY_PATH=$PWD/gone "$ELFAULT" standin libkinds.so.1 -o gone/standin --for ./calls
	mv gone/standin gone/libkinds.so.1
	sed -i 's/gone\/libkinds.so.1/gone\/libkinds.so.x/' gone/libkinds.so.1
	run -127 env LD_LIBRARY_PATH=gone ./throws
	[[ $output == *"the library that a stand-in stands for cannot be used: "*"libkinds.so.x: cannot open"* ]] || fail "$output"
}

# refused LIBRARY PROGRAM WORDS: with these words, and nothing is written.
refused() {
	run -1 "$ELFAULT" standin "$1" -o refused --for "$2"
	[[ $output == *"$3"* ]] || fail "$output"
	[ ! -e refused ]
}

@test "what is more than functions is refused, by name" {
	cat >data.c <<-'END'
		int variable = 3;
		__thread int own = 4;
		static int one(void) { return 1; }
		static int (*choose(void))(void) { return one; }
		int chosen(void) __attribute__((ifunc("choose")));
		int plain(void) { return 5; }
	END
	gcc -O1 -fPIC -shared -Wl,-soname,libdata.so data.c -o libdata.so
	export LD_LIBRARY_PATH=$PWD
	local name
	for name in 'int variable' '__thread int own' 'int chosen(void)' 'int plain(void)'; do
		echo "extern $name; int main(void) { return ${name##*int }; }" | sed 's/return \(.*\)(void)/return \1()/' >use.c
		name=${name##*int }
		gcc -O1 -fPIC -pie use.c ./libdata.so -o "use-${name%(*}"
	done
	echo 'extern int variable; int main(void) { return variable; }' >use.c
	gcc -O1 -fno-pie -no-pie use.c ./libdata.so -o copies
	refused ./libdata.so ./copies "copies needs variable of it, a variable that is copied"
	refused ./libdata.so ./use-variable "needs variable of it, a variable"
	refused ./libdata.so ./use-own "needs own of it, a thread-local variable"
	refused ./libdata.so ./use-chosen "needs chosen of it, a function that is chosen at loading"
	"$ELFAULT" standin ./libdata.so -o taken --for ./use-plain
	refused libc.so.6 ./use-plain "a part of the C library"
	chmod u+s use-plain
	refused ./libdata.so ./use-plain "rights that its starter has not"
	refused libnone.so ./calls "does not load libnone.so"
}

@test "a program is found by a link, and its libraries beside where that leads" {
	mkdir -p real/lib
	echo 'int plain(void) { return 5; }' >plain.c
	gcc -O1 -fPIC -shared -Wl,-soname,libplain.so plain.c -o real/lib/libplain.so
	echo 'int plain(void); int main(void) { return plain(); }' >use.c
	# shellcheck disable=SC2016 # ld.so's
	gcc -O1 -fPIC -pie use.c real/lib/libplain.so '-Wl,-rpath,$ORIGIN/lib' -o real/use
	ln -s real/use linked
	run -5 ./linked
	"$ELFAULT" standin libplain.so -o taken --for ./linked
	rm real/lib/libplain.so
	refused libplain.so ./linked "does not list its libraries"
	refused libplain.so ./linked "libplain.so: cannot open shared object file"
}

@test "C++: tables of virtual functions and type information are refused, a library of functions is not" {
	cat >shape.cc <<-'END'
		struct shape { virtual ~shape(); virtual int sides(); };
		shape::~shape() {}
		int shape::sides() { return 0; }
		int count(shape &of) { return of.sides(); }
	END
	g++ -O1 -fPIC -shared -Wl,-soname,libshape.so shape.cc -o libshape.so
	printf '%s\n' 'struct shape { virtual ~shape(); virtual int sides(); };' 'struct three : shape { int sides() override { return 3; } };' \
		'int count(shape &); int main() { three t; return count(t) - 3; }' >derived.cc
	export LD_LIBRARY_PATH=$PWD
	g++ -O1 -fPIC -pie derived.cc ./libshape.so -o derived
	refused ./libshape.so ./derived "needs _ZT"
}

@test "initializers that others may rely on are refused" {
	echo 'static int known; void enroll(int n) { known += n; } int enrolled(void) { return known; }' >registry.c
	gcc -O1 -fPIC -shared -Wl,-soname,libregistry.so registry.c -o libregistry.so
	echo 'void enroll(int); static void deep(void) { enroll(3); } static void __attribute__((constructor)) begin(void) { deep(); } void use(void) {}' >enrolls.c
	gcc -O0 -fPIC -shared -Wl,-soname,libenrolls.so enrolls.c ./libregistry.so -o libenrolls.so
	echo 'int enrolled(void); void use(void); int main(int c, char **v) { if (c > 1) use(); return enrolled() - 3; }' >asks.c
	export LD_LIBRARY_PATH=$PWD
	gcc -O1 asks.c ./libenrolls.so ./libregistry.so -o asks
	refused ./libenrolls.so ./asks "its initializer calls enroll of libregistry.so"
}

@test "the environment of what the program executes is as it was" {
	mkdir -p away
	"$ELFAULT" standin libkinds.so.1 -o away/libkinds.so.1 --folder "$PWD/away" --for ./calls
	run -0 --separate-stderr env LD_LIBRARY_PATH="$PWD/away" ./environment
	[ "$output" = "(none)" ]
	run -0 --separate-stderr env LD_LIBRARY_PATH="$PWD/away:/own:/other" ./environment
	[ "$output" = "/own:/other" ]
	run -0 --separate-stderr env LD_LIBRARY_PATH="/own:$PWD/away" ./environment
	[ "$output" = "/own:$PWD/away" ]
	run -0 --separate-stderr env LD_LIBRARY_PATH="$PWD/away/more:$PWD/away" ./environment
	[ "$output" = "$PWD/away/more:$PWD/away" ]
}
