#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/examples/atoffset.c names bytes of files as readelf, nm and addr2line do.

usage: bytenames.py ATOFFSET FILE…

Of each section the first byte, one in the middle and the last; of each sized symbol, up to a number,
the same. Where symbols overlap every name of the innermost will do. Prints counts, or what differs."""
import os
import re
import subprocess
import sys

SYMBOLS_MAX = 3000


def output(*command, text=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout


def sections_of(path):
    """(name, offset, size) of those that have bytes."""
    rows = re.findall(r"^\s*\[\s*\d+\] (\S+)\s+(\w+)\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)",
                      output("readelf", "-SW", path), re.M)
    return [(name, int(offset, 16), int(size, 16)) for name, kind, offset, size in rows
            if kind not in ("NULL", "NOBITS") and int(size, 16)]


def loads_of(path):
    rows = re.findall(r"^\s*LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", output("readelf", "-lW", path), re.M)
    return [tuple(int(number, 16) for number in row) for row in rows]


def debug_file_of(path):
    said = re.search(r"Build ID: (\w+)", output("readelf", "-nW", path))
    debug = said and f"/usr/lib/debug/.build-id/{said[1][:2]}/{said[1][2:]}.debug"
    return debug if debug and os.path.exists(debug) else None


def symbols_of(path, debug):
    """(vaddr, size, name) of functions and objects by nm; of TLS the address is none."""
    found = set()
    for command in (["nm", "-S", "--defined-only", debug or path], ["nm", "-D", "-S", "--defined-only", path]):
        for line in output(*command, "--format=posix").splitlines():
            name, kind, value, size = (line.split() + ["0"])[:4]
            if kind not in "NnAaUw" and int(size, 16):
                found.add((int(value, 16), int(size, 16), name.split("@")[0]))
    tls = {row.split()[-1].split("@")[0] for row in
           output("readelf", "-sW", debug or path).splitlines() if " TLS " in row}
    return sorted(symbol for symbol in found if symbol[2] not in tls)


def innermost(symbols, vaddr):
    """Names of the smallest symbols that cover @vaddr."""
    covering = [(size, name) for start, size, name in symbols if start <= vaddr < start + size]
    least = min(size for size, _ in covering)
    return {name for size, name in covering if size == least}


def probes(start, size):
    return sorted({start, start + size // 2, start + size - 1})


def ask(atoffset, path, offsets):
    lines = []
    for at in range(0, len(offsets), 5000):
        lines += output(atoffset, path, *map(str, offsets[at:at + 5000])).splitlines()
    assert len(lines) == len(offsets)
    return lines


def wrong_sections(atoffset, path):
    wanted = [(offset, name) for name, start, size in sections_of(path) for offset in probes(start, size)]
    lines = ask(atoffset, path, [offset for offset, _ in wanted])
    bad = [f"{path}: {line}: readelf says {name}" for (_, name), line in zip(wanted, lines)
           if line.split()[1] != name]
    return bad, len(wanted)


def wrong_names(atoffset, path):
    debug = debug_file_of(path)
    symbols, loads = symbols_of(path, debug), loads_of(path)
    chosen = symbols[::len(symbols) // SYMBOLS_MAX + 1]
    wanted = []
    for start, size, _ in chosen:
        near = [symbol for symbol in symbols if symbol[0] <= start + size and symbol[0] + symbol[1] > start]
        for vaddr in probes(start, size):
            for offset, load, file_size in loads:
                if load <= vaddr < load + file_size:
                    wanted.append((vaddr, vaddr - load + offset, innermost(near, vaddr)))
    lines = ask(atoffset, path, [offset for _, offset, _ in wanted])
    bad, functions = [], []
    for (vaddr, _, names), line in zip(wanted, lines):
        said = re.match(r"\S+ (\S+) (\S+)\+(?:0|0x[0-9a-f]+)$", line)
        if not said or said[2] not in names:
            bad.append(f"{path}: {line} ({vaddr:#x}): nm says {' '.join(sorted(names))}")
        elif said[1] == ".text":
            functions.append((vaddr, names))
    return bad + wrong_functions(debug or path, functions), len(wanted), len(functions)


def wrong_functions(path, functions):
    """By addr2line, whose name may be the one in the source: without what the compiler appended."""
    said = output("addr2line", "-f", "-i", "-a", "-e", path, text="".join(f"{vaddr:#x}\n" for vaddr, _ in functions))
    blocks = [block.splitlines() for block in re.split(r"^0x[0-9a-f]+\n", said, flags=re.M)[1:]]
    assert len(blocks) == len(functions)
    return [f"{path}: {vaddr:#x}: addr2line says {block[-2]}, not {' '.join(sorted(names))}"
            for (vaddr, names), block in zip(functions, blocks)
            if block[-2] != "??" and not {block[-2], block[-2].split(".")[0]} &
            (names | {name.split(".")[0] for name in names})]


def main():
    bad = []
    for path in sys.argv[2:]:
        wrong, sections = wrong_sections(sys.argv[1], path)
        bad += wrong
        wrong, names, functions = wrong_names(sys.argv[1], path)
        bad += wrong
        print(f"{path}: {sections} bytes of sections, {names} of symbols, {functions} of functions")
    if bad:
        print(f"{len(bad)} differ:")
    print(*bad[:20], sep="\n")
    return bool(bad)


sys.exit(main())
