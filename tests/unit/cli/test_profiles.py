#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`elfault export --to firefox` and `--to speedscope`: tables that agree with themselves, and sums that are those of
`elfault analyze --format json`. Front ends check less: they show what they are given.

usage: test_profiles.py ELFAULT TRACE...  TRACE may be followed by :CONDITION, as --where has it"""
import json
import subprocess
import sys
from decimal import Decimal

# CategoryColor of src/types/profile.ts.
COLORS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red",
          "lightred", "darkgrey", "grey"}
STATES = ("cpu", "kernel", "minor fault", "major fault")


def output(elfault, *arguments):
    text = subprocess.run([elfault, *arguments], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text, parse_float=Decimal)


def analyze(elfault, *arguments):
    """The analysis; faults in no mapping, which its objects leave out, are one more of these."""
    analysis = output(elfault, "analyze", "--format", "json", *arguments)
    rows = subprocess.run([elfault, "analyze", "--format", "ndjson", *arguments], check=True,
                          stdout=subprocess.PIPE).stdout
    nowhere = {"faults": 0, "major": 0, "duration_ns": 0, "own_ns": 0, "read_bytes": 0, "by_initiator": {}}
    for row in map(json.loads, rows.splitlines()):
        if row["at"]["object"] is not None:
            continue
        nowhere["faults"] += 1
        nowhere["major"] += row["kind"] == "major"
        nowhere["duration_ns"] += row["duration_ns"] or 0
        nowhere["own_ns"] += row["own_ns"] or 0
        nowhere["read_bytes"] += ((row["read"] or {}).get("pages") or 0) * analysis["trace"]["page_size"]
        nowhere["by_initiator"][row["initiator"]] = nowhere["by_initiator"].get(row["initiator"], 0) + 1
    analysis["objects"].append(nowhere)
    return analysis


def ns(milliseconds):
    exact = Decimal(milliseconds) * 1000000
    assert exact == int(exact), f"{milliseconds} ms are no whole nanoseconds"
    return int(exact)


def same(what, found, expected):
    assert found == expected, f"{what}: {found}, expected {expected}"


def totals(analysis):
    objects = analysis["objects"]
    return {key: sum(row[key] or 0 for row in objects) for key in ("faults", "major", "duration_ns", "own_ns", "read_bytes")}


def check_table(name, table):
    length = table["length"]
    for column, values in table.items():
        if isinstance(values, list):
            same(f"length of {name}.{column}", len(values), length)


def check_indexes(what, values, count, none=()):
    for value in values:
        assert value in none or (isinstance(value, int) and 0 <= value < count), f"{what}: {value} of {count}"


def check_tables(profile):
    shared = profile["shared"]
    for name, table in shared.items():
        if name != "stringArray":
            check_table(name, table)
    strings = len(shared["stringArray"])
    stacks, frames, funcs = shared["stackTable"], shared["frameTable"], shared["funcTable"]
    check_indexes("stackTable.frame", stacks["frame"], frames["length"])
    for index, offset in enumerate(stacks["prefixOffset"]):
        assert 0 <= offset <= index, f"the parent of stack {index} is {offset} before it"
    check_indexes("frameTable.func", frames["func"], funcs["length"])
    check_indexes("frameTable.lib", frames["lib"], len(profile["libs"]), {-1})
    categories = profile["meta"]["categories"]
    for category, sub in zip(frames["category"], frames["subcategory"]):
        if category is not None:
            check_indexes("subcategory", [sub], len(categories[category]["subcategories"]))
    check_indexes("funcTable.name", funcs["name"], strings)
    check_indexes("funcTable.resource", funcs["resource"], shared["resourceTable"]["length"], {-1})
    check_indexes("funcTable.source", funcs["source"], shared["sources"]["length"], {None})
    check_indexes("resourceTable.name", shared["resourceTable"]["name"], strings)
    check_indexes("sources.filename", shared["sources"]["filename"], strings)
    same("strings that are there twice", strings - len(set(shared["stringArray"])), 0)
    # An inlined function is below the one that it is in, at the same instruction.
    for index, (frame, offset) in enumerate(zip(stacks["frame"], stacks["prefixOffset"])):
        depth = frames["inlineDepth"][frame]
        if depth > 0:
            assert offset > 0, f"stack {index} is inlined into nothing"
            outer = stacks["frame"][index - offset]
            same(f"depth of what stack {index} is inlined into", frames["inlineDepth"][outer], depth - 1)
            same(f"file of stack {index}", frames["lib"][frame], frames["lib"][outer])


def check_meta(meta):
    for category in meta["categories"]:
        assert category["color"] in COLORS, f"{category['name']} is {category['color']}"
        same("first subcategory", category["subcategories"][0], "Other")
    assert any(category["color"] == "grey" for category in meta["categories"])
    fields = {field["key"] for schema in meta["markerSchema"] for field in schema["fields"]}
    return fields


def entry(profile, label):
    found = [row["value"] for row in profile["meta"]["extra"][0]["entries"] if row["label"] == label]
    return found[0] if found else 0


def expected_marks(analysis, threads):
    """A mark is on the first track of its process, or of the first one."""
    pids = {str(thread["pid"]) for thread in threads}
    return sorted((mark["time_ns"], mark["name"], mark["condition"], mark["since_ns"], mark["tid"],
                   str(mark["pid"]) if str(mark["pid"]) in pids else threads[0]["pid"])
                  for mark in (analysis["account"] or {}).get("marks", []) if mark["time_ns"] is not None) if threads else []


def check_firefox(profile, analysis):
    """Returns the time that each category has, by its name."""
    fields = check_meta(profile["meta"])
    check_tables(profile)
    shared, threads = profile["shared"], profile["threads"]
    strings, categories = shared["stringArray"], profile["meta"]["categories"]
    expected = totals(analysis)
    by_name, by_category, marks, operations = {}, {}, [], []
    major = lengths = read = 0
    for thread in threads:
        markers, samples = thread["markers"], thread["samples"]
        check_table("markers", markers)
        check_table("samples", samples)
        assert samples["time"] == sorted(samples["time"]), f"samples of {thread['tid']} are not in order"
        assert samples["length"] >= sum(data["type"] == "fault" for data in markers["data"]), f"thread {thread['tid']}"
        assert markers["startTime"] == sorted(markers["startTime"]), f"markers of {thread['tid']} are not in order"
        check_indexes("samples.stack", samples["stack"], shared["stackTable"]["length"])
        for row, data in enumerate(markers["data"]):
            word = strings[markers["name"][row]]
            if data["type"] == "mark":
                same("category of a mark", categories[markers["category"][row]]["name"], "Other")
                same("a mark's length", (markers["phase"][row], markers["endTime"][row]), (0, None))
                marks.append((ns(markers["startTime"][row]), word, strings[data["condition"]], ns(data["since"]),
                              data.get("tid"), thread["pid"]))
                continue
            assert data.keys() - {"type", "cause"} <= fields, f"{data} has a field without a description"
            if data["type"] == "operation":
                operations.append((ns(markers["startTime"][row]), ns(markers["endTime"][row] - markers["startTime"][row]), word,
                                   data["bytes"], ns(data["wait"]), strings[data["object"]] if "object" in data else None))
                continue
            same("category of a marker", categories[markers["category"][row]]["name"], word)
            by_name[word] = by_name.get(word, 0) + 1
            major += strings[data["kind"]] == "major"
            read += data.get("bytes", 0)
            if markers["phase"][row] == 1:
                lengths += ns(markers["endTime"][row] - markers["startTime"][row])
        for stack, weight in zip(samples["stack"], samples["weight"]):
            frame = shared["stackTable"]["frame"][stack]
            category = shared["frameTable"]["category"][frame]
            assert category is not None, f"stack {stack} of a sample has no category"
            name, state = categories[category]["name"], shared["frameTable"]["subcategory"][frame]
            state = categories[category]["subcategories"][state]
            for key in (name, state) if state in STATES else (name,):
                by_category[key] = by_category.get(key, 0) + ns(weight)
    initiators = {}
    for row in analysis["objects"]:
        for word, count in row["by_initiator"].items():
            initiators[word] = initiators.get(word, 0) + count
    same("markers", by_name, {word: count for word, count in initiators.items() if count > 0})
    if "operations" in analysis:
        pids = {str(thread["pid"]) for thread in threads}
        same("operations", sorted(operations, key=str), sorted((
            (row["time_ns"], row["latency_ns"], f"storage: {row['cause']}", row["bytes"], row["wait_ns"], row["object"])
            for row in analysis["operations"] if str(row["pid"]) in pids), key=str))
    same("marks", sorted(marks), expected_marks(analysis, threads))
    same("major faults", major, expected["major"])
    same("lengths of markers", lengths, expected["duration_ns"])
    same("bytes of markers", read, expected["read_bytes"])
    for name, total in (("faults", expected["faults"]), ("bytes read", expected["read_bytes"])):
        rows = [row for row in profile.get("counters", []) if row["name"] == name]
        for row in rows:
            check_table("counter", row["samples"])
            same("a counter's first value, which is not shown", row["samples"]["count"][0], 0)
            same("a counter's process", threads[row["mainThreadIndex"]]["pid"], row["pid"])
        same(f"counters of {name}", sum(sum(row["samples"]["count"]) for row in rows), total)
    same("samples of faults", by_category.get("minor fault", 0) + by_category.get("major fault", 0),
         expected["own_ns"])
    account = analysis["account"]
    if account and not analysis["filter"]:
        waits = account["waits"]["all"] if account.get("waits") else {}
        in_faults = waits.get("fault", {}).get("wait", 0)
        same("samples of the processor",
             by_category.get("cpu", 0) + by_category.get("kernel", 0) +
             entry(profile, "Processor time without samples"), account["all"]["cpu"])
        same("waits", by_category.get("wait", 0) + by_category.get("file-io", 0) +
             entry(profile, "Waits of threads without a track"),
             account["all"]["wait"] + account["all"]["file-io"] - in_faults)


def check_speedscope(profile, analysis):
    expected = totals(analysis)
    frames = len(profile["shared"]["frames"])
    in_order = 0
    weights = (("faults", expected["faults"]), ("time in faults", expected["own_ns"]),
               ("bytes read", expected["read_bytes"]))
    for index, row in enumerate(profile["profiles"]):
        same("weights", len(row["weights"]), len(row["samples"]))
        same("end", row["endValue"], sum(row["weights"]))
        for path in row["samples"]:
            assert path, "a sample without a frame"
            check_indexes("frame", path, frames)
        if index < len(weights):
            same(weights[index][0], (row["name"], row["endValue"]), weights[index])
        else:
            in_order += row["endValue"]
    same("faults in order", in_order, expected["faults"])


def main():
    elfault, traces = sys.argv[1], sys.argv[2:]
    checks = (("firefox", check_firefox), ("speedscope", check_speedscope))
    print(f"1..{len(traces) * len(checks)}")
    number = failed = 0
    for trace in traces:
        path, _, condition = trace.partition(":")
        where = ["--where", condition] if condition else []
        name = path.rpartition("/")[2] + (f" where {condition}" if condition else "")
        analysis = analyze(elfault, *where, path)
        if analysis["storage"] and not where:
            analysis["operations"] = output(elfault, "analyze", "--io", "--format", "json", path)["operations"]
        for to, check in checks:
            number += 1
            try:
                check(output(elfault, "export", "--to", to, *where, path), analysis)
                print(f"ok {number} - {to} has what the analysis of {name} has")
            except (AssertionError, subprocess.CalledProcessError) as error:
                failed = 1
                print(f"not ok {number} - {to} has what the analysis of {name} has\n# {error}")
    return failed


sys.exit(main())
