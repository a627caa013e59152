#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the two windows on both sides of a moment have together what the whole recording has, each fault, time and
byte once.

usage: windows.py ELFAULT TRACE EDGE...

EDGE is a time or a mark, as --from has it; a number with % is that part of the recording."""
import json
import subprocess
import sys

# Not what samples alone divide among functions: each window does so by its own samples.
ACCOUNT = ("wall_ns", "samples", "main", "all", "main_by_initiator", "by_initiator")
OBJECT = ("faults", "major", "duration_ns", "own_ns", "late_ns", "read_bytes", "by_initiator", "by_mechanism", "by_access")
INITIALIZER = ("faults", "major", "duration_ns", "own_ns", "wait_ns", "read_bytes", "storage_bytes")
STORAGE = ("device_bytes", "by_fault", "by_readahead", "by_read", "by_exec", "by_metadata", "by_others")
COUNTS = ("recorded", "attributed", "unattributed", "minor", "major", "read_bytes", "read_again_bytes", "in_elf_symbol")


def analyze(elfault, trace, *options):
    command = [elfault, "analyze", "--format", "json", "--faults", *options, trace]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def numbers(name, value, into):
    """The numbers below @value by their path."""
    if isinstance(value, dict):
        for key, part in value.items():
            numbers(f"{name}.{key}", part, into)
    elif value:
        into[name] = into.get(name, 0) + value


def figures(answer, listed):
    """All that adds up, by name; what is 0 is not there. @listed: the files that are on both sides, of whose
    initializers alone all is told: a file without a fault is in no list, whatever its initializers cost."""
    found = {}
    account, storage = answer["account"], answer["storage"]
    for key in ACCOUNT:
        numbers(f"account.{key}", account[key], found)
    # A wait across the edge is one on both sides, and its time is on each in part.
    for wait, times in ((account["waits"] or {}).get("all") or {}).items():
        numbers(f"waits.{wait}", {state: ns for state, ns in times.items() if state != "count"}, found)
    for process in account["processes"]:
        numbers(f"process {process['pid']} {process['comm']}", process["all"], found)
    for key in COUNTS:
        numbers(f"counts.{key}", answer["counts"][key], found)
    for key in STORAGE if storage else ():
        numbers(f"storage.{key}", storage[key], found)
    for row in answer["objects"]:
        for key in OBJECT:
            numbers(f"{row['path']}.{key}", row[key], found)
        for init in row["initializers"] if row["path"] in listed else ():
            for key in INITIALIZER:
                numbers(f"{row['path']}.{init['array']}[{init['index']}].{key}", init[key], found)
    return found


def is_same(key, one, whole):
    """Operations have a number of their own in each window; what a fault waited for after the edge is of the next."""
    if key != "io":
        return key == "seq" or one == whole
    first, second = ([{**operation, "seq": None} for operation in io or []] for io in (one, whole))
    return first == second[:len(first)]


def check_faults(first, second, whole):
    """One behind the other they are all, and nothing that is said of one depends on the window."""
    both = first["faults"] + second["faults"]
    assert len(both) == len(whole["faults"]), f"{len(both)} faults of {len(whole['faults'])}"
    for one, same in zip(both, whole["faults"]):
        for key, value in same.items():
            assert is_same(key, one[key], value), f"fault {same['seq']}: {key} is {one[key]}, not {value}"


def check(elfault, trace, edge, whole):
    first, second = analyze(elfault, trace, "--until", edge), analyze(elfault, trace, "--from", edge)
    check_faults(first, second, whole)
    listed = set.intersection(*({row["path"] for row in side["objects"]} for side in (first, second)))
    sums = figures(first, listed)
    for name, number in figures(second, listed).items():
        sums[name] = sums.get(name, 0) + number
    expected = figures(whole, listed)
    bad = [f"{name}: {sums.get(name, 0)}, in all {expected.get(name, 0)}"
           for name in sorted({**sums, **expected}) if sums.get(name, 0) != expected.get(name, 0)]
    if bad:
        sys.exit(f"at {edge}:\n" + "\n".join(bad[:20]))
    assert first["trace"]["window"]["until_ns"] == second["trace"]["window"]["from_ns"]
    return len(expected), len(first["faults"])


def main():
    elfault, trace, *edges = sys.argv[1:]
    whole = analyze(elfault, trace)
    assert whole["trace"]["window"] is None
    for edge in edges:
        if edge.endswith("%"):
            edge = f"{whole['trace']['duration_ns'] * int(edge[:-1]) // 100}ns"
        count, before = check(elfault, trace, edge, whole)
        print(f"{count} figures add up at {edge}, {before} of {len(whole['faults'])} faults before")


main()
