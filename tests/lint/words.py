#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""model/words.def is the one list of a fault's words and their colours: what repeats it says the same,
and nothing else repeats it. UPDATE_GOLDEN=1 rewrites the tables of docs/reading.md from it.

usage: words.py"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import wordtable

ROOT = wordtable.ROOT
UPDATES = os.environ.get("UPDATE_GOLDEN") == "1"
WORDS, COLORS = wordtable.read()

# A list: so many different ones within so many lines, but for "unknown", which is a word of others too.
MANY, NEAR = 5, 10
DERIVED = ("model/words.def", "docs/reading.md")
OUTPUT = ("fixtures/", "tests/golden/", "docs/pictures/")  # what elfault and others wrote
MAY_LIST = {
    "advice/trace/dynamiclinking.c": "its condition for --where has those of the dynamic linker",
    "correlate/": "decides which initiator it is",
    "docs/initiators.md": "says how each is recognised; its first table is checked below",
    "docs/measured/initiators.md": "says how often each is right, as the test prints it",
    "tests/browser/promises.js": "says which share a hue",
    "tests/support/stackwords.py": "a second opinion, which must not come from the first",
    "tests/unit/render/test_palette.c": "says which are frequent",
    "tests/unit/derive/test_phases.c": "says which phase each speaks for",
}


def with_tables(text, words):
    """@text with every run of table rows for values of @words in it replaced."""
    for word in words:
        values = "|".join(row.word for row in WORDS[word])
        table = "".join(f"| `{row.word}` | {row.meaning} |\n" for row in WORDS[word])
        text, count = re.subn(rf"(?:^\| `(?:{values})` \|.*\n)+", table, text, flags=re.M)
        if count != 1:
            return None
    return text


def derived(path, text):
    """What is wrong with a file that repeats the table, unless it is put right here."""
    file = ROOT / path
    if text is None:
        return [f"{path} has no table for each word, or several"]
    if file.exists() and file.read_text() == text:
        return []
    if UPDATES:
        file.write_text(text)
        return []
    return [f"{path} differs from model/words.def; UPDATE_GOLDEN=1 rewrites it"]


def recognised():
    """docs/initiators.md says of each initiator how it is recognised, in their order."""
    text = (ROOT / "docs/initiators.md").read_text()
    table = text.split("| value | recognised by |\n", 1)[1].split("\n\n", 1)[0]
    found = tuple(re.findall(r"^\| `([\w-]+)` \|", table, re.M))
    expected = wordtable.values("initiator")
    return [] if found == expected else [f"{', '.join(found)} instead of {', '.join(expected)}"]


def sources():
    listed = subprocess.run(("git", "ls-files"), cwd=ROOT, stdout=subprocess.PIPE, check=False)
    names = listed.stdout.decode().splitlines() or \
        [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.*")
         if path.is_file() and not {"build", "node_modules"} & set(path.parts)]
    for name in names:
        if name in DERIVED or name.startswith(OUTPUT):
            continue
        try:
            yield name, (ROOT / name).read_text().splitlines()
        except (UnicodeDecodeError, FileNotFoundError):
            pass


def repeats(lines, pattern):
    """The first line from which on many different matches of @pattern are near each other; 0: none."""
    hits = [(number, match.lastgroup) for number, line in enumerate(lines, 1)
            for match in pattern.finditer(line)]
    for i, (number, _) in enumerate(hits):
        if len({what for at, what in hits[i:] if at < number + NEAR}) >= MANY:
            return number
    return 0


def initiators():
    """Their words where they are quoted or part of a list, and their identifiers."""
    return re.compile("|".join(
        rf"(?P<{row.id}>\bMODEL_{row.id}\b|(?:^\s*|[\"'`|=,{{([] ?){row.word}(?=[\"'`|,:)}}\]]))"
        for row in WORDS["initiator"] if row.word != "unknown"))


def colors():
    return re.compile("|".join(rf"(?P<{color.name}>{color.light}|{color.dark})" for color in COLORS), re.I)


def lists_elsewhere(pattern, may_list):
    return [f"{name}:{number}" for name, lines in sources()
            if not name.startswith(may_list) and (number := repeats(lines, pattern))]


def main():
    reading = (ROOT / "docs/reading.md").read_text()
    checks = (
        ("docs/reading.md explains each word as the table does",
         derived("docs/reading.md", with_tables(reading, ("kind", "mechanism", "initiator")))),
        ("docs/initiators.md says how each initiator is recognised", recognised()),
        ("no other file lists initiators", lists_elsewhere(initiators(), tuple(MAY_LIST))),
        ("no other file lists colours", lists_elsewhere(colors(), ())),
    )
    print(f"1..{len(checks)}")
    for i, (sentence, offenders) in enumerate(checks, 1):
        print(f"{'not ok' if offenders else 'ok'} {i} - {sentence}")
        print("".join(f"# {offender}\n" for offender in offenders), end="")
    sys.exit(any(offenders for _, offenders in checks))


main()
