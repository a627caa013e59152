#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the account of fixtures/programs/spends.c with what the program measured itself.

usage: spent.py MEASURED ANALYSIS.json DUMP"""
import json
import re
import sys

CALLS = {"lock": 202, "pipe": 0, "timer": 230, "child": 61}  # x86-64's
KINDS = {"lock": "lock", "pipe": "pipe", "timer": "sleep", "child": "child"}
SPELL = 50e6  # of fixtures/programs/spends.c
STATES = ("cpu", "fault", "fault-io", "file-io", "wait", "runnable", "recording")


def near(found, expected):
    return abs(found - expected) <= max(0.03 * expected, 2e6)


def held_by_recorder(dump, pid):
    """While the recorder had the processor that the program's first thread was to run on, and that any was."""
    sums, exec_ns = [0, 0], None
    for line in open(dump):
        fields = dict(field.split("=", 1) for field in line.split()[1:] if "=" in field)
        if line.startswith("exec ") and fields["pid"] == pid:
            exec_ns = exec_ns or int(fields["time"])
        elif line.startswith("pause ") and exec_ns:
            sums[1] += int(fields.get("recorder", 0))
            sums[0] += int(fields.get("recorder", 0)) if fields["pid"] == pid and "tid" not in fields else 0
    return sums


def waits(account, spent, pid, preempted):
    """What is wrong with what the waits were for, and with the way to the end of the command."""
    wrong = []
    by_kind, path = account["waits"]["main"], account["critical_path"]
    off = preempted + account["main"]["runnable"]
    for name, kind in KINDS.items():
        found, waited = by_kind.get(kind, {}).get("wait", 0), spent[name][0] - spent[name][1]
        print(f"waited for {kind}: {found / 1e6:.2f} ms of {waited / 1e6:.2f} ms measured")
        if not waited - off - 2e6 < found < waited + 2e6:
            wrong.append(f"wait: {kind}")
    for group, state in (("main", "wait"), ("main", "file-io"), ("all", "wait"), ("all", "file-io")):
        if sum(kind[state] for kind in account["waits"][group].values()) != account[group][state]:
            wrong.append(f"kinds of waits do not add up to {state} of {group}")
    enders = {row["wait"]: row for row in reversed(account["waits"]["by_waker"])}
    if enders["lock"]["pid"] != pid or enders["pipe"]["pid"] != pid or enders["sleep"]["waker"] != "interrupt":
        wrong.append("what ended a wait")
    # Threads and the child sleep for a spell each: it is them that main waits for.
    if enders["child"]["pid"] in (None, pid) or not near(enders["child"]["meanwhile"]["wait"], SPELL):
        wrong.append("what the child did meanwhile")
    for rows in path.values():
        if sum(row["duration_ns"] for row in rows) != account["wall_ns"]:
            wrong.append("the critical path does not add up to wall_ns")

    def slept(is_wanted):
        return sum(row["waits"].get("sleep", {}).get("wait", 0) for row in path["parts"] if is_wanted(row))

    for who, found, spells in (
            ("main", slept(lambda row: row["pid"] == pid and row["thread"] is None), 1),
            ("threads", slept(lambda row: row["pid"] == pid and row["thread"] is not None), 2),
            ("child", slept(lambda row: row["pid"] != pid), 1)):
        print(f"critical path, {who}: asleep for {found / 1e6:.2f} ms")
        if not near(found, spells * SPELL):
            wrong.append(f"critical path: {who}")
    return wrong


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
    # Before main it computes as well: little, but in some virtual machines.
    held_main, held = held_by_recorder(dump, pid)
    added = main_times["recording"] - held_main
    computed, around = main_times["cpu"] + main_times["fault"] + added, spent["whole"][0] - cpu
    print(f"processor: {computed / 1e6:.2f} ms of {cpu / 1e6:.2f} to {(cpu + around) / 1e6:.2f} ms measured")
    if computed < cpu - 2e6 or computed > cpu + around + 2e6:
        wrong.append("processor")
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
    if account["wall_ns"] < wall or account["wall_ns"] > wall + outside + around + 2e6:
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
    check("computed by the program", program["cpu"] + added, cpu)
    check("waited for by the program", program["wait"], main_times["wait"])
    wrong += waits(account, spent, int(pid), preempted + held)
    kernel = account["check"]
    check("processor, all threads", kernel["account_cpu_ns"], kernel["kernel_cpu_ns"])
    check("runnable, all threads", kernel["account_runnable_ns"], kernel["kernel_runnable_ns"])
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
