#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the source files that elfault gives to initializers, by compiler, linker and kind of LTO.

    sources.py ELFAULT

Three C++ files, each with initializers, and one without are linked in many ways. Each program says
in which order its files were initialized: the sources, read in the order that the initializers run,
must say the same. With DWARF every one must be there; with .symtab alone a source may be missing
only where no file's name is left in the symbols; without both there must be none. Where no LTO was
used addr2line must agree. Prints TAP.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import finish, report

ELFAULT = sys.argv[1]
READELF = shutil.which("readelf")
ADDR2LINE = shutil.which("addr2line")
CLANG = shutil.which("clang++") or shutil.which("clang++-14")

HEADER = """
#include <string>
extern "C" int seed();
extern "C" void note(char letter);
template <char letter> struct thing {
	std::string text;
	int number;
	thing(int count) : text(count, letter), number(count) { note(letter); }
	~thing() { number = 0; }
};
"""
FILE = """
#include "thing.h"
static thing<'%(letter)s'> first(seed() + 1);
namespace inner { thing<'%(letter)s'> second_%(letter)s(seed() + 2); }
int use_%(letter)s() { return first.number + inner::second_%(letter)s.number; }
"""
# main.cc has no initializer, but the others' read its variables once all is inlined.
MAIN = """
#include <stdio.h>
int use_a(); int use_b(); int use_c();
static volatile int base = 3;
static char order[64];
static int length;
extern "C" int seed() { return base; }
extern "C" void note(char letter) { order[length++] = letter; }
int main() { printf("%s\\n", order); return use_a() + use_b() + use_c() == 1; }
"""
# Constructors that linkers make local: nothing says any more which file they are of.
PLAIN = """
static int ran;
__attribute__((constructor, visibility("hidden"))) void hidden_constructor(void) { ran++; }
__attribute__((constructor)) void local_by_script(void) { ran++; }
__attribute__((constructor)) static void own_constructor(void) { ran++; }
"""

# A merged function that is described, as no compiler at hand does it: what is inlined tells the files.
# .Lb lies ahead of .La in the code, behind it in the DWARF.
INLINED = """
	.text
merged:
.Lstart:
	nop
.Lb:
	nop
.La:
	ret
.Lend:
	.section .init_array, "aw"
	.quad merged
	.section .debug_abbrev
	.uleb128 1; .uleb128 0x11; .byte 1			# compile_unit with children
	.uleb128 0x03; .uleb128 0x08; .uleb128 0x11; .uleb128 0x01	# name, low_pc
	.uleb128 0x12; .uleb128 0x07; .byte 0, 0		# high_pc
	.uleb128 2; .uleb128 0x2e; .byte 1			# subprogram with code
	.uleb128 0x11; .uleb128 0x01; .uleb128 0x12; .uleb128 0x07; .byte 0, 0
	.uleb128 3; .uleb128 0x1d; .byte 0			# inlined_subroutine
	.uleb128 0x31; .uleb128 0x10; .uleb128 0x11; .uleb128 0x01	# abstract_origin, low_pc
	.uleb128 0x12; .uleb128 0x07; .byte 0, 0
	.uleb128 4; .uleb128 0x11; .byte 1			# compile_unit without code
	.uleb128 0x03; .uleb128 0x08; .byte 0, 0
	.uleb128 5; .uleb128 0x2e; .byte 0			# subprogram, only named
	.uleb128 0x03; .uleb128 0x08; .byte 0, 0
	.byte 0
	.section .debug_info
.Linfo:
	.long .Lunit1 - . - 4
	.value 4; .long .debug_abbrev; .byte 8
	.uleb128 1; .asciz "<artificial>"; .quad .Lstart; .quad .Lend - .Lstart
	.uleb128 2; .quad .Lstart; .quad .Lend - .Lstart
	.uleb128 3; .long .Lorigin_a - .Linfo; .quad .La; .quad .Lend - .La
	.uleb128 3; .long .Lorigin_b - .Linfo; .quad .Lb; .quad .La - .Lb
	.byte 0, 0
.Lunit1:
	.long .Lunit2 - . - 4
	.value 4; .long .debug_abbrev; .byte 8
	.uleb128 4; .asciz "one/a.cc"
.Lorigin_a:
	.uleb128 5; .asciz "__static_initialization_and_destruction_0"
	.byte 0
.Lunit2:
	.long .Lunits_end - . - 4
	.value 4; .long .debug_abbrev; .byte 8
	.uleb128 4; .asciz "two/b.cc"
.Lorigin_b:
	.uleb128 5; .asciz "__static_initialization_and_destruction_0"
	.byte 0
.Lunits_end:
"""


