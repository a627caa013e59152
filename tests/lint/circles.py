#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No files use each other's functions in a circle, and none uses what its layer may not.

A file uses another if its object needs a symbol that the other's defines, as nm tells. The circles
that remain are listed with their reasons in docs/inside/architecture.md, under "Circles"; layers are those
that tests/lint/layers.py checks includes against.

usage: circles.py NM BUILD-FOLDER ROOT"""
import pathlib
import re
import shutil
import subprocess
import sys

from layers import Layers


def circles_of(uses):
    """Strongly connected components of more than one file, by Tarjan's algorithm: file -> used files."""
    order, low, stack, found = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for used in sorted(uses.get(file, ())):
            if used not in order:
                visit(used)
                low[file] = min(low[file], low[used])
            elif used in stack:
                low[file] = min(low[file], order[used])
        if low[file] == order[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                found.append(frozenset(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for file in sorted(uses):
        if file not in order:
            visit(file)
    return found


def listed_circles(text):
    """The sets of files in the list under "## Circles"."""
    section = re.search(r"^## Circles\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    items = re.findall(r"^- (.*?):", section.group(1), re.S | re.M) if section else []
    return [frozenset(re.findall(r"`([^`]+\.c)`", item)) for item in items]


def sources_by_object(root, build, folders):
    """Objects of the build -> source. Meson writes a/b.c of a target as a_b.c.o."""
    sources = {}
    for folder in folders:
        names = {str(source.relative_to(root / folder)).replace("/", "_") + ".o": source
                 for source in (root / folder).rglob("*.c")}
        for path in (build / folder).glob("*.p/*.o"):
            if path.name in names:
                sources[str(path)] = str(names[path.name].relative_to(root))
    return sources


def uses_by_nm(lines, sources):
    """(file, symbol, file that defines it), from lines of nm -A -P: "object: symbol type …"."""
    defined, needed = {}, []
    for line in lines:
        path, symbol, kind = re.match(r"(.*?): (\S+) (\S)", line).groups()
        if kind in "Uwv":
            needed.append((sources[path], symbol))
        else:
            # Of two the lower one: libelfmap has an oom() of its own.
            defined.setdefault(symbol, sources[path])
    return {(file, symbol, defined[symbol]) for file, symbol in needed
            if defined.get(symbol, file) != file}


def graph_of(uses):
    graph = {}
    for file, _, used in uses:
        graph.setdefault(file, set()).add(used)
    return graph


def circle_faults(uses, listed):
    circles = circles_of(graph_of(uses))
    faults = []
    for circle in sorted(circles, key=sorted):
        if circle not in listed:
            faults.append(f"a circle of {len(circle)} files: {' '.join(sorted(circle))}")
            faults += [f"  {file} uses {symbol} of {used}" for file, symbol, used in sorted(uses)
                       if file in circle and used in circle]
    return faults + [f"listed, but no circle: {' '.join(sorted(circle))}"
                     for circle in listed if circle not in circles]


def layer_faults(uses, layers):
    return [f"{file} uses {symbol} of {used}" for file, symbol, used in sorted(uses) if not layers.allows(file, used)]


def lint_fails_where_it_should():
    """The checks above, on a made-up build."""
    sources = {"a.o": "low/a.c", "b.o": "low/b.c", "c.o": "high/c.c"}
    lines = ["a.o: f T 0 1", "a.o: g U", "b.o: g T 0 1", "c.o: h T 0 1", "c.o: f U", "c.o: puts U"]
    layers = Layers("| 0 | `low` | a | libc |\n| 1 | `high` | b | low |\n")
    straight = uses_by_nm(lines, sources)
    circle = uses_by_nm(lines + ["b.o: f U"], sources)
    upward = uses_by_nm(lines + ["b.o: h U"], sources)
    listed = listed_circles("## Circles\n\n- `low/a.c`,\n  `low/b.c`: why\n\n## Next\n- `low/d.c`: no\n")
    return (straight == {("low/a.c", "g", "low/b.c"), ("high/c.c", "f", "low/a.c")}
            and listed == [{"low/a.c", "low/b.c"}]
            and circle_faults(straight, []) == [] == layer_faults(straight, layers)
            and len(circle_faults(circle, [])) == 3 and circle_faults(circle, listed) == []
            and len(circle_faults(straight, listed)) == 1
            and circle_faults(upward, [])[0] == "a circle of 3 files: high/c.c low/a.c low/b.c"
            and layer_faults(upward, layers) == ["low/b.c uses h of high/c.c"])


def main():
    nm, build, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if not shutil.which(nm):
        print(f"1..0 # SKIP {nm} is not installed")
        return 0
    document = (root / "docs/inside/architecture.md").read_text()
    layers = Layers(document)
    listed = listed_circles(document)
    sources = sources_by_object(root, build, layers.folders())
    result = subprocess.run([nm, "-A", "-P", "-g", *sources], check=True, text=True, capture_output=True)
    uses = uses_by_nm(result.stdout.splitlines(), sources)
    if not uses:
        print("1..0 # SKIP nm reads no symbols of these objects (link-time optimization?)")
        return 0

    checks = [("the lint finds a circle and a use upwards", [] if lint_fails_where_it_should() else ["self-test"]),
              ("no files use each other in a circle that docs/inside/architecture.md does not explain",
               circle_faults(uses, listed)),
              ("each file uses only functions that its layer may", layer_faults(uses, layers))]
    print(f"1..{len(checks)}")
    for i, (sentence, faults) in enumerate(checks, 1):
        print(f"{'not ok' if faults else 'ok'} {i} - {sentence}")
        for fault in faults:
            print(f"# {fault}")
    return any(faults for _, faults in checks)


sys.exit(main())
