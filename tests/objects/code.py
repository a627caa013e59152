#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare sources and inlined functions with addr2line and llvm-symbolizer.

usage: code.py CODEDUMP FIXTURES [FILE...]

Builds fixtures/programs/inlined.cc in many ways and asks for every instruction of each result (of
a FILE that has DWARF: for some thousands). What we say must be what addr2line -i -f or
llvm-symbolizer says, word for word, but for the outermost function, which comes from the symbol
table. Two referees, for neither is always right: binutils 2.40 does not find ranges of DWARF 5 as
clang writes them and takes some file names of gcc's from the wrong row; for code without DWARF both
guess a file's name from the symbol table. Prints TAP.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from tap import finish, report

CODEDUMP, FIXTURES = map(os.path.abspath, sys.argv[1:3])
FILES = sys.argv[3:]
SOURCE = os.path.join(FIXTURES, "programs", "inlined.cc")
ADDRESSES_MAX = 4000

ADDR2LINE = shutil.which("addr2line")
SYMBOLIZER = shutil.which("llvm-symbolizer") or shutil.which("llvm-symbolizer-14")
OBJDUMP = shutil.which("objdump")

VARIANTS = {
    "g++": ["g++", "-O2"],
    "g++ -gdwarf-4": ["g++", "-O2", "-gdwarf-4"],
    "g++ -O0": ["g++", "-O0"],
    "g++ -O3 -gz --gc-sections": ["g++", "-O3", "-gz", "-ffunction-sections", "-Wl,--gc-sections"],
    "g++ -flto": ["g++", "-O2", "-flto"],
    "g++ -static": ["g++", "-O2", "-static", "-no-pie"],
    "clang++": ["clang++", "-O2"],
    "clang++ -gdwarf-4": ["clang++", "-O2", "-gdwarf-4"],
    "clang++ -gdwarf-5": ["clang++", "-O2", "-gdwarf-5"],
    "clang++ -gdwarf-5 lld --icf": ["clang++", "-O2", "-gdwarf-5", "-ffunction-sections",
                                    "-fuse-ld=lld", "-Wl,--gc-sections", "-Wl,--icf=all"],
    "clang++ -flto": ["clang++", "-O2", "-flto", "-fuse-ld=lld"],
}


def instructions(path):
    """The addresses of instructions, by objdump; of many a sample, always the same."""
    text = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout
    found = sorted({int(a, 16) for a in re.findall(r"^\s+([0-9a-f]+):\t", text, re.MULTILINE)})
    if len(found) > ADDRESSES_MAX:
        found = sorted(random.Random(1).sample(found, ADDRESSES_MAX))
    return found


def ask(command, addresses):
    """({address: [function, place, function, place ...]}, notes), innermost first."""
    run = subprocess.run(command, input="\n".join(map(hex, addresses)) + "\n", check=True,
                         capture_output=True, text=True)
    answers, answer = {}, []
    for line in run.stdout.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            answer = answers.setdefault(int(line, 16), [])
            continue
        # Each has its way to write that no line is known.
        line = re.sub(r" \(discriminator \d+\)$", "", line)
        answer.append(re.sub(r"^\?\?:.*|(?<=:)0$", lambda m: "??" if m[0][0] == "?" else "?", line))
    return answers, run.stderr


def comparable(answer):
    """Without the outermost function's name."""
    return answer[:-2] + answer[-1:]


def is_guess(answer):
    """Code without DWARF: no line, and a file's name without a folder."""
    return len(answer) == 2 and (answer[1] == "??" or
                                 (answer[1].endswith(":?") and "/" not in answer[1]))


