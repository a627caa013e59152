#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kind of ELF file: the names of its bytes, compared with those that other readers give.

usage: zoo.py ELFAULT ZOODUMP TABLE

Builds what kinds.py lists. The truth of a file is its twin, of the same code at the same addresses
with all its tables, as readelf and addr2line read it. Each function of the program's own must have
its name or, where the kind says why, none; no byte of any function may have another's. Programs
that run are recorded once by elfault and once by perf: 350 of their faults are known by function.
TABLE (docs/zoo.md) is compared with what is found; UPDATE_GOLDEN=1 writes it. Prints TAP.
"""

import bisect
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "objects"))
from kinds import KINDS  # noqa: E402
from tap import finish, report, skip  # noqa: E402

ELFAULT, ZOODUMP = map(os.path.abspath, sys.argv[1:3])
TABLE = pathlib.Path(sys.argv[3]).resolve()
SOURCES = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- written by tests/zoo -->\n", "<!-- end of what is written -->\n"
# Pages that each function of walk.cc touches, by a part of its name.
TOUCHED = {"walk_one": 100, "walk_two": 200, "First": 50}
LINES_MAX = 1000  # lines that are asked for
Function = collections.namedtuple("Function", "vaddr size name")


def output(*command, **keywords):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          errors="replace", **keywords).stdout


def find_tools(folder):
    """Put LLVM's tools, of whatever version, into @folder by their plain names, first in PATH."""
    folder.mkdir()
    for tool in {"llvm-symbolizer"}.union(*(kind.tools for kind in KINDS)):
        found = next(filter(None, map(shutil.which, [tool, *(f"{tool}-{n}" for n in range(19, 13, -1))])),
                     None)
        if found:
            (folder / tool).symlink_to(found)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


def build(kind, base, folder):
    """Build the file of @kind in a folder of its own; the reason why it cannot be built."""
    missing = [tool for tool in kind.tools if not shutil.which(tool)]
    if missing:
        return f"{', '.join(missing)} not installed"
    folder.mkdir()
    run = subprocess.run(["sh", "-ec", kind.build], cwd=folder, capture_output=True, text=True,
                         env={**os.environ, "src": str(SOURCES), "base": str(base)})
    if run.returncode or not (folder / kind.name).exists():
        raise SystemExit(f"{kind.name}: {kind.build}: {run.stderr}")
    return ""


def functions(path):
    """Functions with a size, by readelf."""
    found = set()
    for line in output("readelf", "-sW", path).splitlines():
        words = re.sub(r"\[<[^]]*\] *", "", line).split()  # of PowerPC's local entries
        if len(words) >= 8 and words[3] in ("FUNC", "IFUNC") and words[6] != "UND":
            size = int(words[2], 0)
            if size:
                found.add(Function(int(words[1], 16), size, words[7].split("@")[0]))
    return sorted(found)


def is_own(name):
    return "zoo" in name or name in ("main", "plain_name")


def sections(path):
    """(name, start, end) of loaded sections with bytes in memory, by readelf."""
    found = []
    for line in output("readelf", "-SW", path).splitlines():
        match = re.match(r"\s*\[ *\d+\] (\S+)\s+\S+\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \S+\s+(\w*)",
                         line)
        if match and "A" in match[4] and "T" not in match[4] and int(match[3], 16):
            start = int(match[2], 16)
            found.append((match[1], start, start + int(match[3], 16)))
    return found


Place = collections.namedtuple("Place", "section symbol source inlined")


def ask(path, addresses):
    """({address: Place}, notes) by elfault."""
    run = subprocess.run([ZOODUMP, path], input="\n".join(map(hex, addresses)), check=True,
                         capture_output=True, text=True)
    places = {}
    for line in run.stdout.splitlines():
        address, *rest = line.split("\t")
        places[int(address, 16)] = Place(*rest)
    return places, run.stderr


def lines_of(path, addresses):
    """{address: "file:line"} by addr2line, "" where it knows none."""
    run = subprocess.run(["addr2line", "-e", path], input="\n".join(map(hex, addresses)),
                         capture_output=True, text=True)
    answers = run.stdout.splitlines() or [""] * len(addresses)
    return {address: place_of(answer) for address, answer in zip(addresses, answers)}


def place_of(text):
    """File without folder, and line; "" if they are not known."""
    match = re.match(r"(?:.*/)?([^/:]+):(\d+)", text)
    return f"{match[1]}:{match[2]}" if match and match[1] != "??" and int(match[2]) else ""


