# SPDX-License-Identifier: Apache-2.0
"""The rows of model/words.def, for tests."""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
Row = collections.namedtuple("Row", "id word meaning rest")
Color = collections.namedtuple("Color", "name light dark ansi firefox")

LIST = re.compile(r"^#define (\w+)_(WORDS|COLORS)\(X\)((?:.*\\\n)*.*)", re.M)
ROW = re.compile(r"\bX\(([^)]*)\)")
CELL = re.compile(r'"[^"]*"|[^,"]+')


def cells(row):
    return [cell.strip().strip('"') for cell in CELL.findall(re.sub(r"\\\n", " ", row)) if cell.strip()]


def read():
    """What has words -> its rows, as in {"initiator": [Row]}; and all colours."""
    words, colors = {}, []
    for name, kind, body in LIST.findall((ROOT / "model/words.def").read_text()):
        rows = [cells(row) for row in ROW.findall(body)]
        if kind == "COLORS":
            colors += [Color(*row) for row in rows]
        else:
            words[name.lower()] = [Row(*row[:3], row[3:]) for row in rows]
    return words, colors


def values(word):
    """The values of @word but for unknown, which nothing has to happen for."""
    return tuple(row.word for row in read()[0][word] if row.word != "unknown")
