#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Findings on real programs: silent where nothing is wrong, and as the tables say where something is.
load common

# ids TRACE: the findings, one a line.
ids() {
	"$ELFAULT" analyze --format json "$1" | jq -r '.findings[].id'
}

# hold_program NAME: it and its libraries.
hold_program() {
	local path
	path=$(type -P "$1")
	# shellcheck disable=SC2046 # a word each
	hold "$path" $(libraries "$path")
}

@test "small programs get no findings but of dynamic linking" {
	need_bpf
	need git jq
	local program
	for program in true 'git --version'; do
		# So that what is measured is no cold start.
		hold_program "${program%% *}"
		# shellcheck disable=SC2086 # the command is words
		record small.trace $program
		ids small.trace | grep -v '^dynamic-linking$' >found || true
		[ ! -s found ] || fail "$program: $(cat found)"
	done
}

@test "findings on clang agree with the faults, and cost no more than there are" {
	need_bpf
	need clang-14
	hold_program clang-14
	record clang.trace clang-14 --version
	"$ELFAULT" analyze --format json --faults clang.trace >clang.json
	# Asked for alone, a file has the findings that the whole has of it.
	"$ELFAULT" analyze --format json libLLVM-14.so.1 clang.trace |
		jq -c '[.findings[] | .id as $id | .files[] | [$id, .faults, .evidence]] | sort' >alone
	jq -c '[.findings[] | .id as $id | .files[] | select(.object | endswith("/libLLVM-14.so.1")) |
		[$id, .faults, .evidence]] | sort' clang.json >whole
	grep -q relocated whole || fail "no findings of libLLVM"
	cmp whole alone
	python3 - clang.json <<'EOF'
import json, sys

document = json.load(open(sys.argv[1]))
faults = document["faults"]
found = {}
for finding in document["findings"]:
    for file in finding["files"] or [finding]:
        found[finding["id"], (file["object"] or "").rsplit("/", 1)[-1]] = file
    # What several files have is one finding.
    assert finding["faults"] == sum(file["faults"] for file in finding["files"] or [finding]), finding
    assert finding["for"] == finding["cures"][0]["for"], finding
    assert 0 < finding["faults"] <= len(faults), finding
    # What goes with a file faults elsewhere as well, which is saved with it.
    assert finding["saves"]["is"] in ("prediction", "at-most", "at-least"), finding
    assert not finding["saves"]["error"] or finding["saves"]["is"] == "prediction", finding
    if finding["id"] not in ("hardly-used-library", "dynamic-linking", "large-symbol-tables"):
        assert finding["saves"]["duration_ns"] <= finding["duration_ns"] + finding["cpu_ns"], finding
        assert finding["saves_faults"] <= finding["faults"], finding
    assert 0 <= finding["saves_faults"], finding
    assert finding["pages"] > 0, finding
    assert finding["duration_ns"] <= sum(f["duration_ns"] or 0 for f in faults), finding

llvm = "libLLVM-14.so.1"


def count(condition):
    return sum(bool(condition(f)) for f in faults)


def on(fault, section):
    return (fault["at"]["object"] or "").endswith(llvm) and fault["at"]["section"] == section


expected = {
    "relocated-data": count(lambda f: f["initiator"] == "relocation" and on(f, ".data.rel.ro")),
    "relative-relocations-without-relr": count(
        lambda f: f["initiator"] == "relocation"
        and (on(f, ".rela.dyn") or on(f, ".rela.plt"))),
    "costly-initializers": count(
        lambda f: f["initializer"] and f["initializer"]["object"].endswith(llvm)),
    "sparse-code": count(
        lambda f: f["access"] == "exec" and f["mechanism"] == "file-map"
        and (f["at"]["object"] or "").endswith(llvm)),
}
for rule, cost in expected.items():
    assert found[rule, llvm]["faults"] == cost, (rule, found[rule, llvm], cost)
assert found["lookup-scope", ""]["faults"] == count(lambda f: f["initiator"] == "symbol-lookup")
EOF
}