def initializers(path):
    text = subprocess.run([ELFAULT, "map", "--format", "json", path], check=True,
                          capture_output=True).stdout
    return json.loads(text)["initializers"]


def files_of(path):
    """The sources of the C++ files' initializers in the order they run: ["a.cc", ...]."""
    ours = []
    for entry in initializers(path):
        if entry["array"] == ".init_array" and entry["function"] != "frame_dummy":
            ours.append(entry["source"])
    return ours


def run_order(path):
    """"ccbbaa" of the program itself as ["c.cc", "b.cc", "a.cc"]."""
    text = subprocess.run([path], check=True, capture_output=True, text=True).stdout.strip()
    order = []
    for letter in text:
        if letter + ".cc" not in order:
            order.append(letter + ".cc")
    return order


def check_with_dwarf(path):
    found, expected = files_of(path), run_order(path)
    listed = ", ".join(source or "none" for source in found)
    return None if listed == ", ".join(expected) else f"{found}, but the program ran {expected}"


def check_by_addr2line(path):
    problems = []
    for entry in initializers(path):
        if not (entry["function"] or "").startswith("_GLOBAL__"):
            continue
        text = subprocess.run([ADDR2LINE, "-i", "-e", path, entry["vaddr"]], check=True,
                              capture_output=True, text=True).stdout
        # The outermost of the inlined frames is the initializer itself.
        theirs = os.path.basename(text.splitlines()[-1].split(":")[0])
        if entry["source"] != theirs:
            problems.append(f"{entry}: addr2line says {theirs}")
    return "\n".join(problems) or None


def check_by_symtab(path, whole):
    """No source that is wrong; all of them where @whole."""
    found, expected = files_of(path), run_order(path)
    if whole:
        return None if found == expected else f"{found}, not {expected}"
    wrong = [source for source in found if source is not None]
    return f"{wrong} from a symbol table that cannot tell" if wrong else None


@functools.cache
def objects_of(directory, compiler, *flags):
    """The files, compiled once for all that link them; None where the compiler cannot."""
    objects = []
    for file in "a", "b", "c", "main":
        objects.append(os.path.join(directory, "".join((os.path.basename(compiler), *flags, file, ".o"))))
        made = subprocess.run([compiler, *flags, "-g", "-fPIC", "-c", file + ".cc", "-o",
                               objects[-1]], cwd=directory, capture_output=True)
        if made.returncode:
            return None
    return objects


def build(directory, name, compiler, flags, link):
    path = os.path.join(directory, name)
    objects = objects_of(directory, compiler, *flags)
    if not objects:
        return None
    made = subprocess.run([compiler, *flags, *link, "-g", *objects, "-o", path], cwd=directory,
                          capture_output=True)
    return path if made.returncode == 0 else None


