#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Owners of relocations (`elfault map --relocations`), held against nm and readelf -rW.

usage: test_owners.py ELFAULT SCHEMA ELF_FIXTURES PROGRAMS
       test_owners.py ELFAULT SCHEMA --table FILE...     a Markdown table instead
"""
import collections
import csv
import heapq
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ELFAULT, SCHEMA, FIXTURES, *FILES = sys.argv[1:]
# The folder of programs; a table's are files.
PROGRAMS = {name: f"{FILES[0]}/{name}" for name in os.listdir(FILES[0])} if os.path.isdir(FILES[0]) else {}
WORK = tempfile.mkdtemp()
PAGE = 4096
count, failed = 0, False

# Vtables, type information, strings, functions, an array of labels: by their kind once stripped.
SOURCE = r"""
struct base { virtual void f(); virtual ~base(); };
struct derived : base { void f() override; };
void base::f() { }
base::~base() { }
void derived::f() { }
__attribute__((visibility("default"))) base *make() { return new derived; }
static void one() { asm volatile(""); }
static void two() { asm volatile("nop"); }
typedef void (*function)();
static const function functions[] = { one, two, one, two, one };
static const char *const strings[] = { "first string", "second string", "third string" };
static int number;
static int *const numbers[] = { &number, &number, &number, &number };
__attribute__((visibility("default"))) const char *string(int i) { return strings[i]; }
__attribute__((visibility("default"))) int *address(int i) { return numbers[i]; }
__attribute__((visibility("default"))) int run(const char *code, int n)
{
    static const void *const labels[] = { &&add, &&twice, &&less, &&end };
    functions[n]();
    goto *labels[code[0] & 3];
add: n += code[1]; goto *labels[code[2] & 3];
twice: n *= 2; goto *labels[code[3] & 3];
less: n -= code[4]; goto *labels[code[5] & 3];
end: return n;
}
"""


def result(name, problems):
    global count, failed
    count += 1
    failed |= bool(problems)
    print(f"{'not ' if problems else ''}ok {count} - {name}")
    for problem in problems[:20]:
        print(f"# {problem}")


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout.decode(errors="replace")


def told(path, *options):
    return json.loads(output(ELFAULT, "map", "--relocations", "--no-demangle", "--page-size", str(PAGE),
                             "--format", "json", *options, path))


def slots(path):
    """Slots that the dynamic linker writes, as readelf -rW lists them: {vaddr: how often}."""
    listed, packed = collections.Counter(), False
    for line in output("readelf", "-rW", path).splitlines():
        if line.startswith("Relocation section"):
            packed = "relr" in line
        elif packed and re.fullmatch(r"[0-9a-f]{8,16}", line.strip()):
            listed[int(line, 16)] += 1
        elif not packed:
            found = re.match(r"([0-9a-f]{8,16})\s+[0-9a-f]{8,16} (R_\w+)", line)
            if found and not found[2].endswith("_NONE"):
                listed[int(found[1], 16)] += 1
    return listed


def symbols(path):
    """Extents of symbols that state a size, as nm has them; those of TLS have no vaddr."""
    extents = set()
    build_id = re.search(r"Build ID: ([0-9a-f]+)", output("readelf", "-nW", path))
    debug = f"/usr/lib/debug/.build-id/{build_id[1][:2]}/{build_id[1][2:]}.debug" if build_id else ""
    for option, file in (("-a", path), ("-D", path), ("-a", debug)):
        try:
            lines = output("nm", "-S", "--format=sysv", option, file).splitlines()
        except subprocess.CalledProcessError:
            continue
        for line in lines:
            words = [word.strip() for word in line.split("|")]
            if len(words) == 7 and words[1] and words[4] and words[3] != "TLS" and words[2] not in "aU":
                start, size = int(words[1], 16), int(words[4], 16)
                if size:
                    extents.add((start, start + size))
    return sorted(extents)


def owners_of(extents, vaddrs):
    """(vaddr, the smallest extent around it or None) for each; of two as small the one that begins last."""
    around, coming = [], collections.deque(extents)
    for vaddr in sorted(vaddrs):
        while coming and coming[0][0] <= vaddr:
            start, end = coming.popleft()
            heapq.heappush(around, (end - start, -start))
        while around and around[0][0] - around[0][1] <= vaddr:
            heapq.heappop(around)
        yield vaddr, (-around[0][1], around[0][0] - around[0][1]) if around else None


def truth(path):
    """{vaddr of the owner: [relocations, pages, pages alone]}; None: all without a name."""
    extents, word = symbols(path), 4 if "ELF32" in output("readelf", "-hW", path) else 8
    rows, pages = collections.Counter(), collections.defaultdict(set)
    copies = {int(line.split()[0], 16) for line in output("readelf", "-rW", path).splitlines()
              if re.search(r" R_\w+_COPY ", line)}
    listed = slots(path)
    for vaddr, owner in owners_of(extents, listed):
        key = owner and owner[0]
        rows[key] += listed[vaddr]
        size = owner[1] - vaddr if vaddr in copies and owner else word
        for page in range(vaddr // PAGE, (vaddr + size - 1) // PAGE + 1):
            pages[page].add(key)
    counted = {key: [times, 0, 0] for key, times in rows.items()}
    for owners in pages.values():
        for key in owners:
            counted[key][1] += 1
            counted[key][2] += len(owners) == 1
    return counted


def compare(path):
    expected, answer = truth(path), told(path)
    got = {int(row["vaddr"], 16): [row["relocations"], row["pages"], row["pages_alone"]]
           for row in answer["relocated"]["owners"] if row["kind"] == "symbol"}
    unnamed = sum(row["relocations"] for row in answer["relocated"]["owners"] if row["kind"] != "symbol")
    problems = [f"{path}: {key:#x}: {got.get(key)}, nm and readelf have {expected.get(key)}"
                for key in sorted((got.keys() | expected.keys()) - {None})
                if got.get(key) != expected.get(key)]
    if unnamed != expected.get(None, [0])[0]:
        problems.append(f"{path}: {unnamed} without a name, nm and readelf have {expected.get(None)}")
    return problems, answer["relocated"]["owners"], expected


def table():
    print("| file | relocations | owners with a name | relocations of theirs | without a name | pages "
          "| differ from nm × readelf |\n|---|---|---|---|---|---|---|")
    for path in FILES:
        problems, rows, expected = compare(path)
        named = [row for row in rows if row["kind"] == "symbol"]
        print(f"| `{os.path.basename(path)}` | {sum(row['relocations'] for row in rows):,} | "
              f"{len(named):,} | {sum(row['relocations'] for row in named):,} | "
              f"{sum(row['relocations'] for row in rows) - sum(row['relocations'] for row in named):,} | "
              f"{told(path)['load']['pages_written_by_relocation']:,} | {len(problems)} |")
        for problem in problems[:5]:
            print(problem, file=sys.stderr)


def build():
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        return None
    path = WORK + "/libkinds.so"
    with open(WORK + "/kinds.cc", "w", encoding="utf-8") as file:
        file.write(SOURCE)
    subprocess.run([compiler, "-O1", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-o", path,
                    WORK + "/kinds.cc"], check=True)
    subprocess.run(["strip", "-o", WORK + "/libstripped.so", path], check=True)
    return path


def check_kinds(path):
    named = {row["name"]: row for row in told(path)["relocated"]["owners"]}
    table = {name: named.get(name, {}).get("relocations") for name in
             ("_ZL9functions", "_ZL7strings", "_ZL7numbers", "_ZTV4base", "_ZTV7derived")}
    result("symbols own their slots", [] if table == {
        "_ZL9functions": 5, "_ZL7strings": 3, "_ZL7numbers": 4, "_ZTV4base": 4, "_ZTV7derived": 4}
           else [str(table)])
    sources = {row["name"]: row["source"] for row in named.values() if row["kind"] == "symbol"}
    result("DWARF tells the source of variables, static ones of functions as well",
           [] if {(sources.get(name) or "").rsplit("/", 1)[-1] for name in
                  ("_ZL7strings", "_ZL9functions", *(n for n in sources if "labels" in n))} == {"kinds.cc"}
           else [str(sources)])
    kinds = collections.Counter()
    for row in told(WORK + "/libstripped.so")["relocated"]["owners"]:
        if not row["name"] and row["section"].startswith(".data.rel.ro"):
            kinds[row["kind"]] += row["relocations"]
    expected = {"functions": 5, "strings": 3, "data": 4, "vtables": 8, "type-information": 5,
                "switch-tables": 4}
    result("stripped, what has no name is known by what it points to",
           [] if {kind: kinds[kind] for kind in expected} == expected else [str(kinds)])


def check_formats(path):
    answer = told(path)["relocated"]
    rows = list(csv.DictReader(io.StringIO(output(ELFAULT, "map", "--relocations", "--no-demangle",
                                                  "--format", "csv", path))))
    same = [[str(row[key]) if row[key] is not None else "" for key in row] for row in answer["owners"]]
    columns = list(answer["owners"][0])
    result("CSV has the rows of JSON", [] if [[row[key] for key in columns] for row in rows] == same
           else [str(rows[:2])])
    text = output(ELFAULT, "map", "--relocations", "--symbols", "2", path)
    result("text shows as many as are asked for, and says how many more there are",
           [] if f"  {len(answer['owners']) - 2} more: --symbols all" in text and "Segments" not in text
           else text.splitlines())
    try:
        import jsonschema
    except ImportError:
        result("JSON follows its schema # SKIP no jsonschema", [])
        return
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    try:
        jsonschema.validate(told(path), schema)
        result("JSON follows its schema", [])
    except jsonschema.ValidationError as error:
        result("JSON follows its schema", [error.message])


def check_namespaces():
    """Of a library that exports C++: owners added up by scope are those of their names."""
    path = next((path for path in ("/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                                   "/usr/lib/aarch64-linux-gnu/libstdc++.so.6") if os.path.exists(path)), None)
    if not path:
        result("scopes # SKIP no libstdc++", [])
        return
    answer, sums = told(path)["relocated"], collections.Counter()
    for row in answer["owners"]:
        name = row["name"] or ""
        if re.match(r"_ZT[VITS](St|NK?St|N?S[absiod])", name):
            sums["std"] += row["relocations"]
        elif re.match(r"_ZT[VITS]N10__cxxabiv1", name):
            sums["__cxxabiv1"] += row["relocations"]
    got = {row["name"]: row["relocations"] for row in answer["scopes"]}
    result("vtables of libstdc++ are std's and the ABI's",
           [] if sums["std"] and got.get("std", 0) >= sums["std"] and
           got.get("__cxxabiv1") == sums["__cxxabiv1"] else [f"{sums} and {got}"])


def check_damaged():
    """Cut and overwritten files end in an answer or a message."""
    path, problems = FIXTURES + "/relocations64.elf", []
    with open(path, "rb") as file:
        whole = file.read()
    for step in range(0, len(whole), 251):
        for data in (whole[:step], whole[:step] + b"\xff" * 8 + whole[step + 8:]):
            with open(WORK + "/damaged", "wb") as file:
                file.write(data)
            answer = subprocess.run([ELFAULT, "map", "--relocations", "--format", "json", WORK + "/damaged"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if answer.returncode not in (0, 1):
                problems.append(f"{step}: status {answer.returncode}")
            elif answer.returncode == 0:
                file = json.loads(answer.stdout)
                relocations = sum(value for key, value in file["load"]["relocations"].items()
                                  if key not in ("encoding", "table_bytes"))
                if sum(row["relocations"] for row in file["relocated"]["owners"]) != relocations:
                    problems.append(f"{step}: owners do not add up to {relocations}")
    result("damaged files end in a message, or owners add up", problems)


def main():
    if FIXTURES == "--table":
        table()
        return 0
    if not shutil.which("readelf") or not shutil.which("nm"):
        print("1..0 # SKIP no binutils")
        return 0
    built = build()
    paths = [FIXTURES + "/relocations32.elf", FIXTURES + "/relocations64.elf", ELFAULT, "/bin/bash",
             *(PROGRAMS[name] for name in ("touch-bfd-relr", "touch-lld-pie", "touch-bfd-pie")
               if name in PROGRAMS), *([built, WORK + "/libstripped.so"] if built else [])]
    for path in paths:
        problems, rows, expected = compare(path)
        result(f"owners in {os.path.basename(path)} are nm's and readelf's", problems)
    if built:
        check_kinds(built)
        check_formats(built)
    else:
        result("kinds and formats # SKIP no C++ compiler", [])
    check_namespaces()
    check_damaged()
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(WORK)
