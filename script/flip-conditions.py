#!/usr/bin/env python3
"""Flip conditions of the code one at a time, and list those that no unit or golden test notices.

  script/flip-conditions.py [--live] [--here] [--count N] [--seed S] [--only FILE:LINE[:COLUMN]]... [FOLDER...]

FOLDER: where conditions are taken from, or a file (default: the code that decides causes, see ROOMS).
N of them (default: 100) are turned into their opposite: `==` into `!=`, `<` into `>=`, `&&` into
`||`, `if (x)` into `if (!(x))`; those of functions that only release memory are left to the
sanitizers. A seed and the text of its line choose a condition, so that changes elsewhere leave the
choice as it is. Each is shown to the unit tests of its own folder that link its file, to the others
that do, to the golden tests, then to the commands' tests, until one fails. --live: what none of them
notices is shown to the live tests of causes, which need root and BPF. Works in a clone of the last
commit, in a folder of its own that is removed; what is not committed is not seen. --here: works in
this tree and its build/ instead, both as they are, and puts each file back; nothing else may build
there meanwhile. Exit status: 0, or 1 if fewer than 90 % were noticed.
"""
import argparse
import collections
import contextlib
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# The code that says what a fault touched, which functions led to it, how it was met and why.
ROOMS = [
    "correlate/why",
    *(f"correlate/replay/{name}.c" for name in (
        "access", "aspace", "attribute", "identity", "initlabel", "instruction", "mechanism", "pagehistory")),
    "unwind",
    *(f"elfmap/{name}.c" for name in (
        "branch", "callsite", "ehreturn", "entries", "entrytables", "initializers", "libccode", "mainfunction",
        "pltstub", "role"))]
OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "&&": "||", "||": "&&"}
# `->`, shifts, and the brackets of an #include are none.
OPERATOR = re.compile(r"(?<=\s)(==|!=|<=|>=|<|>|&&|\|\|)(?=\s)")
CONDITION = re.compile(r"\bif \((?=\S)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
# What takes seconds and looks at other code.
SLOW = re.compile(r"long$|^(secrets|endless|completion|libelfmap-installed|prefetchline|doctor|count|manual|twins)$|-schema$")

# What a release forgets is a leak, which the sanitized tests notice.
RELEASE = re.compile(r"_(destroy|deinit|close)p?\(")
LIVE = ["initiators", "known"]


def blanked(text):
    """Return text of the same length without comments and literals."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def closing(text, start):
    """Return where the parenthesis that opens at start is closed."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError("a parenthesis is not closed")


def is_in_release(code, place):
    """Tell whether the function around place releases memory: its head is the last line that begins in column 1."""
    heads = [line for line in code[:place].split("\n") if re.match(r"[A-Za-z]", line) and "(" in line]
    return bool(heads) and bool(RELEASE.search(heads[-1]))


def flips(path):
    """Yield (line, column, text flipped) of each condition of the file."""
    text = path.read_text()
    code = blanked(text)
    for match in OPERATOR.finditer(code):
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        # A loop whose end is flipped runs for ever.
        if not re.search(r"\bfor \(|^\s*#", line) and not is_in_release(code, match.start()):
            yield match.start(), text[: match.start()] + OPPOSITES[match.group()] + text[match.end() :]
    for match in CONDITION.finditer(code):
        end = closing(code, match.end() - 1)
        if not OPERATOR.search(code, match.end(), end) and not is_in_release(code, match.start()):
            yield match.start(), f"{text[: match.end()]}!({text[match.end() : end]}){text[end:]}"


def place_of(text, start):
    return text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)


def build(folder, *targets):
    """Tell whether the targets build; without any, everything."""
    return subprocess.run(["ninja", "-C", "build", *targets], cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def succeeds(command, folder, env, limit_s):
    """Tell whether a test succeeds, up to its first failure; one that a flip makes run for ever does not."""
    with subprocess.Popen(["timeout", "-k", "1", str(limit_s), *command], cwd=folder, env={**os.environ, **env},
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as process:
        for line in process.stdout:
            if line.startswith("not ok") and "# SKIP" not in line:
                process.terminate()
                return False
    return process.returncode == 0


class Test:
    """A test that may notice a flip."""

    def __init__(self, row, programs, folder):
        runs = [programs[target] for target in row["depends"] if target in programs]
        self.command, self.env, self.folder = row["cmd"], row["env"], folder / "build"
        self.targets = [program["target"] for program in runs]
        self.files = {file for program in runs for file in program["files"]}
        # Of a program of unit tests; others run commands.
        self.source = next((path for program in runs for path in program["sources"] if "/tests/unit/" in path), None)
        # In seconds; a limit of 0 is none.
        self.limit_s, self.took_s = 0, 0

    def passes(self):
        begin = time.monotonic()
        passed = succeeds(self.command, self.folder, self.env, self.limit_s)
        self.took_s = time.monotonic() - begin
        return passed


def linked_files(program):
    """Return the names of the C files that a program is linked from."""
    symbols = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" FILE .* (\S+\.c)$", symbols, re.M))


