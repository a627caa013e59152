#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the own time of faults in each table and format against the account's, to the nanosecond.

usage: ownsums.py ELFAULT TRACE...

Of a trace with an account all faults spend what its states fault and fault-io have: of each initiator, of each process
and of the first thread, in JSON, NDJSON, CSV, the tables of --by, the rows of objects and initializers, SQLite, folded
stacks and rows for fleets. A trace without times in faults is passed over, and said so.
"""
import collections
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

TABLES = ("initiator", "object", "section", "symbol", "function", "blame", "initializer", "mechanism", "kind", "access",
          "mode", "pid", "tid", "comm", "initiator,object", "initializer,initiator")
bad = []


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode()


def same(what, found, expected):
    if found != expected:
        bad.append(f"{what}: {found}, in the account {expected}")


def in_faults(states):
    return states.get("fault", 0) + states.get("fault-io", 0)


def exported(elfault, trace, kind, folder, *options):
    path = os.path.join(folder, kind.replace(" ", "-"))
    output(elfault, "export", "--to", kind, *options, "-o", path, trace)
    return path


def check_rows(name, rows, account):
    """Rows of single faults: sums by initiator, and in all."""
    sums = collections.Counter()
    for row in rows:
        sums[row["initiator"]] += int(row["own_ns"] or 0)
    same(f"faults in {name}", sum(sums.values()), in_faults(account["all"]))
    for word, states in account["by_initiator"].items():
        same(f"faults by {word} in {name}", sums[word], in_faults(states))


def check(elfault, trace, folder):
    analyze = elfault, "analyze", "--allow-truncated"
    answer = json.loads(output(*analyze, "--format", "json", "--faults", trace))
    account, faults = answer["account"], answer["faults"]
    if not account or all(fault["duration_ns"] is None for fault in faults):
        print(f"# {trace} has no time in faults")
        return
    whole = in_faults(account["all"])
    same("states of the first thread", sum(account["main"].values()), account["wall_ns"])
    for group, parts in ("all", "by_initiator"), ("main", "main_by_initiator"):
        for state, ns in account[group].items():
            same(f"{state} of {group}, by initiator", sum(times[state] for times in account[parts].values()), ns)
    same("recording, which has no cause", account["by_initiator"].get("unknown", {"recording": 0})["recording"],
         account["all"]["recording"])
    same("functions", sum(row["cpu_ns"] for row in account["by_function"]), account["all"]["cpu"])
    check_rows("JSON", faults, account)
    check_rows("NDJSON", map(json.loads, output(*analyze, "--format", "ndjson", trace).splitlines()), account)
    check_rows("CSV", csv.DictReader(io.StringIO(output(*analyze, "--format", "csv", trace))), account)
    for fault in faults:
        if fault["duration_ns"] is not None and not 0 <= fault["own_ns"] + fault["late_ns"] <= fault["duration_ns"]:
            bad.append(f"fault {fault['seq']} took {fault['duration_ns']} ns, of them {fault['own_ns']} its own")
    for words in TABLES:
        table = json.loads(output(*analyze, "--by", words, "--format", "json", trace))
        same(f"the total of --by {words}", table["total"]["own_ns"], whole)
        same(f"rows of --by {words}", sum(row["own_ns"] for row in table["rows"]), whole)
    nowhere = sum(fault["own_ns"] or 0 for fault in faults if fault["at"]["object"] is None)
    same("objects", sum(row["own_ns"] for row in answer["objects"]) + nowhere, whole)
    for row in answer["objects"]:
        inside = sum(fault["own_ns"] or 0 for fault in faults if fault["initializer"] and
                     fault["initializer"]["index"] is not None and fault["initializer"]["object"] == row["path"])
        same(f"initializers of {row['path']}", sum(init["own_ns"] for init in row["initializers"]), inside)
    for kind in "folded", "rows":
        rows = output(elfault, "export", "--to", kind, *(("--weight", "time") if kind == "folded" else ()), trace).splitlines()
        same(kind, sum(int(row.rsplit(" ", 1)[1]) for row in rows) if kind == "folded" else
             sum(json.loads(row)["time_ns"] for row in rows), whole)
    base = sqlite3.connect(exported(elfault, trace, "sqlite", folder))
    same("the table of faults in SQLite", base.execute("SELECT sum(own_ns) FROM faults").fetchone()[0] or 0, whole)
    for view in "initiator", "mechanism", "object", "section", "process":
        same(f"the view of faults by {view} in SQLite",
             base.execute(f"SELECT sum(own_ns) FROM faults_by_{view}").fetchone()[0] or 0, whole)
    print(f"# {trace}: {len(faults)} faults, {whole} ns of their own, "
          f"{sum(fault['late_ns'] or 0 for fault in faults)} ns late")


def main():
    for trace in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            before = len(bad)
            check(sys.argv[1], trace, folder)
            for line in bad[before:]:
                print(f"# {trace}: {line}")
    print(f"{'not ok' if bad else 'ok'} 1 - own time adds up in each table and format")
    print("1..1")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
