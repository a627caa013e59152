#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the sources of the build, with the checks of .clang-tidy. A file that was clean, in whichever clone,
is looked at again only when it, a header of it or the checks have changed: ~/.cache/elfault/tidy has a name for each.
Without that folder this holds as well: unless ELFAULT_ALL is set, a file that the last commits left alone is not read.
clang's analyzer takes three quarters of the time: it does not read a file of which only a header changed, either.

usage: tidy.py ROOT BUILD"""
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

TIDY = "clang-tidy-14"
CLEAN = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "elfault/tidy"
# Not followed through calls as far as by default: a fifth of the time. Warnings of clang are not the question,
# though CI builds with -Werror.
WORDS = [f"--extra-arg={word}" for word in
         ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow", "-Wno-error")]
NO_ANALYZER = ["--checks=-clang-analyzer-*"]
COMMITS = 10  # whose files are read in every run
# What is generated, assembled, or compiled for another machine; and tests, whose asserts the analyzer does not know.
LEFT_OUT = re.compile(r"build|\.\./|tests/|.*\.bpf\.c$|.*\.S$")


def sources(root, build):
    """Path below @root -> what compiles it."""
    found = {}
    for row in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.relpath(os.path.realpath(build / row["file"]), root)
        if not LEFT_OUT.match(path):
            found.setdefault(path, row)
    return found


def headers(build):
    """Object file -> the files that ninja knows it to be made of."""
    said = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(list)
    for line in said.splitlines():
        if line.startswith("    "):
            found[name].append(line.strip())
        elif ": #deps" in line:
            name = line.partition(":")[0]
    return found


@functools.cache
def version():
    return subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout


@functools.cache
def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def recent(root):
    """The files that the last commits changed, and those that are not committed; None where git cannot tell, as in a
    clone without history. A file that only moved has not changed."""
    command = ["git", "-C", root, "diff", "-M", "--name-status", "--relative", f"HEAD~{COMMITS}"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    rows = [line.split("\t") for line in said.splitlines()]
    return {row[-1] for row in rows if row[0] != "R100"}


def key_of(root, build, row, files):
    """Changes whenever clang-tidy could say something else; the same wherever the tree is."""
    command = row["command"].replace(str(build), "BUILD").replace(str(root), "ROOT")
    state = [version(), command, digest(root / ".clang-tidy"), digest(pathlib.Path(__file__))]
    state += [f"{file} {digest(build / file)}" for file in files]
    return hashlib.sha256("\n".join(state).encode()).hexdigest()


def may_differ(root, build, path, files, changed):
    """Whether clang-tidy could find something new in a file: it, a header of it or the checks have changed."""
    if changed is None or files is None or path in changed or ".clang-tidy" in changed:
        return True
    return any(os.path.relpath(os.path.realpath(build / file), root) in changed for file in files)


def check(root, build, path, row, files, analyzes):
    """What is wrong with one file, as text."""
    key = key_of(root, build, row, files) if files else None
    # What the analyzer found nothing in is clean without it, too.
    stamps = [CLEAN / key, CLEAN / f"{key}-shallow"][:1 if analyzes else 2] if files else []
    for stamp in stamps:
        if stamp.exists():
            stamp.touch()
            return ""
    words = WORDS if analyzes else WORDS + NO_ANALYZER
    done = subprocess.run([TIDY, "-p", build, "--quiet", *words, root / path], capture_output=True, text=True)
    if done.returncode:
        return done.stdout or done.stderr
    if stamps:
        stamps[-1].touch()
    return ""


def forget():
    """What nobody asked for in a month."""
    for stamp in CLEAN.iterdir():
        if stamp.stat().st_mtime < time.time() - 30 * 86400:
            stamp.unlink(missing_ok=True)


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    if not shutil.which(TIDY):
        print(f"1..0 # SKIP {TIDY} is not installed: script/setup test")
        return 0
    CLEAN.mkdir(parents=True, exist_ok=True)
    forget()
    made_of = headers(build)
    changed = None if os.environ.get("ELFAULT_ALL") else recent(root)
    folders, passed_over = collections.defaultdict(list), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, row in sorted(sources(root, build).items()):
            files = made_of.get(row["output"])
            if not may_differ(root, build, path, files, changed):
                passed_over += 1
                continue
            folders[path.split("/")[0]].append(
                pool.submit(check, root, build, path, row, files, changed is None or path in changed))
        print(f"1..{len(folders) + 1}")
        failed = False
        for number, (folder, results) in enumerate(folders.items(), 1):
            said = "".join(result.result() for result in results)
            print(f"{'not ok' if said else 'ok'} {number} - clang-tidy finds nothing in {folder}", flush=True)
            for line in said.splitlines():
                print(f"# {line}")
            failed = failed or bool(said)
    print(f"ok {len(folders) + 1} - clang-tidy has read every file" +
          (f" # SKIP not {passed_over} that {COMMITS} commits left alone: script/test --all" if passed_over else ""))
    return failed


sys.exit(main())
