#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well the time of each cause is known from few samples. Prints Markdown.

Each program is recorded in turn with the default rate and with 10,000 samples a second. A cause's time is what the
account has for it on the processor. What it should be is the mean of the recordings with 10,000 samples (of the
others, for one of them); how fast the machine ran is left out by comparing shares. The error of a recording is that
of its causes, in ms.

usage: causes.py BUILD [--rounds N] [--seconds N] [--program NAME]...
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from recording import PROGRAMS, QUIET, answer_of  # noqa: E402

RATES = {"default": [], "10,000 Hz": ["--cpu", "10000"]}
SHOWN = ["clang --version", "git status", "python3 -c 'import json'", "node -e 0"]


def shares_of(elfault, trace, words, command):
    """Cause -> share of the time on the processor; the total in ms; samples."""
    subprocess.run([elfault, "record", "--quiet", "-o", trace, *words, "--", *command], check=True, **QUIET)
    account = answer_of(elfault, trace)["account"]
    times = {cause: states["cpu"] + states["fault"] for cause, states in account["by_initiator"].items()}
    total = sum(times.values())
    return {cause: time / total for cause, time in times.items()}, total / 1e6, account["samples"]


def truth_of(others):
    causes = {cause for shares, _, _ in others for cause in shares}
    return {cause: statistics.fmean(shares.get(cause, 0) for shares, _, _ in others) for cause in causes}


def errors_of(found, reference):
    """Of each recording: the error of each cause, ms."""
    total = statistics.median(ms for _, ms, _ in reference)
    for row in found:
        truth = truth_of([other for other in reference if other is not row])
        yield {cause: abs(row[0].get(cause, 0) - share) * total for cause, share in truth.items()}


def say(name, found):
    reference = found["10,000 Hz"]
    errors = {rate: list(errors_of(rows, reference)) for rate, rows in found.items()}
    for rate, rows in found.items():
        print(f"| `{name}` | {rate} | {statistics.median(row[2] for row in rows):.0f} "
              f"| {statistics.median(sum(row.values()) / 2 for row in errors[rate]):.2f} "
              f"| {statistics.median(max(row.values()) for row in errors[rate]):.2f} |")
    truth = truth_of(reference)
    total = statistics.median(ms for _, ms, _ in reference)
    for cause in sorted(truth, key=truth.get, reverse=True)[:4]:
        print(f"| … {cause}, {truth[cause] * total:.2f} ms | | "
              + "| | " + " / ".join(f"{statistics.median(row.get(cause, 0) for row in errors[rate]):.2f}" for rate in RATES) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=240)
    parser.add_argument("--program", action="append", choices=PROGRAMS)
    given = parser.parse_args()
    elfault = given.build.resolve() / "cli/elfault"
    names = given.program or SHOWN
    found = {name: {rate: [] for rate in RATES} for name in names}
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        for done in range(given.rounds):
            for name in names:
                for rate, words in RATES.items():
                    found[name][rate].append(shares_of(elfault, trace, words, PROGRAMS[name]))
            if time.monotonic() > end:
                print(f"{done + 1} rounds: the time was over.\n")
                break
    print("| program | samples of the processor | of them | error of all causes, ms | of the worst, ms |\n"
          "|---|---|--:|--:|--:|")
    for name in names:
        say(name, found[name])


if __name__ == "__main__":
    main()
