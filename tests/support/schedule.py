#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ran when in script/test, for docs/measured/tests.md.

usage: schedule.py build/meson-logs/*.json build-sanitized/meson-logs/testlog.json
                         each test of ten seconds or more, from the first one's start; then the stretches in which fewer
                         than two tests ran, where a processor has nothing to do
"""
import json
import pathlib
import sys


def main():
    tests = [json.loads(line) for name in sys.argv[1:] for line in pathlib.Path(name).read_text("utf-8").splitlines()]
    spans = sorted((test["starttime"], test["starttime"] + test["duration"], test["name"]) for test in tests)
    begin = spans[0][0]
    for start, end, name in spans:
        if end - start >= 10:
            print(f"{start - begin:7.1f} {end - begin:7.1f}  {name}")
    ends = sorted({time for start, end, _ in spans for time in (start, end)})
    for start, end in zip(ends, ends[1:]):
        running = [name for first, last, name in spans if first <= start and end <= last]
        if len(running) < 2 and end - start >= 1:
            print(f"{start - begin:7.1f} {end - begin:7.1f}  only {running[0] if running else 'nothing'}")


if __name__ == "__main__":
    main()
