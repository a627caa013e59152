#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The processor seconds of each test, for docs/measured/tests.md.

usage: meson test -C build --no-rebuild --wrapper "$PWD/tests/support/costs.py LOG"
       costs.py LOG    the sum, and the ten dearest
"""
import os
import pathlib
import signal
import sys


def name_of(words):
    """A program or script, and its file of tests or its argument where it has one."""
    names = [pathlib.PurePath(word).name for word in words]
    if names[0] == "skips.sh":
        del names[0]
    bats = next((name for name in names if name.endswith(".bats")), None)
    if bats:
        return f"{bats} {os.environ.get('KERNEL', '')}".strip()
    return " ".join(names[1:2] if names[0].startswith("python") else names[:2] if names[1:2] == ["long"] else names[:1])


def run(log, words):
    """Run a test, whatever becomes of it, and append what it and all that it waited for cost."""
    # Python ignores these, and tests send them.
    child = os.posix_spawnp(words[0], words, os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    _, status, usage = os.wait4(child, 0)
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{usage.ru_utime + usage.ru_stime:.2f}\t{name_of(words)}\n")
    return os.waitstatus_to_exitcode(status) & 0xff


def show(log):
    rows = [line.rstrip("\n").split("\t") for line in pathlib.Path(log).read_text(encoding="utf-8").splitlines()]
    rows = sorted(((float(seconds), name) for seconds, name in rows), reverse=True)
    print(f"{sum(seconds for seconds, _ in rows):.0f} s, {len(rows)} tests")
    for seconds, name in rows[:10]:
        print(f"| {name} | {seconds:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]) if len(sys.argv) > 2 else show(sys.argv[1]))
