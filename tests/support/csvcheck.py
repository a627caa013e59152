#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the faults as CSV against the same faults as lines of JSON, read by Python's own parsers.

usage: csvcheck.py PROGRAM [ARGUMENT...]

PROGRAM is run twice, with `csv` and with `ndjson` added. Every column must have the JSON's value, with what acts on
readers written out and what a spreadsheet would take for a formula marked.
"""
import csv
import io
import json
import re
import subprocess
import sys


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")


def shown(text):
    def escape(match):
        code = ord(match[0])
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
    visible = re.sub("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", escape, text)
    return "'" + visible if re.match(" *[=+@-]", text) else visible


def expected(fault, column):
    if column == "stack":
        return shown(";".join(frame["function"] or "[unknown]" for frame in fault["stack"]))
    value = fault
    for key in column.split("."):
        value = value[key] if value is not None else None
    return "" if value is None else shown(str(value))


def main(command):
    rows = list(csv.DictReader(io.StringIO(run(command + ["csv"]), newline="")))
    faults = [json.loads(line) for line in run(command + ["ndjson"]).splitlines()]
    failed = len(rows) != len(faults) or not rows
    print(f"{len(rows)} rows, {len(faults)} lines")
    for row, fault in zip(rows, faults):
        for column, value in row.items():
            if value != expected(fault, column):
                failed = True
                print(f"fault {fault['seq']}, {column}: {value!r:.200}, "
                      f"but JSON has {expected(fault, column)!r:.200}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
