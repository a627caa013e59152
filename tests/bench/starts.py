#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `bench` sees a difference where there is none, and one of 3 %: the table of docs/measured/bench.md.

    starts.py ELFAULT STARTRATES [PAIRS] [COMPARISONS]
    starts.py --real ELFAULT COMPARISONS -- COMMAND… -- COMMAND…     as they are made, none is drawn

ELFAULT measures PAIRS pairs of starts of a command against itself, and STARTRATES (tests/bench/startrates.c) draws
COMPARISONS from them: `ninja -C build cli/elfault tests/bench/bench-startrates`.
"""
import json
import subprocess
import sys

COMMANDS = [["git", "--version"], ["sh", "-c", ":"], ["/usr/bin/python3", "-S", "-c", "pass"]]
AT_ONCE = 1000
SECONDS = 30  # as bench ends by itself


def pairs_of(elfault, command, count):
    """(wall, processor, wall, processor) of each pair, in their order."""
    found = []
    while len(found) < count:
        runs = min(AT_ONCE, count - len(found))
        answer = subprocess.run([elfault, "bench", "--recordings", "0", "--runs", str(runs), "--format", "json",
                                 "--", *command, "--", *command], check=True, stdout=subprocess.PIPE).stdout
        starts = sorted((start for side in json.loads(answer)["commands"] for start in side["runs"]),
                        key=lambda start: start["seq"])
        times = [(start["own_ns"], start["user_ns"] + start["system_ns"]) for start in starts]
        found += (first + second for first, second in zip(times[::2], times[1::2]))
    return found


def rates(program, pairs, comparisons, change, runs):
    lines = "".join(" ".join(map(str, pair)) + "\n" for pair in pairs)
    done = subprocess.run([program, str(comparisons), str(change), str(SECONDS), str(runs)], check=True, text=True,
                          input=lines, stdout=subprocess.PIPE).stdout
    count, *found, taken = map(int, done.split())
    return " | ".join(f"{100 * number / count:.1f} %" for number in found) + f" | {taken}"


def main(elfault, program, pairs="10000", comparisons="1000"):
    print("| command | median | change | runs | wall: a difference is shown | the interval lacks the change "
          "| processor: shown | lacks it | pairs |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for command in COMMANDS:
        measured = pairs_of(elfault, command, int(pairs))
        walls = sorted(wall for pair in measured for wall in pair[::2])
        for change in (0, -0.03):
            for runs in (0, 20, 100, 300):
                print(f"| `{' '.join(command)}` | {walls[len(walls) // 2] / 1e6:.2f} ms | {100 * change:.0f} % | {runs or 'default'} | "
                      + rates(program, measured, comparisons, change, runs) + " |", flush=True)


def real(elfault, comparisons, *commands):
    """How many of so many comparisons show a difference, and of how many pairs."""
    found, pairs = {"difference": 0, "processor_difference": 0}, []
    for _ in range(int(comparisons)):
        answer = json.loads(subprocess.run([elfault, "bench", "--recordings", "0", "--format", "json", *commands],
                                           check=True, stdout=subprocess.PIPE).stdout)
        pairs.append(answer["difference"]["pairs"])
        for which in found:
            found[which] += answer[which]["verdict"] in ("faster", "slower")
    print(f"{found['difference']} of {comparisons} in own time, {found['processor_difference']} in processor time; "
          f"{sorted(pairs)[len(pairs) // 2]} pairs in the median")


if __name__ == "__main__":
    if sys.argv[1] == "--real":
        real(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