def introspected(folder, what):
    return json.loads(subprocess.run(["meson", "introspect", "build", what], cwd=folder, capture_output=True,
                                     check=True).stdout)


def known_tests(folder):
    """Return the tests by suite."""
    programs = {}
    for target in introspected(folder, "--targets"):
        path = target["filename"][0]
        if target["type"] in ("executable", "shared library") and os.path.exists(path):
            programs[target["id"]] = {
                "target": os.path.relpath(path, folder / "build"), "files": linked_files(path),
                "sources": [source for group in target["target_sources"] for source in group["sources"]]}
    tests = collections.defaultdict(list)
    for row in introspected(folder, "--tests"):
        suite = row["suite"][0].split(":")[-1]
        if not SLOW.search(row["name"]) and (suite != "live" or row["name"] in LIVE):
            tests[suite].append(Test(row, programs, folder))
    return tests


def is_noticed(folder, path, tests, live):
    """Tell whether a test fails on what has changed in the file; the nearest go first, of them the quickest."""
    own = f"/tests/unit/{path.parts[0]}/"
    able = sorted((test for test in tests["unit"] if path.name in test.files), key=lambda test: test.took_s)
    stages = [
        [test for test in able if test.source and own in test.source],
        [test for test in able if test.source and own not in test.source],
        [test for test in tests["golden"] if path.name in test.files],
        [test for test in able if not test.source],
        tests["live"] if live else []]
    # What does not compile, with warnings as errors, was noticed before any test.
    return not all(build(folder, *{target for test in stage for target in test.targets}) and
                   all(test.passes() for test in stage) for stage in stages if stage)


def chosen(folder, args):
    """Return the flips that are asked for: (file, line, column, text flipped)."""
    every = []
    for room in args.folders:
        for path in [folder / room] if room.endswith(".c") else sorted((folder / room).rglob("*.c")):
            text, seen = path.read_text(), collections.Counter()
            for start, flipped in flips(path):
                line, column = place_of(text, start)
                content = text.splitlines()[line - 1]
                indented = len(content) - len(content.lstrip())
                key = f"{args.seed}:{path.relative_to(folder)}:{content.strip()}:{column - indented}"
                seen[key] += 1
                rank = hashlib.sha256(f"{key}:{seen[key]}".encode()).digest()
                every.append((path.relative_to(folder), line, column, flipped, rank))
    if args.only:
        wanted = tuple(place + ":" for place in args.only)
        return [flip[:4] for flip in every if "".join(f"{part}:" for part in flip[:3]).startswith(wanted)]
    return [flip[:4] for flip in sorted(every, key=lambda flip: flip[4])]


def cloned(root, stack):
    """Return a clone of the last commit, which is removed with the stack."""
    folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())) / "elfault"
    subprocess.run(["git", "clone", "-q", "--shared", root, folder], check=True)
    subprocess.run(["meson", "setup", "build"], cwd=folder, stdout=subprocess.DEVNULL, check=False)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("folders", nargs="*", default=ROOMS)
    parser.add_argument("--here", action="store_true")
    args = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    with contextlib.ExitStack() as stack:
        folder = root if args.here else cloned(root, stack)
        if not build(folder):
            sys.exit("flip-conditions.py: it does not build without a flip")
        tests = known_tests(folder)
        for test in tests["unit"] + tests["golden"] + (tests["live"] if args.live else []):
            if not test.passes():
                sys.exit(f"flip-conditions.py: {test.command} fails without a flip")
            # A busy machine is not taken for a test that notices.
            test.limit_s = max(60, int(10 * test.took_s))
        tried, survivors = 0, []
        for path, line, column, flipped in chosen(folder, args):
            if tried == args.count:
                break
            original = (folder / path).read_text()
            library = f"{path.parts[0]}/lib{path.parts[0]}.a"
            try:
                (folder / path).write_text(flipped)
                if build(folder, library):
                    tried += 1
                    if not is_noticed(folder, path, tests, args.live):
                        survivors.append((path, line, column))
                        print(f"{path}:{line}:{column}: {original.splitlines()[line - 1].strip()}", flush=True)
            finally:
                (folder / path).write_text(original)
    noticed = tried - len(survivors)
    print(f"{noticed} of {tried} noticed ({100 * noticed / max(tried, 1):.0f} %)")
    sys.exit(0 if 10 * noticed >= 9 * tried else 1)


main()
