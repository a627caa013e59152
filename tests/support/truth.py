#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Count how often `initiator` (and what goes with it) is right, wrong or unknown.

usage: truth.py check PROGRAMS COUNTS LIST < RUNS
       truth.py total RIGHT WRONG COUNTS [some]

`check` reads a line for each recording:

  NAME TAG[,TAG...] PROGRAM JUDGED STACKS

JUDGED are the faults to judge (`elfault analyze --debug-dir /nonexistent --format ndjson`), STACKS the
same with their call stacks, perhaps the same file. Its numbers are added to COUNTS, what is not right
to LIST. PROGRAMS is where fixtures/programs is built, with symbols. A line of NAME.truth, beside
fixtures/programs/NAME.c, which must happen, is

  [TAGS] WHAT INITIATOR MECHANISM [minor|major] [xN] [dlopen] [in FUNCTION]

  touch SYMBOL     a fault of a byte of that symbol, +0xN: of the page at that distance from it
  section SECTION  ... of that section
  code FUNCTION    ... by an instruction of that function
  kernel SECTION   ... of that section, by the kernel with no instruction of the program

where MECHANISM may be a|b, for a page that a read beside it may have mapped before, SYMBOL, SECTION and FUNCTION are globs and may begin with OBJECT!, a glob of the file's name
(else it is the program); xN: so many faults, else one or more; `dlopen`: inside dlopen;
`in`: the initializer that runs, with `?`: or none. The tags [a b&!c] hold for a, and for b without c.

Truth comes from these lines and, for all other faults, from stackwords.py: the names in the call
stack. Neither names nor places are taken from elfault: elffacts.py reads them from the files. A fault
that has no truth is counted apart.

`total` prints the table of COUNTS, and fails when less than RIGHT percent are right of the initiators or
of the initializers, when more than WRONG percent are wrong of these or of dlopen (which only a stack
that is complete can deny), when a mechanism or a kind is not right, and, without `some`, when there is a value that no fault had.
"""
import collections
import fnmatch
import json
import os
import re
import sys

import elffacts
import stackwords
import wordtable

INITIATORS = wordtable.values("initiator")
MECHANISMS = wordtable.values("mechanism")
TABLES = os.path.join(os.path.dirname(__file__), "../../fixtures/programs")


def holds(tags, mine):
    """Whether a line marked [tags] is meant for a program with the tags `mine`."""
    return any(all((word[1:] not in mine) if word.startswith("!") else word in mine
                   for word in tag.split("&")) for tag in tags)


class Place:
    """What a fault touched, by the file itself."""

    def __init__(self, fault, programs):
        at = fault["at"]
        self.path = at["object"]
        self.vaddr = int(at["vaddr"], 16) if at["vaddr"] else None
        self.file = elffacts.named(self.path, programs) if self.path and self.vaddr is not None else None
        # Separate debug files have the sections' addresses, too, but not the relocations.
        own = elffacts.built(self.path, programs) if self.file else None
        self.section = (own or self.file).section_at(self.vaddr) if self.file else at["section"]
        self.is_relocation = bool(own) and (
            (self.section or "").startswith((".rel")) or
            (fault["access"] == "write" and self.vaddr in own.relocated))


class Line:
    """One line of a .truth file."""

    def __init__(self, where, words):
        self.where = where
        self.text = " ".join(words)
        self.what, target, self.initiator, self.mechanism, *rest = words
        self.object, _, self.target = target.rpartition("!")
        self.target, _, distance = self.target.partition("+")
        self.distance = int(distance, 16) if distance else None
        self.kind = self.count = self.function = None
        self.dlopen, self.may_lack_function = False, False
        while rest:
            word = rest.pop(0)
            if word in ("minor", "major"):
                self.kind = word
            elif re.fullmatch(r"x[0-9]+", word):
                self.count = int(word[1:])
            elif word == "dlopen":
                self.dlopen = True
            elif word == "in":
                self.function = rest.pop(0)
                self.may_lack_function = self.function.endswith("?")
                self.function = self.function.rstrip("?")
            else:
                sys.exit(f"{where}: {word}: not understood")
        if self.initiator not in INITIATORS or \
                not all(word in MECHANISMS for word in self.mechanism.split("|")) or \
                self.what not in ("touch", "section", "code", "kernel"):
            sys.exit(f"{where}: {self.text}: not understood")
        self.seen = 0

    def is_of(self, path, program):
        base = os.path.basename(path or "")
        return fnmatch.fnmatchcase(base, self.object) if self.object else base == program

    def matches(self, fault, place, frames, program):
        if self.what == "code":
            return bool(frames) and self.is_of(frames[0].path, program) and \
                frames[0].has({self.target})
        if self.what == "kernel":
            return fault["mode"] == "kernel" and fault["by"]["ip"] is None and \
                fault["at"]["section"] == self.target
        if not self.is_of(place.path, program) or not place.file:
            return False
        if self.what == "section":
            return fnmatch.fnmatchcase(place.section or "", self.target)
        names, start = place.file.names_at(place.vaddr)
        if not any(fnmatch.fnmatchcase(name, self.target) for name in names):
            return False
        return self.distance is None or (place.vaddr - start) // 0x1000 == self.distance // 0x1000


def read_table(name, tags):
    path = os.path.join(TABLES, name + ".truth")
    lines = []
    if not os.path.exists(path):
        return lines
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if words and words[0].startswith("["):
                close = next(i for i, word in enumerate(words) if word.endswith("]"))
                if not holds(" ".join(words[:close + 1])[1:-1].split(), tags):
                    continue
                words = words[close + 1:]
            if words:
                lines.append(Line(f"{name}.truth:{number}", words))
    return lines


def frames_of(fault, programs):
    """The fault's stack, innermost first, or the faulting instruction alone."""
    places = [(frame["object"], frame["offset"]) for frame in fault["stack"] or []]
    if not places and fault["by"]["ip"] is not None:
        places = [(fault["by"]["object"], fault["by"]["offset"])]
    frames = []
    for path, offset in places:
        names, is_ifunc = set(), False
        own = elffacts.built(path, programs) if path else None
        vaddr = own.vaddr(offset) if own and offset is not None else None
        if vaddr is not None:
            file = elffacts.named(path, programs)
            names, start = file.names_at(vaddr)
            is_ifunc = start in file.ifuncs or start in own.ifuncs
        frames.append(stackwords.Frame(path, vaddr, names, is_ifunc))
    return frames


