#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the account of fixtures/programs/spends.c with what the program measured itself.

usage: spent.py MEASURED ANALYSIS.json DUMP"""
import json
import re
import sys

CALLS = {"lock": 202, "pipe": 0, "timer": 230, "child": 61}  # x86-64's
STATES = ("cpu", "fault", "fault-io", "file-io", "wait", "runnable")


def near(found, expected):
    return abs(found - expected) <= max(0.03 * expected, 2e6)


def main(measured, analysis, dump):
    wrong = []
    spent = {line.split()[0]: tuple(map(int, line.split()[1:])) for line in open(measured)}
    account = json.load(open(analysis))["account"]
    pid = re.search(r"^meta .*root_pid=(\d+)", open(dump).read(), re.M).group(1)

    def check(what, found, expected):
        print(f"{what}: {found / 1e6:.2f} ms of {expected / 1e6:.2f} ms measured")
        if not near(found, expected):
            wrong.append(what)

    main_times, (wall, cpu, began) = account["main"], spent["main"]
    if sum(main_times[state] for state in STATES) != account["wall_ns"]:
        wrong.append("the states do not add up to wall_ns")
    for group in ("main", "all"):
        by_initiator = account["by_initiator" if group == "all" else "main_by_initiator"].values()
        if any(sum(times[state] for times in by_initiator) != account[group][state] for state in STATES):
            wrong.append(f"initiators do not add up to {group}")
    if not account["complete"]:
        wrong.append("not complete")
    # A static program: it computes little before and after main.
    check("processor", main_times["cpu"] + main_times["fault"], cpu)
    off, in_main, outside, preempted = dict.fromkeys(CALLS.values(), 0), 0, 0, 0
    for line in open(dump):
        fields = dict(field.split("=", 1) for field in line.split()[1:] if "=" in field)
        if not line.startswith("pause ") or fields["pid"] != pid or "tid" in fields or "ends" in fields:
            continue
        start, back = int(fields["time"]), int(fields["back"])
        if not began <= start < began + wall:
            outside += back - start
            continue
        in_main += back - start
        if fields.get("left") == "preempted":
            preempted += back - start
        elif int(fields.get("call", -1)) in off:
            off[int(fields["call"])] += back - start
    check("off the processor", in_main, wall - cpu)
    if account["wall_ns"] < wall or account["wall_ns"] > wall + outside + 2e6:
        wrong.append(f"{account['wall_ns'] / 1e6:.2f} ms of wall time, {wall / 1e6:.2f} ms in main")
    for name, call in CALLS.items():
        # It may have been preempted before it called.
        waited = spent[name][0] - spent[name][1]
        if not waited - preempted - 2e6 < off[call] < waited + 2e6:
            wrong.append(f"{name}: {off[call] / 1e6:.2f} ms in its system call")
    samples = sum(int(period) for period in
                  re.findall(rf"^sample time=\d+ pid={pid} period=(\d+)", open(dump).read(), re.M))
    print(f"sampled: {samples / 1e6:.2f} ms of {cpu / 1e6:.2f} ms")
    # A timer that is late by more than a period leaves samples out.
    if not 0.7 * cpu < samples < 1.1 * cpu + 2e6:
        wrong.append("samples")
    program = account["main_by_initiator"]["program"]
    check("computed by the program", program["cpu"], cpu)
    check("waited for by the program", program["wait"], main_times["wait"])
    kernel = account["check"]
    check("processor, all threads", kernel["account_cpu_ns"], kernel["kernel_cpu_ns"])
    check("runnable, all threads", kernel["account_runnable_ns"], kernel["kernel_runnable_ns"])
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
