#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold `elfault export --to rows` of a set against `elfault analyze --format json` of each of its traces.

usage: rowsums.py ELFAULT TRACE...

The rows of each trace must add up to the document's faults, majors, time and bytes: of all, of each object, section,
initiator, mechanism and initializer. No two rows have the same cause.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SUMS = "faults", "majors", "time_ns", "bytes"


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode()


def add(sums, key, row):
    sums[key] = [a + row[name] for a, name in zip(sums[key], SUMS)]


def sums_of(rows):
    """{(what, name...): [faults, majors, time, bytes]}"""
    sums = collections.defaultdict(lambda: [0] * len(SUMS))
    for row in rows:
        add(sums, ("all",), row)
        if row["object"]:
            add(sums, ("object", row["object"], row["build_id"]), row)
            add(sums, ("section", row["object"], row["build_id"], row["section"]), row)
            add(sums, ("initiator", row["object"], row["build_id"], row["initiator"]), row)
            add(sums, ("mechanism", row["object"], row["build_id"], row["mechanism"]), row)
        if row["init_object"] and row["init_offset"]:
            add(sums, ("initializer", row["init_object"], row["init_build_id"], row["init_offset"]), row)
    return sums


def expected(document):
    """The same of a document, as far as it has them: some have faults alone. Files of one path may be several."""
    wanted = {("all",): [document["counts"]["recorded"], document["counts"]["major"], None,
                         document["counts"]["read_bytes"]]}

    def put(key, sums):
        wanted[key] = [a + b for a, b in zip(wanted.get(key, [0] * len(sums)), sums)]

    for item in document["objects"]:
        key = item["path"], item["build_id"] or ""
        put(("object", *key), [item["faults"], item["major"], item["own_ns"]])
        for section in item["by_section"]:
            put(("section", *key, section["section"] or ""), [section["faults"], section["major"]])
        for what in "initiator", "mechanism":
            for word, faults in item[f"by_{what}"].items():
                if faults:
                    put((what, *key, word), [faults])
        for row in item["initializers"]:
            if row["faults"] and row["offset"]:
                put(("initializer", *key, row["offset"]), [row["faults"], row["major"], row["own_ns"]])
    return wanted


def main(elfault, *traces):
    failed = False
    folder = pathlib.Path(tempfile.mkdtemp())
    for number, trace in enumerate(traces, 1):
        shutil.copy(trace, folder / f"{number}.trace")
    rows = [json.loads(line) for line in
            run(elfault, "export", "--allow-truncated", "--to", "rows", str(folder)).splitlines()]
    shutil.rmtree(folder)
    starts = list(dict.fromkeys(row["trace"] for row in rows))
    if len(starts) != len(traces):
        sys.exit(f"{len(traces)} traces have {len(starts)} ids")
    causes = collections.Counter(json.dumps({**row, **dict.fromkeys(SUMS)}) for row in rows)
    if max(causes.values()) > 1:
        sys.exit(f"two rows for {causes.most_common(1)}")
    for start, trace in zip(starts, traces):
        document = json.loads(run(elfault, "analyze", "--allow-truncated", "--format", "json", trace))
        sums = sums_of(row for row in rows if row["trace"] == start)
        wanted = expected(document)
        for key in sorted(set(wanted) | set(sums)):
            these = wanted.get(key, [0])
            for name, is_, should in zip(SUMS, sums.get(key, [0] * len(SUMS)), these):
                if should is not None and is_ != should:
                    failed = True
                    print(f"{trace}: {name} of {key}: {is_}, but JSON has {should}")
        print(f"{trace}: {len(sums)} sums of {sum(row['trace'] == start for row in rows)} rows")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
