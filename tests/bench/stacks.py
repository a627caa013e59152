#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far call stacks reach: records real programs with copies of different sizes and counts how each
fault's stack ends. Prints Markdown.

usage: stacks.py ELFAULT [--sizes 4096,32768] [--workload WORD] [--backend bpf|perf] [--ends N]

outermost: the last frame is where the program or thread began; cut: the copy of the stack ended before
that; lost: nobody knows how to leave the last frame; none: faults of exec itself, which have no stack.
besides: what the recorder works before the command starts and after it ended, where it unwinds.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

KINDS = ("outermost", "cut", "lost", None)


def workloads(folder):
    home = folder / "home"
    home.mkdir()
    firefox = ["env", f"HOME={home}", f"XDG_CACHE_HOME={home}", f"XDG_CONFIG_HOME={home}", "timeout", "180",
               "firefox-esr", "--no-remote", "--profile", home, "--headless", "--screenshot",
               folder / "page.png", "data:text/html,<h1>elfault</h1>"]
    return {
        "clang --version": ["clang-14", "--version"],
        "ld.lld --version": ["ld.lld", "--version"],
        "node --version": ["node", "--version"],
        "python3 -c 'import json'": ["/usr/bin/python3", "-c", "import json"],
        "git --version": ["git", "--version"],
        "firefox-esr --headless --screenshot": firefox,
    }


def record(elfault, trace, size, backend, command):
    """Seconds from the recorder's start to its end, and its peak memory in MiB."""
    words = [elfault, "record", "--backend", backend, "--stack-size", size, "-o", trace, "--"] + command
    words = list(map(str, words))
    start = time.monotonic()
    with open(os.devnull, "w") as null:
        process = subprocess.Popen(words, stdout=null, stderr=null)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"stacks: {' '.join(words)} ended with {process.returncode}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def place(frame):
    """A frame for a person: file and function, or the offset where no function is known."""
    if not frame["object"]:
        return "no file"
    name = frame["function"] or (hex(frame["offset"]) if frame["offset"] is not None else "?")
    return f"{os.path.basename(frame['object'])}: {re.sub(r'^fn@0x[0-9a-f]+$', 'fn@', name)}"


def faults_of(elfault, trace):
    lines = subprocess.run([elfault, "analyze", "--format", "ndjson", trace], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=True, text=True).stdout
    for line in lines.splitlines():
        yield json.loads(line)


def lost_and_seconds(elfault, trace):
    """Events lost, and how long the command ran."""
    text = subprocess.run([elfault, "analyze", "--format", "json", trace], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, text=True).stdout
    analysis = json.loads(text)
    return analysis["counts"]["lost"], analysis["trace"]["duration_ns"] / 1e9


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("elfault", type=pathlib.Path)
    parser.add_argument("--sizes", default="4096,8192,16384,32768")
    parser.add_argument("--workload", default="", help="only those with this word in their title")
    parser.add_argument("--backend", default="bpf", choices=("bpf", "perf"))
    parser.add_argument("--ends", type=int, default=0, help="list the N most frequent last frames of each kind")
    options = parser.parse_args()
    elfault = options.elfault.resolve()
    ends = []
    print("| workload | copy | faults | outermost | cut | lost | none | events lost | not outermost, % | "
          "besides, s | trace, KiB | peak, MiB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory(prefix="elfault-stacks-") as name:
        folder = pathlib.Path(name)
        for title, command in workloads(folder).items():
            for size in map(int, options.sizes.split(",")):
                if options.workload not in title:
                    continue
                trace = folder / "t.trace"
                seconds, peak = record(elfault, trace, size, options.backend, command)
                lost, ran = lost_and_seconds(elfault, trace)
                counts, last = collections.Counter(), collections.Counter()
                for fault in faults_of(elfault, trace):
                    end = fault["stack_end"]
                    counts[end] += 1
                    if end:
                        thread = "main" if fault["pid"] == fault["tid"] else "thread"
                        last[end, place(fault["stack"][-1]), fault["comm"], thread] += 1
                with_stack = sum(counts.values()) - counts[None]
                bad = counts["cut"] + counts["lost"]
                print(f"| {title} | {size} | {with_stack + counts[None]:,} | "
                      + " | ".join(f"{counts[kind]:,}" for kind in KINDS)
                      + f" | {lost:,} | {100 * bad / max(with_stack, 1):.2f} | "
                        f"{seconds - ran:.2f} | {trace.stat().st_size / 1024:,.0f} | {peak:,.0f} |", flush=True)
                ends.append((title, size, last))
    for title, size, last in ends if options.ends else []:
        print(f"\n{title}, {size}\n\n| end | last frame | process | thread | faults |\n|---|---|---|---|--:|")
        for kind in KINDS[:3]:
            rows = [row for row in last.most_common() if row[0][0] == kind][:options.ends]
            for (end, where, comm, thread), count in rows:
                print(f"| {end} | {where} | {comm} | {thread} | {count:,} |")


if __name__ == "__main__":
    main()
