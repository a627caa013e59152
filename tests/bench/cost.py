#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure what recording costs: processor time of starts, recorded in each of several ways and not at all, in turn.
Of each way the median of the ratios within one round, which a machine that others use disturbs least.

usage: cost.py BUILD [--rounds N] [--way "WORDS OF RECORD"]... [--program NAME]...
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = {
    "clang": ["clang-14", "--version"],
    "git": ["git", "--version"],
    "node": ["node", "-e", "0"],
    "gdb": ["gdb", "--batch", "-ex", "quit"],
    "python": ["/usr/bin/python3", "-c", "import json"],
    "ld.lld": ["ld.lld-14", "--version"],
}
WAYS = ["--cpu off", "", "--cpu 10000"]


def spent_ms(wrap, recorder, command, folder):
    """Processor time of @command, as wait4 tells it, with @recorder's words before it."""
    told = folder / "told"
    subprocess.run([*recorder, wrap, told, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    return int(told.read_text().split()[1]) / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--way", action="append")
    parser.add_argument("--program", action="append", choices=PROGRAMS)
    given = parser.parse_args()
    elfault, wrap = given.build / "cli/elfault", given.build / "tests/bench/bench-wrap"
    ways = given.way or WAYS
    programs = [name for name in given.program or PROGRAMS if shutil.which(PROGRAMS[name][0])]

    print("| program | plain, ms | " + " | ".join(f"`{way}`" if way else "defaults" for way in ways) + " |")
    print("|---|--:|" + "--:|" * len(ways))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in programs:
            rounds = []
            for _ in range(given.rounds):
                plain = spent_ms(wrap, [], PROGRAMS[program], folder)
                each = [spent_ms(wrap, [elfault, "record", "--quiet", *way.split(), "-o", folder / "trace", "--"],
                                 PROGRAMS[program], folder) for way in ways]
                rounds.append((plain, each))
            ratios = [statistics.median(each[way] / plain for plain, each in rounds) for way in range(len(ways))]
            plain = statistics.median(plain for plain, _ in rounds)
            print(f"| {program} | {plain:.1f} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
