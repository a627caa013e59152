#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md names functions and files that are there.

usage: names.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
text = (root / "docs/architecture.md").read_text()
folders = re.findall(r"^\| \d \| `(\w+)`", text, re.MULTILINE)
code = "\n".join(path.read_text(errors="replace") for folder in folders
                 for path in (root / folder).rglob("*") if path.suffix in (".c", ".h", ".js"))
bad = [f"{name}(): no such function" for name in sorted(set(re.findall(r"`(?:\w+\.)?(\w+)\(\)`", text)))
       if not re.search(rf"\b{name}\(|BPF_PROG\({name},", code)]
bad += [f"{name}: no such file" for name in
        sorted(set(re.findall(r"`((?:%s|tests|docs)/[\w/.-]+\.(?:c|h|js|py|sh|md|def))`" % "|".join(folders), text)))
        if not (root / name).exists()]
print("1..1")
print(f"{'not ok' if bad else 'ok'} 1 - functions and files that the architecture names are there")
for line in bad:
    print(f"# {line}")
sys.exit(1 if bad else 0)