def true_lines(path, addresses):
    """{address: what addr2line and llvm-symbolizer say}: neither knows every kind of DWARF."""
    lines = {address: {line} - {""} for address, line in lines_of(path, addresses).items()}
    if shutil.which("llvm-symbolizer"):
        answers = output("llvm-symbolizer", "--output-style=GNU", "--no-inlines", "-e", path,
                         input="\n".join(map(hex, addresses))).splitlines()[1::2]
        for address, answer in zip(addresses, answers):
            lines[address] |= {place_of(answer)} - {""}
    return lines


def probes(function):
    """Addresses to ask for in @function: its first and last bytes, and some between."""
    end = function.vaddr + function.size
    return sorted({*range(function.vaddr, end, max(1, function.size // 16)), end - 1})


def add_covering(names, functions):
    """Add to @names, of addresses, those of the functions that cover each."""
    longest = max(function.size for function in functions)
    starts = [function.vaddr for function in functions]
    for address, found in names.items():
        first = bisect.bisect_left(starts, address - longest)
        found.update(function.name for function in
                     functions[first:bisect.bisect_right(starts, address)]
                     if address < function.vaddr + function.size)


def judge(kind, path, twin):
    """What is wrong with elfault's answers, and the cells of the table."""
    truth = functions(twin)
    own = [function for function in truth if is_own(function.name)]
    names = {address: set() for function in truth for address in probes(function)}
    add_covering(names, truth)
    parts = sections(path) or sections(twin)  # patchelf moves some
    places, notes = ask(path, sorted({*names, *(part[1] for part in parts),
                                      *(part[2] - 1 for part in parts)}))
    problems = []

    def name_at(address):
        name = places[address].symbol.split("@@")[0]
        return "" if name.startswith("fn@0x") else name

    for address, wanted in names.items():
        if name_at(address) and name_at(address) not in wanted:
            problems.append(f"{address:#x} is {name_at(address)}, not {sorted(wanted)}")
    nameless = [function.name for function in own
                if not all(name_at(address) for address in probes(function))]
    if nameless and not kind.missing:
        problems.append(f"nameless: {nameless[:9]}; {notes}")
    if kind.note and kind.note not in notes:
        problems.append(f"no note has {kind.note!r}: {notes}")

    right_parts = sum(places[start].section == places[end - 1].section == name
                      for name, start, end in parts)
    if right_parts < len(parts) and not kind.missing:
        problems += [f"section {name}: {places[start].section}, {places[end - 1].section}"
                     for name, start, end in parts
                     if (places[start].section, places[end - 1].section) != (name, name)]

    starts = [function.vaddr for function in own[:LINES_MAX]]
    their_lines = lines_of(path, starts)
    wanted_lines = true_lines(twin, starts)
    our_lines = {address: place_of(places[address].source) for address in starts}
    for address in starts:
        if our_lines[address] and our_lines[address] not in wanted_lines[address]:
            problems.append(f"{address:#x}: {our_lines[address]}, not {wanted_lines[address]}")
        if kind.lines and not kind.unlined and wanted_lines[address] and not our_lines[address]:
            problems.append(f"{address:#x}: no line, but {wanted_lines[address]}; {notes}")
    theirs = set(functions(path)) & set(own)
    return problems, [
        str(len(own)), str(len(theirs)), str(len(own) - len(nameless)),
        str(sum(their_lines[a] in wanted_lines[a] for a in starts)),
        str(sum(our_lines[a] in wanted_lines[a] for a in starts)),
        f"{right_parts} of {len(parts)}",
    ]


def count_named(names):
    """How many of the names of functions, one for each fault, are those that are known."""
    counts = collections.Counter(known for name in names for known in TOUCHED if known in name)
    return sum(min(counts[known], pages) for known, pages in TOUCHED.items())


def count_by_elfault(folder, script):
    """({name of the process: functions of its own file, one for each of its faults},
    {the same: files that it touched})."""
    trace = folder / "zoo.trace"
    found, touched = collections.defaultdict(list), collections.defaultdict(set)
    subprocess.run([ELFAULT, "record", "-o", trace, "--", "sh", script], check=True,
                   stderr=subprocess.DEVNULL)
    for line in output(ELFAULT, "analyze", "--format", "ndjson", trace).splitlines():
        fault = json.loads(line)
        by = fault["by"] or {}
        touched[fault["comm"]].add((fault["at"] or {}).get("object"))
        if (by.get("object") or "").endswith("/" + fault["comm"]):
            found[fault["comm"]].append(by.get("function") or "")
    return found, touched


def count_by_perf(folder, script):
    """The same by perf, which must not know files by what it read of others with their build-id."""
    data, found = folder / "perf.data", collections.defaultdict(list)
    if not shutil.which("perf"):
        return found
    subprocess.run(["perf", "record", "-q", "-B", "-N", "-e", "page-faults:u", "-c", "1", "-o", data,
                    "sh", script], capture_output=True)
    run = subprocess.run(["perf", "--buildid-dir", folder / "none", "script", "-i", data,
                          "-F", "comm,ip,sym"], capture_output=True, text=True, errors="replace")
    for line in run.stdout.splitlines():
        words = line.split(None, 2)
        if len(words) == 3:
            found[words[0]].append(words[2])
    return found


def build_all(folder):
    """(kinds that were built, {name of one that was not: the reason}, the folder of the base)."""
    base = folder / "base"
    base.mkdir()
    find_tools(folder / "tools")
    output("g++", "-O2", "-g", "-c", SOURCES / "walk.cc", "-o", base / "walk.o")
    output("g++", base / "walk.o", "-o", base / "plain")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        reasons = list(pool.map(lambda kind: build(kind, base, folder / kind.name), KINDS))
    return ([kind for kind, reason in zip(KINDS, reasons) if not reason],
            {kind.name: reason for kind, reason in zip(KINDS, reasons) if reason}, base)


def twin_of(kind, base, path):
    """The file that knows better, beside @path or of the base; @path itself."""
    return path.parent / kind.twin.replace("$base", str(base)) if kind.twin else path


def visit(folder):
    """Judge each kind that can be built; {name: its row of the table}."""
    built, reasons, base = build_all(folder)
    script, rows = folder / "all.sh", {}
    script.write_text("".join(f"{folder / kind.name / kind.name} >/dev/null\n" for kind in built
                              if kind.runs))
    ours, touched = count_by_elfault(folder, script)
    theirs = count_by_perf(folder, script)
    for name, reason in reasons.items():
        skip(reason, name)
    for kind in built:
        path = folder / kind.name / kind.name
        problems, cells = judge(kind, path, twin_of(kind, base, path))
        comm = kind.name[:15]
        named = count_named(ours[comm])
        if kind.runs and named < sum(TOUCHED.values()) and not kind.missing:
            problems.append(f"{named} faults named: {collections.Counter(ours[comm])}")
        libraries = sum(str(file).startswith(f"{path.parent}/lib") for file in touched[comm])
        if libraries < kind.libraries:
            problems.append(f"{libraries} of {kind.libraries} libraries seen")
        cells += [str(count_named(theirs[comm])), str(named)] if kind.runs else ["", ""]
        report("\n".join(problems[:8]), f"{kind.name}: {kind.what}")
        rows[kind.name] = [kind.name, f"`{kind.what}`" if " -" in kind.what else kind.what, *cells,
                           "; ".join(filter(None, (kind.missing, kind.unlined)))]
    return rows


HEADS = ("kind", "made by", "functions", "readelf", "elfault", "addr2line", "elfault", "sections",
         "perf", "elfault", "missing")
OURS = (2, 4, 6, 7, 9, 10)  # columns that do not depend on the other readers


def check_table(rows):
    """The documentation has these rows; those of kinds that were not built stay as they are."""
    before, rest = TABLE.read_text().split(BEGIN)
    written, after = rest.split(END)
    old = {}
    for line in written.strip().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        old[cells[0]] = cells
    if os.environ.get("UPDATE_GOLDEN"):
        new = [rows.get(kind.name) or old[kind.name] for kind in KINDS
               if kind.name in rows or kind.name in old]
        lines = [HEADS, ["---"] * len(HEADS), *new]
        text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        TABLE.write_text(before + BEGIN + "\n" + text + "\n" + END + after)
        old = rows
    problems = [f"{name}: {row}, written is {old.get(name)}" for name, row in rows.items()
                if name not in old or any(row[i] != old[name][i] for i in OURS)]
    report("\n".join(problems), f"{TABLE.name} says what was found")


def main():
    with tempfile.TemporaryDirectory(prefix="elfault-zoo.") as temporary:
        check_table(visit(pathlib.Path(temporary)))
    return finish()


sys.exit(main())
