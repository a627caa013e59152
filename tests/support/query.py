#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold --where and --by against the same choice and the same counts made here, from all faults.

usage: query.py ELFAULT TRACE
"""
import collections
import csv
import fnmatch
import io
import json
import subprocess
import sys

PAGE = 4096


def matches(pattern, name):
    """As the shell does, but brackets stand for themselves."""
    return name is not None and fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))


def word(fault, name):
    """The value of a word in a fault's JSON."""
    if name in ("object", "section", "segment", "symbol", "symbol_kind"):
        return fault["at"][name]
    if name == "function":
        return fault["by"]["function"]
    if name in ("by_object", "by_section"):
        return fault["by"][name[3:]]
    if name == "blame":
        return fault["blame"] and fault["blame"]["function"]
    if name == "read":
        return fault["read"] is not None
    return fault[name]


CONDITIONS = {
    "initiator=relocation": lambda f: f["initiator"] == "relocation",
    "initiator=static-init,section=.bss|.text": lambda f: f["initiator"] == "static-init" and
    f["at"]["section"] in (".bss", ".text"),
    "initiator!=relocation|static-init|symbol-lookup":
    lambda f: f["initiator"] not in ("relocation", "static-init", "symbol-lookup"),
    "kind=minor,access=write,mode=user": lambda f: (f["kind"], f["access"], f["mode"]) ==
    ("minor", "write", "user"),
    "section=.d*": lambda f: matches(".d*", f["at"]["section"]),
    "section!=.d*": lambda f: not matches(".d*", f["at"]["section"]),
    "symbol=null": lambda f: f["at"]["symbol"] is None,
    "symbol_kind=pointee,symbol=&*": lambda f: f["at"]["symbol_kind"] == "pointee" and
    matches("&*", f["at"]["symbol"]),
    "object=libc.so.6": lambda f: (f["at"]["object"] or "").endswith("/libc.so.6"),
    "by_object=/*/ld-*,function=_dl_*": lambda f: matches("/*/ld-*", f["by"]["object"]) and
    matches("_dl_*", f["by"]["function"]),
    "by_section=.text,segment=1|2": lambda f: f["by"]["section"] == ".text" and
    f["at"]["segment"] in (1, 2),
    "certainty=stack,dlopen=false": lambda f: f["certainty"] == "stack" and f["dlopen"] is False,
    "certainty=null|rule": lambda f: f["certainty"] in (None, "rule"),
    "mechanism=zero-fill,section=[*]": lambda f: f["mechanism"] == "zero-fill" and
    matches("[*]", f["at"]["section"]),
    "read=true": lambda f: f["read"] is not None,
    "read=false,kind=major": lambda f: f["read"] is None and f["kind"] == "major",
    "pid!=1": lambda f: True,
    "comm=nobody": lambda f: False,
}
PIVOTS = ("initiator", "initiator,section", "section,mechanism,access", "object", "function,kind",
          "symbol", "by_object,by_section", "certainty,dlopen,mode", "pid,tid,comm", "segment",
          "blame", "read,kind")


def page(fault):
    at = fault["at"]
    for key in ("vaddr", "offset"):
        if at[key] is not None:
            number = int(at[key], 16) if key == "vaddr" else at[key]
            return at["object"], key, number // PAGE
    return at["object"], fault["pid"], int(fault["addr"], 16) // PAGE


def count(faults, words):
    rows = {}
    for fault in faults:
        values = tuple(word(fault, name) for name in words)
        row = rows.setdefault(values, {"faults": 0, "major": 0, "duration_ns": 0, "own_ns": 0, "late_ns": 0,
                                       "read_bytes": 0, "pages": set()})
        row["faults"] += 1
        row["major"] += fault["kind"] == "major"
        for key in ("duration_ns", "own_ns", "late_ns"):
            row[key] += fault[key] or 0
        row["read_bytes"] += fault["read"]["pages"] * PAGE if fault["read"] else 0
        row["pages"].add(page(fault))
    for row in rows.values():
        row["pages"] = len(row["pages"])
    return rows


def main(elfault, trace):
    wrong = []

    def ask(*arguments):
        return subprocess.run([elfault, "analyze", *arguments, trace], check=True,
                              stdout=subprocess.PIPE).stdout.decode()

    def faults_of(*arguments):
        lines = [json.loads(line) for line in ask("--format", "ndjson", *arguments).splitlines()]
        for line in lines:
            del line["seq"]  # counts the faults shown
        return lines

    whole = faults_of()
    print(f"{len(whole)} faults")
    for text, holds in CONDITIONS.items():
        wanted = [fault for fault in whole if holds(fault)]
        found = faults_of("--where", text)
        print(f"--where '{text}': {len(found)}")
        if found != wanted:
            wrong.append(f"--where '{text}': {len(found)} faults, not {len(wanted)}, or others")
        document = json.loads(ask("--where", text, "--format", "json"))
        if document["filter"] != text or document["counts"]["recorded"] != len(whole):
            wrong.append(f"--where '{text}': filter or counts in JSON")
        shown = sum(row["faults"] for row in document["objects"])
        if shown != sum(fault["at"]["object"] is not None for fault in wanted):
            wrong.append(f"--where '{text}': {shown} faults in JSON's objects")
        for row in document["objects"]:
            for table in ("by_section", "by_symbol", "by_function"):
                if any(item["faults"] == 0 for item in row[table]):
                    wrong.append(f"--where '{text}': {table} of {row['path']} has empty rows")
    # An OBJECT chooses as --where object= does: nothing else about the faults changes.
    if faults_of("libc.so.6") != faults_of("--where", "object=libc.so.6"):
        wrong.append("an OBJECT and --where object= differ")

    for text in PIVOTS:
        words = text.split(",")
        rows = count(whole, words)
        document = json.loads(ask("--by", text, "--format", "json"))
        found = {tuple(row.pop(name) for name in words): row for row in document["rows"]}
        print(f"--by {text}: {len(found)} rows")
        if found != rows:
            wrong.append(f"--by {text}: other rows than the faults have")
        order = [row["faults"] for row in document["rows"]]
        if order != sorted(order, reverse=True):
            wrong.append(f"--by {text}: rows are not in order")
        if document["total"]["pages"] != len({page(fault) for fault in whole}):
            wrong.append(f"--by {text}: total pages")
        lines = list(csv.DictReader(io.StringIO(ask("--by", text, "--format", "csv"))))
        if sum(int(line["faults"]) for line in lines) != len(whole) or len(lines) != len(rows):
            wrong.append(f"--by {text}: CSV")
    if collections.Counter(fault["initiator"] for fault in whole).most_common(1)[0][1] < 10:
        wrong.append("the trace is too small to tell anything")
    for words in wrong:
        print("wrong:", words)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
