#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs built twice, with one option between them: `elfault diff` says what that option did, and
# nothing else of the program.
load common

# A folder for each side.
stage() {
	need_bpf
	need setarch jq gcc g++
	small 128m
	mkdir small/a small/b
}

# run_one SIDE PROGRAM OUT [ARGS]: run it once, then record it at fixed addresses.
run_one() {
	local program=small/$1/$2 out=$3
	shift 3
	hold
	"$program" "$@" >out || true
	setarch -R "$ELFAULT" record --backend bpf -o "$out" -- "$program" "$@" >out 2>messages ||
		fail "$(cat messages)"
}

# both PROGRAM [ARGS]: one run of each side, and what changed between them, as findings.json and, the
# other way round, as back.json.
both() {
	run_one a "$1" a.trace "${@:2}"
	run_one b "$1" b.trace "${@:2}"
	"$ELFAULT" diff --format json a.trace b.trace >diff.json
	"$ELFAULT" diff --format json b.trace a.trace >back.json
}

# found FILE: the ids of what was found, in alphabetical order.
found() {
	jq -r '[.findings[].id] | sort | join(" ")' "$1"
}

# is WORD FILTER FILE: the filter of the first finding gives the word.
is() {
	local value
	value=$(jq -r ".findings[0] | $2" "$3")
	[ "$value" = "$1" ] || fail "$2 is '$value', not '$1': $(jq -c .findings "$3")"
}

# Twelve files, each with an object that needs an initializer, 70,000 bytes of code apart.
write_parts() {
	local i
	for i in {1..12}; do
		cat >part"$i".cc <<-END
			extern volatile int sum;
			struct Part$i { int value; Part$i(int start) : value(start) { sum = sum + start; } };
			Part$i part$i(sum);
			__attribute__((used)) void gap$i() { asm volatile(".skip 70000, 0x90"); }
		END
	done
	echo 'volatile int sum = 1; int main() { return sum == 0; }' >main.cc
}