class Counter:
    """Right, wrong and unknown, for each value; and the wrong ones in words."""

    def __init__(self):
        self.counts = collections.Counter()
        self.offenders = []
        self.disagreements = []  # of the two sources of truth

    def count(self, word, wanted, got, is_right, text):
        outcome = "unknown" if got in ("unknown", None) and not is_right else \
            "right" if is_right else "wrong"
        self.counts[word, wanted, outcome] += 1
        if outcome != "right":
            self.offenders.append(f"{outcome}: {word} {got}, not {wanted}: {text}")


def describe(run, fault, place, frames):
    at = fault["at"]
    stack = " < ".join(f"{os.path.basename(frame.path or '?')}:"
                       f"{'|'.join(sorted(frame.names)) or '?'}" for frame in frames)
    return (f"{run} seq {fault['seq']} {fault['mode']} {fault['access']} {fault['mechanism']} "
            f"{os.path.basename(at['object'] or '?')}!{place.section} vaddr {at['vaddr']} "
            f"({at['symbol']}), certainty {fault['certainty']}, stack {stack or '-'}")


# Functions that an initializer ends with by a jump: it is not on the stack then.
JUMPED_TO = {"register_tm_clones", "jumped_to", "__init_misc"}
# The same, of jumps.c, where it is known by which; of any file.
JUMPED_FROM = {"near_end": "near_jumps", "far_end": "near_jumps_far", "far_slot_end": "near_jumps_by_slot",
               "near_last": "near_jumps_twice", "near_over": "near_jumps_over", "near_both": "near_jumps_both"}


def names_of_initializer(got, programs):
    """The names of an `initializer`: as it says, or of the address where it has only that."""
    match = re.fullmatch(r"fn@(0x[0-9a-f]+)", got["function"] or "")
    if not match:
        return {got["function"].split("(")[0].split(".")[0]} if got["function"] else set()
    file = elffacts.named(got["object"], programs)
    return file.names_at(int(match[1], 16))[0] | {got["function"]} if file else {got["function"]}


def is_initializer(got, frame, programs):
    """Whether @got, an `initializer`, is the function of @frame."""
    names = names_of_initializer(got, programs)
    jumps = {JUMPED_FROM[name] for name in frame.names if name in JUMPED_FROM}
    if jumps:
        return bool(names & jumps)
    if got["object"] != frame.path:
        return False
    if not frame.names:  # nobody knows its name; its address is the last one before the frame's
        file = elffacts.built(frame.path, programs)
        last = max((vaddr for vaddr in file.initializers if vaddr <= frame.vaddr), default=0)
        return f"fn@{last:#x}" in names or (
            names == {"_init"} and file.section_at(last) == ".init")
    return bool(names & frame.names) or bool(frame.names & JUMPED_TO)


