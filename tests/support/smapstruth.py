#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold `elfault smaps` against what readelf and the kernel say of the same process.

usage: smapstruth.py [--show] ELFAULT PROGRAM [ARGUMENT...]

The program is stopped where it ends, with all its memory. Sections come from readelf, pages from /proc/PID/pagemap, sums
from /proc/PID/smaps_rollup. Prints how many sections and bytes agree; with --show only what
elfault says, as JSON."""
import collections
import ctypes
import json
import os
import re
import struct
import subprocess
import sys

PTRACE_TRACEME, PTRACE_CONT, PTRACE_KILL, PTRACE_SETOPTIONS, PTRACE_O_TRACEEXIT = 0, 7, 8, 0x4200, 0x40
PAGE = os.sysconf("SC_PAGESIZE")
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, data=0):
    if libc.ptrace(request, pid, None, data) < 0:
        sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")


def run_to_its_end(command):
    pid = os.fork()
    if pid == 0:
        ptrace(PTRACE_TRACEME, 0)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execvp(command[0], command)
    os.waitpid(pid, 0)
    ptrace(PTRACE_SETOPTIONS, pid, PTRACE_O_TRACEEXIT)
    ptrace(PTRACE_CONT, pid)
    while True:
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            sys.exit("the program ended before it could be looked at")
        if status >> 16 == 6:  # PTRACE_EVENT_EXIT
            return pid
        ptrace(PTRACE_CONT, pid, os.WSTOPSIG(status))


def mappings(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as lines:
        for line in lines:
            start, end, offset, path = re.match(
                r"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+ *(.*)\n", line).groups()
            yield int(start, 16), int(end, 16), int(offset, 16), path


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True, check=False).stdout


def sections(path):
    """(name, vaddr, size) of all that takes room in memory."""
    for line in readelf("-S", path).splitlines():
        match = re.match(r" +\[ *\d+\] (\S+) +(\S+) +([0-9a-f]{8,16}) [0-9a-f]+ ([0-9a-f]+) \S+ +(\S*)", line)
        if match and "A" in match[5] and not ("T" in match[5] and match[2] == "NOBITS") and int(match[4], 16):
            yield match[1], int(match[3], 16), int(match[4], 16)


def first_load(path):
    vaddr = re.search(r"LOAD +0x0+ (0x[0-9a-f]+)", readelf("-l", path))
    return int(vaddr[1], 16) if vaddr else None


def pages(pid, start, end):
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pagemap:
        pagemap.seek(start // PAGE * 8)
        return struct.unpack(f"{(end - start) // PAGE}Q", pagemap.read((end - start) // PAGE * 8))


def truth(pid):
    """{(path, section): Counter}"""
    known = collections.defaultdict(collections.Counter)
    found = list(mappings(pid))
    entries = {}
    for start, end, _, path in found:
        if not path.startswith("[v"):
            for index, entry in enumerate(pages(pid, start, end)):
                entries[start + index * PAGE] = entry
    for start, _, offset, path in found:
        if offset != 0 or not path.startswith("/") or first_load(path) is None:
            continue
        bias = start - first_load(path)
        for name, vaddr, size in sections(path):
            sums = known[path, name]
            sums["size"] += size
            at, end = vaddr + bias, vaddr + bias + size
            while at < end:
                after = min(end, at // PAGE * PAGE + PAGE)
                entry = entries.get(at // PAGE * PAGE, 0)
                if entry >> 63:
                    sums["rss"] += after - at
                    sums["private" if entry >> 56 & 1 else "shared"] += after - at
                    sums["anonymous"] += 0 if entry >> 61 & 1 else after - at
                sums["swap"] += after - at if entry >> 62 & 1 else 0
                at = after
    return known


def rollup(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as lines:
        amounts = {match[1]: int(match[2]) * 1024 for match in
                   (re.match(r"(\w+): +(\d+) kB", line) for line in lines) if match}
    keys = {"rss": ["Rss"], "private_clean": ["Private_Clean"], "private_dirty": ["Private_Dirty"],
            "shared_clean": ["Shared_Clean"], "shared_dirty": ["Shared_Dirty"], "anonymous": ["Anonymous"],
            "swap": ["Swap"], "private": ["Private_Clean", "Private_Dirty"], "dirty": ["Private_Dirty", "Shared_Dirty"],
            "huge": ["AnonHugePages", "ShmemPmdMapped", "FilePmdMapped", "Shared_Hugetlb", "Private_Hugetlb"]}
    return {key: sum(amounts[name] for name in names) for key, names in keys.items()}, amounts["Pss"]


def main():
    is_shown = sys.argv[1] == "--show"
    elfault, *command = sys.argv[1 + is_shown:]
    pid = run_to_its_end(command)
    try:
        answer = json.loads(subprocess.run([elfault, "smaps", "--format", "json", str(pid)], check=True,
                                           capture_output=True, text=True).stdout)
        if is_shown:
            print(json.dumps(answer))
            return
        known = truth(pid)
        sums, pss = rollup(pid)
    finally:
        os.kill(pid, 9)
    wrong = []
    # What other processes map as well is shared or not as they come and go.
    own = os.path.basename(command[0])
    for key, expected in sums.items():
        if ("static" in own or key in ("rss", "anonymous", "swap", "huge")) and answer["amounts"][key] != expected:
            wrong.append(f"{key}: {answer['amounts'][key]}, smaps_rollup has {expected}")
    # Of each mapping the kernel shows whole KiB; others come and go meanwhile.
    if abs(answer["amounts"]["pss"] - pss) > 1024 * answer["mappings"] + pss // 10:
        wrong.append(f"pss: {answer['amounts']['pss']}, smaps_rollup has {pss}")
    got = {(o["path"], s["section"]): s for o in answer["objects"] for s in o["sections"]}
    for (path, name), expected in known.items():
        section = got.get((path, name))
        if not section:
            wrong.append(f"{path} has no {name}")
            continue
        if section["grain"] not in ("page", "mapping"):
            wrong.append(f"{path} {name}: {section['grain']}")
        is_own = own.startswith("touch") and os.path.basename(path) == own
        for key in ("size", "rss", "anonymous", "swap") + (("private", "shared") if is_own else ()):
            # A section that has its mappings to itself has the rest of its last page, too.
            slack = 2 * PAGE if section["grain"] == "mapping" else 0
            amount = section["amounts"][key]
            if amount is None or not 0 <= amount - expected[key] <= slack:
                wrong.append(f"{path} {name} {key}: {amount}, pagemap has {expected[key]}")
    for item in answer["objects"]:
        for key, whole in item["amounts"].items():
            parts = [s["amounts"][key] for s in item["sections"]]
            # Per mapping, pss is in whole KiB.
            slack = 2048 * item["mappings"] if "pss" in key else 0
            if None not in parts and abs(sum(parts) - whole) > slack:
                wrong.append(f"{item['path']} {key}: {whole}, its sections {sum(parts)}")
    print(f"{len(known)} sections, {sum(k['rss'] for k in known.values())} bytes")
    if wrong or not known:
        sys.exit("\n".join(wrong) or "no sections")


main()
