#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the time that elfault tells, without what recording added, against runs that nobody watched. Prints Markdown.

Twelve programs, each plain, recorded by elfault with its defaults, and recorded by perf with the same events, in
turn. A process between the recorder and the command, or before the plain one, measures what recording costs: by wait4,
from fork to exit. What elfault tells is held against the span that an account is of, from exec to exit, of the plain
runs: as another observer has it (spans.py), or wait4 without one.

usage: recording.py BUILD [--rounds N] [--busy] [--seconds N] [--program NAME]... [--out FILE]
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from spans import Observer  # noqa: E402

PROGRAMS = {
    "clang --version": ["clang-14", "--version"],
    "ld.lld --version": ["ld.lld-14", "--version"],
    "gdb --batch": ["gdb", "-nx", "--batch", "-ex", "quit"],
    "gcc --version": ["gcc", "--version"],
    "cmake --version": ["cmake", "--version"],
    "git status": ["git", "status"],
    "python3 -c 'import json'": ["/usr/bin/python3", "-c", "import json"],
    "perl -e 0": ["perl", "-MPOSIX", "-e", "0"],
    "node -e 0": ["node", "-e", "0"],
    "java -version": ["java", "-version"],
    "go version": ["go", "version"],
    "sort": ["sort", "-n", "CHANGELOG.md"],
}
WRAP = "bench-wrap"
ROUNDS, BUSY_ROUNDS, LOOPS = 15, 5, 2
NEAR = 0.05
# Perf's default of half a MiB a processor loses most of what clang faults.
PERF_BUFFER = "64M"
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def spent_under(recorder, wrap, folder, command):
    """Milliseconds of wall time and on the processor that the command took, as its parent and wait4 tell it."""
    told = folder / "told"
    told.unlink(missing_ok=True)
    subprocess.run([*recorder, wrap, told, *command], check=True, **QUIET)
    wall_ns, cpu_us = map(int, told.read_text().split()[:2])
    return wall_ns / 1e6, cpu_us / 1e3


def plain_of(wrap, folder, command):
    wall, spent = spent_under([], wrap, folder, command)
    return {"wall": wall, "cpu": spent, "spent": spent}