@test "looking names up is told by its time where it hardly faults" {
	need_bpf
	need gcc jq
	local library
	# Libraries that take the addresses of their own functions by name.
	for library in 1 2 3 4 5 6 7 8 9 10; do
		awk -v library="$library" 'BEGIN {
			for (i = 0; i < 6000; i++)
				printf "void a_function_of_library_%d_number_%d(void) {}\n", library, i
			printf "void (*const table%d[])(void) = {", library
			for (i = 0; i < 6000; i++)
				printf "a_function_of_library_%d_number_%d,", library, i
			print "};"
		}' >"$library.c"
		gcc -O0 -fPIC -shared -o "lib$library.so" "$library.c"
	done
	echo 'int main(void) {}' >main.c
	gcc -o main main.c -Wl,--no-as-needed -Wl,-rpath,"$PWD" ./lib*.so
	"$ELFAULT" record --quiet --cpu 10000 -o main.trace -- ./main
	"$ELFAULT" analyze --format json main.trace >main.json
	# No more than a tenth of the faults, most of the time.
	jq -e '.findings[] | select(.id == "lookup-scope") |
		.title == "Names are searched in up to 13 files" and .cpu_ns > 1000000 and
		.saves.duration_ns > 1000000' main.json
	"$ELFAULT" analyze main.trace >screen
	grep -q 'Names are searched in up to 13 files' screen
	run ! grep -q 'No finding' screen
}

# relink FILE LIBRARY OPTION: whether it applies, and why.
relink() {
	jq -r --arg library "$2" --arg option "$3" '.objects[] | select(.path | endswith($library)) |
		.relocation.relinks[] | select(.option == $option) | "\(.applies) \(.reason)"' "$1"
}

@test "a library whose symbols the program replaces or copies is not to be bound within" {
	need_bpf
	need gcc jq
	cat >library.c <<'END'
int number = 1;
int *address(void) { return &number; }
const char *setting(void) { return "library"; }
const char *ask(void) { return setting(); }
const char *(*const table[])(void) = { setting, ask };
__attribute__((weak)) int vague(void) { return 1; }
int (*const vague_table[])(void) = { vague };
END
	gcc -O0 -fPIC -shared -Wl,-z,now -o liblibrary.so library.c
	cat >program.c <<'END'
#include <stdio.h>
const char *ask(void);
extern int number;
#ifdef REPLACES
const char *setting(void) { return "program"; }
#endif
__attribute__((weak)) int vague(void) { return 1; }
int main(void)
{
#ifdef COPIES
	printf("%d\n", number);
#endif
	puts(ask());
}
END
	gcc -rdynamic -o plain program.c ./liblibrary.so
	gcc -rdynamic -DREPLACES -o replaces program.c ./liblibrary.so
	gcc -rdynamic -DREPLACES -Wl,--hash-style=sysv -o sysv program.c ./liblibrary.so
	gcc -no-pie -fno-pie -DCOPIES -o copies program.c ./liblibrary.so
	local program
	for program in plain replaces sysv copies; do
		"$ELFAULT" record --quiet -o "$program.trace" -- "./$program" >"$program.out"
		"$ELFAULT" analyze --format json "$program.trace" >"$program.json"
	done
	relink plain.json liblibrary.so -Bsymbolic | grep '^true '
	relink plain.json liblibrary.so -Bsymbolic-functions | grep '^true '
	for program in replaces sysv; do
		relink "$program.json" liblibrary.so -Bsymbolic-functions |
			grep -x "false $program replaces setting: the library would use its own instead"
		relink "$program.json" liblibrary.so -Bsymbolic | grep "^false $program replaces setting"
	done
	relink copies.json liblibrary.so -Bsymbolic |
		grep "^false copies has a copy of number: the library would use its own instead"
	relink copies.json liblibrary.so -Bsymbolic-functions | grep '^true '

	# The linker does what was refused: the program prints another word.
	grep -x program replaces.out
	gcc -O0 -fPIC -shared -Wl,-z,now -Wl,-Bsymbolic-functions -o liblibrary.so library.c
	./replaces | grep -x library
}

# A file that is on disk only, walked page by page as a mapping. Without read-around, which may bring
# megabytes at once, each page is waited for.
walk() {
	/usr/bin/python3 -c '
import mmap, os, sys
with open("walked", "r+b") as file:
    os.fsync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    pages = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    pages.madvise(mmap.MADV_RANDOM)
    places = range(0, len(pages), mmap.PAGESIZE)
    for at in (reversed(places) if sys.argv[1] == "backward" else places):
        pages[at]' "$1"
}

@test "a file that is read backward from disk is told from one that is read forward" {
	need_bpf
	need /usr/bin/python3 jq
	export -f walk
	head -c 1M /dev/urandom >walked
	local direction
	for direction in forward backward; do
		record "$direction.trace" bash -c "walk $direction"
	done
	ids forward.trace >forward
	ids backward.trace >backward
	grep -qx cold-start backward || skip "the file stays in memory here: nothing is waited for"
	run ! grep -qx backward-runs forward
	grep -qx backward-runs backward
}

