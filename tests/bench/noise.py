#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `elfault diff` calls noise real, and how often it finds a true difference: the tables of
docs/measured/noise.md, as Markdown.

usage: noise.py BUILD numbers TRACE... [--after TRACE...]    the runs' numbers, for the next
       noise.py BUILD alarms [--splits N] NUMBERS...         two sides drawn from one build's runs
       noise.py BUILD found [--splits N] GROUP NAME NUMBERS  from two builds' runs: is that row real?

BUILD is a build directory with cli/elfault and tests/bench/bench-verdicts
(`ninja -C BUILD tests/bench/bench-verdicts`). All runs should be of one command, a few dozen.
"""
import json
import subprocess
import sys

METRICS = ("faults", "major", "pages", "duration_ns", "read_bytes")
SIZES = (4, 5, 7, 10, 15)


def print_numbers(build, words):
    if "--after" not in words:
        words[len(words) // 2:len(words) // 2] = ["--after"]
    document = json.loads(subprocess.run(
        [f"{build}/cli/elfault", "diff", "--debug-dir", "/nonexistent", "--format", "json", *words],
        check=True, capture_output=True).stdout)
    print(f"# {words.index('--after')} {document['before'][0]['command']}")
    tables = {key: rows for key, rows in document.items() if key.startswith("by_")}
    for metric in METRICS:
        for table, rows in {"total": [document["total"]], **tables}.items():
            for row in rows:
                name = "/".join(str(value).rsplit("/", 1)[-1] for value in row.values()
                                if isinstance(value, str))
                if metric not in row:  # bytes read, where a trace does not tell them
                    continue
                runs = row[metric]["before_runs"] + row[metric]["after_runs"]
                print(f"{table}.{metric}", name.replace(" ", "_") or "-", *runs)


def read(path, wanted):
    """(runs of the first side, the command, its lines of the wanted metrics)"""
    with open(path, encoding="utf-8") as file:
        _, first, command = file.readline().rstrip("\n").split(" ", 2)
        return int(first), command, [line for line in file
                                     if line.split(" ", 1)[0].rsplit(".", 1)[1] in wanted]


def verdicts(build, splits, size, pool, lines):
    answer = subprocess.run([f"{build}/tests/bench/bench-verdicts", str(splits), str(size), str(pool)],
                            input="".join(lines), check=True, capture_output=True, text=True)
    return [line.split() for line in answer.stdout.splitlines()]


def spread(lines):
    totals = [int(word) for line in lines if line.startswith("total.faults ")
              for word in line.split()[2:]]
    return f"{min(totals):,} … {max(totals):,}"


def alarms(build, splits, paths):
    print("| command | faults | " + " | ".join(f"{n} + {n}" for n in SIZES) + " |")
    print("|---|---|" + "---:|" * len(SIZES))
    for path in paths:
        _, command, lines = read(path, ("faults", "major", "read_bytes"))
        runs = len(lines[0].split()) - 2
        cells = []
        for size in SIZES:
            if 2 * size > runs:
                cells.append("")
                continue
            any_real = int(verdicts(build, splits, size, 0, lines)[0][1])
            cells.append(f"{any_real * 100 / splits:.2f} %")
        print(f"| `{command}` ({runs} runs) | {spread(lines)} | " + " | ".join(cells) + " |",
              flush=True)


def found(build, splits, group, name, path):
    pool, command, lines = read(path, (group.rsplit(".", 1)[1],))
    cells = []
    for size in SIZES:
        if size > pool:
            continue
        rows = verdicts(build, splits, size, pool, lines)
        count = sum(int(row[-1]) for row in rows if row[:3] == ["row", group, name])
        cells.append(f"{count * 100 / splits:.1f} %")
    print(f"| `{command}` {group} {name} | " + " | ".join(cells) + " |")


def main(words):
    build, what, *rest = words
    splits = 2000
    if "--splits" in rest:
        at = rest.index("--splits")
        splits = int(rest[at + 1])
        del rest[at:at + 2]
    if what == "numbers":
        print_numbers(build, rest)
    elif what == "alarms":
        alarms(build, splits, rest)
    elif what == "found":
        found(build, splits, *rest)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1:])