def answer_of(elfault, trace):
    return json.loads(subprocess.run([elfault, "analyze", "--format", "json", trace], check=True, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def told_by(elfault, trace):
    """What the account has of the command, without the process that measures it."""
    answer = answer_of(elfault, trace)
    account = answer["account"]
    rows = [row for row in account["processes"] if row["comm"] != WRAP]
    own = [row for row in rows if row["pid"] == rows[0]["pid"]]
    return {"cpu": sum(row["all"]["cpu"] + row["all"]["fault"] for row in rows) / 1e6,
            "recording": sum(row["all"]["recording"] for row in rows) / 1e6,
            "wall": sum(sum(row["main"].values()) - row["main"]["recording"] for row in own) / 1e6,
            "lost": account["samples_lost"] + account["pauses_lost"] + answer["counts"]["lost"],
            "knows": account["knows_recording"], "hz": account["sample_hz"], "samples": account["samples"]}


def record(elfault, wrap, folder, command):
    """Milliseconds on the processor; the trace is in @folder."""
    return spent_under([elfault, "record", "--quiet", "-o", folder / "trace", "--"], wrap, folder, command)[1]


def recorded_of(elfault, wrap, folder, command):
    spent = record(elfault, wrap, folder, command)
    return {**told_by(elfault, folder / "trace"), "spent": spent}


def perf_of(wrap, folder, command, hz):
    """The same events: each fault with its address and a stack, samples as often, switches."""
    data = folder / "perf.data"
    words = ["perf", "record", "-q", "-m", PERF_BUFFER, "-d", "--call-graph", "dwarf,8192",
             "-e", "page-faults/period=1/", "-e", f"cpu-clock/freq={hz}/", "-e", "context-switches/period=1/",
             "-o", data, "--"]
    _, spent = spent_under(words, wrap, folder, command)
    stats = subprocess.run(["perf", "report", "--stats", "-i", data], text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL).stdout
    return {"spent": spent, "lost": sum(map(int, re.findall(r"LOST\S* events: +(\d+)", stats)))}


def middle(rows, key):
    return statistics.median(row[key] for row in rows)


def over(rows, key, plain, other):
    """Median of the ratios within one round: what drifts is in both."""
    return statistics.median(row[key] / each[other] for row, each in zip(rows, plain))


def quick(rows, key):
    """Its first quartile: what a machine whose pace changes does to a start is in the others."""
    return statistics.quantiles((row[key] for row in rows), n=4, method="inclusive")[0] if len(rows) > 1 else rows[0][key]


def line(name, found):
    plain, told, perf = found["plain"], found["told"], found["perf"]
    cells = [f"`{name}`", len(told), f"{middle(plain, 'spent'):.2f}", f"{middle(plain, 'cpu'):.2f}",
             f"{middle(told, 'cpu'):.2f}",
             f"{over(told, 'cpu', plain, 'cpu'):.2f}", f"{middle(plain, 'wall'):.2f}", f"{middle(told, 'wall'):.2f}",
             f"{over(told, 'wall', plain, 'wall'):.2f}",
             *(f"{quick(told, key) / quick(plain, key):.2f}" for key in ("cpu", "wall")),
             f"{over(told, 'spent', plain, 'spent'):.2f}",
             f"{over(perf, 'spent', plain, 'spent'):.2f}" if perf else "-",
             f"{middle(told, 'hz'):.0f}", f"{middle(told, 'samples'):.0f}", sum(row["lost"] for row in told),
             sum(row["lost"] for row in perf) if perf else "-"]
    return "| " + " | ".join(map(str, cells)) + " |"


def measure(given, programs, has_perf, folder):
    """Rounds over all programs until they are done, or the time is."""
    elfault, wrap = given.build / "cli/elfault", given.build / "tests/bench" / WRAP
    found = {name: {"plain": [], "told": [], "perf": []} for name in programs}
    notes, observed = [], []
    end = time.monotonic() + given.seconds
    for name, command in programs.items():  # files into memory, and what recording costs into its cache
        plain_of(wrap, folder, command)
        recorded_of(elfault, wrap, folder, command)
    observer = Observer() if Observer.is_possible() else None
    for done in range(given.rounds):
        for name in list(found):
            try:
                # Before each there is a start of the program, then what a recorder does before its command: how much
                # of it is left in the processor's caches makes a fifth of such starts.
                plain_of(wrap, folder, programs[name])
                record(elfault, wrap, folder, ["true"])
                plain = plain_of(wrap, folder, programs[name])
                plain_of(wrap, folder, programs[name])
                told = recorded_of(elfault, wrap, folder, programs[name])
                observed += [None, None, plain, None, None]
                perf = None
                if has_perf:
                    plain_of(wrap, folder, programs[name])
                    perf = perf_of(wrap, folder, programs[name], int(told["hz"] or 2500))
                    observed += [None, None]
            except (RuntimeError, subprocess.CalledProcessError) as error:
                notes.append(f"`{name}` left out: {error}.")
                del found[name]
                continue
            found[name]["plain"].append(plain)
            found[name]["told"].append(told)
            if perf:
                found[name]["perf"].append(perf)
        if time.monotonic() > end and done + 1 < given.rounds:
            notes.append(f"{done + 1} of {given.rounds} rounds: the time of {given.seconds} s was over.")
            break
    spans = observer.found() if observer else []
    if len(spans) == len(observed) and all(span["cpu"] for span in spans):
        for run, span in zip(observed, spans):
            if run:
                run.update(span)
    else:
        notes.append("No other observer: plain times are those of wait4, from fork to exit.")
    if any(not row["knows"] for rows in found.values() for row in rows["told"]):
        notes.append("What recording added is not known here: it is within the time told.")
    return found, notes


def say(given, found, notes, out):
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL).stdout.strip() or "unknown"
    how = f"beside {LOOPS} busy loops" if given.busy else "in turn"
    print(f"{time.strftime('%Y-%m-%d')}, commit {commit}, Linux {platform.release()}, {os.cpu_count()} processors, "
          f"{how}, load {os.getloadavg()[0]:.1f}; ms are medians, ratios those within one round.\n\n"
          f"```\nscript/bench-recording {shlex.join(sys.argv[2:])}\n```\n", file=out)
    print("| program | rounds | plain rusage, ms | from exec on, ms | told, without `recording`, ms | told / plain "
          "| plain wall from exec on, ms | told wall, ms | told / plain | quartiles: processor | wall | recorded / plain rusage | perf record / plain "
          "| samples, Hz | samples | lost | lost by perf |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|", file=out)
    for name, rows in found.items():
        if rows["told"]:
            print(line(name, rows), file=out)
    near = {key: sum(abs(over(rows["told"], key, rows["plain"], key) - 1) <= NEAR for rows in found.values() if rows["told"])
            for key in ("cpu", "wall")}
    print(f"\nWithin {NEAR * 100:.0f} % of the plain runs: told processor time of {near['cpu']} programs, "
          f"told wall time of {near['wall']}.", file=out)
    for note in notes:
        print(f"\n{note}", file=out)
    out.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--seconds", type=int, default=420)
    parser.add_argument("--program", action="append", choices=PROGRAMS)
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stdout)
    given = parser.parse_args()
    given.rounds = given.rounds or (BUSY_ROUNDS if given.busy else ROUNDS)
    given.build = given.build.resolve()
    wanted = given.program or list(PROGRAMS)
    programs = {name: PROGRAMS[name] for name in wanted if shutil.which(PROGRAMS[name][0])}
    missing = [f"`{name}` left out: no {PROGRAMS[name][0]} here." for name in wanted if name not in programs]
    has_perf = bool(shutil.which("perf"))
    if not has_perf:
        missing.append("perf record left out: no perf here.")
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"], **QUIET) for _ in range(LOOPS)] if given.busy else []
    try:
        with tempfile.TemporaryDirectory() as name:
            found, notes = measure(given, programs, has_perf, pathlib.Path(name))
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    say(given, found, missing + notes, given.out)


if __name__ == "__main__":
    main()