def check_file(path, name, wants_note=None):
    addresses = instructions(path)
    ours, notes = ask([CODEDUMP, path], addresses)
    binutils, _ = ask([ADDR2LINE, "-a", "-i", "-f", "-e", path], addresses)
    llvm, _ = ask([SYMBOLIZER, "--output-style=GNU", "-a", "-i", "-f", "--no-demangle", "-e", path],
                  addresses)
    if wants_note:
        report(None if wants_note in notes else f"no note with {wants_note!r}: {notes}",
               f"{name}: a note tells what is missing")
        ours = {a: answer[:2] for a, answer in ours.items()}
        binutils = {a: answer[:2] for a, answer in binutils.items()}
        llvm = {a: answer[:2] for a, answer in llvm.items()}
    elif notes:
        report(notes, f"{name}: no notes")
    known, different = 0, []
    for address in addresses:
        mine = ours[address]
        known += mine[1] != "??"
        if comparable(mine) in (comparable(binutils[address]), comparable(llvm[address])):
            continue
        if mine[1] == "??" and len(mine) == 2 and (is_guess(binutils[address]) or
                                                   is_guess(llvm[address])):
            continue
        different.append(f"{address:#x}: {mine}\n  addr2line {binutils[address]}\n"
                         f"  llvm {llvm[address]}")
    few = known < 50
    report("\n".join(different[:5]) or ("hardly anything is known" if few else None),
           f"{name}: {known} of {len(addresses)} instructions known, {len(different)} different")


def add_altlink(directory, path, name, build_id):
    """A copy of the program at @path whose .gnu_debugaltlink is @name and @build_id."""
    linked, section = os.path.join(directory, "linked"), os.path.join(directory, "altlink")
    with open(section, "wb") as file:
        file.write(name.encode() + b"\0" + bytes.fromhex(build_id))
    subprocess.run(["objcopy", f"--add-section=.gnu_debugaltlink={section}", path, linked],
                   check=True)
    return linked


def check_altlink(directory):
    """Of the file that .gnu_debugaltlink names only the right one is read."""
    path, shared = (os.path.join(directory, name) for name in ("program", "shared"))
    for output, extra in ((path, []), (shared, ["-Wl,--build-id=0x" + "5e" * 20])):
        run = subprocess.run(["g++", "-g", "-O2", SOURCE, "-o", output] + extra,
                             capture_output=True, check=False)
        if run.returncode:
            print("# altlink: cannot be built here")
            return
    fifo = os.path.join(directory, "fifo")
    os.mkfifo(fifo)
    addresses = instructions(path)[::16]
    usual, _ = ask([CODEDUMP, path], addresses)
    for name, build_id, is_read in (("shared", "5e" * 20, True), (shared, "5e" * 20, True),
                                    (shared, "5f" * 20, False), ("fifo", "5e" * 20, False),
                                    (fifo, "5e" * 20, False), ("gone", "5e" * 20, False)):
        linked = add_altlink(directory, path, name, build_id)
        try:
            answer, notes = ask(["timeout", "60", CODEDUMP, linked], addresses)
        except subprocess.CalledProcessError as error:
            report(str(error), f"altlink {os.path.basename(name)}")
            continue
        if is_read:
            problem = "other answers" if answer != usual else notes or None
        else:
            problem = None if "DWARF not read" in notes else f"no note: {notes}"
            if any(line != "??" for lines in answer.values() for line in lines[1::2]):
                problem = "sources all the same"
        report(problem, f"altlink to {'the' if is_read else 'another'} file, "
                        f"{'absolute' if name[0] == '/' else 'relative'}")


def main():
    if not (ADDR2LINE and SYMBOLIZER and OBJDUMP):
        print("1..0 # SKIP addr2line, llvm-symbolizer and objdump are needed")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        directory = os.path.realpath(directory)
        built = 0
        variants = dict(VARIANTS)
        variants["g++ -gsplit-dwarf"] = ["g++", "-O2", "-gsplit-dwarf"]
        variants["g++ -gdwarf-4 -gsplit-dwarf"] = ["g++", "-O2", "-gdwarf-4", "-gsplit-dwarf"]
        for name, command in variants.items():
            path = os.path.join(directory, "program")
            # Compiled from the folder above by a relative name: folders have to be put together.
            run = shutil.which(command[0]) and subprocess.run(
                command[:1] + ["-g"] + command[1:] +
                [os.path.relpath(SOURCE, FIXTURES), "-o", path],
                cwd=FIXTURES, capture_output=True, text=True)
            if not run or run.returncode:
                print(f"# {name}: cannot be built here")
                continue
            built += 1
            check_file(path, name, ".dwo files" if "split" in name else None)
        report(None if built else "no compiler could build anything", f"{built} ways to build")
        check_altlink(directory)
        for path in FILES:
            if os.path.exists(path):
                check_file(path, os.path.basename(path))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