def check_fault(fault, stacked, lines, program, programs, counter):
    place = Place(stacked, programs)
    frames = frames_of(stacked, programs)
    text = describe(program, fault, place, frames)
    matching = [line for line in lines if line.matches(fault, place, frames, program)]
    for line in matching:
        line.seen += 1
        if line.kind:
            counter.count("kind", line.kind, fault["kind"], line.kind == fault["kind"], text)
        mechanisms = line.mechanism.split("|")
        got = fault["mechanism"]
        counter.count("mechanism", got if got in mechanisms else mechanisms[0], got,
                      got in mechanisms, f"{text} ({line.where})")
    oracle = None
    if stacked["stack"] or stacked["by"]["ip"] is None:
        oracle = stackwords.verdict(frames, fault, place)
    got = fault["initiator"]
    if matching:
        line = matching[0]
        counter.count("initiator", line.initiator, got, line.initiator == got,
                      f"{text} ({line.where})")
        if oracle and line.initiator not in oracle.allowed:
            counter.disagreements.append(
                f"{line.where} and stackwords.py ({oracle.allowed}) do not agree: {text}")
        counter.count("dlopen", str(line.dlopen).lower(), fault["dlopen"],
                      fault["dlopen"] is line.dlopen, text)
        function = fault["initializer"] and fault["initializer"]["function"]
        if not line.function or (line.may_lack_function and not fault["initializer"]):
            is_right = not fault["initializer"]
        else:
            is_right = bool(fault["initializer"]) and any(
                fnmatch.fnmatchcase(name, line.function)
                for name in names_of_initializer(fault["initializer"], programs))
        counter.count("initializer", "some" if line.function else "none", function, is_right,
                      f"{text}, in {line.function or 'none'} ({line.where})")
        return
    if not oracle:
        counter.counts["no truth", got, ""] += 1
        return
    is_right = got in oracle.allowed
    wanted = got if is_right else min(oracle.allowed)
    counter.count("initiator", wanted, got, is_right, text)
    if oracle.dlopen is not None:
        counter.count("dlopen", str(oracle.dlopen).lower(), fault["dlopen"],
                      fault["dlopen"] is oracle.dlopen, text)
    if oracle.initializer is not None:
        wanted = oracle.initializer
        has = fault["initializer"]
        is_right = bool(has) == bool(wanted) and (
            not wanted or is_initializer(has, wanted, programs))
        counter.count("initializer", "some" if wanted else "none", has and has["function"], is_right,
                      f"{text}, in {'|'.join(sorted(wanted.names)) if wanted else 'none'}")


def read_faults(path):
    with open(path, encoding="utf-8") as file:
        faults = [json.loads(line) for line in file]
    for fault in faults:
        # Where only its file is known none is named.
        if fault["initializer"] and fault["initializer"]["array"] is None:
            fault["initializer"] = None
    return faults


def check(programs, counts_path, list_path):
    counter = Counter()
    failed = False
    for run in sys.stdin:
        name, tags, program, judged, stacks = run.split()
        lines = read_table(name, set(tags.split(",")))
        faults = read_faults(judged)
        for fault, stacked in zip(faults, faults if judged == stacks else read_faults(stacks),
                                  strict=True):
            if (fault["seq"], fault["addr"]) != (stacked["seq"], stacked["addr"]):
                sys.exit(f"{judged} and {stacks} have other faults")
            check_fault(fault, stacked, lines, program, programs, counter)
        for line in lines:
            if not line.seen if line.count is None else line.seen != line.count:
                print(f"{line.where}: {line.text}: {line.seen} such faults in {program}")
                failed = True
    with open(counts_path, "a", encoding="utf-8") as file:
        for (word, value, outcome), count in sorted(counter.counts.items()):
            print(word.replace(" ", "-"), value, outcome or "-", count, file=file)
    with open(list_path, "a", encoding="utf-8") as file:
        file.writelines(offender + "\n" for offender in counter.offenders)
    for text in counter.disagreements:
        print(text)
    return 1 if failed or counter.disagreements else 0


def total(right_share, wrong_share, path, which="all"):
    counts = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, value, outcome, count = line.split()
            counts[word, value, outcome] += int(count)
    print("| word | value | right | wrong | unknown |\n|---|---|---:|---:|---:|")
    failed = False
    for word, values in (("initiator", INITIATORS), ("dlopen", ("true", "false")),
                         ("initializer", ("some", "none")), ("mechanism", MECHANISMS),
                         ("kind", ("minor", "major"))):
        sums = collections.Counter()
        for value in values:
            row = [counts[word, value, outcome] for outcome in ("right", "wrong", "unknown")]
            sums.update(dict(zip(("right", "wrong", "unknown"), row)))
            print(f"| `{word}` | `{value}` |" + "".join(f" {n:,} |" for n in row))
            # What is evicted while it is needed is tests/live/refault.bats's.
            if not sum(row) and which == "all" and value != "refault":
                print(f"no fault had {word} {value}")
                failed = True
        every = sum(sums.values())
        shares = {outcome: 100 * count / max(every, 1) for outcome, count in sums.items()}
        print(f"| `{word}` | all {every:,} |" + "".join(
            f" {sums[outcome]:,} ({shares.get(outcome, 0):.2f} %) |"
            for outcome in ("right", "wrong", "unknown")))
        if word in ("mechanism", "kind"):
            failed = failed or sums["right"] != every
        elif shares.get("wrong", 0) > float(wrong_share) or (
                word != "dlopen" and shares.get("right", 0) < float(right_share)):
            failed = True
    print(f"without truth: {sum(n for (word, _, _), n in counts.items() if word == 'no-truth'):,}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("check", "total"):
        sys.exit(__doc__)
    sys.exit({"check": check, "total": total}[sys.argv[1]](*sys.argv[2:]))
