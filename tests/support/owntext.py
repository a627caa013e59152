#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the times that text shows against JSON's: the same quantity has the same figure in every view, and it is own time.

usage: owntext.py ELFAULT TRACE...

Of a trace with an account: the sum and the causes of the screen, the first thread's time and initiators of --full, its
system calls and programs, the tables of --by initiator and of objects. A figure may differ by what it was rounded to.
"""
import json
import re
import subprocess
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
bad = []


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode()


def same(what, figure, unit, expected):
    """FIGURE as printed, in UNIT, is EXPECTED ns, rounded to its last digit."""
    decimals = len(figure.partition(".")[2])
    step = UNITS[unit] / 10 ** decimals
    if abs(float(figure.replace(",", "")) * UNITS[unit] - expected) > step * 1.01:
        bad.append(f"{what}: {figure} {unit}, of {expected} ns")


def own(states):
    return sum(ns for state, ns in states.items() if state not in ("runnable", "recording"))


def in_faults(states):
    return states.get("fault", 0) + states.get("fault-io", 0)


def find(text, pattern, what):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        bad.append(f"{what} is not shown")
    return found


def check_screen(text, account):
    first = account["subject"] or account
    found = find(text, r"^  time +([\d.,]+) (\w+)(?: [^=\n]*)?\s+=", "the sum of the screen")
    if found:
        same("the sum of the screen", *found.groups(), own(first["main"]))
    for word, states in first["main_by_initiator"].items():
        row = re.search(rf"^ +([\d.]+) .*  {re.escape(word)}(:.*)?$", text, re.MULTILINE)
        if row:
            same(f"{word} among the causes", row.group(1), "ms", own(states))


def check_full(text, account):
    first = account["subject"] or account
    found = find(text, r"^Time of the first thread[^:]*: ([\d.]+) (ms)(?:; ([\d.]+) ms more waited for a processor)?; ([\d.]+) ms",
                 "the first thread's time")
    if found:
        same("the first thread's time", found.group(1), "ms", own(first["main"]))
        same("its waiting for a processor", found.group(3) or "0.00", "ms", first["main"].get("runnable", 0))
        same("its wall time", found.group(4), "ms", first["wall_ns"])
    for word, states in first["main_by_initiator"].items():
        row = re.search(rf"^ +([\d.]+) ms +([\d.]+) ms +([\d.]+) ms .*  {re.escape(word)}$", text, re.MULTILINE)
        if row:
            same(f"time by {word}", row.group(1), "ms", own(states))
            same(f"faults by {word}", row.group(2), "ms", in_faults(states))
            same(f"computing by {word}", row.group(3), "ms", states.get("cpu", 0))
        row = re.search(rf"^ +[\d,]+ +[\d.<]+% +\d+ +([\d.]+) (\w+) +(?:[\d.]+ \w+ +|- +)?{re.escape(word)}  ", text, re.MULTILINE)
        if row:
            same(f"all faults by {word}", *row.groups(), in_faults(account["by_initiator"][word]))
    for call in (account.get("calls") or {}).get("all", []):
        row = re.search(rf"^ +([\d.]+) ms +[\d,]+ +[\d.]+ us .* {re.escape(str(call['call']))}$", text, re.MULTILINE)
        if row:
            same(f"the call {call['call']}", row.group(1), "ms", call["duration_ns"] - call["runnable_ns"])


def check_programs(text, account):
    sums = {}
    for process in account["processes"]:
        sums[process["comm"]] = sums.get(process["comm"], 0) + own(process["main"])
    for comm, expected in sums.items():
        row = re.search(rf"^ +[\d-]+ +([\d.]+) (\w+) +[\d.]+ \w+ +[\d.]+ \w+ +[\d.]+ \w+ .*  {re.escape(str(comm))}$", text,
                        re.MULTILINE)
        if row:
            same(f"the program {comm}", *row.groups(), expected)


def check_by(text, account):
    rows = 0
    for word, states in account["by_initiator"].items():
        row = re.search(rf"^ +[\d,]+ +[\d.<]+% +\d+ +([\d.]+) (\w+) .* {re.escape(word)}$", text, re.MULTILINE)
        if row:
            rows += 1
            same(f"--by initiator: {word}", *row.groups(), in_faults(states))
    return rows


def check(elfault, trace):
    analyze = elfault, "analyze", "--allow-truncated"
    account = json.loads(output(*analyze, "--format", "json", trace))["account"]
    if not account:
        print(f"# {trace} has no account")
        return
    screen, full = output(*analyze, trace), output(*analyze, "--full", "--top", "0", "--wide", trace)
    check_screen(screen, account)
    check_full(full, account)
    check_programs(screen, account)
    check_programs(full, account)
    rows = check_by(output(*analyze, "--by", "initiator", trace), account)
    print(f"# {trace}: {rows} initiators, {account['main'].get('runnable', 0)} ns late of {account['wall_ns']}")


def main():
    for trace in sys.argv[2:]:
        before = len(bad)
        check(sys.argv[1], trace)
        for line in bad[before:]:
            print(f"# {trace}: {line}")
    print(f"{'not ok' if bad else 'ok'} 1 - the times of text are JSON's, and own time")
    print("1..1")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
