#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what `elfault analyze --format ndjson` says was mapped at once against the page tables.

usage: folios.py FILE PAGEMAP < FAULTS

PAGEMAP is what folios.c printed: a line for each of its faults, the page it read and those that were
mapped by then and not before. What is said may have been mapped before; the kernel's window of 16
pages may also hold some that it passed over, such as one being read. Prints how many pages were mapped
at most.
"""
import json
import os
import sys


def main(path, pagemap):
    truth = {}
    with open(pagemap, encoding="ascii") as file:
        for line in file:
            page, pages = line.split(":")
            truth[int(page)] = {int(word) for word in pages.split()}
    present, seen, wrong = set(), 0, 0
    for fault in map(json.loads, sys.stdin):
        if not fault["at"]["object"] or os.path.realpath(fault["at"]["object"]) != path:
            continue
        page = fault["at"]["offset"] // 4096
        mapped = fault["mapped"] or {"offset": page * 4096, "pages": 1}
        said = set(range(mapped["offset"] // 4096, mapped["offset"] // 4096 + mapped["pages"]))
        seen += 1
        if not truth[page] <= said or (len(said) > 16 and not said - truth[page] <= present):
            wrong += 1
            print(f"page {page}: {min(said)} to {max(said)} said, the page table has "
                  f"{min(truth[page])} to {max(truth[page])}", file=sys.stderr)
        present |= truth[page]
    print(max(len(pages) for pages in truth.values()))
    if seen != len(truth):
        print(f"{seen} faults, not {len(truth)}", file=sys.stderr)
    return 1 if wrong or seen != len(truth) else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.realpath(sys.argv[1]), sys.argv[2]))
