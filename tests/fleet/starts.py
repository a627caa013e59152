#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Make the rows of many starts from those of a few: `elfault export --to rows` of real recordings, varied.

usage: starts.py COMMAND FROM TO COUNT SUMS < ROWS > MANY

Writes the rows of the starts FROM to TO, of COUNT in all, by 40 hosts in the last 20 days, no two alike; each is one
of the first recordings of each command. To SUMS it adds a line of JSON with what was written. Put there to be found, all
made up:

- each start's times are those of the recording, times one factor of the start and one of each row: noise;
- host-07 takes twice as long;
- COMMAND is of release 1.0 in the first half, of 1.1 in the other, with another build-id of the files that it maps from
  one directory with its program, and takes 30% longer in static-init there;
- half of its starts of release 1.1 have the label cure=relr, and take 60% less in relocation;
- one start of ten is cold: each mapped page waited for storage, which read 64 KiB.
"""
import collections
import hashlib
import json
import random
import sys
import time

HOSTS, SLOW_HOST, DAYS = 40, 7, 20
CAUSE = "object"  # the first key that is not of the start
SUMS = "faults", "majors", "time_ns", "bytes"


def recorded(lines):
    """{command: rows of its first start}"""
    starts = collections.defaultdict(dict)
    for line in lines:
        row = json.loads(line)
        starts[row["command"]].setdefault(row["trace"], []).append(row)
    return {command: next(iter(traces.values())) for command, traces in starts.items()}


def text(members):
    return json.dumps(members, separators=(",", ":"))[1:-1]


def renamed(row, build_ids):
    """The row with the build-ids of another release."""
    return {key: build_ids.get(value, value) if key.endswith("build_id") else value for key, value in row.items()}


def parts(rows, build_ids):
    """The members of the start; and for each row the text of its cause, and the row."""
    keys = list(rows[0])
    start = {key: rows[0][key] for key in keys[:keys.index(CAUSE)]}
    causes = [key for key in keys[keys.index(CAUSE):] if key not in SUMS]
    rows = [renamed(row, build_ids) for row in rows]
    return start, [(text({key: row[key] for key in causes}), row) for row in rows]


def main(compared, first, end, count, sums_path):
    commands = recorded(sys.stdin)
    newer = {row["build_id"]: hashlib.sha1(row["build_id"].encode()).hexdigest()
             for row in commands[compared] if "clang" in row["object"] and row["build_id"]}
    old = {command: parts(rows, {}) for command, rows in commands.items()}
    new = {**old, compared: parts(commands[compared], newer)}
    total, initializers = collections.Counter(), collections.Counter()
    today = int(time.time()) // 86400 * 86400
    for number in range(first, end):
        chance = random.Random(number)
        command = chance.choice(sorted(commands))
        host = chance.randrange(HOSTS)
        is_new = number * 2 >= count
        is_cured = command == compared and is_new and chance.random() < 0.5
        is_cold = chance.random() < 0.1
        slower = chance.lognormvariate(0, 0.1) * (2 if host == SLOW_HOST else 1)
        start, rows = (new if is_new else old)[command]
        head = text({**start, "trace": f"{chance.getrandbits(64):016x}", "host": f"host-{host:02}",
                     "start_unix_s": today - (DAYS * 86400) * (count - number) // count,
                     "labels": [f"cure={'relr' if is_cured else 'none'}", f"release=1.{int(is_new)}"]})
        for cause, row in rows:
            times = slower * chance.lognormvariate(0, 0.05)
            if is_new and command == compared and row["initiator"] == "static-init":
                times *= 1.3
            if is_cured and row["initiator"] == "relocation":
                times *= 0.4
            time_ns = int(row["time_ns"] * times)
            majors = row["faults"] if is_cold and row["mechanism"] == "file-map" else 0
            print(f'{{{head},{cause},"faults":{row["faults"]},"majors":{majors},"time_ns":{time_ns},'
                  f'"bytes":{majors * 65536}}}')
            total.update(rows=1, faults=row["faults"], majors=majors, time_ns=time_ns, bytes=majors * 65536)
            total["package_bytes"] += majors * 65536 if row["build_id"] else 0
            if row["initializer"]:
                initializers[f'{row["init_object"]} {row["init_build_id"]} {row["initializer"]}'] += time_ns
    with open(sums_path, "a") as sums:
        print(json.dumps({"total": {"starts": end - first, **total}, "initializers": initializers}), file=sums)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5])
