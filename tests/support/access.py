#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the access of each fault: told by the processor, and read from the instruction.

usage: access.py WITH.ndjson WITHOUT.ndjson     of one trace with and without its error codes

None may be wrong; of those taken in user mode at most 5 % may be unknown (rep movs touches two places).
"""
import collections
import json
import sys


def main(told_path, read_path):
    pairs = collections.Counter()
    with open(told_path, encoding="utf-8") as told, open(read_path, encoding="utf-8") as read:
        for one, other in zip(told, read, strict=True):
            one, other = json.loads(one), json.loads(other)
            if one["addr"] != other["addr"]:
                sys.exit(f"fault {one['seq']} is not the same in both")
            if one["access"] != "unknown":
                pairs[one["mode"], one["access"], other["access"]] += 1
    wrong = sum(count for (_, was, said), count in pairs.items() if said not in (was, "unknown"))
    user = sum(count for (mode, _, _), count in pairs.items() if mode == "user")
    unknown = sum(count for (mode, _, said), count in pairs.items()
                  if mode == "user" and said == "unknown")
    for (mode, was, said), count in sorted(pairs.items()):
        print(f"{mode}: was {was}, read as {said}: {count}")
    if wrong or not user or unknown > 0.05 * user:
        sys.exit(f"{wrong} wrong, {unknown} of {user} unknown")


if __name__ == "__main__":
    main(*sys.argv[1:])
