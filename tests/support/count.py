#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Close a test run: say what failed and why, name what was skipped and failed, and count single cases,
not programs.

usage: count.py [--left TESTS] (LOG.junit.xml STATUS)...
    TESTS: what only `script/test --all` runs     STATUS: how that `meson test` ended

A log of CI keeps its end, so what each failed case said stands here again, and the counts in the last
line. The cases are in meson's JUnit file; what programs printed, and that one was stopped or ended before
its plan, only in LOG.json beside it.
"""
import dataclasses
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

LINES_MAX = 40  # of one case
HEAD = 4  # of these from its beginning, where bats says which line failed
LINES_MAX_ALL = 800
WIDTH_MAX = 500

RESULT = re.compile(r"(not )?ok\b\s*(\d*)")
PLAN = re.compile(r"1\.\.(\d+)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What XML cannot have, which meson writes into it all the same.
NO_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
REASON = re.compile(r"#\s*skip\b:?\s*(.*)", re.IGNORECASE)
# meson's own, which it appends to what the program wrote.
STATUS = re.compile(r"\n?\(test program exited with status code \d+\)\n?$")


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)
    said: list = dataclasses.field(default_factory=list)  # (by whom, lines)


def said_of(number, stdout):
    """The lines of one case in TAP: its result and what follows it, and what stands before it
    unless that belongs to a case that failed, too."""
    lines, is_found, keeps = [], False, False
    for line in stdout:
        result = RESULT.match(line)
        if result and is_found:
            break
        if result and result[2] == number:
            is_found = True
        elif result:
            lines, keeps = [], not result[1]
            continue
        if is_found or keeps:
            lines.append(line)
    return lines if is_found else []


def reason_of(lines):
    """Why a case was skipped, as it stands behind what it is."""
    reason = next((found[1] for line in lines if (found := REASON.search(line))), "")
    return f" ({reason})" if reason else ""


def read_program(row, cases, counts):
    """Count what one program printed. @cases: its cases in the JUnit file; none for a plain program."""
    stdout = COLOUR.sub("", row["stdout"]).splitlines()
    stderr = COLOUR.sub("", STATUS.sub("", row.get("stderr") or "")).splitlines()
    before = len(counts.failed)
    for case in cases:
        name = f"{row['name']}: {case.get('name')}"
        number = re.match(r"\d*", case.get("name"))[0]
        if case.find("failure") is not None or case.find("error") is not None:
            counts.failed.append(name)
            counts.said.append((name, said_of(number, stdout)))
        elif case.find("skipped") is not None:
            counts.skipped.append(name + reason_of(said_of(number, stdout)))
        else:
            counts.passed += 1

    plans = [PLAN.match(line) for line in stdout]
    planned = next((int(plan[1]) for plan in plans if plan), None)
    result = row["result"]
    is_good = result in ("OK", "EXPECTEDFAIL", "SKIP")
    has_failed = len(counts.failed) > before
    if not cases and is_good:
        if result == "SKIP":
            counts.skipped.append(row["name"] + reason_of(stdout))
        else:
            counts.passed += 1
    elif not is_good and (not has_failed or result == "TIMEOUT" or
                          planned is not None and len(cases) != planned):
        after = f" after {len(cases)} of {planned} cases" if planned is not None else ""
        counts.failed.append(f"{row['name']}: {result}{after}, status {row['returncode']}")
        counts.said += [(counts.failed[-1], stdout), ("its standard error", stderr)]
    elif has_failed:
        counts.said.append((f"{row['name']}: standard error of all its cases", stderr))


def read(path, status, counts):
    """Count one run."""
    suites = {}
    if not os.path.exists(path):
        counts.failed.append(f"{path} is not there: no test ran, as what they test could not be built")
        return
    with open(path, "rb") as file:
        root = ElementTree.fromstring(NO_XML.sub(b"", file.read()))
    for suite in root.iter("testsuite"):
        # PROJECT.NAME; programs without cases are in PROJECT, and in LOG.json with all else.
        _, _, name = suite.get("name").partition(".")
        if name:
            suites[name] = list(suite.iter("testcase"))
    before = counts.passed, len(counts.failed)
    with open(path.removesuffix(".junit.xml") + ".json", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            read_program(row, suites.get(row["name"], []), counts)
    if status and len(counts.failed) == before[1]:
        counts.failed.append(f"{path}: meson test ended with status {status}")
    if (counts.passed, len(counts.failed)) == before:
        counts.failed.append(f"{path}: no test ran")


def shortened(lines):
    if len(lines) <= LINES_MAX:
        return lines
    left = len(lines) - LINES_MAX
    return [*lines[:HEAD], f"… {left} lines …", *lines[HEAD + left:]]


def main(words):
    counts, left = Counts(), ""
    if words[0] == "--left":
        left, words = words[1], words[2:]
    for path, status in zip(words[::2], words[1::2], strict=True):
        read(path, int(status), counts)
    room = LINES_MAX_ALL
    for name, lines in counts.said:
        if not lines or room <= 0:
            continue
        print(f"---- {name}")
        for line in shortened(lines)[:room]:
            print("    " + line[:WIDTH_MAX])
            room -= 1
    if room <= 0:
        print("… all is in meson-logs/*.txt")
    for name in counts.skipped:
        print(f"skipped: {name}")
    if left:
        print(f"not run, but by script/test --all: {left}")
    for name in counts.failed:
        print(f"failed: {name}")
    tail = f", {len(counts.skipped)} skipped" if counts.skipped else ""
    print(f"{counts.passed} passed, {len(counts.failed)} failed{tail}")
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
