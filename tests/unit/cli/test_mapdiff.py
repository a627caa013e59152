#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`elfault map BEFORE AFTER` against readelf, nm and size.

usage: test_mapdiff.py ELFAULT SCHEMA ELF_FIXTURES PROGRAMS

Pairs of builds of one program, a library and itself stripped, and what is damaged. Sections in the
file add up to its size; each section, and each symbol that states a size, differs as binutils has it.
"""
import collections
import csv
import functools
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ELFAULT, SCHEMA, FIXTURES, FOLDER = sys.argv[1:]
PROGRAMS = {path.name: str(path) for path in pathlib.Path(FOLDER).iterdir() if path.suffix in ("", ".so")}
WORK = tempfile.mkdtemp()
OWN = {"[elf-header]", "[program-headers]", "[section-headers]", "[padding]"}
count = failed = 0


def result(sentence, problems):
    global count, failed
    count += 1
    print(f"{'not ok' if problems else 'ok'} {count} - {sentence}")
    for problem in problems[:10]:
        print(f"# {problem}")
    failed += bool(problems)


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def compared(before, after, *options):
    answer = run(ELFAULT, "map", "--format", "json", *options, before, after)
    if answer.returncode:
        raise ValueError(answer.stderr.decode())
    return json.loads(answer.stdout)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF" and not path.endswith(".o")


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout.decode(errors="replace")


@functools.cache
def file_sections(path):
    """Bytes in the file by section, as readelf has them."""
    sizes = collections.Counter()
    for line in output("readelf", "-SW", path).splitlines():
        found = re.match(r"\s*\[\s*\d+\] (\S+)\s+(\S+)\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)", line)
        if found:
            sizes[found[1]] += 0 if found[2] == "NOBITS" else int(found[3], 16)
    return sizes


@functools.cache
def memory_sections(path):
    """Bytes in memory by section, as size has them: those without an address are not loaded."""
    sizes = collections.Counter()
    for line in output("size", "-A", "-d", path).splitlines():
        found = re.match(r"(\S+)\s+(\d+)\s+(\d+)$", line)
        if found and found[3] != "0":
            sizes[found[1]] += int(found[2])
    return sizes


@functools.cache
def symbols(path):
    """Bytes by name of the symbols that state a size, as nm has them, an address and name once."""
    seen, sizes = set(), collections.Counter()
    for words in map(str.split, output("nm", "-S", path).splitlines()):
        if len(words) == 4 and (words[0], words[3]) not in seen:
            seen.add((words[0], words[3]))
            name = re.sub(r"(\.(cold|(part|isra|constprop|lto_priv)\.\d+))+$", "", words[3])
            sizes[name.split("@")[0]] += int(words[1], 16)
    return sizes


def check_sizes(rows, sides, key, truth, known):
    problems = []
    for row in rows:
        for side, path in zip(("before", "after"), sides):
            if known(row) and row[side + key] != truth(path)[row["name"]]:
                problems.append(f"{row['name']} of {path}: {row[side + key]}, "
                                f"binutils has {truth(path)[row['name']]}")
    listed = {row["name"] for row in rows}
    before, after = map(truth, sides)
    problems += [f"{name} differs and is not listed" for name in before.keys() | after.keys()
                 if before[name] != after[name] and name not in listed]
    return problems


def check_pair(before, after):
    answer = compared(before, after)
    sides = (before, after)
    names = f"{os.path.basename(before)} and {os.path.basename(after)}"
    sizes = [os.path.getsize(path) for path in sides]
    total, rows = answer["section_total"], answer["by_section"]
    result(f"{names}: sections add up to the sizes, and their rows to the difference",
           [] if [total["before"], total["after"]] == sizes
           and sum(row["difference"] for row in rows) == sizes[1] - sizes[0] else [str(total)])
    result(f"{names}: sections in the file are readelf's",
           check_sizes(rows, sides, "", file_sections, lambda row: row["name"] not in OWN))
    result(f"{names}: sections in memory are size's",
           check_sizes(rows, sides, "_memory", memory_sections, lambda row: row["name"] not in OWN))
    result(f"{names}: symbols are nm's",
           check_sizes(compared(before, after, "--no-demangle")["by_symbol"], sides, "", symbols,
                       lambda row: row["name"] in symbols(before).keys() | symbols(after).keys()))
    return answer


def check_schema(answer):
    try:
        import jsonschema
    except ImportError:
        result("JSON follows its schema # SKIP no jsonschema", [])
        return
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    try:
        jsonschema.validate(answer, schema)
        result("JSON follows its schema", [])
    except jsonschema.ValidationError as error:
        result("JSON follows its schema", [error.message])


def check_formats(before, after, answer):
    rows = list(csv.DictReader(io.StringIO(
        run(ELFAULT, "map", "--format", "csv", before, after).stdout.decode())))
    told = {by: sum(row["by"] == by for row in rows) for by in ("section", "symbol", "initializer")}
    listed = {by: len(answer[f"by_{by}"]) for by in told}
    result("CSV has the rows of JSON", [] if told == listed else [f"{told} and {listed}"])
    text = run(ELFAULT, "map", before, after).stdout.decode()
    result("text says how much smaller it is, and why",
           [] if " smaller (" in text and re.search(r"768\.\d KiB +120 B .*\.rela\.dyn", text)
           and "encoded as mixed, rela before" in text else text.splitlines())


def check_itself(paths):
    tables = ("section", "unit", "symbol", "relocation", "initializer")
    problems = []
    for path in paths:
        answer = compared(path, path)
        problems += [f"{path}: {by}: {answer['by_' + by]}" for by in tables if answer["by_" + by]]
        if answer["section_total"]["before"] != os.path.getsize(path):
            problems.append(f"{path}: {answer['section_total']}")
    result(f"{len(paths)} files do not differ from themselves, and add up", problems)


def check_units(path, other):
    """Code by compile unit: what .debug_aranges has, but for functions that the linker dropped."""
    unit, truth = None, set()
    for line in output("readelf", "--debug-dump=aranges", path).splitlines():
        found = re.match(r"\s*Offset into .debug_info:\s+(0x[0-9a-f]+|0)", line)
        unit = int(found[1], 16) if found else unit
        found = re.match(r"\s+([0-9a-f]{8,})\s+([0-9a-f]{8,})\s*$", line)
        if found and unit is not None and int(found[1], 16) > 1:
            truth.add((int(found[1], 16), int(found[2], 16)))
    answer = compared(path, other)
    if not truth or not answer["unit_total"]:
        result("code by compile unit # SKIP no .debug_aranges", [])
        return
    # Of a function that several units have, the linker kept one, which all of them point to.
    covered, reached = 0, 0
    for start, size in sorted(truth):
        covered += max(0, start + size - max(start, reached))
        reached = max(reached, start + size)
    told = sum(row["before"] for row in answer["by_unit"] if row["name"] != "[no compile unit]")
    result("code by compile unit adds up to .debug_aranges",
           [] if told == covered else [f"{told}, readelf has {covered}"])


def check_damaged():
    """Cut and overwritten files: an answer or a message, and rows that add up all the same."""
    path, problems = FIXTURES + "/relocations64.elf", []
    with open(path, "rb") as file:
        whole = file.read()
    damaged = WORK + "/damaged"
    for step in range(0, len(whole), 127):
        for data in (whole[:step], whole[:step] + b"\xff" * 8 + whole[step + 8:]):
            with open(damaged, "wb") as file:
                file.write(data)
            answer = run(ELFAULT, "map", "--format", "json", path, damaged)
            if answer.returncode not in (0, 1) or (answer.returncode == 1) != (not answer.stdout):
                problems.append(f"{step}: status {answer.returncode}")
            elif answer.stdout and json.loads(answer.stdout)["section_total"]["after"] != len(data):
                problems.append(f"{step}: {json.loads(answer.stdout)['section_total']}, not {len(data)}")
    result("damaged files end in a message or add up", problems)


def main():
    if not shutil.which("readelf") or not shutil.which("nm") or "touch-bfd-relr" not in PROGRAMS:
        print("1..0 # SKIP no binutils, or the programs were not built")
        return 0
    pie, relr = PROGRAMS["touch-bfd-pie"], PROGRAMS["touch-bfd-relr"]
    answer = check_pair(pie, relr)
    check_schema(answer)
    check_formats(pie, relr, answer)
    if "touch-lld-pie" in PROGRAMS:
        check_pair(pie, PROGRAMS["touch-lld-pie"])
    stripped = WORK + "/stripped"
    subprocess.run(["strip", "-o", stripped, pie], check=True)
    check_pair(pie, stripped)
    check_itself([*sorted(filter(is_elf, PROGRAMS.values()))[::8], ELFAULT, FIXTURES + "/relocations64.elf"])
    check_units(PROGRAMS.get("libcodecs-plain.so", pie), PROGRAMS.get("starts-bfd-musl-static", relr))
    check_damaged()
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(WORK)
