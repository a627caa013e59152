#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Predictions of `elfault whatif` against the same program linked so and recorded.
load common

# faults TRACE: recorded faults.
faults() {
	"$ELFAULT" whatif --format json "$1" | jq .before.faults
}

# predicted CURE TRACE: what would be left, of the program alone.
predicted() {
	"$ELFAULT" whatif --format json ./small/base "$2" |
		jq --arg cure "$1" '.cures[] | select(.cure == $cure) | .after.faults'
}

# alike CURE PREDICTED MEASURED MOST: at most MOST apart.
alike() {
	local apart=$(($2 - $3))
	((${apart#-} <= $4)) || fail "$1: $2 predicted, $3 measured, may be $4 apart"
}

# recorded NAME: record ./small/NAME with every file in memory, at the addresses of every other run. Of five runs that
# with the fewest faults: they differ by a few.
recorded() {
	local run
	for run in 1 2 3 4 5; do
		elfault record --backend bpf -o run.trace -- setarch -R "./small/$1"
		[ "$code" = 0 ] || fail "elfault record ended with $code: $(cat messages)"
		if [ "$run" = 1 ] || (($(faults run.trace) < $(faults "$1.trace"))); then
			mv run.trace "$1.trace"
		fi
	done
}

# compared CURE NAME MOST: the prediction from base.trace against a recording of NAME.
compared() {
	recorded "$2"
	alike "$1" "$(predicted "$1" base.trace)" "$(faults "$2.trace")" "$3"
}

@test "relative relocations: RELR and -no-pie are predicted page by page" {
	need_bpf
	need gcc jq setarch
	small 64M
	# 240 pages of pointers that nobody reads, and the 60 pages of relocations for each 10 of them.
	{
		echo 'const char *const names[] = {'
		yes '"a",' | head -60000
		echo '}; int main(void) { return 0; }'
	} >pointers.c
	gcc -O1 -fPIE -c pointers.c
	gcc -pie -o small/base pointers.o
	gcc -no-pie -o small/no-pie pointers.o
	hold small/base small/no-pie
	recorded base
	local before
	before=$(faults base.trace)
	((before > 130 + 15)) || fail "$before faults are too few to show anything"
	# Within 1 %, as docs/measured/whatif.md says.
	compared no-pie no-pie 3
	if gcc -pie -Wl,-z,pack-relative-relocs -o small/relr pointers.o; then
		hold small/relr
		compared relr relr 3
	fi
}

@test "libraries linked in: static libstdc++, with -no-pie, and all of them" {
	need_bpf
	need g++ jq setarch
	small 64M
	cat >text.cc <<-'EOF'
		#include <iostream>
		#include <map>
		#include <regex>
		int main(int argc, char **)
		{
			std::map<std::string, int> count;
			for (int i = 0; i < 100; i++)
				count["key" + std::to_string(i * argc % 7)]++;
			std::cout << count.size() << std::regex_match("abd", std::regex("a(b|c)*d")) << std::endl;
		}
	EOF
	g++ -O1 -fPIE -c text.cc
	g++ -pie -o small/base text.o
	g++ -pie -static-libstdc++ -static-libgcc -o small/cxx text.o
	g++ -no-pie -static-libstdc++ -static-libgcc -o small/both text.o
	g++ -static -o small/static text.o
	hold small/*
	recorded base
	compared static-libstdc++ cxx 16
	compared no-pie-static-libstdc++ both 12
	compared static static 12
}

@test "what opens plugins is never to be static, and an executable at a fixed address never -no-pie" {
	need_bpf
	need gcc jq
	echo 'int plugin;' | gcc -shared -fPIC -x c -o plugin.so -
	printf '#include <dlfcn.h>\nint main(void) { return !dlopen("./plugin.so", RTLD_NOW); }\n' >opens.c
	gcc -no-pie -o opens opens.c -ldl
	record trace ./opens
	"$ELFAULT" whatif --format json trace >answer
	jq -e '.cures[] | select(.cure == "static") | .applies == false and (.reason | test("plugin.so"))' answer
	jq -e '[.cures[] | .how // "" | select(test("-no-pie"))] == []' answer
}

@test "an order: functions of a list take the windows that they need" {
	need_bpf
	need gcc ld.lld jq setarch
	small 64M
	# 1,000 functions of 4 KiB, of which each 10th runs.
	{
		seq 0 999 | sed 's/.*/__attribute__((noinline)) void f&(void) { asm volatile(".skip 4000, 0x90"); }/'
		echo 'int main(void) {'
		seq 0 10 999 | sed 's/.*/f&();/'
		echo 'return 0; }'
	} >functions.c
	seq 0 10 999 | sed 's/.*/f&/' >list
	echo main >>list
	gcc -O1 -ffunction-sections -fPIE -c functions.c
	gcc -pie -fuse-ld=lld -o small/base functions.o
	gcc -pie -fuse-ld=lld -Wl,--symbol-ordering-file=list -o small/ordered functions.o
	hold small/*
	recorded base
	recorded ordered
	"$ELFAULT" whatif --format json --order list ./small/base base.trace >answer
	alike order "$(jq '.cures[] | select(.cure == "order") | .after.faults' answer)" "$(faults ordered.trace)" 3
	(($(faults base.trace) > $(faults ordered.trace) + 30)) || fail "the order saved next to nothing"
}
