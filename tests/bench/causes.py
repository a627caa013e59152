#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well the time of each cause is known from few samples. Prints Markdown.

Each program is recorded with as many samples as the machine takes. What `analyze` says of that recording is the truth;
the same recording with fewer of its samples, each so many-th from a random one on, is asked again: what the samples
left over tell, with all else alike. Beside the default rate and 10,000 samples a second there is what 10,000 samples
told alone, before faults around them were asked: a system call that may do anything stands before each fault.
The error of a recording is that of its causes, as a share of what was computed; of single causes it is the root mean
square, with the mean error.

usage: causes.py BUILD [--rounds N] [--draws N] [--seed N] [--program NAME]...
"""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from recording import PROGRAMS, QUIET  # noqa: E402

FULL_HZ, MANY_HZ = 40000, 10000
EXECVE = 59
SHOWN = ["clang --version", "ld.lld --version", "git status", "python3 -c 'import json'", "node -e 0"]
WAYS = {"default": (None, False), "10,000 Hz": (MANY_HZ, False), "10,000 Hz, samples alone": (MANY_HZ, True)}


def recorded(elfault, folder, options, command):
    """The text of a recording."""
    trace = folder / "trace"
    subprocess.run([elfault, "record", "--quiet", *options, "-o", trace, "--", *command], check=True, **QUIET)
    return subprocess.run([elfault, "dump", trace], check=True, text=True, stdout=subprocess.PIPE).stdout.split("\n")


def default_hz(elfault, folder):
    return int(re.search(r" sample_hz=(\d+)", recorded(elfault, folder, [], ["true"])[1])[1])


def lines_of(elfault, folder, command):
    """A recording with all samples, without what these cost, which was much."""
    lines = recorded(elfault, folder, ["--cpu", str(FULL_HZ)], command)
    lines[1] = re.sub(r" cost_sample\w*=\d+", "", lines[1])
    return lines


def alone(lines):
    """Nothing is known of what lies between two faults, or two pauses."""
    for line in lines:
        if line.startswith(("fault ", "pause ")):
            time = int(re.search(r" time=(\d+)", line)[1]) - 1
            who = " ".join(re.findall(r"\b[pt]id=\d+", line))
            yield f"pause time={time} {who} woken={time} back={time} call={EXECVE} within=call"
        yield line


def thinned(lines, step, first):
    """Leave every @step-th sample from the one at @first on; both need not be whole."""
    count = 0
    for line in lines:
        if line.startswith("sample "):
            count += 1
            if count - 1 < first:
                continue
            first += step
        yield line


def shares_of(elfault, folder, lines):
    """Cause -> share of what was computed; all of that in ms."""
    path = folder / "text"
    path.write_text("\n".join(lines))
    answer = subprocess.run([elfault, "analyze", "--format", "json", path], check=True, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL).stdout
    causes = json.loads(answer)["account"]["by_initiator"]
    total = sum(states["cpu"] for states in causes.values())
    return {cause: states["cpu"] / total for cause, states in causes.items()}, total / 1e6


def errors_of(shares, truth):
    return {cause: shares.get(cause, 0) - truth.get(cause, 0) for cause in {*shares, *truth}}


def root_mean_square(values):
    return statistics.fmean(value ** 2 for value in values) ** 0.5


def measure(elfault, folder, command, given, chance):
    """Of one recording: its truth, and for each way the errors of draws."""
    lines = lines_of(elfault, folder, command)
    truth, total = shares_of(elfault, folder, lines)
    found = {}
    for way, (hz, is_alone) in WAYS.items():
        step = FULL_HZ / (hz or given.hz)
        source = list(alone(lines)) if is_alone else lines
        found[way] = [errors_of(shares_of(elfault, folder, thinned(source, step, chance.random() * step))[0], truth)
                      for _ in range(given.draws)]
    return truth, total, found


def say(name, rows):
    total = statistics.median(total for _, total, _ in rows)
    errors = [[error for _, _, found in rows for error in found[way]] for way in WAYS]
    everything = [100 * statistics.fmean(sum(map(abs, error.values())) / 2 for error in each) for each in errors]
    worst = [100 * statistics.fmean(max(map(abs, error.values())) for error in each) for each in errors]
    print(f"| `{name}` | {total:.1f} | " + " | ".join(f"{value:.1f}" for value in everything + worst) + " |")
    truth = {cause: statistics.fmean(row[0].get(cause, 0) for row in rows) for cause in rows[0][0]}
    for cause in sorted(truth, key=truth.get, reverse=True)[:2]:
        values = [[100 * error.get(cause, 0) for error in each] for each in errors]
        print(f"| … {cause} | {truth[cause] * total:.1f} | "
              + " | ".join(f"{root_mean_square(each):.1f} ({statistics.fmean(each):+.1f})" for each in values) + " | | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", action="append", choices=PROGRAMS)
    given = parser.parse_args()
    elfault = given.build.resolve() / "cli/elfault"
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        given.hz = default_hz(elfault, pathlib.Path(folder))
    print(f"Default: {given.hz} Hz.\n")
    print("| program | computed, ms | all causes, %: " + " | ".join(WAYS) + " | the worst, %: " + " | ".join(WAYS) + " |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.program or SHOWN:
            say(name, [measure(elfault, pathlib.Path(folder), PROGRAMS[name], given, chance) for _ in range(given.rounds)])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
