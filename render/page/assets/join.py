#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put a page together: modules into one script, with style and script named by their hashes in the
page's policy. Writes C: NAME_0, NAME_1 and so on, what stands before, between and after its blocks of data.

usage: join.py NAME OUTPUT DEPENDENCIES WORDS TEMPLATE MODULE STYLE...     with all that MODULE imports; DEPENDENCIES lists it for ninja
WORDS is "mark=text; mark=text": what stands at the marks of the template; "blocks" names the blocks of data.
"""
import base64
import hashlib
import os
import pathlib
import re
import sys

IMPORT = re.compile(r"^import\b[^;]*? from '(\.[^']*)';\n", re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.M)
TOP_LEVEL = re.compile(r"^(?:async )?(?:function|class|const|let)\*? +([A-Za-z_$][\w$]*)", re.M)


def in_order(path, importers, ordered):
    """Append @path to @ordered, after the modules that it imports: each may use them when it is loaded."""
    if path in importers:
        sys.exit(f"{path}: imports itself, by way of {', '.join(map(str, importers[importers.index(path) + 1:]))}")
    if path in ordered:
        return
    for name in IMPORT.findall(path.read_text()):
        in_order(pathlib.Path(os.path.normpath(path.parent / name)), [*importers, path], ordered)
    ordered.append(path)


def join(paths):
    """One script. Modules share a scope then, so a name may be used by one of them only."""
    owner, parts = {}, []
    for path in paths:
        text = path.read_text()
        if re.search(r"^import\b[^;]* as ", text, re.M):
            sys.exit(f"{path}: an import under another name, which a shared scope does not have")
        text = EXPORT.sub("", IMPORT.sub("", text))
        if re.search(r"^(?:import|export)\b", text, re.M):
            sys.exit(f"{path}: an import or export that join.py does not know")
        for name in TOP_LEVEL.findall(text):
            if name in owner:
                sys.exit(f"{path}: {name} is defined in {owner[name]}, too")
            owner[name] = path
        parts.append(text.split("\n", 1)[1] if text.startswith("// SPDX") else text)
    script = "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"
    if "</script" in script.lower() or "<!--" in script:
        sys.exit("a module contains what would end its script element")
    return script


def prefer_dark(style):
    """The dark theme, written for those who choose it, also for those whose system asks for it."""
    dark = re.search(r':root\[data-theme="dark"\] (\{[^}]*\}\n)', style)
    if not dark:
        sys.exit("the style has no dark theme")
    preferred = f'@media (prefers-color-scheme: dark) {{\n:root:not([data-theme="light"]) {dark[1]}}}\n'
    return style[:dark.end()] + preferred + style[dark.end():]


def source_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def as_array(name, text):
    numbers = ",".join(map(str, text.encode()))
    return f"static const unsigned char {name}[] = {{ {numbers} }};\n"


def main():
    name = sys.argv[1]
    words = dict(word.split("=") for word in sys.argv[4].split("; "))
    output, dependencies, template, main_module, *styles = map(pathlib.Path, [*sys.argv[2:4], *sys.argv[5:]])
    modules = []
    in_order(main_module, [], modules)
    dependencies.write_text(f"{output}: {' '.join(str(path).replace(' ', chr(92) + ' ') for path in modules)}\n")
    style, script = prefer_dark("".join(path.read_text() for path in styles)), join(modules)
    if "</style" in style.lower():
        sys.exit(f"{template}: a style would end its element")
    policy = "; ".join((
        "default-src 'none'", f"script-src {source_of(script)}", f"style-src {source_of(style)}",
        "img-src data: blob:", "base-uri 'none'", "form-action 'none'",
        "require-trusted-types-for 'script'"))
    page = template.read_text()
    words["blocks"] = "".join(f'<script type="application/octet-stream" id="{block}">@DATA@</script>\n'
                              for block in words["blocks"].split(" "))
    for mark, text in {**words, "policy": policy, "style": style, "script": script}.items():
        if page.count(f"@{mark.upper()}@") != 1:
            sys.exit(f"{template}: {mark} must stand there once")
        page = page.replace(f"@{mark.upper()}@", text)
    parts = page.split("@DATA@")
    output.write_text("// Made by join.py.\n" + "".join(
        as_array(f"{name}_{i}", part) for i, part in enumerate(parts)))


main()
