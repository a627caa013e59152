#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Who binds to whom, against LD_DEBUG=bindings of the dynamic linker.
load common

# hold NAME COMMAND...: record COMMAND, and hold its names against the linker's, bound lazily and at once.
hold() {
	local name=$1
	shift
	"$ELFAULT" record --quiet -o "$name.trace" -- "$@" >/dev/null
	"$ELFAULT" analyze --bindings --format json "$name.trace" >"$name.json"
	LD_DEBUG=bindings LD_DEBUG_OUTPUT=$PWD/$name.lazy "$@" >/dev/null
	LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT=$PWD/$name.now "$@" >/dev/null
	python3 "$tests/live/bindings.py" "$name.json" "$(find . -name "$name.lazy.*" -size +0 | head -1)"
	python3 "$tests/live/bindings.py" "$name.json" "$(find . -name "$name.now.*" -size +0 | head -1)" now
}

# A program with a copy of data, a function whose address is its PLT entry, weak names with and without
# a home, versions, a library that is -Bsymbolic, one that protects, one that dlopen() brings.
build() {
	cat >base.c <<-'C'
		int data = 1, other = 2;
		int old(void) { return 1; }
		int now(void) { return 2; }
		int plain(void) { return 3; }
		__asm__(".symver old, f@ONE");
		__asm__(".symver now, f@@TWO");
	C
	echo 'ONE { global: f; plain; data; other; local: *; }; TWO { global: f; } ONE;' >base.map
	cat >middle.c <<-'C'
		extern int data, other;
		extern int f(void), plain(void);
		void nowhere(void) __attribute__((weak));
		__attribute__((visibility("protected"))) int kept(void) { return data; }
		int replaced(void) { return 4; }
		int *where(void) { return nowhere ? 0 : &other; }
		int middle(void) { return f() + plain() + kept() + replaced(); }
		int (*address(void))(void) { return plain; }
		int (*kept_address(void))(void) { return kept; }
	C
	cat >symbolic.c <<-'C'
		int replaced(void) { return 5; }
		int (*symbolic(void))(void) { return replaced; }
	C
	cat >plugin.c <<-'C'
		int middle(void), plain(void);
		int only_here(void) { return plain(); }
		int plugin(void) { return middle() + only_here(); }
	C
	cat >main.c <<-'C'
		#include <dlfcn.h>
		#include <stdio.h>
		extern int data;
		int plain(void), middle(void);
		int (*symbolic(void))(void);
		int replaced(void) { return 6; }
		int main(void)
		{
			void *plugin = dlopen("./libplugin.so", RTLD_LAZY);
			int (*entry)(void) = (int (*)(void))dlsym(plugin, "plugin");

			printf("%d %p %d %d\n", data, (void *)plain, entry() + middle(), symbolic()());
			return 0;
		}
	C
	gcc -shared -fPIC -o libbase.so base.c -Wl,--version-script=base.map
	gcc -shared -fPIC -o libmiddle.so middle.c -L. -lbase -Wl,--hash-style=sysv
	gcc -shared -fPIC -o libsymbolic.so symbolic.c -Wl,-Bsymbolic
	gcc -shared -fPIC -o libplugin.so plugin.c -L. -lmiddle -lbase
	gcc -fno-pie -no-pie -rdynamic -o main main.c -L. -lsymbolic -lmiddle -lbase -Wl,-rpath,"$PWD"
	gcc -shared -fPIC -o libfirst.so -xc - <<<'int replaced(void) { return 7; } int plain(void) { return replaced(); }'
}

@test "each name is bound where the dynamic linker binds it" {
	need_bpf
	need gcc jq python3 readelf
	build
	hold main ./main
	jq -e '.loadings[0] | .unsure == 0 and .without > 0 and (.files | map(select(.opened)) | length) == 1
		and (.files[] | select(.object | endswith("libmiddle.so")) | .gnu_hash | not)' main.json
	jq -e '.loadings[0].list | any(.name == "f" and .version == "TWO" and (.to | endswith("libbase.so")))
		and any(.name == "replaced" and (.from | endswith("libmiddle.so")) and (.to | endswith("main")))
		and any(.name == "data" and (.from | endswith("libmiddle.so")) and (.to | endswith("main")))
		and any(.name == "data" and (.from | endswith("main")) and (.to | endswith("libbase.so")))
		and any(.name == "plain" and (.from | endswith("libmiddle.so")) and (.lazy | not) and (.to | endswith("main")))
		and any(.name == "nowhere" and .to == null and .weak)' main.json
}

@test "what LD_PRELOAD puts in front is searched first" {
	need_bpf
	need gcc jq python3 readelf
	build
	export LD_PRELOAD=$PWD/libfirst.so
	hold preloaded ./main
	jq -e '.loadings[0].files[1].object | endswith("libfirst.so")' preloaded.json
}

@test "programs of the system bind as their dynamic linker says" {
	need_bpf
	need python3 readelf
	hold python3 /usr/bin/python3 -c 'import ssl, sqlite3, ctypes'
	hold git git --version
}

@test "searches add up by file and by outcome" {
	need_bpf
	need gcc jq
	build
	"$ELFAULT" record --quiet -o main.trace -- ./main >/dev/null
	"$ELFAULT" analyze --bindings --format json main.trace >main.json
	jq -e '.loadings[0] | .sum == (.files | map(.looking) | {names: map(.names) | add, searches: map(.searches) | add,
		filtered: map(.filtered) | add, in_vain: map(.in_vain) | add, found: map(.found) | add})
		and (.sum.searches == .sum.filtered + .sum.in_vain + (.files | map(.in.found) | add))
		and .sum.names == .sum.found + .without' main.json
	"$ELFAULT" analyze --bindings main.trace | tee text
	grep -q 'names that no file has' text
	grep -q 'libplugin.so (dlopen)' text
}
