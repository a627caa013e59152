#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Which file is taken for the mapped one: never another of its path, whatever became of the file since.
load common

# program FILE NAME [OPTION...]: writes 16 pages of NAME_area, in touch_NAME. No build-id, always one size.
program() {
	cat >program.c <<-END
		#include <string.h>
		char $2_area[65536];
		__attribute__((noinline)) void touch_$2(void)
		{
			memset($2_area, 1, sizeof $2_area);
		}
		int main(void)
		{
			touch_$2();
			return 0;
		}
	END
	need gcc
	gcc -O1 -fno-builtin -Wl,--build-id=none "${@:3}" program.c -o "$1"
}

# touched TRACE NAME: faults on symbols of this name.
touched() {
	"$ELFAULT" analyze --format json "$1" >"$1.json" 2>messages || fail "$(cat messages)"
	jq "[.objects[].by_symbol[] | select(.symbol == \"$2\") | .faults] | add // 0" "$1.json"
}

# noted TRACE WORDS: of its answer.
noted() {
	jq -r '.notes[]' "$1.json" | grep -qF -- "$2" || fail "no note '$2' in: $(jq '.notes' "$1.json")"
}

@test "a program without a build-id that was rebuilt is not taken for the recorded one" {
	need_bpf
	local backend
	for backend in bpf perf; do
		program prog first
		elfault record --backend "$backend" -o trace -- ./prog
		[ "$(touched trace first_area)" -ge 15 ]
		# Of one size, and in the same inode: only the time tells.
		program other other
		[ "$(stat -c %s prog)" = "$(stat -c %s other)" ]
		cat other >prog
		[ "$(touched trace other_area)" = 0 ]
		noted trace "prog: changed since recording (recorded modification time"
		elfault analyze ./prog trace
		[ "$code" = 1 ]
		says "./prog: modification time is" "--force to continue anyway"
		"$ELFAULT" analyze --force ./prog trace >out
		grep -q "using ./prog in place of $T/prog (--force)" out
	done
}

@test "a copy with the same time is taken for the recorded file, with a note" {
	need_bpf
	program prog first
	elfault record -o trace -- ./prog
	cp -p prog copy
	mv copy prog
	[ "$(touched trace first_area)" -ge 15 ]
	noted trace "prog: without a build-id, taken for the recorded file"
}

@test "another program of the same path in a chroot is not taken for the recorded one" {
	need_bpf
	local backend
	mkdir -p "root$T"
	program prog other -static
	program "root$T/prog" first -static
	for backend in bpf perf; do
		elfault record --backend "$backend" -o trace -- chroot root "$T/prog"
		[ "$code" = 0 ]
		[ "$(touched trace other_area)" = 0 ]
		[ "$(jq '[.objects[].by_function[] | select(.function // "" | test("other"))] | length' trace.json)" = 0 ]
		noted trace "$T/prog: "
	done
}
