#!/usr/bin/env python3
"""Flip conditions of the code one at a time, and list those that no unit or golden test notices.

  script/flip-conditions.py [--live] [--count N] [--seed S] [--only FILE:LINE[:COLUMN]]... [FOLDER...]

FOLDER: where conditions are taken from, or a file (default: the code that attributes, see ROOMS).
N of them (default: 100) are turned into their opposite: `==` into `!=`, `<` into `>=`, `&&` into
`||`, `if (x)` into `if (!(x))`; those of functions that only release memory are left to the
sanitizers. A seed and the text of its line choose a condition, so that changes elsewhere leave the
choice as it is. Each is shown to the unit tests of correlate, to the golden tests, then to the other
unit tests, until one fails. --live: what none of them notices is shown to the live tests of causes,
which need root and BPF. Works in a clone of the last commit, in a folder of its own that is removed;
what is not committed is not seen. Exit status: 0, or 1 if fewer than 90 % were noticed.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# The code that says what a fault touched, which function made it, how it was met and why.
ROOMS = [
    "correlate/why", "correlate/linking", "correlate/time/computed.c", "correlate/time/waitkind.c",
    *(f"correlate/replay/{name}.c" for name in (
        "access", "aspace", "attribute", "identity", "initlabel", "instruction", "mechanism", "pagehistory"))]
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
# Of one command, in seconds; 0: none. Set to several times what all take without a flip.
limit_s = 0


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


def run(*command, folder, env=None):
    """Tell whether the command succeeds; one that a flip makes run for ever does not."""
    return subprocess.run(["timeout", "-k", "1", str(limit_s), *command], cwd=folder, env=env,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def quick_tests(folder):
    listed = subprocess.run(
        ["meson", "test", "-C", "build", "--list", "--suite", "unit"],
        cwd=folder, capture_output=True, text=True, check=True).stdout
    names = re.findall(r"/ (\S+)$", listed, re.M)
    return [name for name in names if not SLOW.search(name)]


def direct_tests(folder):
    """Return the unit tests of correlate, as programs to be run without a harness."""
    return [f"tests/unit/{path.stem}" for path in sorted((folder / "tests/unit/correlate").glob("test_*.c"))]


def is_noticed(folder, live):
    """Tell whether a test fails on what has changed; the quickest tests go first."""
    direct = direct_tests(folder)
    build = folder / "build"
    environment = dict(os.environ, ELF_FIXTURES=str(build / "tests/fixtures"))
    golden = [folder / "tests/golden/run.sh", build / "cli/elfault", folder / "tests/golden",
              folder / "fixtures/traces", build / "tests/fixtures"]
    meson = ["meson", "test", "-C", "build", "--no-rebuild", "--maxfail", "1", "--suite"]
    stages = (
        lambda: all(run(build / test, folder=folder, env=environment) for test in direct),
        lambda: run(*golden, folder=folder),
        # What does not link the code is content as before.
        lambda: run("ninja", "-C", "build", folder=folder) and run(*meson, "unit", *quick_tests(folder), folder=folder),
        lambda: not live or run(*meson, "live", *LIVE, folder=folder))
    return not all(stage() for stage in stages)


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


def main():
    global limit_s
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("folders", nargs="*", default=ROOMS)
    args = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "elfault"
        subprocess.run(["git", "clone", "-q", "--shared", root, folder], check=True)
        if not run("meson", "setup", "build", folder=folder) or not run("ninja", "-C", "build", folder=folder):
            sys.exit("flip-conditions.py: the last commit does not build")
        begin = time.monotonic()
        if is_noticed(folder, args.live):
            sys.exit("flip-conditions.py: the tests fail without a flip")
        limit_s = max(300, int(4 * (time.monotonic() - begin)))
        needed = ["cli/elfault", *direct_tests(folder)]
        tried, survivors = 0, []
        for path, line, column, flipped in chosen(folder, args):
            if tried == args.count:
                break
            original = (folder / path).read_text()
            (folder / path).write_text(flipped)
            # What does not compile, with warnings as errors, is noticed before any test.
            if run("ninja", "-C", "build", *needed, folder=folder):
                tried += 1
                if not is_noticed(folder, args.live):
                    survivors.append((path, line, column))
                    print(f"{path}:{line}:{column}: {original.splitlines()[line - 1].strip()}", flush=True)
            (folder / path).write_text(original)
    noticed = tried - len(survivors)
    print(f"{noticed} of {tried} noticed ({100 * noticed / max(tried, 1):.0f} %)")
    sys.exit(0 if 10 * noticed >= 9 * tried else 1)


main()
