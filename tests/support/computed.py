#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the functions of an account with what fixtures/programs/computes.c measured itself.

usage: computed.py MEASURED ANALYSIS.json SOURCE [perf|user]: recorded by perf events, without the kernel (user)
       computed.py --perf SCRIPT ANALYSIS.json: with the output of perf script -F ip,sym"""
import json
import math
import re
import sys


def row_of(rows, name):
    found = [row for row in rows if row["function"] == name]
    if len(found) != 1:
        sys.exit(f"{name} has {len(found)} rows")
    return found[0]


def line_of(source, name):
    for number, line in enumerate(open(source), 1):
        if f"// here: {name}" in line:
            return number
    sys.exit(f"{source}: no line is marked {name}")


def against_program(measured, analysis, source, by="bpf"):
    wrong = []
    account = json.load(open(analysis))["account"]
    spent = {name: int(ns) for name, ns in map(str.split, open(measured))}

    def check(what, found, least, most, error):
        print(f"{what}: {found / 1e6:.2f} ms of {least / 1e6:.2f} to {most / 1e6:.2f}, error {error / 1e6:.2f}")
        if not least - error - 1e6 <= found <= most + error + 1e6:
            wrong.append(what)

    # Who does not sample the kernel misses interrupts, and what a hypervisor takes: up to all that interrupted.
    missed = max(0, 1 - spent.get("uninterrupted", spent["spins"]) / spent["spins"]) if by == "user" else 0

    def check_function(what, row, name):
        check(what, row["cpu_ns"], spent[name] * (1 - missed), spent[name], row["error_ns"])

    def check_line(name, row):
        expected = f"computes.c:{line_of(source, name)}"
        if not (row["source"] or "").endswith("/" + expected):
            wrong.append(f"{name}: line {row['source']}, not {expected}")

    for rows in ("by_function", "by_blame"):
        if sum(row["cpu_ns"] for row in account[rows]) != account["all"]["cpu"]:
            wrong.append(f"{rows} does not add up to all.cpu")
    waits = sum(row["wait_ns"] + row["file_io_ns"] for row in account["waits_by_function"])
    if waits != account["all"]["wait"] + account["all"]["file-io"]:
        wrong.append("waits do not add up")
    sampled = ("spins", "copies") if by == "user" else ("spins", "copies", "calls")
    for name in sampled:
        row = row_of(account["by_blame"], name)
        check_function(name, row, name)
        check_line(name, row)
    spins = row_of(account["by_function"], "spins")
    check_function("spins alone", spins, "spins")
    check_line("spins", spins)
    if spins["kernel_ns"] > 0.2 * spins["cpu_ns"] or spins["blame"]["function"] != "spins":
        wrong.append("spins runs itself")
    if by == "user":
        unseen = [row for row in account["by_function"] if row["function"] is None and row["samples"] == 0]
        if len(unseen) != 1 or unseen[0]["kernel_ns"] != unseen[0]["cpu_ns"]:
            sys.exit("the kernel has a row")
        computed = spent["spins"] + spent["copies"]
        rest = account["all"]["cpu"] - computed
        check("the kernel", unseen[0]["cpu_ns"], rest, rest + missed * computed, 0.05 * account["all"]["cpu"])
        calls = sum(row["cpu_ns"] for row in account["by_blame"] if row["function"] == "calls")
        if calls > 0.2 * spent["calls"]:
            wrong.append(f"calls has {calls / 1e6:.2f} ms, though the kernel is not sampled")
        print("\n".join(wrong))
        return bool(wrong)
    calls = row_of(account["by_blame"], "calls")
    if calls["kernel_ns"] < 0.9 * calls["cpu_ns"] or "read" not in calls["mostly"]["function"]:
        wrong.append("calls runs the kernel, by read")
    if not calls["mostly"]["object"].endswith("libc.so.6"):
        wrong.append("read is libc's")
    copies = row_of(account["by_blame"], "copies")
    if copies["kernel_ns"] > 0.2 * copies["cpu_ns"] or not re.search("mem(cpy|move)", copies["mostly"]["function"]):
        wrong.append("copies runs memcpy")
    if by == "perf":
        # Its pauses have no stacks.
        print("\n".join(wrong))
        return bool(wrong)
    naps = [row for row in account["waits_by_function"] if row["blame"] and row["blame"]["function"] == "naps"]
    if len(naps) != 1 or "nanosleep" not in naps[0]["at"]["function"]:
        wrong.append("naps waits in nanosleep")
    else:
        # It may be woken, and wait for a processor then.
        if not 0.5 * spent["naps"] < naps[0]["wait_ns"] <= spent["naps"]:
            wrong.append(f"naps waits {naps[0]['wait_ns']} of {spent['naps']}")
        check_line("naps", naps[0])
    print("\n".join(wrong))
    return bool(wrong)


def against_perf(script, analysis):
    wrong = []
    account = json.load(open(analysis))["account"]
    rows = account["by_function"]
    whole = sum(row["cpu_ns"] for row in rows)
    samples = sum(row["samples"] for row in rows)
    spins = row_of(rows, "spins")
    shares = {
        "spins": (spins["cpu_ns"] - spins["kernel_ns"]) / whole,
        "kernel": sum(row["kernel_ns"] for row in rows) / whole,
    }
    counts, all_counts = dict.fromkeys(shares, 0), 0
    for line in open(script):
        if not line.split():
            continue
        address, _, symbol = line.strip().partition(" ")
        all_counts += 1
        if int(address, 16) >> 63:
            counts["kernel"] += 1
        elif symbol.strip() == "spins":
            counts["spins"] += 1
    for name, share in shares.items():
        theirs = counts[name] / all_counts
        likely = (share + theirs) / 2
        error = 1.96 * math.sqrt(likely * (1 - likely) * (1 / samples + 1 / all_counts))
        print(f"{name}: {100 * share:.1f} %, perf {100 * theirs:.1f} %, joint error {100 * error:.1f} %"
              f" of {samples} and {all_counts} samples")
        # perf counts faults, exec and exit as the kernel, too.
        if abs(share - theirs) > error + 0.02:
            wrong.append(name)
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(against_perf(*sys.argv[2:]) if sys.argv[1] == "--perf" else against_program(*sys.argv[1:]))
