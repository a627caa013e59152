#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Take the named blocks of code out of a document: what is tested is what it says.

usage: docblocks.py DOCUMENT OUT

A block that begins with ```LANGUAGE NAME becomes OUT/NAME.LANGUAGE.
"""
import pathlib
import re
import sys


def main(document, out):
    text = pathlib.Path(document).read_text()
    for language, name, code in re.findall(r"^```(\w+) ([\w-]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        (pathlib.Path(out) / f"{name}.{language}").write_text(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