@test "the condition of each finding leaves its faults" {
	need_bpf
	need clang-14 jq
	hold_program clang-14
	record clang.trace clang-14 --version
	"$ELFAULT" analyze --format json clang.trace >clang.json
	local found=0 where faults shown
	while IFS=$'\t' read -r faults where; do
		found=$((found + 1))
		shown=$("$ELFAULT" analyze --format ndjson --where "$where" clang.trace | wc -l)
		[ "$shown" -ge "$faults" ] || fail "$where leaves $shown faults, not $faults"
	done < <(jq -r '.findings[] | select(.where) | [.faults, .where] | join("\t")' clang.json)
	[ "$found" -ge 3 ] || fail "only $found findings with a condition"
}

# saving ID TRACE: the faults that following this finding saves.
saving() {
	"$ELFAULT" analyze --format json "$2" | jq -r --arg id "$1" '.findings[] | select(.id == $id) | .saves.faults'
}

# faults TRACE
faults() {
	"$ELFAULT" analyze --format json "$1" | jq .counts.recorded
}

# near A B: do they differ by at most a twentieth of A, or by 5?
near() {
	local by=$(($1 > $2 ? $1 - $2 : $2 - $1))
	[ "$by" -le 5 ] || [ $((by * 20)) -le "$1" ]
}

@test "advice that is followed to the letter saves what it says" {
	need_bpf
	need gcc jq
	local promised saved command

	# A library of 320 KiB of pointers that the program names, and does not use: data that both define is
	# the program's own.
	{
		echo '__attribute__((weak)) int both = 1;'
		echo 'int d[4]; int *const volatile table[] = {'
		seq 40000 | awk '{ print "&d[" $1 % 4 "]," }'
		echo '};'
	} >lib.c
	echo '__attribute__((weak)) int both = 1; int main(void) { return 0; }' >app.c
	gcc -shared -fPIC -o libidle.so lib.c -Wl,-soname,libidle.so
	gcc -o named app.c -Wl,--no-as-needed -L. -lidle -Wl,-rpath,"$PWD"
	gcc -o dropped app.c -Wl,--as-needed -L. -lidle -Wl,-rpath,"$PWD"
	hold "$PWD/libidle.so" "$PWD/named" "$PWD/dropped"
	record named.trace ./named
	record dropped.trace ./dropped
	"$ELFAULT" analyze --format json named.trace |
		jq -e '.findings[] | select(.id == "hardly-used-library") | .for == "link" and
			(.evidence | contains("which uses none of its symbols"))' >/dev/null || fail "not told to drop it"
	promised=$(saving hardly-used-library named.trace)
	saved=$(($(faults named.trace) - $(faults dropped.trace)))
	near "$promised" "$saved" || fail "as needed: $promised promised, $saved saved"

	# Three MiB that malloc gives back and takes again.
	cat >again.c <<'EOC'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	static char *part[3000];
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 3000; i++)
			memset(part[i] = malloc(1000), 1, 1000);
		for (int i = 0; i < 3000; i++)
			free(part[i]);
	}
	return 0;
}
EOC
	gcc -fno-builtin -o again again.c
	record again.trace ./again
	promised=$(saving returned-memory again.trace)
	[ -n "$promised" ] || fail "malloc gave nothing back"
	command=$("$ELFAULT" analyze --format json again.trace | jq -r '.findings[] | select(.id == "returned-memory") |
		.cures[] | select(.for == "run").advice' | grep -o 'GLIBC_TUNABLES=[^ ]*')
	export "${command?}"
	record kept.trace ./again
	unset GLIBC_TUNABLES
	saved=$(($(faults again.trace) - $(faults kept.trace)))
	near "$promised" "$saved" || fail "returned memory: $promised promised, $saved saved"
}

# told TRACE: what many-programs and fork-copies say first.
told() {
	"$ELFAULT" analyze --format json "$1" |
		jq -r '.findings[] | select(.id == "many-programs" or .id == "fork-copies") | .cures[0].advice'
}

@test "a shell is told to use builtins, under the name of its script as well, and other programs are not" {
	need_bpf
	need perl jq
	# The shell forks: what it starts is not the last command.
	printf '#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9; do /bin/true | /bin/true; done\n' >configure
	chmod +x configure
	record script.trace ./configure
	told script.trace >script
	grep -q 'in the shell script, use builtins' script || fail "script: $(cat script)"
	# shellcheck disable=SC2016 # of perl
	record perl.trace perl -e 'for (1 .. 18) { fork or exec "/bin/true"; wait }'
	told perl.trace >perl
	grep -q 'fewer programs' perl || fail "perl: $(cat perl)"
	! grep builtins perl || fail "perl: $(cat perl)"
}
