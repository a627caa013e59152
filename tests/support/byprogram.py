#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Divide the faults of a recording among the programs that a shell ran in it, one after the other.

usage: byprogram.py FOLDER PIDS < FAULTS

PIDS has a line for each, `PID NAME`, the shell first, by the name `-`. Programs end before the next one starts: processes
numbered between two of them are children of the first. Each FOLDER/NAME gets its faults, without those of the shell `sh`
and of what is still a copy of it. FAULTS are the lines of `elfault analyze --format ndjson`.
"""
import bisect
import json
import os
import pathlib
import sys


def main(folder, pids):
    rows = [line.split() for line in pathlib.Path(pids).read_text(encoding="utf-8").splitlines()]
    most = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text(encoding="utf-8"))
    first = int(rows[0][0])
    # Numbers begin anew at the largest.
    starts = [(int(pid) - first) % most for pid, _ in rows]
    os.mkdir(folder)
    files = [open(os.devnull if name == "-" else os.path.join(folder, name), "w", encoding="utf-8") for _, name in rows]
    for line in sys.stdin:
        fault = json.loads(line)
        if fault["comm"] != "sh":
            files[bisect.bisect_right(starts, (fault["pid"] - first) % most) - 1].write(line)


main(*sys.argv[1:])
