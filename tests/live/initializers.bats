#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Costs of initializers: a program whose initializers touch known pages, and real programs, whose
# rows must add up to the faults that name an initializer.
load common

# rows TRACE [ARGUMENT...]: array,index,function,faults,lazy,major,pages,code,only of each that faulted
rows() {
	local trace=$1
	shift
	"$ELFAULT" analyze --initializers --sort order --format csv "$@" "$trace" 2>messages |
		tail -n +2 | cut -d , -f 2-4,7-9,13-15
}

# adds_up TRACE: the rows' faults are those that name an initializer; each row's entry, name and
# offset are as `elfault map` has them, and its name is one of nm's at that address, where it has any.
adds_up() {
	"$ELFAULT" analyze --format json --faults "$1" >"$1.json" 2>messages
	"$ELFAULT" analyze --initializers=all --format json "$1" >"$1.rows" 2>messages
	python3 - "$1.json" "$1.rows" "$ELFAULT" <<-'END'
		import collections, json, subprocess, sys
		answer, rows = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["initializers"]
		counted = collections.Counter()
		lazy = collections.Counter()
		for fault in answer["faults"]:
		    if fault["initializer"] and fault["initializer"]["array"]:
		        key = tuple(fault["initializer"][k] for k in ("object", "array", "index"))
		        counted[key] += 1
		        lazy[key] += fault["initiator"] == "lazy-binding"
		assert sum(counted.values()) > 0
		maps, names = {}, {}
		for row in rows:
		    key = row["object"], row["array"], row["index"]
		    assert row["faults"] == counted[key], (row, counted[key])
		    assert row["lazy_binding"] == lazy[key], row
		    assert row["code_pages_only"] <= row["code_pages"], row
		    assert row["pages"] <= row["faults"] and bool(row["pages"]) == bool(row["faults"]), row
		    path = row["object"]
		    if path not in maps:
		        text = subprocess.run([sys.argv[3], "map", "--format", "json", path],
		                              capture_output=True, check=True).stdout
		        maps[path] = {(e["array"], e["index"]): e for e in json.loads(text)["initializers"]}
		        text = subprocess.run(["nm", "-C", path], capture_output=True, text=True).stdout
		        names[path] = collections.defaultdict(set)
		        for line in text.splitlines():
		            if line[:1] in "0123456789abcdef" and len(line) > 19:
		                names[path][int(line[:16], 16)].add(line[19:])
		    entry = maps[path][key[1:]]
		    for name in "function", "offset", "source":
		        assert row[name] == entry[name], (row, entry)
		    theirs = names[path].get(int(entry["vaddr"], 16))
		    assert not theirs or row["function"] in theirs, (row, theirs)
		assert sum(row["faults"] for row in rows) == sum(counted.values())
		print(len(rows), "initializers,", sum(counted.values()), "faults")
	END
}

@test "three initializers and the pages that each needed" {
	need_bpf
	need python3
	small 64m
	cp "$PROGRAMS/initializers" "$PROGRAMS/libmany.so" small/
	hold
	record trace small/initializers
	rows trace initializers >found
	cat found
	# run_first: its code and first_page. run_second: its code, touch(), second_page; it shares
	# touch() with run_third.
	[ "$(grep run_first found)" = .init_array,0,run_first,2,0,0,2,1,1 ]
	[ "$(grep run_second found)" = .init_array,1,run_second,3,0,0,3,2,1 ]
	# run_third: its code, three pages, the library's function; and what binding it takes, in ld.so
	# and the library's tables.
	IFS=, read -r _ index _ faults lazy major pages code only <<<"$(grep run_third found)"
	[ "$index" = 2 ] && [ "$lazy" -ge 1 ] && [ $((faults - lazy)) = 5 ] && [ "$major" = 0 ]
	[ "$pages" = "$faults" ] && [ "$code" -ge 4 ] && [ "$only" -ge 2 ] && [ "$only" -lt "$code" ]
	# In the order they ran, and the same whether the answer is narrowed or not.
	[ "$(grep -o 'run_[a-z]*' found | tr '\n' ' ')" = "run_first run_second run_third " ]
	[ "$(rows trace | grep run_)" = "$(grep run_ found)" ]
	"$ELFAULT" analyze --initializers --format csv trace 2>messages | grep -q ',run_first,.*initializers\.c,'
	adds_up trace
}