def variants():
    """(name, compiler, flags, link flags, LTO's kind)"""
    for linker in "bfd", "gold", "lld", "mold":
        if shutil.which("ld." + linker):
            yield f"gcc-{linker}", "g++", ["-O2"], ["-fuse-ld=" + linker], None
    yield "gcc-no-pie", "g++", ["-O2", "-fno-pie"], ["-no-pie"], None
    for level in "-O0", "-Og", "-O2", "-O3":
        yield f"gcc-lto{level}", "g++", [level, "-flto"], [], "merged"
    yield "gcc-lto-no-pie", "g++", ["-O2", "-flto", "-fno-pie"], ["-no-pie"], "merged"
    for partition in "one", "1to1", "max":
        yield f"gcc-lto-{partition}", "g++", ["-O2", "-flto"], ["-flto-partition=" + partition], "merged"
    yield "gcc-lto-dwarf4", "g++", ["-O2", "-flto", "-gdwarf-4"], [], "merged"
    if CLANG:
        yield "clang-lld", CLANG, ["-O2"], ["-fuse-ld=lld"], None
        yield "clang-lto", CLANG, ["-O2", "-flto"], ["-fuse-ld=lld"], "named"
        yield "clang-thin", CLANG, ["-O2", "-flto=thin"], ["-fuse-ld=lld"], "named"


def check_localized(directory, linker):
    """Functions that were global when compiled: .symtab no longer tells their file."""
    with open(os.path.join(directory, "plain.c"), "w", encoding="utf-8") as file:
        file.write(PLAIN)
    with open(os.path.join(directory, "script"), "w", encoding="utf-8") as file:
        file.write("{ global: use_*; local: *; };\n")
    path = os.path.join(directory, "localized-" + linker)
    made = subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-x", "c", "plain.c", "-x", "c++",
                           "a.cc", "b.cc", "-fuse-ld=" + linker, "-Wl,--version-script=script",
                           "-o", path], cwd=directory, capture_output=True)
    if made.returncode:
        print(f"# {linker}: no version script")
        return
    truth = {"hidden_constructor": "plain.c", "local_by_script": "plain.c",
             "own_constructor": "plain.c"}
    wrong, found = [], {}
    for entry in initializers(path):
        found[entry["function"]] = entry["source"]
        if entry["function"] in truth and entry["source"] not in (truth[entry["function"]], None):
            wrong.append(entry)
    if found.get("own_constructor") != "plain.c":
        wrong.append(f"own_constructor has {found.get('own_constructor')}")
    report("\n".join(map(str, wrong)), f"localized by {linker}: no wrong file")


def check_inlined(directory):
    with open(os.path.join(directory, "inlined.s"), "w", encoding="utf-8") as file:
        file.write(INLINED)
    path = os.path.join(directory, "inlined")
    made = subprocess.run(["gcc", "-shared", "-nostdlib", "inlined.s", "-o", path], cwd=directory,
                          capture_output=True)
    if made.returncode:
        print("# the assembler here is of another machine")
        return
    theirs = subprocess.run([READELF, "--debug-dump=info", path], check=True, capture_output=True)
    sources = [entry["source"] for entry in initializers(path)]
    report(theirs.stderr.decode() or
           (None if sources == ["two/b.cc, one/a.cc"] else f"{sources}"),
           "inlined subroutines tell the files of a merged function")


def main():
    if not READELF or not ADDR2LINE or not shutil.which("g++"):
        print("1..0 # SKIP g++, readelf and addr2line are needed")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        directory = os.path.realpath(directory)
        for name, text in ("thing.h", HEADER), ("main.cc", MAIN):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        for letter in "abc":
            with open(os.path.join(directory, letter + ".cc"), "w", encoding="utf-8") as file:
                file.write(FILE % {"letter": letter})
        built = 0
        for name, compiler, flags, link, lto in variants():
            path = build(directory, name, compiler, flags, link)
            if not path:
                print(f"# {name}: cannot be built here")
                continue
            built += 1
            report(check_with_dwarf(path), f"{name}: files as the program ran them")
            if not lto:
                report(check_by_addr2line(path), f"{name}: as addr2line has them")
            subprocess.run(["strip", "-g", path], check=True)
            report(check_by_symtab(path, lto != "merged"), f"{name}: by .symtab alone")
            subprocess.run(["strip", path], check=True)
            report(check_by_symtab(path, False), f"{name}: none without symbols")
        report(None if built else "no compiler could build anything", f"{built} ways to link")
        for linker in "bfd", "gold", "lld", "mold":
            if shutil.which("ld." + linker):
                check_localized(directory, linker)
        check_inlined(directory)
    return finish()


sys.exit(main())
