#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what ClickHouse or DuckDB answered against what starts.py put there.

usage: answers.py SUMS NAME < ANSWER        NAME: of a query of docs/fleet.md, or total
"""
import collections
import json
import sys


def table():
    return [line.split("\t") for line in sys.stdin.read().splitlines()]


def total(sums):
    ((starts, *rest),) = table()
    wanted = [sums["total"][key] for key in ("starts", "rows", "faults", "majors", "time_ns", "bytes")]
    assert [int(starts), *map(int, rest)] == wanted, f"{[starts, *rest]}, but {wanted} were inserted"


def initializers(sums):
    answer = table()
    put = sums["initializers"]
    # Of two that take the same number of milliseconds either may come first.
    for (path, build_id, name, _, _, seconds, _), (key, time_ns) in zip(answer, put.most_common(3)):
        own_ns = put[f"{path} {build_id} {name}"]
        assert max(abs(float(seconds) - ns / 1e9) for ns in (own_ns, time_ns)) < 0.002, \
            f"{path} {name}: {seconds} s, but it took {own_ns} ns, and {key} {time_ns} ns"
    assert len(answer) >= 3


def duckdb(sums):
    answer = json.load(sys.stdin)
    wanted = sums["initializers"].most_common(20)
    assert len(answer) == len(wanted) >= 3, f"{len(answer)} rows"
    for row, (key, time_ns) in zip(answer, wanted):
        assert f'{row["init_object"]} {row["init_build_id"]} {row["initializer"]}' == key and int(row["starts"]) > 0 and \
            abs(row["s_in_all"] - time_ns / 1e9) < 1e-6, f"{row}, but {key} took {time_ns} ns"


def release(_):
    rows = [(initiator, float(change), float(noise)) for _, initiator, change, noise in table()]
    surest = max(rows, key=lambda row: abs(row[1]) / (row[2] + 0.001))
    assert surest[0] == "static-init" and surest[1] > 6 * surest[2], f"most certain is {surest}"


def hosts(_):
    answer = table()
    assert [row[0] for row in answer] == ["host-07"], f"{answer} stand out"
    assert 1.7 < float(answer[0][1]) / float(answer[0][2]) < 2.3, f"{answer}"


def packages(sums):
    answer = table()
    assert sum(int(row[1]) for row in answer) == sums["total"]["package_bytes"], f"{answer}"
    assert int(dict(row[:2] for row in answer)["libllvm14"]) > 0


def cure(_):
    rows = {row[0]: [float(value) for value in row[1:]] for row in table()}
    without, cured, saved, noise, _ = rows["relocation"]
    assert 0.3 < cured / without < 0.5 and saved > 6 * noise, f"relocation: {rows['relocation']}"


def main(path, name):
    sums = collections.defaultdict(collections.Counter)
    with open(path) as lines:
        for line in lines:
            for key, values in json.loads(line).items():
                sums[key].update(values)
    globals()[name](sums)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except AssertionError as error:
        sys.exit(f"{sys.argv[2]}: {error}")
