#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the manual pages.

    pages.py SCDOC ELFAULT ROOT VERSION OUT COMMAND...

elfault(1) is elfault.scd. The page of a command is what its --help says; COMMAND.scd, if there is one, adds to
its sections and has others of its own. elfault-trace(5), elfault-budget(5) and elfault-reading(7) are
docs/inside/trace-format.md, docs/budget.md and docs/reading.md.
"""
import os
import pathlib
import re
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
# In this order; those that a COMMAND.scd adds come before the examples.
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "DETAILS", "EXIT STATUS"]
LAST = ["EXAMPLES", "SEE ALSO"]


def escaped(text):
    """For scdoc, as it stands."""
    return re.sub(r"^[-.;:]|[\\*_+|~<>\[\]#]", r"\\\g<0>", text)


def literal(lines):
    body = textwrap.dedent("\n".join(lines)).replace("\\", "\\\\")
    return f"```\n{body}\n```"


# What --help says


def help_of(elfault, *command):
    # No line is broken, so that each option and each paragraph is one.
    environment = {**os.environ, "ARGP_HELP_FMT": "rmargin=10000"}
    return subprocess.run([elfault, *command, "--help"], check=True, text=True, env=environment,
                          stdout=subprocess.PIPE).stdout


def options_of(lines):
    """[(["-o", "--output=FILE"], meaning)]"""
    options = []
    for line in lines:
        if re.match(r" {2,6}-", line):
            letter, name, meaning = re.match(r" +(?:(-[^-]),? ?)?(--\S+)? *(.*)$", line).groups()
            options.append(([word for word in (letter, name) if word], meaning))
        elif line.strip() and options:
            names, meaning = options[-1]
            options[-1] = (names, f"{meaning} {line.strip()}".strip())
    return options


def placeholders(word):
    """Underlined up to the first alternative that is typed as it stands."""
    found = re.match(r"[A-Z][A-Z_]*(\|[A-Z]+)*(?![A-Za-z])", word)
    return f"_{escaped(found[0])}_{escaped(word[found.end():])}" if found else escaped(word)


def option_name(name):
    flag, bracket, value = re.match(r"(--?[^\[= ]*)([\[= ]*)(.*)", name).groups()
    value = value[:-1] if "[" in bracket else value
    if not value:
        return f"*{flag}*"
    shown = placeholders(value)
    return f"*{flag}*\\[={shown}\\]" if "[" in bracket else f"*{flag}*={shown}"


def options_page(options):
    # One that nobody types spoils the order of the rest.
    options = [(["--help"] if "--help" in names else names, meaning) for names, meaning in options]
    return "\n\n".join(f"{', '.join(map(option_name, names))}\n\t{escaped(meaning)}" for names, meaning in options)


def paragraphs(lines):
    """Indented lines are as they are, others are text."""
    found, block = [], []

    def end():
        if block:
            found.append(literal(block) if block[0].startswith(" ") else "++\n".join(map(escaped, block)))
            block.clear()
    for line in lines:
        if not line.strip() or (block and line.startswith(" ") != block[0].startswith(" ")):
            end()
        if line.strip():
            block.append(line)
    end()
    return "\n\n".join(found)


def split_help(text):
    """The sections of a page that the help of a command has."""
    lines = text.rstrip("\n").split("\n")
    first = next(i for i, line in enumerate(lines) if re.match(r" {2,6}-", line))
    last = next((i for i, line in enumerate(lines) if line.startswith("Mandatory or optional arguments")), None)
    end = next(i for i in range(first, len(lines) + 1) if i == len(lines) or not lines[i].startswith(" "))
    uses = [line for line in lines[:first] if re.match(r"Usage: |  or:  ", line)]
    head = [line for line in lines[:first] if line not in uses]
    rest = lines[(last + 2 if last else end):]

    sections = {
        "SYNOPSIS": "++\n".join(synopsis(re.sub(r"^(Usage: |  or:  )", "", use)) for use in uses),
        "OPTIONS": options_page(options_of(lines[first:end])),
    }
    name, blocks = "DETAILS", {"DESCRIPTION": head}
    for line in rest:
        if re.match(r"Examples?:$", line):
            name = "EXAMPLES"
            continue
        if line and not line.startswith(" "):
            name = "EXIT STATUS" if "xit status" in line else "DETAILS"
            line = re.sub("^Exit status: ", "", line)
        blocks.setdefault(name, []).append(line)
    return {**sections, **{name: paragraphs(block) for name, block in blocks.items()}}


def synopsis(use):
    words = []
    for word in use.split(" "):
        bracket, name = re.match(r"(\[?)(.*)", word).groups()
        is_own = re.match(r"-|[a-z]+$", name)
        words.append(escaped(bracket) + (f"*{escaped(name)}*" if is_own and not bracket else placeholders(name)))
    return " ".join(words)


# Pages


def split_page(text):
    sections = {}
    for part in re.split(r"(?m)^# ", text)[1:]:
        name, _, body = part.partition("\n")
        sections[name] = body.strip("\n")
    return sections


def command_page(elfault, command, summary):
    sections = {"NAME": f"elfault-{command} - {escaped(summary)}", **split_help(help_of(elfault, command))}
    more = HERE / f"{command}.scd"
    if more.exists():
        for name, body in split_page(more.read_text()).items():
            sections[name] = f"{sections[name]}\n\n{body}" if name in sections else body
    seen = f"*elfault*(1), {sections['SEE ALSO']}" if "SEE ALSO" in sections else "*elfault*(1)"
    sections["SEE ALSO"] = seen
    order = SECTIONS + [name for name in sections if name not in SECTIONS + LAST] + LAST
    return "".join(f"# {name}\n\n{sections[name]}\n\n" for name in order if name in sections)


def overview_page(commands):
    listed = "\n\n".join(f"*elfault-{name}*(1)\n\t{escaped(summary[:1].upper() + summary[1:])}."
                         for name, summary in commands.items())
    return (HERE / "elfault.scd").read_text().replace("@COMMANDS@", listed)


# From Markdown


def inline(text):
    """Code in bold, references as their text."""
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|(?<!\w)\*[^* ][^*]*\*|\[[^\]]+\]\([^)]+\))", text)
    found = []
    for part in parts:
        if part.startswith("`"):
            found.append(f"*{escaped(part[1:-1])}*")
        elif part.startswith("**"):
            found.append(f"*{escaped(part[2:-2])}*")
        elif part.startswith("*") and part.endswith("*") and len(part) > 2:
            found.append(escaped(part[1:-1]))
        elif part.startswith("["):
            found.append(escaped(re.match(r"\[([^\]]+)\]", part)[1]))
        else:
            found.append(escaped(part))
    return "".join(found)


def table(lines):
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in lines if not re.match(r"^\|[-:| ]+\|$", line)]
    page = []
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            mark = "|" if column == 0 else ":"
            align = ("<" if column == len(row) - 1 else "[") if number == 0 else " "
            content = inline(cell.strip().replace("\\|", "|"))
            page.append(f"{mark}{align} {content}".rstrip() if content else f"{mark}{align}".rstrip() + " ")
    return "\n".join(page)


def from_markdown(text):
    page = []
    blocks = re.split(r"\n\n+(?=\S)", re.sub(r"(?m)^(#+ .*)$", r"\n\1\n", text).strip("\n"))
    joined, fence = [], None
    for block in blocks:  # a fence may have empty lines
        if fence is None:
            joined.append(block)
        else:
            joined[-1] += "\n\n" + block
        if block.count("```") % 2:
            fence = None if fence else True
    for block in joined:
        lines = block.strip("\n").split("\n")
        if block.startswith("# "):
            continue
        if block.startswith("#"):
            title = re.sub(r"[`*]", "", lines[0].lstrip("# "))
            page.append(f"# {title.upper()}" if lines[0].startswith("## ") else f"## {title}")
        elif block.startswith("```"):
            page.append(literal(lines[1:-1]))
        elif block.startswith("|"):
            page.append(table(lines))
        elif re.match(r"[-*] ", block):
            items = re.split(r"(?m)^[-*] ", block)[1:]
            page.append("\n".join("- " + inline(" ".join(item.split())) for item in items))
        else:
            page.append(inline(" ".join(lines)))
    return "\n\n".join(page) + "\n"


def file_page(source, name, summary, seen):
    return (f"# NAME\n\n{name} - {summary}\n\n# DESCRIPTION\n\n{from_markdown(source.read_text())}\n"
            f"# SEE ALSO\n\n{seen}\n")


# All of them


def date_of(root, version):
    """That of the release, in any time zone and build; none before it."""
    found = re.search(rf"(?m)^## \[{re.escape(version)}\] - (\S+)", (root / "CHANGELOG.md").read_text())
    return found[1] if found else ""


def roff(scdoc, name, section, text, version, date):
    source = f'{name}({section}) "elfault {version}" "elfault manual"\n\n{text}'
    page = subprocess.run([scdoc], check=True, text=True, input=source, stdout=subprocess.PIPE,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "0"}).stdout
    page = page.replace('"1970-01-01"', f'"{date}"', 1)
    # A minus, not a hyphen: options are copied from the page.
    return "".join(line if line.startswith(".") else re.sub(r"(?<!\\)(?<!\\h')-", r"\\-", line)
                   for line in page.splitlines(keepends=True))


def main(scdoc, elfault, root, version, out, *commands):
    root, out = pathlib.Path(root), pathlib.Path(out)
    summaries = dict(re.findall(r"(?m)^  ([a-z]+) +(.*)$", help_of(elfault)))
    pages = {("elfault", 1): overview_page({name: summaries[name] for name in commands})}
    for name in commands:
        pages[f"elfault-{name}", 1] = command_page(elfault, name, summaries[name])
    pages["elfault-trace", 5] = file_page(root / "docs/inside/trace-format.md", "elfault-trace",
                                          "the file that elfault record writes",
                                          "*elfault-record*(1), *elfault-dump*(1)")
    pages["elfault-budget", 5] = file_page(root / "docs/budget.md", "elfault-budget",
                                           "limits on what a start may cost",
                                           "*elfault-check*(1), *elfault-analyze*(1)")
    pages["elfault-reading", 7] = file_page(root / "docs/reading.md", "elfault-reading",
                                            "what elfault's answers mean",
                                            "*elfault-analyze*(1), *elfault-report*(1)")
    for (name, section), text in pages.items():
        page = roff(scdoc, name, section, text, version, date_of(root, version))
        (out / f"{name}.{section}").write_text(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