@test "LTO merges initializers: the faults that it saves are those of their code" {
	stage
	write_parts
	# Else the compiler would put initializers side by side without LTO, too.
	g++ -O2 -g -fno-reorder-functions -o small/a/parts ./*.cc
	g++ -O2 -g -fno-reorder-functions -flto -o small/b/parts ./*.cc || skip "no LTO here"
	nm small/b/parts | grep -q _sub_I_65535_0 || skip "this compiler does not merge initializers"
	both parts
	[ "$(found diff.json)" = initializers-merged ] || fail "found: $(jq -c .findings diff.json)"
	is "LTO merged 12 of 14 initializers into 1" '.title | split(" and saved")[0]' diff.json
	is true .is_cause diff.json
	is null .advice diff.json
	# One page of each file was needed; the first window may hold what start needs anyway.
	local gone
	gone=$(jq '.findings[0].difference' diff.json)
	((-gone >= 10 && -gone <= 12)) || fail "$gone faults of 12 files"
	[ "$(found back.json)" = initializers-split ] || fail "back: $(jq -c .findings back.json)"
	jq -e '.findings[0].advice | contains("-flto")' back.json >/dev/null || fail "no advice"
}

@test "RELR and -no-pie: the faults of tables, and those of all of relocation" {
	stage
	cat >table.c <<-END
		int numbers[1000];
		#define FOUR(n) &numbers[n], &numbers[n + 1], &numbers[n + 2], &numbers[n + 3],
		#define MANY(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12) FOUR(n + 16) FOUR(n + 20) FOUR(n + 24)
		#define MORE(n) MANY(n) MANY(n + 28) MANY(n + 56) MANY(n + 84) MANY(n + 112) MANY(n + 140)
		#define MOST(n) MORE(n) MORE(n + 168) MORE(n + 336) MORE(n + 504)
		const int *const table[] = {
			MOST(0) MOST(1) MOST(2) MOST(3) MOST(4) MOST(5) MOST(6) MOST(7) MOST(8) MOST(9) MOST(10)
			MOST(11) MOST(12) MOST(13) MOST(14) MOST(15) MOST(16) MOST(17) MOST(18) MOST(19) MOST(20)
			MOST(21) MOST(22) MOST(23) MOST(24) MOST(25) MOST(26) MOST(27) MOST(28) MOST(29) MOST(30)
			MOST(31) MOST(32) MOST(33) MOST(34) MOST(35) MOST(36) MOST(37) MOST(38) MOST(39) MOST(40)
		};
		int main(int argc, char **argv) { (void)argv; return table[argc] == 0; }
	END
	gcc -O1 -fPIE -pie -o small/a/table table.c
	gcc -O1 -fPIE -pie -Wl,-z,pack-relative-relocs -o small/b/table table.c
	readelf -SW small/b/table | grep -q relr || skip "this linker knows no RELR"
	both table
	[ "$(found diff.json)" = relr-introduced ] || fail "found: $(jq -c .findings diff.json)"
	is true .is_cause diff.json
	jq -e '.findings[0].title | endswith("writing relocated pages is unchanged")' diff.json >/dev/null ||
		fail "$(jq -c .findings diff.json)"
	[ "$(found back.json)" = relr-lost ] || fail "back: $(jq -c .findings back.json)"

	gcc -O1 -fno-pie -no-pie -o small/b/table table.c
	both table
	[ "$(found diff.json)" = fixed-address ] || fail "found: $(jq -c .findings diff.json)"
	is 0 .after diff.json
	[ "$(found back.json)" = any-address ] || fail "back: $(jq -c .findings back.json)"
}

# A library whose table refers to 20,000 functions that it exports, and a program that calls some.
write_names() {
	cat >names.s <<-END
		.altmacro
		.macro one n
		.globl a_function_with_a_long_name_\n
		.type a_function_with_a_long_name_\n, @function
		a_function_with_a_long_name_\n: ret
		.endm
		.macro pointer n
		.quad a_function_with_a_long_name_\n
		.endm
		.macro use n
		call a_function_with_a_long_name_\n@PLT
		.endm
		.text
		i=0
		.rept 20000
		one %i
		i=i+1
		.endr
		.globl use_names
		.type use_names, @function
		use_names: sub \$8, %rsp
		i=0
		.rept 2000
		use %i
		i=i+10
		.endr
		add \$8, %rsp
		ret
		.section .data.rel.ro, "aw"
		i=0
		.rept 20000
		pointer %i
		i=i+1
		.endr
		.section .note.GNU-stack
	END
	echo 'void use_names(void); int main(int argc, char **argv) { (void)argv; if (argc > 1) use_names(); return 0; }' >use.c
}

# link_names SIDE FLAGS...: the library, and the program beside it.
link_names() {
	local side=small/$1
	shift
	gcc -shared -Wl,-soname,libnames.so "$@" -o "$side/libnames.so" names.s
	gcc -O1 -o "$side/use" use.c -L"$side" -lnames -Wl,-rpath,\$ORIGIN
}

@test "-Bsymbolic: names are bound when linking, and symbol lookup faults less" {
	stage
	[ "$(uname -m)" = x86_64 ] || skip "names.s is for x86-64"
	write_names
	link_names a -Wl,-z,lazy
	link_names b -Wl,-z,lazy -Wl,-Bsymbolic
	both use
	[ "$(found diff.json)" = fewer-lookups ] || fail "found: $(jq -c .findings diff.json)"
	is true .is_cause diff.json
	jq -e '.findings[0].evidence | contains("linked with -Bsymbolic now, symbolic relocations 20,00")' diff.json >/dev/null ||
		fail "$(jq -c .findings diff.json)"
	[ "$(found back.json)" = more-lookups ] || fail "back: $(jq -c .findings back.json)"
	jq -e '.findings[0].advice | contains("-Bsymbolic-functions")' back.json >/dev/null || fail "no advice"
}

@test "-z now: binding moves from first calls to the load" {
	stage
	[ "$(uname -m)" = x86_64 ] || skip "names.s is for x86-64"
	write_names
	sed -i 's/pointer %i/.quad 0/' names.s
	link_names a -Wl,-z,lazy
	link_names b -Wl,-z,now
	both use x
	[ "$(found diff.json)" = bound-at-load ] || fail "found: $(jq -c .findings diff.json)"
	jq -e '.findings[0].evidence | startswith("Linked with -z now: libnames.so (2,000 PLT entries)")' diff.json >/dev/null ||
		fail "$(jq -c .findings diff.json)"
	[ "$(found back.json)" = bound-lazily ] || fail "back: $(jq -c .findings back.json)"
}

# builds BEFORE AFTER: two builds of fixtures/programs/codecs, each with a library of its own.
builds() {
	local side build
	for side in a b; do
		build=$1
		shift
		[ -x "$PROGRAMS/codecs-$build" ] || skip "codecs-$build was not built"
		cp "$PROGRAMS/codecs-$build" small/$side/codecs
		cp "$PROGRAMS/libcodecs-$build.so" small/$side/libcodecs.so
	done
	both codecs
}

@test "forty files: each build is told by what it changed, and by nothing else" {
	stage
	local before after there back
	while read -r before after there back; do
		builds "$before" "$after"
		[ "$(found diff.json)" = "${there//,/ }" ] || fail "$before -> $after: $(jq -c .findings diff.json)"
		[ "$(found back.json)" = "${back//,/ }" ] || fail "$after -> $before: $(jq -c .findings back.json)"
		jq -e 'all(.findings[]; .is_cause and .advice == null)' diff.json >/dev/null ||
			fail "$before -> $after: $(jq -c .findings diff.json)"
	done <<-END
		plain lto initializers-merged,relocated-pages initializers-split,relocated-pages
		plain relr relr-introduced relr-lost
		plain symbolic fewer-lookups more-lookups
		lld ordered functions-closer functions-farther
	END
}

@test "a library more: all its faults, and who needs it" {
	stage
	echo 'int main(void) { return 0; }' >main.c
	echo 'int more[20000] = { 1 }; int first = 7; __attribute__((constructor)) static void start(void) { for (int i = 0; i < 20000; i += 1024) more[i] = first; }' >more.c
	gcc -shared -fPIC -Wl,-soname,libmore.so -o small/b/libmore.so more.c
	gcc -o small/a/program main.c
	gcc -o small/b/program main.c -Lsmall/b -Wl,--no-as-needed -lmore -Wl,-rpath,\$ORIGIN
	both program
	[ "$(found diff.json)" = libraries-added ] || fail "found: $(jq -c .findings diff.json)"
	is true '.evidence | contains("(program needs it now)")' diff.json
	# All its faults, no more and no fewer.
	is "$(jq '.by_object[] | select((.object // "") | endswith("/libmore.so")) | .faults.after' diff.json)" .after diff.json
	[ "$(found back.json)" = libraries-gone ] || fail "back: $(jq -c .findings back.json)"
	is null .advice back.json
}

@test "one build says nothing of itself, twenty times" {
	stage
	write_parts
	g++ -O2 -o small/a/parts ./*.cc
	local i
	run_one a parts first.trace
	for i in {1..20}; do
		run_one a parts again.trace
		"$ELFAULT" diff --format json first.trace again.trace >diff.json
		[ "$(found diff.json)" = "" ] || fail "found: $(jq -c .findings diff.json)"
	done
}

@test "one build from a cold and a warm page cache: it is not the build" {
	need python3
	stage
	write_parts
	sed -i 's/70000/500000/' part*.cc
	g++ -O2 -fno-reorder-functions -o parts ./*.cc
	sync parts
	python3 -c 'import os; f = os.open("parts", os.O_RDONLY); os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)'
	hold
	record cold.trace ./parts
	"$ELFAULT" analyze --format ndjson cold.trace | jq -s -e 'map(.read.pages // 0) | add >= 512' >out ||
		skip "files in $T stay in memory"
	hold parts
	record warm.trace ./parts
	"$ELFAULT" diff --format json cold.trace warm.trace >diff.json
	[ "$(found diff.json)" = same-files ] || fail "found: $(jq -c .findings diff.json)"
	is 0 .after diff.json
	is true .is_cause diff.json
	is null .advice diff.json
}