@test "bound at load, no initializer binds" {
	need_bpf
	small 64m
	cp "$PROGRAMS/initializers" "$PROGRAMS/libmany.so" small/
	hold
	LD_BIND_NOW=1 record trace small/initializers
	[ "$(rows trace | grep run_third | cut -d , -f 4-7)" = 5,0,0,5 ]
}

@test "initializers that LTO merged are one row with all their files" {
	need_bpf
	need g++ python3
	local name
	for name in left right; do
		cat >"$name.cc" <<-END
			struct $name { int number; $name(int number); };
			static volatile char page_of_${name}[8192] __attribute__((aligned(4096)));
			$name::$name(int number) : number(number) { page_of_${name}[4096] = 1; }
			static volatile int one = 1;
			static $name object(one);
			int use_$name() { return object.number; }
		END
	done
	echo 'int use_left(); int use_right(); int main() { return use_left() - use_right(); }' >main.cc
	g++ -O2 -g -flto left.cc right.cc main.cc -o merged || skip "no LTO here"
	record trace ./merged
	adds_up trace
	"$ELFAULT" analyze --initializers --format json merged trace >rows 2>messages
	cat rows
	grep -qE '"source":"(left.cc, right.cc|right.cc, left.cc)","faults":([2-9]|[1-9][0-9])' rows
	"$ELFAULT" analyze --initializers --wide merged trace 2>messages |
		grep -E 'globals of several files +(left.cc, right.cc|right.cc, left.cc)$'
	! grep -q main.cc rows
}

# jumping NUMBER TYPE: NUMBER.o, whose initializer is one jump to a .constprop that ends with a jump to
# TYPE's constructor, which touches a page of its own for it.
jumping() {
	cat >"$1.cc" <<-END
		struct $2 { $2(volatile char *page); };
		__attribute__((aligned(4096), visibility("hidden"))) volatile char page_$1[4096];
		#ifndef IS_shared
		$2::$2(volatile char *page) { page[16] = 1; }
		#endif
		static $2 object(page_$1);
	END
	g++ -O2 -g0 -fPIC -fno-inline "-DIS_$2" -c "$1.cc"
}

@test "initializers that leave by jumps are the same ones in every run" {
	need_bpf
	need g++ python3 setarch
	small 64m
	local number
	# Odd ones have a constructor each, the others share one. Which of 14, 15 and 16 it is nothing tells.
	for number in 1 3 5 7 9 11 13 17; do jumping "$number" "own$number"; done
	for number in 2 4 6 8 10 12 14 15 16; do jumping "$number" shared; done
	cat >shared.cc <<-END
		struct shared { shared(volatile char *page); };
		shared::shared(volatile char *page) { page[16] = 1; }
	END
	g++ -O2 -g0 -fPIC -c shared.cc
	g++ -shared -Wl,-Bsymbolic shared.o {1..17}.o -o small/libjumping.so
	echo 'int main() { return 0; }' >main.cc
	g++ -O2 -g0 -fPIE main.cc shared.o {1..17}.o -Wl,--no-as-needed small/libjumping.so \
		-Wl,-rpath,"$PWD/small" -o small/jumping
	hold
	cat >names.py <<-'END'
		import collections, json, sys
		named, counted = {}, collections.Counter()
		for line in sys.stdin:
		    fault = json.loads(line)
		    place, runs = fault["at"]["symbol"] or "", fault["initializer"] or {}
		    of = (runs.get("object") or "none").rsplit("/", 1)[-1]
		    if fault["initiator"] == "static-init" and "jumping" in of:
		        counted[of] += 1
		    if not place.startswith("page_"):
		        continue
		    number = place[5:]
		    assert (fault["initiator"], fault["certainty"]) == ("static-init", "stack"), fault
		    assert of == fault["at"]["object"].rsplit("/", 1)[-1], fault
		    assert runs["function"] in (f"_GLOBAL__sub_I_{number}.cc", f"_GLOBAL__sub_I_{place}", None), fault
		    named[of, int(number)] = runs["function"]
		print(sorted(named.items()), sorted(counted.items()))
		assert len(named) == 34, named
		assert sorted(key[1] for key in named if not named[key]) == [14, 14, 15, 15, 16, 16], named
	END
	local run backend=bpf
	for run in {1..7}; do
		[ "$run" -le 5 ] || backend=perf
		elfault record --backend "$backend" -o trace -- setarch -R small/jumping
		[ "$code" = 0 ] || fail "$(cat messages)"
		"$ELFAULT" analyze --format ndjson trace 2>messages | python3 names.py >"run$run" ||
			fail "run $run: $(cat messages "run$run")"
		cmp run1 "run$run" || fail "$(cat run1 "run$run")"
	done
}

