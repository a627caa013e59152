#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure elfault beside its peers in one run: interleaved rounds, medians, ratios. Prints Markdown.

usage: bench.py BUILD [--rounds N] [--only capture|fault|stacks|analysis|map|report|diff] [--workload WORD]
                [--against ELFAULT]
"""
import argparse
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

STACK_SIZES = (4096, 8192, 16384, 32768, 65536)
SCALES = (10_000, 100_000, 1_000_000)
# Perf's default, half a MiB a processor, lost 55 to 75 % of what clang --version faults.
PERF_BUFFER = "128M"
# A tracer that keeps fewer of the faults did less work than the others.
KEPT_LEAST = 0.99


def run(command):
    """Seconds of one run. A failure ends the bench: a wrong figure is worse than none."""
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.monotonic() - start
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return seconds


def usage_of(command):
    """What one run used, from wait4, and its seconds."""
    start = time.monotonic()
    with open(os.devnull, "w") as null:
        process = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} ended with {process.returncode}")
    return usage, seconds


def peak_kib(command):
    """Peak memory and seconds of one run."""
    usage, seconds = usage_of(command)
    return usage.ru_maxrss, seconds


def tracers(elfault, folder, against):
    """Name -> the words before the command; each writes into @folder."""
    perf = ["perf", "record", "-q", "-e", "page-faults", "-c", "1", "-d", "-m", PERF_BUFFER]
    bpf = [elfault, "record", "--backend=bpf"]
    faults = ["--cpu=off", "--no-storage"]
    found = {
        "untraced": [],
        "elfault bpf": bpf + ["-o", folder / "bpf.trace", "--"],
        "elfault bpf, no samples": bpf + ["--cpu=off", "-o", folder / "unsampled.trace", "--"],
        "elfault bpf, no samples, no storage": bpf + faults + ["-o", folder / "faults.trace", "--"],
        "elfault bpf, no stacks": bpf + faults + ["--no-stacks", "-o", folder / "plain.trace", "--"],
        "elfault perf": [elfault, "record", "--backend=perf", "-o", folder / "perf.trace", "--"],
        "elfault perf, no samples":
            [elfault, "record", "--backend=perf", "--cpu=off", "-o", folder / "perfoff.trace", "--"],
        "perf record": perf + ["-o", folder / "perf.data", "--"],
        "perf record, dwarf stacks":
            perf + ["--call-graph", "dwarf", "-o", folder / "dwarf.data", "--"],
        # Joined by the caller: bpftrace takes the command as one string.
        "bpftrace": ["bpftrace", "-q", "-o", folder / "bpftrace.txt", "-e",
                     'tracepoint:exceptions:page_fault_user { printf("%lx %lx %d\\n", '
                     'args->address, args->ip, args->error_code); }', "-c"],
        # The least that seeing entry and completion by BPF costs: both programs return at once.
        "bpftrace, two empty programs":
            ["bpftrace", "-q", "-e", "tracepoint:exceptions:page_fault_user /0/ { exit(); } "
                                     "software:minor-faults:1 /0/ { exit(); }", "-c"],
    }
    if against:
        # Two builds and nothing else: the fewer runs lie between two of a pair, the less the machine drifts.
        found = {"untraced": [], "elfault bpf": found["elfault bpf"],
                 "the other elfault bpf":
                     [against, "record", "--backend=bpf", "-o", folder / "other.trace", "--"],
                 "elfault perf": found["elfault perf"],
                 "the other elfault perf":
                     [against, "record", "--backend=perf", "-o", folder / "other.trace", "--"]}
    return {name: words for name, words in found.items()
            if not words or shutil.which(str(words[0]))}


def lost_of(elfault, trace):
    dump = subprocess.run([elfault, "analyze", "--format", "json", trace], capture_output=True,
                          text=True, check=True)
    counts = json.loads(dump.stdout)["counts"]
    return counts["recorded"], counts["lost"]


def samples_of(data):
    """How many samples perf kept."""
    stats = subprocess.run(["perf", "report", "--stats", "-i", data], capture_output=True, text=True, check=True)
    return int(re.search(r"SAMPLE events: +(\d+)", stats.stdout)[1])


def kept_of(elfault, words):
    """How many faults the tracer of these words wrote down; None if it is not to write any."""
    if "-o" not in words:
        return None
    out = words[words.index("-o") + 1]
    if out.suffix == ".data":
        return samples_of(out)
    return len(out.read_text().splitlines()) if out.suffix == ".txt" else lost_of(elfault, out)[0]


def excuse(kept):
    """Why no ratio is printed, if one of the rounds, (kept, faults) each, lacks samples."""
    worst = min(kept, key=lambda each: each[0] / each[1], default=(1, 1))
    if worst[0] >= KEPT_LEAST * worst[1]:
        return None
    return f"not comparable: kept {worst[0]:,} of {worst[1]:,} samples"


def wrapped(folder):
    """What tests/bench/wrap.c wrote: wall ms, CPU ms, faults."""
    elapsed, cpu, faults = map(int, (folder / "wrap.txt").read_text().split())
    return elapsed / 1e6, cpu / 1e3, faults


def capture(elfault, build, folder, rounds, workload, against):
    wrap, loop = build / "tests/bench/bench-wrap", build / "tests/bench/bench-loop"
    workloads = {
        "clang --version": ["clang-14", "--version"],
        # No blank in it: bpftrace splits its command at blanks and knows no quotes.
        "python3 -c \"__import__('json')\"": ["/usr/bin/python3", "-c", "__import__('json')"],
        "a loop of 500,000 faults": [loop, "500000"],
    }
    print("## The traced command while it runs\n")
    print("Wall and processor time of the command itself, seen from inside the tracer: the tracer's own start "
          f"and end are not in it. Medians of {rounds} interleaved rounds, ratios of medians.\n")
    for title, command in workloads.items():
        if workload not in title:
            continue
        times, kept = {}, {}
        peers = tracers(elfault, folder, against)
        for turn in range(rounds + 1):
            for name, words in peers.items():
                inner = [wrap, folder / "wrap.txt"] + command
                if name.startswith("bpftrace"):
                    run(words + [" ".join(map(str, inner))])
                else:
                    run(words + inner)
                if turn:  # the first round warms the page cache
                    *each, faults = wrapped(folder)
                    times.setdefault(name, []).append(each)
                    if (count := kept_of(elfault, words)) is not None:
                        kept.setdefault(name, []).append((count, faults))
        base, cpu_base = map(statistics.median, zip(*times["untraced"]))
        print(f"### {title}\n\n| tracer | wall, ms | least … most | × untraced | CPU, ms | × untraced |\n"
              "|---|--:|--:|--:|--:|--:|")
        for name, values in times.items():
            walls, cpus = zip(*values)
            middle, cpu = statistics.median(walls), statistics.median(cpus)
            why_not = excuse(kept.get(name, []))
            print(f"| {name} | {middle:.1f} | {min(walls):.1f} … {max(walls):.1f} | {why_not or f'{middle / base:.2f}'} "
                  f"| {cpu:.1f} | {why_not or f'{cpu / cpu_base:.2f}'} |")
        for backend in ("bpf", "perf"):
            recorded, lost = lost_of(elfault, folder / f"{backend}.trace")
            print(f"\n{backend} backend, last round: {recorded:,} faults recorded, {lost:,} lost.", end="")
        print("\n")


def one_fault(elfault, build, folder, rounds):
    """What seeing one fault costs, from the least of many short batches: hardly disturbed by other load."""
    faults = build / "tests/bench/bench-faults"
    peers = tracers(elfault, folder, None)
    chosen = [(name, name, 0) for name in ("untraced", "bpftrace, two empty programs", "elfault bpf, no stacks",
                                           "elfault bpf", "perf record") if name in peers]
    chosen.append(("elfault bpf, below 28 KiB of frames", "elfault bpf", 28 << 10))
    least = {}
    for _ in range(rounds):
        for title, name, stack in chosen:
            inner = list(map(str, [faults, folder / "faults.dat", stack, folder / "faults.txt"]))
            run(peers[name] + ([" ".join(inner)] if name.startswith("bpftrace") else inner))
            found = list(map(int, (folder / "faults.txt").read_text().split()))
            least[title] = list(map(min, found, least.get(title, found)))
    print("## One fault\n")
    print(f"ns of the traced program per fault, the least of {rounds} × 200 batches of 500 faults.\n")
    print("| tracer | new memory | × | 16 pages mapped | × | a page copied | × |\n|---|--:|--:|--:|--:|--:|--:|")
    for title, values in least.items():
        cells = (f"{value:,} | {value / base:.2f}" for value, base in zip(values, least["untraced"]))
        print(f"| {title} | {' | '.join(cells)} |")
    print()


def stack_sizes(elfault, build, folder, rounds, workload):
    """What copying more of each stack costs the traced command."""
    wrap, loop = build / "tests/bench/bench-wrap", build / "tests/bench/bench-loop"
    workloads = {
        "clang --version": ["clang-14", "--version"],
        "python3 -c 'import json'": ["/usr/bin/python3", "-c", "import json"],
        "a loop of 200,000 faults below 8 KiB of frames": [loop, "200000", "8192"],
        "a loop of 200,000 faults below 30 KiB of frames": [loop, "200000", "26624"],
        "firefox-esr --headless --screenshot": firefox(folder),
    }
    print("## What a larger copy of each stack costs\n")
    print(f"Medians of {rounds} interleaved rounds; ratios to the untraced command.\n")
    for title, command in workloads.items():
        if workload not in title:
            continue
        tried = {"untraced": [], "no stacks": ["--no-stacks"]}
        tried.update((f"{size:,} bytes", ["--stack-size", str(size)]) for size in STACK_SIZES)
        times, ends = {}, {}
        for turn in range(rounds + 1):
            for name, words in tried.items():
                trace = folder / f"{len(words)}-{words[-1] if words else ''}.trace"
                tracer = [elfault, "record", "--backend=bpf", *words, "-o", trace, "--"] if words else []
                peak, seconds = peak_kib(tracer + [wrap, folder / "wrap.txt"] + command)
                wall, cpu, _ = wrapped(folder)
                if turn:
                    times.setdefault(name, []).append((wall, cpu, seconds * 1e3 - wall, peak / 1024))
                if words and turn:
                    recorded, lost = lost_of(elfault, trace)
                    ends.setdefault(name, []).append((recorded, lost, trace.stat().st_size / 1024))
        base, cpu_base = (statistics.median(column) for column in list(zip(*times["untraced"]))[:2])
        print(f"### {title}\n\n| copy | wall, ms | × untraced | CPU, ms | × untraced | besides, ms | peak, MiB | "
              "trace, KiB | faults | lost in all rounds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        for name, values in times.items():
            wall, cpu, besides, peak = (statistics.median(column) for column in zip(*values))
            line = f"| {name} | {wall:.1f} | {wall / base:.2f} | {cpu:.1f} | {cpu / cpu_base:.2f} | "
            if name in ends:
                recorded, lost, size = zip(*ends[name])
                line += (f"{besides:.0f} | {peak:.0f} | {statistics.median(size):,.0f} | "
                         f"{statistics.median(recorded):,.0f} | {sum(lost):,} |")
            else:
                line += "| | | | |"
            print(line, flush=True)
        print()


def firefox(folder):
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return ["env", f"HOME={home}", f"XDG_CACHE_HOME={home}", f"XDG_CONFIG_HOME={home}", "timeout", "180",
            "firefox-esr", "--no-remote", "--profile", home, "--headless", "--screenshot",
            folder / "page.png", "data:text/html,<h1>elfault</h1>"]


def analysis(elfault, build, folder, rounds):
    loop = build / "tests/bench/bench-loop"
    print("## Analysis\n")
    run([elfault, "record", "--backend=bpf", "-o", folder / "clang.trace", "--", "clang-14", "--version"])
    run(["perf", "record", "-q", "-e", "page-faults", "-c", "1", "-d", "--call-graph", "dwarf",
         "-m", PERF_BUFFER, "-o", folder / "clang.data", "--", "clang-14", "--version"])
    ours, theirs = [], []
    for _ in range(max(rounds // 2, 3)):
        ours.append(run([elfault, "analyze", "--format", "ndjson", folder / "clang.trace"]))
        theirs.append(run(["perf", "script", "-i", folder / "clang.data"]))
    mine, peer = statistics.median(ours), statistics.median(theirs)
    print("`clang --version`, with stacks:\n\n| command | s | ratio |\n|---|--:|--:|")
    print(f"| elfault analyze --format ndjson | {mine:.3f} | 1 |")
    why_not = excuse([(samples_of(folder / "clang.data"), lost_of(elfault, folder / "clang.trace")[0])])
    print(f"| perf script (dwarf stacks) | {peer:.3f} | {why_not or f'{peer / mine:.0f}'} |\n")

    print("A loop, by number of faults (each fault on a page of its own):\n")
    print("| faults | summary, s | µs per fault | peak, MiB | ndjson, s | µs per fault |\n|--:|--:|--:|--:|--:|--:|")
    for count in SCALES:
        trace = folder / f"loop-{count}.trace"
        run([elfault, "record", "--backend=bpf", "-o", trace, "--", loop, str(count)])
        summary = [peak_kib([elfault, "analyze", "--full", trace]) for _ in range(3)]
        lines = [run([elfault, "analyze", "--format", "ndjson", trace]) for _ in range(3)]
        peak = max(kib for kib, _ in summary) / 1024
        seconds = statistics.median(s for _, s in summary)
        each = statistics.median(lines)
        print(f"| {count:,} | {seconds:.2f} | {seconds / count * 1e6:.2f} | {peak:.0f} | {each:.2f} "
              f"| {each / count * 1e6:.2f} |")
    print()
    initiators(elfault, folder, loop)


def initiators(elfault, folder, loop):
    """What deciding initiators adds to the analysis: instructions, which no other load disturbs."""
    print("Instructions of the analysis (`--format ndjson`), with initiators against without "
          "(callgrind, inclusive):\n")
    print("| trace | instructions, M | without initiators, M | ratio |\n|---|--:|--:|--:|")
    run([elfault, "record", "--backend=bpf", "-o", folder / "share.trace", "--", loop, "100000"])
    for name, trace in (("clang --version", "clang.trace"), ("a loop of 100,000", "share.trace")):
        out = folder / "callgrind.out"
        run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", elfault, "analyze",
             "--format", "ndjson", folder / trace])
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out],
                              capture_output=True, text=True, check=True).stdout

        def instructions(pattern):
            return int(re.search(rf"^ *([\d,]+) .*{pattern}", text, re.M)[1].replace(",", ""))
        total, part = instructions("PROGRAM TOTALS"), instructions(":initiators_decide")
        print(f"| {name} | {total / 1e6:,.0f} | {(total - part) / 1e6:,.0f} "
              f"| {total / (total - part):.3f} |")
    print()


def layout(elfault, build, folder, rounds):
    library = "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1"
    print("## The map of a large library\n")
    print(f"libLLVM-14 ({os.path.getsize(library) / 1e6:.0f} MB, stripped):\n\n| command | s |\n|---|--:|")
    for words in (["elfault", "map"], ["elfault", "map", "--format", "json"],
                  ["readelf", "-SlrW"], ["nm", "-DC"]):
        command = [elfault if words[0] == "elfault" else words[0]] + words[1:] + [library]
        seconds = statistics.median(run(command) for _ in range(rounds))
        print(f"| {' '.join(words)} | {seconds:.3f} |")
    print()


def million(build):
    """Title -> commands of about a million faults: few names and one file, many names and files."""
    return {
        "a loop of 1,000,000 faults": [build / "tests/bench/bench-loop", "1000000"],
        "clang --version 240 times": ["sh", "-c", "for i in $(seq 240); do clang-14 --version; done"],
    }


# Limits on most metrics; all are kept, as in a job that passes.
BUDGET = """faults <= 1000000000
faults{initiator=relocation} <= 1000000000
major{section=.text} <= 1000000000
pages{initiator=static-init|program, section=.data|.bss} <= 1000000000
duration <= 1000000 s
read <= 1000000 GiB
relocations <= 1000000000
initializers <= 1000000000
size <= 1000000 GiB
"""


def comparison(elfault, build, folder, rounds, workload):
    """diff of two traces against analyze of both, and check of one against analyze of it, in turn."""
    print("## Comparing two traces\n")
    print(f"Medians of {rounds} interleaved rounds; the ratio is that of the medians. CPU: user and system.\n")
    print("| trace | faults of one | analyze both, s | diff, s | ratio | analyze both, CPU s | diff, CPU s | ratio "
          "| peak of analyze, MiB | of diff |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    budget = folder / "bench.budget"
    budget.write_text(BUDGET)
    checks = []
    for title, command in million(build).items():
        if workload not in title:
            continue
        sides = [folder / "before.trace", folder / "after.trace"]
        for trace in sides:
            run([elfault, "record", "--backend=bpf", "-o", trace, "--"] + command)
        commands = [[elfault, "analyze", "--full", sides[0]], [elfault, "analyze", "--full", sides[1]], [elfault, "diff"] + sides,
                    [elfault, "check", "--budget", budget, sides[0]]]
        found = []
        for turn in range(rounds + 1):
            used = [usage_of(words) for words in commands]
            if turn:  # the first round warms the page cache
                found.append([each for usage, seconds in used
                              for each in (seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)])
        wall = statistics.median(row[0] + row[3] for row in found)
        cpu = statistics.median(row[1] + row[4] for row in found)
        peak = max(max(row[2], row[5]) for row in found)
        diff_wall, diff_cpu = (statistics.median(row[i] for row in found) for i in (6, 7))
        print(f"| {title} | {lost_of(elfault, sides[0])[0]:,} | {wall:.2f} | {diff_wall:.2f} | {diff_wall / wall:.2f} "
              f"| {cpu:.2f} | {diff_cpu:.2f} | {diff_cpu / cpu:.2f} | {peak:.0f} "
              f"| {max(row[8] for row in found):.0f} |", flush=True)
        one, one_cpu, check, check_cpu = (statistics.median(row[i] for row in found) for i in (0, 1, 9, 10))
        checks.append(f"| {title} | {one:.2f} | {check:.2f} | {check / one:.2f} | {one_cpu:.2f} | {check_cpu:.2f} "
                      f"| {check_cpu / one_cpu:.2f} | {max(row[2] for row in found):.0f} "
                      f"| {max(row[11] for row in found):.0f} |")
    print(f"\nThe first of them held against {len(BUDGET.splitlines())} limits, in the same rounds:\n\n"
          "| trace | analyze, s | check, s | ratio | analyze, CPU s | check, CPU s | ratio "
          "| peak of analyze, MiB | of check |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    print("\n".join(checks) + "\n")


def page_row(title, seconds, page, rounds):
    """What chromium makes of @page, which took @seconds to write."""
    found = []
    for _ in range(max(rounds // 3, 1)):
        done = subprocess.run(["node", pathlib.Path(__file__).resolve().parent / "page.mjs", page],
                              stdout=subprocess.PIPE, check=True)
        found.append(json.loads(done.stdout))
    middle = {key: statistics.median(each[key] for each in found) for key in found[0]}
    print(f"| {title} | {middle['faults']:,.0f} | {seconds:.1f} | {middle['bytes']:,.0f} "
          f"| {middle['bytes'] / middle['faults']:.1f} | {middle['first_ms']:,.0f} "
          f"| {middle['computed_ms']:,.0f} | {middle['zoom_ms']:.0f} "
          f"| {middle['zoom_worst_ms']:.0f} | {middle['zoom_calm_ms']:.0f} | {middle['resident_mib']:.0f} "
          f"| {middle['own_mib']:.0f} | {middle['peak_mib']:.0f} |", flush=True)


def report(elfault, build, folder, rounds):
    """The page of a million faults, in chromium."""
    tests = pathlib.Path(__file__).resolve().parent
    workloads = million(build)
    run(["npm", "ci", "--prefix", tests.parent / "browser", "--ignore-scripts", "--loglevel=error"])
    print("## The report page\n")
    print("In Debian's chromium, 1280 × 800. First picture: from the start of loading until the frame with all views is "
          "drawn; computing: the processor time of the page's thread until then. Zoom: from a key until its frame is "
          "drawn, one after the other; pausing: 0.7 s between them, in which tables and stacks are counted anew. Memory: of the page's process, after zooming.\n")
    print("| trace | faults | writing, s | bytes | bytes per fault | first picture, ms | computing | zoom, median ms | worst | pausing "
          "| resident, MiB | its own | peak |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    page, traces = folder / "page.html", []
    for title, command in workloads.items():
        traces.append(folder / f"page{len(traces)}.trace")
        run([elfault, "record", "--backend=bpf", "-o", traces[-1], "--"] + command)
        page_row(title, run([elfault, "report", traces[-1], "-o", page]), page, rounds)
    page_row("both, compared", run([elfault, "diff", *traces, "-o", page]), page, rounds)
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=("capture", "fault", "stacks", "analysis", "map", "report", "diff"))
    parser.add_argument("--workload", default="", help="capture, stacks, diff: only those with this word in their title")
    parser.add_argument("--against", type=pathlib.Path, metavar="ELFAULT",
                        help="capture: compare with this build of elfault instead of other tracers")
    options = parser.parse_args()
    build = options.build.resolve()
    elfault = build / "cli/elfault"
    parts = {
        "capture": lambda *common: capture(*common, options.workload, options.against),
        "fault": one_fault,
        "stacks": lambda *common: stack_sizes(*common, options.workload),
        "analysis": analysis,
        "map": layout,
        "report": report,
        "diff": lambda *common: comparison(*common, options.workload),
    }
    print(f"Kernel {platform.release()}, {platform.machine()}, {os.cpu_count()} cores.\n")
    with tempfile.TemporaryDirectory(prefix="elfault-bench-") as folder:
        for name, part in parts.items():
            if options.only in (None, name):
                part(elfault, build, pathlib.Path(folder), options.rounds)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
