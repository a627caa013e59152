#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the times that elfault promises against programs linked as it says: docs/measured/promises.md.

usage: times.py ELFAULT SOURCES [--only NAME[,NAME]] [--rounds N] [--keep DIR]

SOURCES is a folder with the sources of Debian's ninja-build, cppcheck and sqlite3, as `apt-get source` unpacks them,
and with libprotobuf-dev and libprotoc-dev unpacked in it by `dpkg-deb -x`; ld.lld takes liblld-14-dev, libpolly-14-dev
and llvm-14-dev. The programs are linked as PIE with shared libraries, recorded, linked as each cure says, and started
unrecorded, all in turn; predicted from the set of traces.
The processor time of a start is what wait4 counts, user and system. Prints Markdown.
"""
import argparse
import glob
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import whatif

PROTOC_CC = """
#include <google/protobuf/compiler/command_line_interface.h>
#include <google/protobuf/compiler/cpp/cpp_generator.h>
#include <google/protobuf/compiler/java/java_generator.h>
#include <google/protobuf/compiler/python/python_generator.h>
int main(int argc, char **argv)
{
	google::protobuf::compiler::CommandLineInterface command;
	google::protobuf::compiler::cpp::CppGenerator cpp;
	google::protobuf::compiler::java::JavaGenerator java;
	google::protobuf::compiler::python::Generator python;
	command.RegisterGenerator("--cpp_out", &cpp, "");
	command.RegisterGenerator("--java_out", &java, "");
	command.RegisterGenerator("--python_out", &python, "");
	return command.Run(argc, argv);
}
"""
LLD_CC = """
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
int main(int argc, char **argv)
{
	return !lld::elf::link({(const char **)argv, (size_t)argc}, llvm::outs(), llvm::errs(), true, false);
}
"""
SMALL = 0.05  # of the start: less is lost in the noise of 0.1 ms
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


class Source:
    """A program of several files, made one object, and the word of its command line."""

    def __init__(self, name, files, flags="", shared="", static="", is_cxx=True, words=("--version",)):
        self.name, self.files, self.build_flags, self.words = name, files, flags.split(), list(words)
        self.shared, self.static, self.is_cxx = shared.split(), static.split(), is_cxx
        self.flags = [flag for flag in self.build_flags if flag.startswith("-fuse")]


SKIPPED = ("_test.cc", "test.cc", "perftest", "win32", "minidump", "msvc", "hash_collision", "browse", ".in.cc", "getopt")
SOURCES = [
    Source("ninja", "ninja-build-*/src/*.cc", "-DNDEBUG"),
    Source("cppcheck", "cppcheck-*/{cli,lib,externals/simplecpp,externals/tinyxml2}/*.cpp",
           "-std=c++11 -O1 -DNDEBUG -DFILESDIR=\"/usr/share/cppcheck\" -I{0}/lib -I{0}/cli -I{0}/externals/simplecpp "
           "-I{0}/externals/tinyxml2 -I{0}/externals/picojson"),
    Source("sqlite3", "sqlite3-*/shell.c", "-DSQLITE_HAVE_ZLIB=1", "-lsqlite3 -lz", "-lsqlite3 -lz -lm",
           is_cxx=False),
    Source("protoc", "protoc.cc", "-I{sources}/usr/include", "-l:libprotoc.so.32 -l:libprotobuf.so.32",
           f"-L{{sources}}{LIBRARIES} -lprotoc -lprotobuf -lz"),
    Source("ld.lld", "lld.cc", f"-I{whatif.LLVM}/include -std=c++17 -fno-rtti -fuse-ld=lld",
           f"-L{whatif.LLVM}/lib -llldELF -llldCommon -lLLVM-14 -lz", "-llldELF -llldCommon @llvm"),
]


def files_of(source, folder):
    head, _, rest = source.files.partition("{")
    names, _, tail = rest.partition("}")
    patterns = [head + name + tail for name in names.split(",")] if rest else [source.files]
    found = [path for pattern in patterns for path in sorted(glob.glob(str(folder / pattern)))]
    return [path for path in found if not any(word in os.path.basename(path) for word in SKIPPED)]


def build(source, folder, work):
    """SOURCES's files as one object in work."""
    (folder / "protoc.cc").write_text(PROTOC_CC)
    (folder / "lld.cc").write_text(LLD_CC)
    for shell in folder.glob("sqlite3-*/tool/mkshellc.tcl"):
        made = subprocess.run(["tclsh", "tool/mkshellc.tcl"], cwd=shell.parent.parent, check=True, capture_output=True)
        (shell.parent.parent / "shell.c").write_bytes(made.stdout)
    files = files_of(source, folder)
    if not files:
        print(f"{source.name}: no sources", file=sys.stderr)
        return False
    root = folder / pathlib.Path(files[0]).relative_to(folder).parts[0]
    fill = [flag.replace("{0}", str(root)).replace("{sources}", str(folder)) for flag in source.build_flags]
    compiler = "g++" if source.is_cxx else "gcc"
    objects = []
    for path in files:
        made = work / f"{source.name}-{len(objects)}.o"
        whatif.run([compiler, "-O2", "-fPIE", *fill, "-c", path, "-o", made])
        objects.append(made)
    whatif.run(["ld", "-r", "-o", work / f"{source.name}.o", *objects])
    return True


