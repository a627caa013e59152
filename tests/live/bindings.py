# SPDX-License-Identifier: Apache-2.0
"""Hold `elfault analyze --bindings --format json` against the dynamic linker.

usage: bindings.py JSON LD_DEBUG_FILE [now]

LD_DEBUG_FILE is what LD_DEBUG=bindings wrote for one process of the same command; "now": it ran
with LD_BIND_NOW, so that every PLT entry was bound. What dlsym() and the linker itself look up
refers to no relocation, which readelf tells; the linker looks up malloc() and the like for itself
as the program's. Prints a row of a table; exit 1 where they differ.
"""

import functools
import json
import os
import re
import subprocess
import sys

LINE = re.compile(
    r"\s*\d+:\tbinding file (\S+) \[\d+\] to (\S+) \[\d+\]: (?:normal|protected) symbol `([^']*)'(?: \[(.*)\])?"
)


@functools.lru_cache(None)
def real(path):
    return os.path.realpath(path)


@functools.lru_cache(None)
def relocated(path):
    """Names that relocations of a file refer to."""
    out = subprocess.run(["readelf", "-rW", path], stdout=subprocess.PIPE, check=True, text=True).stdout
    names = set()
    for line in out.splitlines():
        words = line.split()
        if len(words) >= 5 and re.fullmatch(r"[0-9a-f]+", words[0]):
            names.add(words[4].split("@")[0])
    return names


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        loading = json.load(file)["loadings"][0]
    is_now = len(sys.argv) > 3
    assert not loading["unknown"], loading["unknown"]
    program = loading["executable"]
    told, lazy, unsure = set(), set(), set()
    for row in loading["list"]:
        if row["to"] is None:
            continue
        key = (real(row["from"]), row["name"], row["version"] or "", real(row["to"]))
        told.add(key)
        if row["lazy"]:
            lazy.add(key)
        if row["unsure"]:
            unsure.add(key)
    linked, others = set(), 0
    with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
        for line in file:
            match = LINE.match(line)
            if not match:
                continue
            source, target, name, version = match.groups()
            source = real(source) if "/" in source else program
            target = real(target) if "/" in target else program
            if not os.path.exists(source) or name not in relocated(source):
                others += 1
                continue
            key = (source, name, version or "", target)
            if source == program and name in ("malloc", "calloc", "realloc", "free") and key not in told:
                others += 1
                continue
            linked.add(key)
    wrong = linked - told - unsure
    missing = told - linked if is_now else told - lazy - linked
    missing -= unsure
    print(
        f"| `{os.path.basename(program)}` | {'yes' if is_now else 'no'} | {len(loading['files'])} | {len(linked):,} |"
        f" {len(told):,} | {len(wrong)} | {len(missing)} | {len(unsure)} | {others} |"
    )
    for title, keys in (("only the linker has", wrong), ("only elfault has", missing)):
        for key in sorted(keys)[:10]:
            print(f"  {title}: {key}", file=sys.stderr)
    sys.exit(1 if wrong or missing or not linked else 0)


main()
