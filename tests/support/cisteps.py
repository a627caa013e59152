#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Take the commands of docs/ci.md's examples out, as the CI would run them.

    cisteps.py CI.md OUT

Writes OUT/budget, the budget shown; OUT/github/NN-NAME.sh, one step each, and OUT/github/conditions, a line
"NAME<tab>condition" for those that have one; OUT/gitlab/JOB.sh, before_script and script of each job that is
no template; and OUT/packages, the packages that both install.
"""
import pathlib
import re
import sys

import yaml


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def github(document, out):
    out.mkdir(parents=True)
    conditions = []
    (job,) = document["jobs"].values()
    for number, step in enumerate(job["steps"]):
        name = step.get("name", step.get("uses"))
        if "if" in step:
            conditions.append(f"{name}\t{step['if']}\n")
        if "run" in step:
            (out / f"{number:02}-{name.replace(' ', '-')}.sh").write_text(step["run"])
    (out / "conditions").write_text("".join(conditions))
    return [step["run"] for step in job["steps"] if "run" in step]


def gitlab(document, out):
    out.mkdir(parents=True)
    scripts = []
    for name, job in document.items():
        if name == "variables" or name.startswith("."):
            continue
        whole = {**document[job["extends"]], **job}
        lines = whole["before_script"] + whole["script"]
        (out / f"{name}.sh").write_text("\n".join(lines) + "\n")
        scripts += lines
    return scripts


def main(source, out):
    text = pathlib.Path(source).read_text()
    out = pathlib.Path(out)
    on_github, on_gitlab = (yaml.safe_load(block) for block in blocks(text, "yaml"))
    scripts = github(on_github, out / "github") + gitlab(on_gitlab, out / "gitlab")
    (out / "budget").write_text(blocks(text, "")[0])
    packages = set()
    for script in scripts:
        for words in re.findall(r"apt-get install -y ((?:\\\n|[^\n])*)", script):
            packages |= set(words.replace("\\\n", " ").split())
    (out / "packages").write_text("".join(f"{name}\n" for name in sorted(packages)))


if __name__ == "__main__":
    main(*sys.argv[1:])
