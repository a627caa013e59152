#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page and the still pictures have the same colour for each word: render/palette.c and
render/page/assets/palette.js are read and compared.

usage: palette.py ROOT"""
import pathlib
import re
import sys

COLOR = r"#[0-9a-f]{6}"
TABLES = ("initiators", "mechanisms", "accesses", "kinds")


def tables_of_c(text):
    """Table -> word -> (light, dark)."""
    named = dict(re.findall(r"^#define (\w+)\s+(\"#.*)$", text, re.M))
    tables = {}
    for table in TABLES:
        body = re.search(rf"palette_group {table}\[.*?\n}};", text, re.S).group()
        tables[table] = {}
        for word, rest in re.findall(r'= \{ "([\w-]+)", ([^}]*)\}', body):
            first = rest.split(",")[0].strip()
            tables[table][word] = tuple(re.findall(COLOR, named.get(first, rest)))
    return tables


def tables_of_js(text):
    tables = {}
    for table in TABLES:
        body = re.search(rf"const {table.upper()} = \{{.*?\n\}};", text, re.S).group()
        tables[table] = {word: tuple(re.findall(COLOR, rest))
                         for word, rest in re.findall(r"'([\w-]+)': \[([^\]]*)\]", body)}
    return tables


def main():
    render = pathlib.Path(sys.argv[1]) / "render"
    of_c = tables_of_c((render / "palette.c").read_text())
    of_js = tables_of_js((render / "page/assets/palette.js").read_text())
    print(f"1..{len(TABLES)}")
    failed = False
    for i, table in enumerate(TABLES, 1):
        is_good = (of_c[table] == of_js[table] and of_c[table]
                   and all(len(pair) == 2 for pair in of_c[table].values()))
        print(f"{'ok' if is_good else 'not ok'} {i} - {table} have one colour everywhere")
        if not is_good:
            print(f"# palette.c:  {of_c[table]}\n# palette.js: {of_js[table]}")
            failed = True
    sys.exit(failed)


main()
