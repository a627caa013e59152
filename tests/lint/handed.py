#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No struct is handed through more than 40 functions: functions that use a parameter only whole, as an argument of
other calls. Such a parameter is a bag; pass what is needed. And no parameter is handed to a function that has no use
for it, unless others call it through a pointer: the compiler is told not to ask that of callbacks.

usage: handed.py ROOT"""
import collections
import pathlib
import re
import sys

LIMIT = 40
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
FUNCTION = re.compile(r"^[A-Za-z_][^\n;{}=]*?\b(\w+)\(((?:[^(){};]|\([^()]*\))*)\)\n\{\n(.*?)^\}", re.M | re.S)
PARAMETER = re.compile(r"\s*(?:const )?struct (\w+) \*(\w+)$")
NO_CALLS = {"if", "while", "for", "switch", "return", "sizeof"}


def open_structs(sources):
    """Structs that other folders know the members of. Those of base are vocabulary, such as errors and arenas."""
    included = {path: re.findall(r'^#include "(.+)"', text, re.M) for path, text in sources.items()}
    known = {header for path, headers in included.items() for header in headers
             if header.split("/")[0] != path.split("/")[0]}
    while more := {header for path in known for header in included.get(path, ())} - known:
        known |= more
    return {name for path in known if not path.startswith(("base/", "bpf/kernel/"))
            for name in re.findall(r"^struct (\w+) \{", sources.get(path, ""), re.M)}


def is_argument(before, after):
    """True if what stands between @before and @after is a whole argument of a call."""
    if before.rstrip()[-1:] not in ("(", ",") or after.lstrip()[:1] not in (",", ")"):
        return False
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        depth += (before[at] in ")]}") - (before[at] in "([{")
        if depth < 0:
            call = re.search(r"(\w+)\s*$", before[:at])
            return before[at] == "(" and bool(call) and call[1] not in NO_CALLS
    return False


def cleaned(text):
    return NOISE.sub(lambda noise: '""' if noise[0][0] == '"' else " ", text)


def handed(text):
    """Function and type of each parameter that is only handed on."""
    for function, parameters, body in FUNCTION.findall(cleaned(text)):
        for kind, name in (found.groups() for found in map(PARAMETER.match, parameters.split(",")) if found):
            uses = [use.span() for use in re.finditer(rf"(?<![\w.])(?<!->){name}\b", body)]
            if uses and all(is_argument(body[:start], body[end:]) for start, end in uses):
                yield function, kind


def unused(sources):
    """Parameters without a use, of functions that are only called by their name and have one definition."""
    clean = {path: cleaned(text) for path, text in sources.items()}
    functions = [(path, *found) for path, text in clean.items() for found in FUNCTION.findall(text)]
    defined = collections.Counter(function for _, function, _, _ in functions)
    values = set(re.findall(r"\b(\w+)\b(?!\s*\()", "\n".join(clean.values())))
    macros = {path: "\n".join(re.findall(r"^#define (?:.*\\\n)*.*", text, re.M)) for path, text in clean.items()}
    for path, function, parameters, body in functions:
        for name in re.findall(r"[\s*](\w+)(?:\[[^\]]*\])?(?:,|$)", re.sub(r"\([^()]*\)", "", parameters)):
            if defined[function] == 1 and function not in values and not re.search("#if|#include", body) \
                    and not re.search(rf"\b{name}\b", body + macros[path]):
                yield f"{path}: {function}(): {name}"


def lint_finds_what_it_should():
    text = ("int a(const struct model *model)\n{\n\treturn b(1, model);\n}\n"
            "int b(int n, struct model *model)\n{\n\tif (model)\n\t\treturn a(model);\n}\n"
            "int c(struct model *model)\n{\n\treturn a(model) + model->n;\n}\n")
    extra = {"d.c": "int d(int n, int m)\n{\n\treturn n;\n}\n"
                    "int e(int n)\n{\n\treturn d(1, 2);\n}\nint (*f)(int) = e;\n"}
    return list(handed(text)) == [("a", "model")] and list(unused(extra)) == ["d.c: d(): m"]


def main():
    root = pathlib.Path(sys.argv[1])
    architecture = (root / "docs/inside/architecture.md").read_text()
    folders = re.findall(r"^\| \d \| `(\w+)`", architecture, re.MULTILINE)
    sources = {str(path.relative_to(root)): path.read_text() for folder in folders
               for path in sorted((root / folder).rglob("*.[ch]"))}
    known, through = open_structs(sources), collections.defaultdict(list)
    for path, text in sources.items():
        for function, kind in handed(text):
            through[kind].append(f"{path}: {function}()")
    bags = [kind for kind in sorted(through) if kind in known and len(through[kind]) > LIMIT]
    checks = (("the lint finds parameters that are handed on", [] if lint_finds_what_it_should() else ["self-test"]),
              (f"no struct is handed through more than {LIMIT} functions",
               [f"struct {kind}: {len(through[kind])}, {place}" for kind in bags for place in through[kind]]),
              ("no parameter is handed to a function that has no use for it", list(unused(sources))))
    print(f"1..{len(checks)}")
    for number, (name, bad) in enumerate(checks, 1):
        print(f"{'not ' if bad else ''}ok {number} - {name}")
        for fault in bad:
            print(f"# {fault}")
    if "--all" in sys.argv:
        for kind in sorted(through, key=lambda kind: -len(through[kind])):
            print(f"# {len(through[kind]):4} struct {kind}{'' if kind in known else ' (opaque, or of base)'}")
    return any(bad for _, bad in checks)


if __name__ == "__main__":
    sys.exit(main())
