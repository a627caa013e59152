#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold `elfault diff --format json` against a table of differences written by hand.

usage: differences.py TABLE PAIR OBJECT < DIFF        OBJECT: the file name the lines are about

A table's lines ('#' starts a comment):

  [PAIR] cause INITIATOR:SECTION BEFORE AFTER   faults of by_cause in OBJECT; of [stack] and [heap], too
  [PAIR] symbol|function NAME BEFORE AFTER      faults on, or by, what has that name in OBJECT (globs)
  [PAIR] initializer NAME BEFORE AFTER          faults within initializers of that name in OBJECT (globs)
  [PAIR] layout WORD BEFORE AFTER               a number or word of OBJECT in `objects`

BEFORE and AFTER:  N  exactly;  A..B  from A to B;  A..  at least;  AFTER also:
                   =  the same as before;  +A..B  so many more.

Each line must hold, and each cause that no line names, in any file, must be the same before and after.
"""
import fnmatch
import json
import sys


def holds(wanted, got, before=None):
    if wanted == "=":
        return got == before
    if not wanted.lstrip("+")[0].isdigit():
        return got == wanted
    if wanted.startswith("+"):
        wanted, got = wanted[1:], got - before
    low, dots, high = wanted.partition("..")
    return int(low) <= got and (got <= int(high) if high else bool(dots) or got == int(low))


def name_of(path):
    return path.rsplit("/", 1)[-1] if path else ""


def faults(rows):
    return [sum(row["faults"][side] for row in rows) for side in ("before", "after")]


def layout(document, label, word):
    [item] = [item for item in document["objects"] if item["label"] == label]
    values = []
    for side in ("before", "after"):
        value = item[side]
        for part in word.split("."):
            value = value[part]
        values.append(value)
    return values


def main(table, pair, label):
    document = json.load(sys.stdin)
    named, wrong = set(), []
    count = 0
    with open(table, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.partition("#")[0].split()
            if not words or words[0] != f"[{pair}]":
                continue
            if len(words) != 5:
                sys.exit(f"{table}:{number}: five words are needed")
            _, what, key, before, after = words
            count += 1
            if what == "layout":
                got = layout(document, label, key)
            elif what == "cause":
                initiator, section = key.split(":")
                rows = [row for row in document["by_cause"] if row["initiator"] == initiator and
                        (name_of(row["object"]) == label and row["section"] == section or
                         row["object"] == section)]
                named.update(id(row) for row in rows)
                got = faults(rows)
            elif what in ("symbol", "function", "initializer"):
                got = faults([row for row in document[f"by_{what}"]
                              if name_of(row["object"]) == label and
                              fnmatch.fnmatchcase(row[what] or "", key)])
            else:
                sys.exit(f"{table}:{number}: {what} is no kind of line")
            if not holds(before, got[0]) or not holds(after, got[1], got[0]):
                wrong.append(f"{table}:{number}: {' '.join(words[1:])}: "
                             f"it is {got[0]} -> {got[1]}")
    if not count:
        sys.exit(f"{table}: no line for {pair}")
    for row in document["by_cause"]:
        if id(row) not in named and row["faults"]["difference"] != 0:
            wrong.append(f"no line says that {row['initiator']} in {row['section']} of "
                         f"{row['object']} changes: {faults([row])}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