@test "each initializer of clang's libraries" {
	need_bpf
	need clang nm python3
	record trace clang --version >version
	adds_up trace
}

@test "each initializer of node, with its source" {
	need_bpf
	need node nm python3
	record trace node --version >version
	adds_up trace
	local missing
	missing=$("$ELFAULT" analyze --initializers --format csv "$(basename "$(realpath "$(command -v node)")")" trace |
		awk -F , 'NR > 1 && $2 == ".init_array" && $6 == ""')
	[ -z "$missing" ] || fail "no source: $missing"
	# What constructs globals is called by the file that `map` gives, which the symbols tell.
	"$ELFAULT" analyze --initializers=all --top 0 --wide "$(basename "$(realpath "$(command -v node)")")" trace >text 2>messages
	grep -q ' globals of node_options.cc' text
	! grep '_GLOBAL__sub_I' text
}

# modules PROGRAM: array, name and pages of those with many faults
modules() {
	unset MALLOC_PERTURB_ # writes to all of a heap
	record "$1.trace" "./$1" >output
	"$ELFAULT" analyze --initializers --sort order --format json "$1.trace" 2>messages |
		jq -r '.initializers[] | select(.pages >= 50) | "\(.array) \(.package // .function) \(.pages / 100 | round)"'
	"$ELFAULT" analyze --format ndjson "$1.trace" | jq -r 'select(.initiator == "program" and .access == "write") | .seq' | wc -l >written
}

@test "OCaml's modules run in their order, and the last is the program" {
	need ocamlopt
	need_bpf
	printf 'let grow n = let b = Bytes.create (n * 4096) in for i = 0 to n - 1 do Bytes.set b (i * 4096) %s done; b\n' "'x'" >common.ml
	# Its name has two underscores, as those of modules within modules.
	echo 'let one = Common.grow 300' >second__part.ml
	echo 'let two = Common.grow 500' >first.ml
	echo 'let () = print_int (Bytes.length Second__part.one + Bytes.length First.two); ignore (Common.grow 700)' >last.ml
	ocamlopt common.ml second__part.ml first.ml last.ml -o program 2>messages
	[ "$(modules program)" = "modules Second__part 3
modules First 5" ]
	[ "$(cat written)" -ge 700 ]
}

@test "D's modules have their constructors, in a stripped program as well" {
	need_bpf
	cat >part.d <<-'END'
		module some.part;
		__gshared ubyte[] all;
		ubyte[] own;
		ubyte[] grow(size_t pages) { auto made = new ubyte[](pages * 4096); foreach (i; 0 .. pages) made[i * 4096] = 1; return made; }
		shared static this() { all = grow(300); }
		static this() { own = grow(500); }
	END
	printf 'module program;\nimport some.part;\nint main() { return grow(700).length == 0; }\n' >program.d
	local compiler built=
	for compiler in ldc2 gdc; do
		command -v $compiler >/dev/null || continue
		built=yes
		case $compiler in
		ldc2) ldc2 -of=program program.d part.d ;;
		gdc) gdc -o program program.d part.d ;;
		esac
		[ "$(modules program)" = "modules some.part 8" ] || fail "$compiler: $(modules program)"
		[ "$(cat written)" -ge 700 ] || fail "$compiler: $(cat written)"
		strip program
		[ "$(modules program)" = "modules some.part 8" ] || fail "$compiler, stripped: $(modules program)"
	done
	[ "$built" ] || skip "neither ldc2 nor gdc is installed"
}

@test "a constructor of Rust's has Rust's name" {
	need rustc
	need_bpf
	cat >program.rs <<-'END'
		#[used]
		#[link_section = ".init_array"]
		static CONSTRUCTOR: extern "C" fn() = construct;
		static mut PAGES: [u8; 4096 * 300] = [0; 4096 * 300];
		extern "C" fn construct() {
		    let start = unsafe { std::ptr::addr_of_mut!(PAGES) as *mut u8 };
		    for page in 0..300 {
		        unsafe { start.add(page * 4096).write_volatile(1) };
		    }
		}
		fn main() {}
	END
	rustc -O program.rs 2>messages || skip "rustc does not run"
	record trace ./program
	"$ELFAULT" analyze --initializers --format json trace |
		jq -e '[.initializers[] | select(.pages >= 299)] | length == 1 and .[0].array == ".init_array" and .[0].function == "program::construct"'
}