def start(binary, words):
    """The processor time of one start, in ms."""
    with open(os.devnull, "w", encoding="ascii") as nothing:
        child = subprocess.Popen([binary, *words], stdout=nothing, stderr=nothing, stdin=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    return 1000 * (usage.ru_utime + usage.ru_stime)


def interval(values):
    """The median, and how far from it half of the values lie."""
    quartiles = statistics.quantiles(values, n=4)
    return statistics.median(values), (quartiles[2] - quartiles[0]) / 2


def measure(elfault, binaries, words, folder, rounds):
    """Processor times of each. In every round the first is recorded and all are started, so that what else the machine
    does, and how fast it is just then, falls on all alike."""
    times = [[] for _ in binaries]
    folder.mkdir()
    for binary in binaries:
        start(binary, words)
    for number in range(rounds):
        whatif.run([elfault, "record", "--quiet", "-o", folder / f"{number + 1}.trace", "--", binaries[0], *words])
        for binary, column in zip(binaries, times):
            column.append(start(binary, words))
    return times


def links_of(source, work):
    """Each cure and the program linked so."""
    links = {}
    for cure, mode, is_static, extra in whatif.LINKS:
        binary = whatif.link(source, work, f"{source.name}-{cure}", mode, is_static, extra)
        if binary:
            links[cure] = binary
    return links


def compare(elfault, source, work, rounds):
    base = whatif.link(source, work, f"{source.name}-base", "-pie", False, [])
    if not base:
        return
    links = links_of(source, work)
    traces = work / f"{source.name}.repeats"
    shutil.rmtree(traces, ignore_errors=True)
    before, *afters = measure(elfault, [base, *links.values()], source.words, traces, rounds)
    told = json.loads(whatif.run([elfault, "whatif", "--format", "json", base, traces]).stdout)
    rows = {cure["cure"]: cure for cure in told["cures"]}
    whole = told["before"]["duration_ns"] / 1e6
    for cure, after in zip(links, afters):
        row = rows[cure]
        promise = whole - row["after"]["duration_ns"] / 1e6 if row["applies"] else 0
        if promise < SMALL * whole:
            continue
        saved, spread = interval([a - b for a, b in zip(before, after)])
        sign = {"at-most": "≤ ", "at-least": "≥ "}.get(row["saves"], "")
        error = f" ± {row['error_ns'] / 1e6:.2f}" if row["error_ns"] else ""
        print(f"| {source.name} | {cure} | {statistics.median(before):.2f} | {whole:.2f} | {sign}{promise:.2f}{error} | "
              f"{saved:.2f} ± {spread:.2f} | {promise / saved if saved > 0 else float('inf'):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("elfault", type=pathlib.Path)
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    work = given.keep or pathlib.Path(tempfile.mkdtemp())
    work.mkdir(exist_ok=True)
    print("| program | cure | start, ms | told | promised | saved | promised / saved |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for program in [*SOURCES, *whatif.PROGRAMS]:
        if given.only and program.name not in given.only.split(","):
            continue
        if isinstance(program, Source):
            program.static = [flag.replace("{sources}", str(given.sources.resolve())) for flag in program.static]
            ok = (work / f"{program.name}.o").exists() or build(program, given.sources.resolve(), work)
        else:
            program.words = []
            ok = whatif.compile_program(program, work)
        if ok:
            compare(given.elfault.resolve(), program, work, given.rounds)


main()
