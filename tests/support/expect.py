#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the faults of `elfault analyze --format ndjson` with a table written by hand.

usage: expect.py TABLE PROGRAM TAG[,TAG...] < FAULTS

A table's lines ('#' starts a comment):

  select by GLOB            look at the faults whose function (by.function) matches,
  select at GLOB            ... or whose symbol does,
  select section GLOB       ... or whose section does (in PROGRAM),
  select kernel             ... or that the kernel took in PROGRAM with no instruction of the program
  repeat N / end            the lines between stand N times
  [TAGS] ACCESS MECHANISM SECTION PLACE FUNCTION
                            one fault, or a run of them

TAGS, optional: `[pie bfd&!static]` holds for programs tagged pie, and for those tagged bfd but not
static. The faults selected must be these, in this order, and no others.

PLACE is what was touched:  SYMBOL+0xN, or @0xN counted from the section's start (in [padding] and
        the like: the vaddr),
    or SYMBOL+0xA..0xB/0xS  a run: one fault at each of A, A + S, ... below B
    and then perhaps ~0xM   any byte of the M that start there
    and then perhaps =NAME  the name reported (at.symbol), where it is not SYMBOL; =- for none
FUNCTION is who touched it, `-` for nobody; `a|b` either, globs allowed.
Both may say in which file: libfoo.so!PLACE; without it, it is PROGRAM's own.

