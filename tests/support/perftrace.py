#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare `perf trace -F all` with `elfault analyze --format ndjson` of the same run.

usage: perftrace.py PERF FAULTS

Both are of one run of `elfault record perf trace ... COMMAND`: elfault sees perf and the command, perf
the command from its exec on. Two runs of one command differ by a fault now and then, by what the page
cache holds.

A line of perf's, from print_location() of tools/perf/builtin-trace.c:

  0.2 ( 0.0 ms): git/510 minfault [_dl_start+0x3d] => /lib/ld.so@0x33e06 (d.)
                                  ip: symbol+offset    object@address

The address is what map__map_ip() gives: for a file the position in the file, as the mapping has it;
for //anon, [heap] and [stack] the address in the process. The ip is the kernel's where the kernel
faulted; perf then looks among the kernel's mappings and prints a bare address with `?`. Faults are
matched thread by thread, in order. Where the two say things differently:

  - .bss: on its anonymous pages perf knows no file (`//anon`, or [heap] where brk follows), on the last
    page of .data it prints a position in the file where the file has other bytes. elfault says the
    file's .bss, at no position; the vaddr, turned into a position by PT_LOAD, must be perf's, or the
    address must.
  - an ip that perf names by another symbol of the same start (aliases), or by its own name for a PLT
    entry: the start must be the same by nm.
  - an ip in a file whose symbols don't cover it: perf takes the nearest symbol before, elfault the
    function range of .eh_frame. The ip itself must be the same.
  - the vdso is a file of perf's own, and [vvar] and [vvar_vclock] count from their start: the place in the page is compared.
