#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Close a test run: name what was skipped and failed, and count single cases, not programs.

usage: count.py (testlog.junit.xml STATUS)...     STATUS: how that `meson test` ended
"""
import sys
import xml.etree.ElementTree as ElementTree


def read(path, status):
    """(passed, failed names, skipped names) of one run."""
    passed, failed, skipped = 0, [], []
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            name = f"{suite.get('name')}: {case.get('name')}"
            if case.find("failure") is not None or case.find("error") is not None:
                failed.append(name)
            elif case.find("skipped") is not None:
                skipped.append(name)
            else:
                passed += 1
    # A program that crashed before its plan is a failure that no case shows.
    if status and not failed:
        failed.append(f"{path}: meson test ended with status {status}")
    if not passed and not failed:
        failed.append(f"{path}: no test ran")
    return passed, failed, skipped


def main(words):
    passed, failed, skipped = 0, [], []
    for path, status in zip(words[::2], words[1::2], strict=True):
        more = read(path, int(status))
        passed += more[0]
        failed += more[1]
        skipped += more[2]
    for name in skipped:
        print(f"skipped: {name}")
    for name in failed:
        print(f"failed: {name}")
    tail = f", {len(skipped)} skipped" if skipped else ""
    print(f"{passed} passed, {len(failed)} failed{tail}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