Nothing here comes from elfault: where a symbol or section lies is asked of nm and readelf, and the
vaddr, the offset in the file and the distance from the symbol are compared with that.
"""
import fnmatch
import functools
import json
import os
import re
import subprocess
import sys

PLACE = re.compile(r"(?:(?P<object>[^!@+]+)!)?(?P<symbol>[^@+]*)(?P<how>[@+])(?P<start>0x[0-9a-f]+)"
                   r"(?:\.\.(?P<end>0x[0-9a-f]+)/(?P<step>0x[0-9a-f]+))?"
                   r"(?:~(?P<any>0x[0-9a-f]+))?(?:=(?P<name>.*))?$")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@functools.lru_cache(maxsize=None)
def symbols(path):
    """Name -> (vaddr, size), from nm."""
    found = {}
    for line in output_of("nm", "-S", path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] not in "Uw":
            found[words[3]] = (int(words[0], 16), int(words[1], 16))
        elif len(words) == 3 and words[1] not in "Uw":
            found.setdefault(words[2], (int(words[0], 16), 0))
    return found


@functools.lru_cache(maxsize=None)
def sections(path):
    """Name -> (vaddr, offset or None where there are no bytes, size), from readelf."""
    found = {}
    for line in output_of("readelf", "-SW", path).splitlines():
        match = re.match(r" *\[ *\d+\] (\S+) +(\S+) +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) ", line)
        if match:
            name, kind, vaddr, offset, size = match.groups()
            found[name] = (int(vaddr, 16), None if kind == "NOBITS" else int(offset, 16),
                           int(size, 16))
    return found


def holds(tags, mine):
    """Whether a line marked [tags] is meant for a program with the tags `mine`."""
    return any(all((word[1:] not in mine) if word.startswith("!") else word in mine
                   for word in tag.split("&")) for tag in tags)


class Table:
    def __init__(self, path, mine):
        self.selects, self.lines = [], []
        open_repeats = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.split("#")[0].split()
                if not words:
                    continue
                where = f"{os.path.basename(path)}:{number}"
                if words[0] == "select":
                    self.selects.append((words[1], words[2] if len(words) > 2 else "*"))
                    continue
                if words[0] == "repeat":
                    open_repeats.append((len(self.lines), int(words[1])))
                    continue
                if words[0] == "end":
                    start, count = open_repeats.pop()
                    self.lines[start:] = self.lines[start:] * count
                    continue
                if words[0].startswith("["):
                    close = next(i for i, word in enumerate(words) if word.endswith("]"))
                    tags = " ".join(words[:close + 1])[1:-1].split()
                    words = words[close + 1:]
                    if not holds(tags, mine):
                        continue
                if len(words) != 5:
                    sys.exit(f"{where}: want [TAGS] ACCESS MECHANISM SECTION PLACE FUNCTION")
                place = PLACE.match(words[3])
                if not place:
                    sys.exit(f"{where}: {words[3]}: not a place")
                start = int(place["start"], 16)
                end = int(place["end"], 16) if place["end"] else start + 1
                step = int(place["step"], 16) if place["step"] else 1
                for at in range(start, end, step):
                    self.lines.append((where, words, place, at))
        if open_repeats or not self.selects or not self.lines:
            sys.exit(f"{path}: an open repeat, nothing selected or nothing expected")

    def selects_fault(self, fault, program):
        for what, glob in self.selects:
            if what == "by" and fnmatch.fnmatchcase(fault["by"]["function"] or "", glob):
                return True
            if what == "at" and fnmatch.fnmatchcase(fault["at"]["symbol"] or "", glob):
                return True
            if fault["at"]["object"] != program:
                continue
            if what == "section" and fnmatch.fnmatchcase(fault["at"]["section"] or "", glob):
                return True
            if what == "kernel" and fault["mode"] == "kernel" and fault["by"]["ip"] is None:
                return True
        return False


def differences(words, place, at, fault, program):
    """What of one fault is not as the line says, as words."""
    access, mechanism, section, _, function = words
    found = []

    def same(name, wanted, got):
        if wanted != got:
            found.append(f"{name} is {got}, not {wanted}")

    same("access", access, fault["access"])
    same("mechanism", mechanism, fault["mechanism"])
    same("section", section, fault["at"]["section"])

    path = fault["at"]["object"]
    same("object", place["object"] or os.path.basename(program), os.path.basename(path))
    if found:
        return found
    is_in_section = os.path.isfile(path) and not section.startswith("[")
    section_vaddr, section_offset, _ = sections(path)[section] if is_in_section else (0, 0, 0)
    if is_in_section and section_vaddr == 0:  # not loaded: seen where the file is mapped as data
        same("vaddr", None, fault["at"]["vaddr"])
        same("offset", section_offset + at, fault["at"]["offset"])
    elif is_in_section:
        base = section_vaddr if place["how"] == "@" else symbols(path)[place["symbol"]][0]
        vaddr = int(fault["at"]["vaddr"] or "-1", 16)
        if place["any"]:
            if not 0 <= vaddr - (base + at) < int(place["any"], 16):
                found.append(f"vaddr {vaddr:#x} is not in the {place['any']} from {base + at:#x}")
        else:
            same("vaddr", hex(base + at), hex(vaddr))
        same("offset", None if section_offset is None else vaddr - section_vaddr + section_offset,
             fault["at"]["offset"])
        if place["how"] == "+":
            same("symbol offset", vaddr - base, fault["at"]["symbol_offset"])
    elif place["how"] == "@" and section.startswith("[") and not place["any"]:
        same("vaddr", hex(at), fault["at"]["vaddr"] or hex(0))
    name = place["name"] or place["symbol"]
    if name:
        same("symbol", None if name == "-" else name, fault["at"]["symbol"])

    by = fault["by"]
    if function == "-":
        same("function", None, by["function"])
        return found
    in_object, _, names = function.rpartition("!")
    same("function's object", in_object or os.path.basename(program),
         os.path.basename(by["object"] or ""))
    if not any(fnmatch.fnmatchcase(by["function"] or "", glob) for glob in names.split("|")):
        found.append(f"function is {by['function']}, not {names}")
    elif by["function"] in symbols(by["object"]):
        start, size = symbols(by["object"])[by["function"]]
        ip = int(by["vaddr"], 16)
        if not start <= ip < start + size or ip - start != by["function_offset"]:
            found.append(f"ip at vaddr {ip:#x} (+{by['function_offset']}) is not in {by['function']}")
    return found


def describe(fault):
    at, by = fault["at"], fault["by"]
    place = f"{at['symbol']}+{at['symbol_offset'] or 0:#x}" if at["symbol"] else at["vaddr"]
    return (f"{fault['access']} {fault['mechanism']} {os.path.basename(at['object'] or '?')}!"
            f"{at['section']} {place} vaddr {at['vaddr']} offset {at['offset']} "
            f"by {os.path.basename(by['object'] or '-')}!{by['function']} ({fault['mode']})")


def main(table_path, program, tags):
    program = os.path.realpath(program)
    table = Table(table_path, set(tags.split(",")))
    faults = [json.loads(line) for line in sys.stdin]
    faults = [fault for fault in faults if table.selects_fault(fault, program)]
    wrong = 0
    for (where, words, place, at), fault in zip(table.lines, faults):
        found = differences(words, place, at, fault, program)
        if found:
            wrong += 1
            if wrong <= 10:
                print(f"{where}: {' '.join(words)} (at {at:#x})\n  got: {describe(fault)}")
                print("  " + "\n  ".join(found))
    for where, words, _, at in table.lines[len(faults):][:10]:
        print(f"{where}: {' '.join(words)} (at {at:#x})\n  did not happen")
    for fault in faults[len(table.lines):][:10]:
        print(f"not expected: {describe(fault)}")
    print(f"{len(table.lines)} faults expected, {len(faults)} selected, {wrong} of them wrong")
    return 0 if not wrong and len(faults) == len(table.lines) else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
