#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads of one file by faults: a line for each fault that did, in order, then the sum.

usage: reads.py elfault NAME < FAULTS        (elfault analyze --format ndjson)
       reads.py perf FILE < SCRIPT           (perf script of filemap:mm_filemap_add_to_page_cache)

A line is: FIRST-PAGE PAGES SPAN. The last is: sum BYTES. For perf only the sum, of the pages of FILE
by its inode that came into the page cache from whatever cause; no page may come twice.
"""
import json
import os
import re
import sys

PAGE = 4096


def of_elfault(name):
    pages = 0
    for line in sys.stdin:
        fault = json.loads(line)
        path = fault["at"]["object"]
        if not fault["read"] or not path or os.path.basename(path) != name:
            continue
        read = fault["read"]
        print(read["offset"] // PAGE, read["pages"], read["span"])
        pages += read["pages"]
    print("sum", pages * PAGE)


def of_perf(path):
    inode, seen = os.stat(path).st_ino, set()
    for line in sys.stdin:
        found = re.search(r"ino ([0-9a-f]+) pfn=\S+ ofs=(\d+) order=(\d+)", line)
        if not found or int(found[1], 16) != inode:
            continue
        first = int(found[2]) // PAGE
        pages = set(range(first, first + (1 << int(found[3]))))
        if pages & seen:
            sys.exit(f"page {min(pages & seen)} came twice")
        seen |= pages
    print("sum", len(seen) * PAGE)


if len(sys.argv) != 3 or sys.argv[1] not in ("elfault", "perf"):
    sys.exit(__doc__)
(of_elfault if sys.argv[1] == "elfault" else of_perf)(sys.argv[2])