"""
import bisect
import functools
import json
import os
import re
import subprocess
import sys

LINE = re.compile(r"\s*[\d.]+ \([^)]*\): (?P<comm>.*)/(?P<tid>\d+) (?P<kind>maj|min)fault \[(?P<ip>.*)\] => "
                  r"(?:(?P<object>.*)@)?(?P<addr>0x[0-9a-f]+) \((?P<how>..)\)$")


DROPPED = 3  # faults in a row that perf may have dropped


def output_of(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


@functools.lru_cache(maxsize=None)
def loads(path):
    """(vaddr, memory size, offset) of each PT_LOAD."""
    found = re.findall(r"^ +LOAD +(\S+) (\S+) \S+ \S+ (\S+) ", output_of("readelf", "-lW", path), re.M)
    return [(int(vaddr, 16), int(size, 16), int(offset, 16)) for offset, vaddr, size in found]


@functools.lru_cache(maxsize=None)
def starts(path):
    """Sorted starts of all symbols, and for each its names: raw, demangled, and without arguments."""
    build_id = re.search(r"Build ID: ([0-9a-f]+)", output_of("readelf", "-nW", path))
    files = [path]
    if build_id:
        debug = f"/usr/lib/debug/.build-id/{build_id[1][:2]}/{build_id[1][2:]}.debug"
        files += [debug] if os.path.exists(debug) else []
    found = set()
    for file in files:
        for option in ("-a", "-D"):
            for line in output_of("nm", option, file).splitlines():
                match = re.match(r"([0-9a-f]+) \S ([^@]*)", line)
                if match:
                    found.add((int(match[1], 16), match[2]))
    raw = "".join(name + "\n" for _, name in found)
    names = {}
    for options in ([], ["-p"]):
        shown = subprocess.run(["c++filt", *options], input=raw, check=True, capture_output=True,
                               text=True).stdout.splitlines()
        for (start, name), demangled in zip(found, shown):
            names.setdefault(start, set()).update([name, demangled])
    return sorted(names), names


def position(path, vaddr):
    for start, size, offset in loads(path):
        if start <= vaddr < start + ((size + 4095) & ~4095):
            return offset + vaddr - start
    return None


def same_place(perf, fault):
    """What differs of the byte touched, or None; and which rule above was needed, or None."""
    at = fault["at"]
    addr, mine = int(perf["addr"], 16), int(fault["addr"], 16)
    if perf["object"] is None:
        return (None if addr == mine else "address"), "kernel"
    if "vdso" in perf["object"] or perf["object"].startswith("[vvar"):
        is_same = at["object"] in ("[vdso]", "[vvar]") and (addr - mine) % 4096 == 0
        return (None if is_same else "vdso"), "vdso"
    if perf["object"].startswith("["):
        if at["object"] == perf["object"]:
            return (None if addr == mine else "address"), None
    if perf["object"] in ("//anon", "[heap]"):
        if at["section"] in ("[anon]", "[heap]", "[stack]") or at["offset"] is None:
            return (None if addr == mine else "address"), "anonymous"
        return "object", None
    if os.path.realpath(perf["object"]) != os.path.realpath(at["object"] or ""):
        return "object", None
    if at["offset"] is not None:
        return (None if at["offset"] == addr else "offset"), None
    if at["vaddr"] and position(at["object"], int(at["vaddr"], 16)) == addr:
        return None, "bss in the file's last page"
    return "offset", None


def same_function(perf, fault):
    by = fault["by"]
    if fault["mode"] == "kernel":
        return None, "kernel"
    if not by["object"] or not os.path.isfile(by["object"]):
        return None, "code outside files"
    match = re.match(r"(.*)\+0x([0-9a-f]+)$", perf["ip"])
    if not match:
        # perf has no name: the position in the file.
        return (None if int(perf["ip"], 16) == by["offset"] else "ip"), "perf has no function"
    name, offset = match[1].split("@@")[0], int(match[2], 16)
    if not name.endswith("@plt"):
        name = name.split("@")[0]
    mine = by["function"] or ""
    if by["function_offset"] == offset and mine == name:
        return None, None
    start = int(by["vaddr"], 16) - offset
    if name.endswith("@plt"):
        return (None if by["section"].startswith(".plt") else "function"), "plt"
    order, names = starts(by["object"])
    if name not in names.get(start, ()):
        return "ip", None
    if by["function_offset"] == offset and mine in names[start]:
        return None, "alias"
    index = bisect.bisect_right(order, int(by["vaddr"], 16)) - 1
    if mine.startswith("fn@"):
        return None, "nearest symbol"
    return (None if mine in names.get(order[index], ()) else "function"), "nearest symbol"


def lines_by_thread(path):
    """What perf printed, in order."""
    threads = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if "fault [" not in line:
                continue
            perf = LINE.match(line.rstrip("\n"))
            if not perf:
                sys.exit(f"cannot read perf's line: {line}")
            threads.setdefault(int(perf["tid"]), []).append(perf)
    return threads


def compare(perf, fault):
    """What differs, and the rules above that were needed."""
    checks = [same_place(perf, fault), same_function(perf, fault),
              (None if perf["kind"] == fault["kind"][:3] else "minor or major", None)]
    return [what for what, _ in checks if what], [rule for _, rule in checks if rule]


def main(perf_path, faults_path):
    theirs, ours = lines_by_thread(perf_path), {}
    with open(faults_path, encoding="utf-8") as file:
        for line in file:
            fault = json.loads(line)
            # perf's own threads, and its child until it has become the command.
            if fault["tid"] in theirs and fault["comm"] not in ("perf", "perf-exec"):
                ours.setdefault(fault["tid"], []).append(fault)
    rules, wrong, compared, missed = {}, 0, 0, 0
    for tid, lines in theirs.items():
        faults, at = ours.get(tid, []), 0
        for perf in lines:
            compared += 1
            if at >= len(faults):
                wrong += 1
                print(f"only perf has: {perf[0].strip()}")
                continue
            # perf drops one now and then (elfault's number is the kernel's, see real.bats).
            found = [compare(perf, fault) for fault in faults[at:at + 1 + DROPPED]]
            skip = next((i for i, (what, _) in enumerate(found) if not what), 0)
            missed += skip
            what, named = found[skip]
            for rule in named:
                rules[rule] = rules.get(rule, 0) + 1
            if what:
                wrong += 1
                if wrong <= 10:
                    fault = faults[at]
                    print(f"{what} is not the same:\n  perf:    {perf[0].strip()}\n  elfault: "
                          f"{fault['addr']} {fault['at']}\n           {fault['by']} {fault['mode']}")
            at += skip + 1
        missed += max(0, len(faults) - at)
    if missed > compared / 100:
        print(f"perf has {missed} faults less than elfault")
        wrong += 1
    print(f"{compared} faults of {len(theirs)} threads compared, {wrong} differ, "
          f"{missed} missed by perf; said in other words:",
          rules)
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
