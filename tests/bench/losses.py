#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Losses while other work keeps the processors busy: records large programs beside busy loops, as
root (BPF) and as an ordinary user (perf), and counts faults and stacks lost. Prints Markdown.

usage: losses.py BUILD [--rounds N] [--loops N] [--workload WORD] [--starts | --sizes BYTES,...]

--starts: short starts instead, with the faults whose initiator is unknown, and what perf record keeps of
each in the same round, as the same user and with the same bytes of stack.
--sizes: what an ordinary user does not learn, by bytes of stack: the share of faults whose initiator is unknown
because the stack was lost or too short.
Needs root. BUILD holds cli/elfault and fixtures/programs/deep.
"""
import argparse
import csv
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

USER = 65534
COUNTS = {"faults": r"([\d,]+) faults? \(", "lost": r"\(([\d,]+) lost", "stacks": r"([\d,]+) stacks? lost",
          "bare": r"([\d,]+) without callers"}


def workloads(folder):
    page = ["--screenshot", folder / "page.png", "data:text/html,<h1>elfault</h1>"]
    firefox = ["timeout", "300", "firefox-esr", "--no-remote", "--profile", folder / "firefox", "--headless"]
    chromium = ["timeout", "300", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", f"--user-data-dir={folder / 'chromium'}"]
    page_of_chromium = [f"--screenshot={folder / 'page.png'}", page[-1]]
    return {
        "eight processes, 400,000 faults below 30 KiB of frames": [folder / "deep", "8", "50"],
        "firefox-esr --headless --screenshot": firefox + page,
        "chromium --headless --screenshot": chromium + page_of_chromium,
    }


def starts():
    # Not one below a home folder, which others may not execute.
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    return {
        "clang --version": ["clang", "--version"],
        "ld.lld --version": ["ld.lld", "--version"],
        "git --version": ["git", "--version"],
        "python3 -c 'import json'": [python, "-c", "import json"],
        "node --version": ["node", "--version"],
        "gdb --version": ["gdb", "--version"],
        "java -version": ["java", "-version"],
    }


def become_user():
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)


def fresh_home(folder):
    """Its path, and the environment that names it."""
    home = folder / "home"
    for path in (home, folder / "firefox", folder / "chromium"):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        path.chmod(0o777)
    return home, {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CACHE_HOME": str(home),
                  "XDG_CONFIG_HOME": str(home)}


def run(words, folder, is_user, *options):
    """The counts of the recorder's last line."""
    home, env = fresh_home(folder)
    command = [folder / "elfault", "record", *options, "-o", home / "trace", "--"] + words
    done = subprocess.run(list(map(str, command)), env=env, cwd=home, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace",
                          preexec_fn=become_user if is_user else None)
    lines = [line for line in done.stderr.splitlines() if "; next: elfault analyze" in line]
    if not lines:
        sys.exit(f"losses: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    found = {}
    for name, pattern in COUNTS.items():
        match = re.search(pattern, lines[-1])
        found[name] = int(match[1].replace(",", "")) if match else 0
    return found


def unknown_in(folder):
    """Faults of the recording that run() made whose initiator is unknown."""
    command = [folder / "elfault", "analyze", "--by", "initiator", "--format", "csv", folder / "home/trace"]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=True)
    return sum(int(row["faults"]) for row in csv.DictReader(done.stdout.splitlines())
               if row["initiator"] == "unknown")


def kept_by_perf(words, folder, is_user):
    """Samples in perf record's file, for faults with 16 KiB of stack each."""
    home, env = fresh_home(folder)
    data = home / "perf.data"
    command = ["perf", "record", "-q", "-e", "page-faults", "-c", "1", "--call-graph", "dwarf,16384", "-o", data, "--"]
    subprocess.run(list(map(str, command + words)), env=env, cwd=home, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, preexec_fn=become_user if is_user else None, check=True)
    stats = subprocess.check_output(["perf", "report", "-f", "--stats", "-i", data], stderr=subprocess.DEVNULL, text=True)
    return int(re.search(r"SAMPLE events:\s*(\d+)", stats)[1])


def span(values, total=None):
    least, most = min(values), max(values)
    text = f"{least:,}" if least == most else f"{least:,} … {most:,}"
    return text if total is None or most == 0 else f"{text} ({100 * most / total:.1f} %)"


USERS = (("root, BPF", False), (f"uid {USER}, perf", True))


def measure(options, folder):
    print("| command | as | faults, median | faults lost | stacks lost | without callers |\n"
          "|---|---|--:|--:|--:|--:|")
    for title, words in workloads(folder).items():
        if options.workload not in title:
            continue
        for who, is_user in USERS:
            runs = [run(words, folder, is_user) for _ in range(options.rounds)]
            faults = int(statistics.median(found["faults"] for found in runs))
            lost, stacks, bare = ([found[key] for found in runs] for key in ("lost", "stacks", "bare"))
            print(f"| {title} | {who} | {faults:,} | {span(lost, faults)} | {span(stacks, faults)} | "
                  f"{span(bare, faults)} |", flush=True)


def measure_starts(options, folder):
    print("| command | as | faults, median | faults lost | stacks lost | unknown initiators | perf record keeps |\n"
          "|---|---|--:|--:|--:|--:|--:|")
    for title, words in starts().items():
        if options.workload not in title:
            continue
        for who, is_user in USERS:
            runs, unknown, kept = [], [], []
            for _ in range(options.rounds):
                runs.append(run(words, folder, is_user))
                unknown.append(unknown_in(folder))
                kept.append(kept_by_perf(words, folder, is_user))
            faults = int(statistics.median(found["faults"] for found in runs))
            lost, stacks = ([found[key] for found in runs] for key in ("lost", "stacks"))
            print(f"| {title} | {who} | {faults:,} | {span(lost, faults)} | {span(stacks, faults)} | "
                  f"{span(unknown, faults)} | {span(kept)} |", flush=True)


def measure_sizes(options, folder):
    print(f"| command, uid {USER} | " + " | ".join(f"{int(size):,}" for size in options.sizes) + " |\n"
          "|---|" + "--:|" * len(options.sizes))
    for title, words in (starts() | workloads(folder)).items():
        if options.workload not in title or "400,000" in title:
            continue
        cells = []
        for size in options.sizes:
            shares = []
            for _ in range(options.rounds):
                found = run(words, folder, True, f"--stack-size={size}")
                shares.append(100 * unknown_in(folder) / found["faults"])
            cells.append(f"{statistics.median(shares):.1f} %")
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--loops", type=int, default=2)
    parser.add_argument("--workload", default="")
    parser.add_argument("--starts", action="store_true")
    parser.add_argument("--sizes", type=lambda text: text.split(","))
    options = parser.parse_args()
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.loops)]
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            folder.chmod(0o777)
            shutil.copy(options.build / "cli/elfault", folder / "elfault")
            shutil.copy(options.build / "fixtures/programs/deep", folder / "deep")
            print(f"{options.rounds} runs each beside {options.loops} busy loops on {os.cpu_count()} processors; "
                  "least … most, and the most as a share of the faults.\n")
            if options.sizes:
                measure_sizes(options, folder)
            elif options.starts:
                measure_starts(options, folder)
            else:
                measure(options, folder)
    finally:
        for loop in loops:
            loop.kill()


if __name__ == "__main__":
    main()
