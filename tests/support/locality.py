#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what `elfault diff` says of a file's order against the same figures made here.

usage: locality.py ELFAULT NAME BEFORE.trace BEFORE.elf AFTER.trace AFTER.elf

Places and sizes of functions are those that nm prints, the order of their first use that of the
stacks in `elfault analyze --format ndjson`. The area is added up page by page, functions that moved
are counted by bisection. Prints the document's figures: NAME BEFORE AFTER, one a line.
"""
import bisect
import json
import subprocess
import sys

PAGE = 4096
STEPS = ("same", "next", "forward", "backward")
FIGURES = ("functions", "code_pages", "code_bytes", "area", "least_area", *STEPS, "random")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read_symbols(path):
    """Name -> (vaddr, size). One without a size reaches to the next."""
    rows = [line.split() for line in run("nm", "-nS", "--defined-only", path).splitlines()]
    vaddrs = sorted({int(row[0], 16) for row in rows})
    symbols = {}
    for row in rows:
        vaddr = int(row[0], 16)
        following = vaddrs[bisect.bisect(vaddrs, vaddr):] or [vaddr]
        symbols[row[-1]] = vaddr, int(row[1], 16) if len(row) == 4 else following[0] - vaddr
    return symbols


def read_side(elfault, name, trace, elf):
    symbols = read_symbols(elf)
    seen, steps = [], dict.fromkeys(STEPS, 0)
    curve, pages = [], set()
    for line in run(elfault, "analyze", "--format", "ndjson", trace).splitlines():
        fault = json.loads(line)
        for frame in reversed(fault["stack"] or []):
            function = frame["function"]
            if (frame["object"] or "").endswith("/" + name) and function not in seen:
                seen.append(function)
        at = fault["at"]
        if not (at["object"] or "").endswith("/" + name):
            continue
        if fault["step"]:
            steps[fault["step"]] += 1
        pages.add(int(at["vaddr"], 16) // PAGE)
        curve.append(len(pages))
    area = least_area = size_of_all = 0
    code_pages = set()
    for function in seen:
        vaddr, size = symbols[function]
        code_pages.update(range(vaddr // PAGE, (vaddr + size - 1) // PAGE + 1))
        size_of_all += size
        area += len(code_pages)
        least_area += -(-size_of_all // PAGE)
    figures = (len(seen), len(code_pages), size_of_all, area, least_area, *steps.values(),
               steps["forward"] + steps["backward"])
    return {function: symbols[function][0] for function in seen}, figures, curve


def count_moved(before, after):
    common = sorted(before.keys() & after.keys(), key=before.get)
    ends = []
    for function in common:
        at = bisect.bisect_left(ends, after[function])
        ends[at:at + 1] = [after[function]]
    return len(common), len(common) - len(ends)


def main():
    elfault, name, *sides = sys.argv[1:]
    document = json.loads(run(elfault, "diff", "--format", "json", sides[0], sides[2]))
    locality = next(o["locality"] for o in document["objects"] if o["label"] == name)
    wrong = []

    def expect(what, told, expected):
        if told != expected:
            wrong.append(f"{what}: {told}, not {expected}")

    places = []
    for side, trace, elf in ("before", *sides[:2]), ("after", *sides[2:]):
        functions, figures, curve = read_side(elfault, name, trace, elf)
        places.append(functions)
        for figure, expected in zip(FIGURES, figures):
            expect(f"{side} {figure}", locality[figure][side], expected)
        expect(f"{side} curve", locality[side]["code_curve"]["functions"],
               list(range(1, len(functions) + 1)))
        expect(f"{side} area of the curve", sum(locality[side]["code_curve"]["pages"]),
               locality["area"][side])
        expect(f"{side} file curve", locality[side]["file_curve"]["pages"], curve)
        expect(f"{side} packing", round(locality[side]["packing"], 9),
               round(figures[4] / figures[3], 9))
    matched, moved = count_moved(*places)
    expect("matched", locality["matched"], matched)
    expect("moved", len(locality["moved"]), moved)
    for move in locality["moved"]:
        for side, functions in zip(("before", "after"), places):
            expect(f"{move['function']} {side}", int(move[side]["vaddr"], 16),
                   functions[move["function"]])
    for figure in FIGURES:
        print(figure, locality[figure]["before"], locality[figure]["after"])
    print("matched", matched, matched)
    print("moved", moved, moved)
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
