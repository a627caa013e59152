#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages say what the program says: every command, every option, and references that lead somewhere.

    test_manual.py ELFAULT PAGES ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys

elfault, pages, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
number = failed = 0


def result(sentence, wrong, skip=None):
    global number, failed
    number += 1
    print(f"{'not ok' if wrong else 'ok'} {number} - {sentence}" + (f" # SKIP {skip}" if skip else ""))
    for line in wrong:
        print(f"# {line}")
    failed += bool(wrong)


def help_of(*command):
    return subprocess.run([elfault, *command, "--help"], check=True, text=True, capture_output=True).stdout


def roff(page):
    """Without escapes."""
    text = (pages / page).read_text()
    return text.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "").replace("\\&", "")


def section(text, name):
    return re.split(r"(?m)^\.SH ", text.split(f".SH {name}\n", 1)[1])[0]


commands = re.findall(r"(?m)^  ([a-z]+) ", help_of())
print("1..6")
result("each command has a page", [name for name in commands if not (pages / f"elfault-{name}.1").exists()])

overview = roff("elfault.1")
result("elfault(1) names them all", [name for name in commands if f"elfault-{name}(1)" not in overview])

wrong = []
for name in commands:
    if not (pages / f"elfault-{name}.1").exists():
        continue
    # As a person reads the help, lines broken: an option stands at the left, its meaning further right.
    told = {word for line in re.findall(r"(?m)^ {2,6}((?:-., )?--[a-z-]+|-\w)", help_of(name))
            for word in line.split(", ")} - {"-?"}
    paged = {word for line in section(roff(f"elfault-{name}.1"), "OPTIONS").split("\n")
             if re.match(r"-\w,|--\w|-\w$", line) for word in re.findall(r"(?:^|, )(--?[a-zA-Z-]+)", line)}
    wrong += [f"{name}: {word} is only in the {'help' if word in told else 'page'}" for word in sorted(told ^ paged)]
result("a command's page has the options of its --help, and no other", wrong)

metrics = re.findall(r'(?m)= \{ "(\w+)", BUDGET_', (root / "budget/metric.c").read_text())
chunks = re.findall(r"(?m)DISK_CHUNK_([A-Z]+) = \d+,$", (root / "trace/format.h").read_text())
result("a limit's metrics and a trace's chunks are in the pages of these files",
       [word for word in metrics if word not in roff("elfault-budget.5")] +
       [word for word in chunks if word not in roff("elfault-trace.5")] +
       [f"no {what}" for what, found in (("metrics", metrics), ("chunks", chunks)) if not found])

wrong = []
for page in sorted(pages.glob("*.[157]")):
    for name, number_of in re.findall(r"\b(elfault[a-z-]*)\((\d)\)", roff(page.name)):
        if not (pages / f"{name}.{number_of}").exists():
            wrong.append(f"{page.name}: {name}({number_of})")
result("references between pages lead to pages", wrong)

if shutil.which("man"):
    wrong = []
    for page in sorted(pages.glob("*.[157]")):
        run = subprocess.run(["man", "--warnings", "-l", page], text=True, capture_output=True, env={
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANROFFSEQ": "t"})
        wrong += [f"{page.name}: {line}" for line in run.stderr.splitlines()]
    result("man shows them without warnings", wrong)
else:
    result("man shows them without warnings", [], "man is not installed")
sys.exit(failed > 0)
