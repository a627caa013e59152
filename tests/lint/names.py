#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents name what is there: functions and files, pages that they link to, and pages that code refers to.

usage: names.py ROOT"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
architecture = (root / "docs/inside/architecture.md").read_text()
folders = re.findall(r"^\| \d \| `([\w/]+)`", architecture, re.MULTILINE)
inside = {path: path.read_text() for path in sorted((root / "docs/inside").glob("*.md"))}
named = {name for folder in folders for path in (root / folder).rglob("*") if path.suffix in (".c", ".h", ".js")
         for name in re.findall(r"\bBPF_PROG\((\w+),|\b(\w+)\(", path.read_text(errors="replace")) for name in name}


def functions():
    for page, text in inside.items():
        for name in sorted(set(re.findall(r"`(?:\w+\.)?(\w+)\(\)`", text))):
            if name not in named:
                yield f"{page.name}: {name}(): no such function"


def files():
    name = rf"`((?:{'|'.join(folders)}|tests|docs|fixtures|script)/[\w/.-]+\.(?:c|h|js|py|sh|bats|md|def))`"
    for page, text in inside.items():
        for path in sorted(set(re.findall(name, text))):
            if not (root / path).exists():
                yield f"{page.name}: {path}: no such file"


def anchors(text):
    """As GitHub makes them of headings."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"(?ms)^```.*?^```$", "", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def links():
    for page in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]:
        text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text())
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                yield f"{page.relative_to(root)}: {target}: no such file"
            elif anchor and anchor not in anchors(file.read_text()):
                yield f"{page.relative_to(root)}: {target}: no such heading"


def sources():
    listed = subprocess.run(("git", "ls-files"), cwd=root, stdout=subprocess.PIPE, text=True, check=False)
    names = listed.stdout.splitlines() or [str(path.relative_to(root)) for path in root.rglob("*")
                                           if path.is_file() and not path.parts[len(root.parts)].startswith("build")]
    # CHANGELOG.md is history, and golden files are what elfault wrote.
    return [root / name for name in names if not name.startswith(("CHANGELOG.md", "tests/golden/"))]


def mentions():
    for source in sources():
        try:
            content = source.read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            continue
        found = re.findall(rb"\bdocs/[a-z/-]+\.(?:md|json)\b", content) if b"docs/" in content else []
        for path in sorted({name.decode() for name in found}):
            # Schemas are made when elfault is built.
            if not (root / path).exists() and not path.startswith("docs/schema/"):
                yield f"{source.relative_to(root)}: {path}: no such file"


checks = (
    ("functions that docs/inside names are there", functions),
    ("files that docs/inside names are there", files),
    ("links in documents lead somewhere", links),
    ("documents that sources and documents name are there", mentions),
)
failed = False
print(f"1..{len(checks)}")
for number, (sentence, check) in enumerate(checks, 1):
    bad = list(check())
    failed = failed or bool(bad)
    print(f"{'not ok' if bad else 'ok'} {number} - {sentence}")
    for line in bad:
        print(f"# {line}")
sys.exit(failed)
