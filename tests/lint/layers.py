#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each folder includes only what its layer may: the tables of docs/inside/architecture.md, held.

A row is `| layer | folder | owns | may include |`, that of a room `| room | owns | may include |`. A folder may
include itself and its rooms; a room what its folder may, but of that folder only itself and what its row has. A room
with a layer of its own counts as a folder. Beside rooms each folder of .c files has a row.

usage: layers.py ROOT"""
import collections
import pathlib
import re
import sys

DOCUMENT = "docs/inside/architecture.md"
MOST = 25  # .c files in one folder: then its names need prefixes, where folders would tell
MORE = {"elfmap": 35}  # one file format, whose parts all know each other
# libbpf's own headers live under bpf/ too.
FOREIGN = {f"bpf/{name}.h" for name in
           "libbpf bpf btf bpf_helpers bpf_core_read bpf_tracing bpf_endian".split()}


class Layers:
    """May one file use another? By their paths."""

    def __init__(self, document):
        self.may, self.layered = {}, []
        for layer, folder, into in re.findall(r"^\| (\d+ \| )?`([\w/]+)` \| .* \| *([^|]*?) *\|$", document, re.M):
            self.may[folder] = set(re.sub(r" \([^)]*\)", "", into).split(", "))
            if layer:
                self.layered.append(folder)
        everything = set(self.layered)
        for into in self.may.values():
            if into == {"all of the above"}:
                into |= everything

    def folders(self):
        return [folder for folder in self.may if "/" not in folder]

    def room(self, path):
        """The longest folder of the tables that @path is in; None if there is none."""
        parts = path.split("/")[:-1]
        for length in range(len(parts), 0, -1):
            if "/".join(parts[:length]) in self.may:
                return "/".join(parts[:length])
        return None

    def allows(self, user, used):
        user, used = self.room(user), self.room(used)
        if used is None or user == used:
            return True
        user_folder, used_folder = (room if room in self.layered else room.split("/")[0] for room in (user, used))
        if user_folder != used_folder:
            return used_folder in self.may[user_folder]
        return user == user_folder or used in self.may[user]


def crowded(sources):
    """Folders with more .c files than a stranger can look over."""
    counts = collections.Counter(source.rpartition("/")[0] for source in sources if source.endswith(".c"))
    return [f"{folder} has {count} .c files; at most {MORE.get(folder, MOST)}: give it rooms"
            for folder, count in sorted(counts.items()) if count > MORE.get(folder, MOST)]


def roomless(rooms, sources):
    """Folders with .c files beside rooms of the tables, and no row: nothing says what they may include."""
    divided = {room.rpartition("/")[0] for room in rooms} - {""}
    return [f"{folder} has .c files and no row in {DOCUMENT}"
            for folder in sorted({source.rpartition("/")[0] for source in sources if source.endswith(".c")})
            if folder not in rooms and folder.rpartition("/")[0] in divided]


def lint_fails_where_it_should():
    layers = Layers("| 0 | `low` | a | libc |\n| 1 | `high` | b (c) | low (d) |\n| 2 | `top` | e | all of the above |\n"
                    "| `high/in` | f | |\n| `high/out` | g | high/in |\n| 0 | `high/own` | h | low |\n"
                    "| 1 | `side` | i | high/own |\n")
    good = [("low/a.c", "low/a.h"), ("high/a.c", "low/a.h"), ("top/a.c", "high/in/a.h"), ("high/in/a.c", "low/a.h"),
            ("high/out/a.c", "high/in/a.h"), ("high/a.c", "high/out/a.h"), ("low/a.c", "stdio.h"),
            ("high/own/a.c", "low/a.h"), ("side/a.c", "high/own/a.h"), ("top/a.c", "high/own/a.h")]
    bad = [("low/a.c", "high/a.h"), ("high/in/a.c", "high/out/a.h"), ("high/in/a.c", "high/a.h"),
           ("high/in/a.c", "top/a.h"), ("high/own/a.c", "high/a.h"), ("side/a.c", "high/a.h"), ("high/a.c", "high/own/a.h"),
           ("side/a.c", "low/a.h")]
    full = [f"low/{number}.c" for number in range(MOST)]
    return (all(layers.allows(*pair) for pair in good) and not any(layers.allows(*pair) for pair in bad)
            and crowded(full) == [] and len(crowded(full + ["low/one more.c", "high/a.c"])) == 1
            and roomless(layers.may, ["high/a.c", "high/in/a.c", "high/only/a.h", "low/sub/a.c"]) == []
            and len(roomless(layers.may, ["high/in/a.c", "high/new/a.c", "high/new/b.c"])) == 1)


def main():
    root = pathlib.Path(sys.argv[1])
    layers = Layers((root / DOCUMENT).read_text())
    folders = layers.folders()
    faults, files, sources = collections.defaultdict(list), collections.Counter(), []
    for folder in folders:
        for source in sorted((root / folder).rglob("*.[ch]")):
            path = str(source.relative_to(root))
            room = layers.room(path)
            files[room] += 1
            sources.append(path)
            for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
                include = re.match(r'#include ["<]([^">]+)', line)
                if include and include[1] not in FOREIGN and not layers.allows(path, include[1]):
                    faults[room].append(f"{path}:{number} includes {include[1]}")
    print(f"1..{len(layers.may) + 3}")
    checks = [("the lint finds includes upwards and between rooms", [] if lint_fails_where_it_should() else ["self-test"]),
              ("no folder is crowded", crowded(sources)),
              ("each folder beside rooms is one", roomless(layers.may, sources))]
    for room in layers.may:
        empty = [] if files[room] else [f"{DOCUMENT} lists {room}, which has no C"]
        checks.append((f"{room} includes only what its layer may", faults[room] + empty))
    for number, (name, bad) in enumerate(checks, 1):
        print(f"{'not ' if bad else ''}ok {number} - {name}")
        for fault in bad:
            print(f"# {fault}")
    return any(bad for _, bad in checks)


if __name__ == "__main__":
    sys.exit(main())
