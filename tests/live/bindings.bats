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

build() {
	"$tests/support/bindings/build.sh" . -Wl,-Bsymbolic
}

@test "each name is bound where the dynamic linker binds it" {
	need_bpf
	need gcc jq python3 readelf
	build
	hold main ./main ./libplugin.so
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
	gcc -shared -fPIC -o libfirst.so -xc - <<<'int replaced(void) { return 7; } int plain(void) { return replaced(); }'
	export LD_PRELOAD=$PWD/libfirst.so
	hold preloaded ./main ./libplugin.so
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
	"$ELFAULT" record --quiet -o main.trace -- ./main ./libplugin.so >/dev/null
	"$ELFAULT" analyze --bindings --format json main.trace >main.json
	jq -e '.loadings[0] | .sum == (.files | map(.looking) | {names: map(.names) | add, searches: map(.searches) | add,
		filtered: map(.filtered) | add, in_vain: map(.in_vain) | add, found: map(.found) | add})
		and (.sum.searches == .sum.filtered + .sum.in_vain + (.files | map(.in.found) | add))
		and .sum.names == .sum.found + .without' main.json
	"$ELFAULT" analyze --bindings main.trace | tee text
	grep -q 'names that no file has' text
	grep -q 'libplugin.so (dlopen)' text
}
