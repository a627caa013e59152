#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the faults as CSV against the same faults as lines of JSON, read by Python's own parsers.

usage: csvcheck.py PROGRAM [ARGUMENT...]

PROGRAM is run twice, with `csv` and with `ndjson` added. Every value of the JSON must be a column, in the same
order, with what acts on readers written out and what a spreadsheet would take for a formula marked.
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
    value = fault
    for key in column.split("."):
        value = value[key] if value is not None else None
    if isinstance(value, list):
        return shown(";".join(row["function"] or "[unknown]" for row in value))
    if isinstance(value, bool):
        return json.dumps(value)
    return "" if value is None else shown(str(value))


def columns(faults):
    """The names of all values of @faults; io is a list that is always empty."""
    for key in faults[0]:
        group = next((fault[key] for fault in faults if isinstance(fault[key], dict)), None)
        if group:
            yield from (f"{key}.{member}" for member in group)
        elif key != "io":
            yield key


def main(command):
    rows = list(csv.DictReader(io.StringIO(run(command + ["csv"]), newline="")))
    faults = [json.loads(line) for line in run(command + ["ndjson"]).splitlines()]
    failed = len(rows) != len(faults) or not rows
    print(f"{len(rows)} rows, {len(faults)} lines")
    if list(rows[0]) != list(columns(faults)):
        sys.exit(f"the columns are {list(rows[0])}, but JSON has {list(columns(faults))}")
    for row, fault in zip(rows, faults):
        for column, value in row.items():
            if value != expected(fault, column):
                failed = True
                print(f"fault {fault['seq']}, {column}: {value!r:.200}, "
                      f"but JSON has {expected(fault, column)!r:.200}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
