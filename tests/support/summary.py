#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the numbers of one `elfault analyze --format json`.

usage: summary.py ANALYSIS CHECK...
  complete             the trace is whole, nothing was lost, every fault is attributed or counted as not
  exact                recorded faults, those that raise no event and those of the recorder's own child
                       before its exec are what the kernel counted
  tasks DUMP           the same for every task but the first, by its own counts, from `elfault dump`:
                       nobody may wait for a process that is killed, then rusage lacks it
  lost                 something was lost, and with it the kernel's count is met
  stacks-lost          faults lost their stacks, and analyze counts at least as many without one
  sections             of the faults in ELF files 99 % have a section
  named                ... and 95 % a symbol or entry
  named-but-stripped   ... and 95 % of those where a name can be: not .data and .bss of files without
                       .symtab, whose variables have no names any more
  processes N, threads N          at least so many
  by-function NAME N, symbol NAME N, mechanism NAME N   at least so many faults in all objects
"""
import json
import re
import sys


def total(analysis, table, key, name):
    return sum(row["faults"] for item in analysis["objects"] for row in item[table]
               if row[key] == name)


def stripped_variables(analysis):
    """Faults without a name in .data and .bss of files that have no .symtab."""
    found = 0
    for item in analysis["objects"]:
        if item["symbols"] in ("symtab", "debug-file"):
            continue
        for row in item["by_section"]:
            if row["section"] in (".data", ".bss"):
                found += row["faults"] - sum(symbol["faults"] for symbol in item["by_symbol"]
                                             if symbol["section"] == row["section"])
    return found


def tasks(path):
    """Of every task that ended: what the kernel counted is what was seen, and one fault an exec."""
    wrong, execs, first, ended = [], {}, None, 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind = line.split(" ", 1)[0]
            if kind not in ("exec", "exit"):
                continue
            words = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))
            pid = words.get("pid", "first")
            first = first or pid
            if kind == "exec":
                execs[pid] = execs.get(pid, 0) + 1
            elif "kernel_minor" in words and pid != first:
                ended += 1
                number = execs.get(pid, 0) if words.get("tid", pid) == pid else 0
                more = sum(int(words.get(key, 0)) for key in ("kernel_minor", "kernel_major"))
                if more != int(words.get("seen", 0)) + number:
                    wrong.append(f"{number} execs, but: {line.strip()}")
    print(f"{ended} tasks ended")
    return wrong if ended else ["no task ended"]


def main(path, *checks):
    with open(path, encoding="utf-8") as file:
        analysis = json.load(file)
    counts = analysis["counts"]
    print("counts:", json.dumps(counts))
    for note in analysis["notes"]:
        print("note:", note)
    wrong = []

    def want(is_so, words):
        if not is_so:
            wrong.append(words)

    left = list(checks)
    while left:
        check = left.pop(0)
        if check == "complete":
            want(analysis["trace"]["complete"], "the trace is not complete")
            want(counts["lost"] == 0, f"{counts['lost']} lost")
            want(counts["recorded"] == counts["attributed"] + counts["unattributed"],
                 "recorded is not attributed + unattributed")
            want(counts["recorded"] == counts["minor"] + counts["major"],
                 "recorded is not minor + major")
            want(counts["recorded"] > 0, "nothing was recorded")
        elif check == "exact":
            seen = counts["recorded"] + (counts["unsampled"] or 0) + counts["before_exec"]
            rusage = counts["rusage_minor"] + counts["rusage_major"]
            want(counts["unsampled"] is not None, "unsampled is not known")
            want(seen == rusage, f"{counts['recorded']} recorded + {counts['unsampled']} that "
                                 f"raise no event + {counts['before_exec']} before exec = {seen}, "
                                 f"rusage says {rusage}")
        elif check == "lost":
            seen = (counts["recorded"] + counts["lost"] + counts["unsampled"] +
                    counts["before_exec"])
            want(counts["lost"] > 0, "nothing was lost")
            want(seen == counts["rusage_minor"] + counts["rusage_major"],
                 f"recorded and lost are {seen}, not what rusage says")
        elif check == "stacks-lost":
            want(0 < counts["stacks_lost"] <= counts["without_stack"],
                 f"{counts['stacks_lost']} stacks lost, {counts['without_stack']} without")
        elif check == "tasks":
            wrong += tasks(left.pop(0))
        elif check in ("sections", "named", "named-but-stripped"):
            elf = counts["in_elf"]
            want(elf > 0, "no fault in an ELF file")
            want(counts["in_elf_section"] >= 0.99 * elf,
                 f"{counts['in_elf_section']} of {elf} have a section")
            if check == "sections":
                continue
            if check == "named-but-stripped":
                nameless = stripped_variables(analysis)
                print(f"{nameless} faults in variables without names")
                elf -= nameless
            want(counts["in_elf_symbol"] >= 0.95 * elf,
                 f"{counts['in_elf_symbol']} of {elf} have a symbol or entry")
        elif check in ("processes", "threads"):
            number = int(left.pop(0))
            want(counts[check] >= number, f"{counts[check]} {check}, not {number}")
        elif check in ("by-function", "symbol", "mechanism"):
            name, number = left.pop(0), int(left.pop(0))
            if check == "mechanism":
                found = sum(item["by_mechanism"].get(name, 0) for item in analysis["objects"])
            elif check == "symbol":
                found = total(analysis, "by_symbol", "symbol", name)
            else:
                found = total(analysis, "by_function", "function", name)
            want(found >= number, f"{check} {name}: {found} faults, not {number}")
        else:
            sys.exit(f"unknown check {check}")
    for words in wrong:
        print("wrong:", words)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
