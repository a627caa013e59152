#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check what analyze says of a run of fixtures/programs/relocated.c.

usage: relocated.py OBJECT RELR|RELA < analysis.json
"""

import json
import re
import subprocess
import sys

PAGE = 4096


def shared_tails(path):
    """Writable segments whose file part ends within a page that their memory goes on with."""
    text = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True,
                          check=True).stdout
    loads = [[int(word, 16) for word in words]
             for *words, flags in re.findall(
                 r"LOAD +0x\w+ (0x\w+) 0x\w+ (0x\w+) (0x\w+) ([R WE]+) 0x", text) if "W" in flags]
    return sum(memory > file and (vaddr + file) % PAGE != 0 for vaddr, file, memory in loads)


def main(path, encoding):
    objects = json.load(sys.stdin)["objects"]
    program = next(row for row in objects if row["path"] == path)
    relocation, data = program["relocation"], program["data"]
    section = next(row for row in relocation["by_section"] if row["section"].startswith(".data.rel.ro"))
    pages = {symbol["symbol"]: (page, symbol) for page in data["pages"]
             for symbol in page["symbols"]}
    relinks = {row["option"]: row for row in relocation["relinks"]}
    problems = []

    def expect(what, ours, theirs):
        if ours != theirs:
            problems.append(f"{what}: {ours}, expected {theirs}")

    expect("pages of the table", section["pages_holding"], 8)
    expect("written by relocation", section["pages_written"], 8)
    expect("slots", section["relocations"], 8 * 512)
    expect("packed", "relr" in relocation["encodings"], encoding == "RELR")
    expect("packing applies", relinks["-z pack-relative-relocs"]["applies"], encoding == "RELA")
    # Whatever the encoding, these pages are written for pointers alone.
    expect("without -pie fewer", relinks["-no-pie"]["written_pages"] <= -8, True)

    for name, cause, section_name in (("counter", "written", ".data"),
                                      ("zeros", "first-touch", ".bss")):
        if name not in pages:
            problems.append(f"{name} is on no page")
            continue
        page, symbol = pages[name]
        expect(f"cause of {name}", page["cause"], cause)
        expect(f"section of {name}", page["section"], section_name)
        expect(f"writes of {name}", symbol["writes"], 1)
    if "counter" in pages:
        beside = next((row for row in pages["counter"][0]["symbols"] if row["symbol"] == "beside"),
                      None)
        expect("beside counter", beside and (beside["faults"], beside["writes"]), (0, 0))
    expect("untouched", "untouched" in pages, False)
    expect("zeroed by the kernel", data["causes"]["zeroed-tail"]["pages"], shared_tails(path))
    expect("end of .data", pages.get("end_of_data", ({},))[0].get("cause"), "zeroed-tail")
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
