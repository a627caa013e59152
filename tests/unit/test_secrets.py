#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is written to files and pipes has no arguments, no home directories and no host, whatever the format.

usage: test_secrets.py ELFAULT TRACES ELFS [RECORDED]

TRACES are the text traces of the fixtures: each gets a command line with secrets, and the files it names move into a
home directory, into which ELFS are copied. RECORDED is a folder with `a.trace`, `home` and `secrets` (a word a line)
instead: a live test records it. Commands and formats are those that the program itself offers.
"""
import base64
import binascii
import gzip
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zlib

ELFAULT, TRACES, ELFS = (os.path.abspath(path) for path in sys.argv[1:4])
WORK = tempfile.mkdtemp()
HOME = os.path.join(WORK, "plantedhome")
# Each is one secret, and no part of any name that may be shown.
ARGUMENTS = ["--token=SECRETlong", "-pSECRETshort", "--key", "SECRETword", "SECRETpositional", "SECRET=environment",
             "-DSECRETname=value", "--", "--SECRETbehind", "~/SECRETtilde"]
HOST = "plantedhost"
SECRETS = ["SECRET", "plantedhome", "plantedother", HOST]
shown_options = {}  # of each command: those that each call of it gets
failed = False
count = 0


def result(sentence, problems):
    global failed, count
    count += 1
    print(f"{'not ok' if problems else 'ok'} {count} - {sentence}")
    for problem in problems:
        print(f"# {problem}")
        failed = True


def run(*arguments, code=(0, 1, 3), folder=None):
    """What is written to both pipes."""
    words = [arguments[0], *shown_options.get(arguments[0], ()), *arguments[1:]]
    done = subprocess.run([ELFAULT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          stdin=subprocess.DEVNULL, env={**os.environ, "HOME": HOME, "XDG_CACHE_HOME": WORK + "/cache"})
    if done.returncode not in code:
        result(f"elfault {' '.join(arguments)}", [f"exit status {done.returncode}: {done.stderr.decode()[-500:]}"])
    return done.stdout + b"\n" + done.stderr


def offered(*words):
    """The words that completion has, but for those that ask the shell."""
    lines = run("--_complete", *words).decode().splitlines()
    return [line.split("\t")[0] for line in lines if line and not line.startswith(":")]


def unpacked(data):
    """@data and all that is in it: base64, gzip, zlib, the texts of a database."""
    yield data
    if data[:2] == b"\x1f\x8b":
        yield from unpacked(gzip.decompress(data))
    if data[:16] == b"SQLite format 3\0":
        path = os.path.join(WORK, "read.sqlite")
        with open(path, "wb") as file:
            file.write(data)
        with sqlite3.connect(path) as base:
            yield "\n".join(base.iterdump()).encode()
    for text in re.findall(rb"[A-Za-z0-9+/]{200,}={0,2}", data):
        try:
            raw = base64.b64decode(text, validate=True)
        except binascii.Error:
            continue
        for at in range(16):  # a length may stand before it
            if raw[at:at + 2] == b"\x1f\x8b":
                yield zlib.decompressobj(31).decompress(raw[at:])


def found(data, words):
    texts = list(unpacked(data))
    return [word for word in words if any(word.encode() in text for text in texts)]


# ---- What is read ----------------------------------------------------------------------------

def plant(name):
    with open(os.path.join(TRACES, name), encoding="utf-8") as file:
        text = file.read()
    words = [HOME + "/app", *ARGUMENTS]
    planted = "".join(f' arg="{word}"' for word in words)
    text = re.sub(r'^meta( arg="(?:[^"\\]|\\.)*")*', lambda _: f'meta{planted} host="{HOST}"', text, flags=re.M)
    text = text.replace('path="/elf/', f'path="{HOME}/elf/').replace('path="/mnt/', 'path="/home/plantedother/')
    text = text.replace('path="/usr/bin/', f'path="{HOME}/bin/')
    path = os.path.join(HOME, "traces", name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + f'\nnote count=1 text="{HOME}/noted: is strange"\n')
    return path


os.makedirs(HOME + "/traces")
shutil.copytree(ELFS, HOME + "/elf") if os.path.isdir(ELFS) else None
if len(sys.argv) > 4:
    recorded = os.path.abspath(sys.argv[4])
    traces = [recorded + "/a.trace"]
    with open(recorded + "/secrets", encoding="utf-8") as file:
        SECRETS = file.read().split()
    HOME = recorded + "/home"
else:
    traces = [plant(name) for name in sorted(os.listdir(TRACES)) if name.endswith(".txt")]
for path in traces:
    run("dump", "--allow-truncated", path, code=(0,))  # all are read
start = next((path for path in traces if path.endswith("start.txt")), traces[0])
commands = [word for word in offered("") if not word.startswith("-")]


# ---- What is written -------------------------------------------------------------------------

def formats(command):
    return offered(command, "--format", "")


def to_stdout(command, trace, extra=()):
    """The answer in each format."""
    for format in formats(command):
        yield f"{command} --format {format}", run(command, *extra, "--format", format, trace)


def analyze(trace):
    for extra in ((), ("--full",), ("--wide",), ("--full", "--wide"), ("--timeline",), ("--faults",),
                  ("--initializers",), ("--by", "object,symbol"), ("--by", "function"), ("--by", "initializer"),
                  ("--where", "object=*"), ("--stacks", "ids"), ("--top", "0")):
        for format in formats("analyze"):
            yield (f"analyze {' '.join(extra)} --format {format}",
                   run("analyze", *extra, "--format", format, trace, code=(0, 1, 2)))
    yield "analyze OBJECT", run("analyze", *objects(trace)[:1], trace)


def objects(trace):
    return [word for word in offered("analyze", trace, "") if word.startswith("/") or "." in word]


def into(command, trace, *extra, suffix=".out"):
    """What is written to a file, and what is said."""
    path = os.path.join(WORK, "file" + suffix)
    said = run(command, *extra, trace, "-o", path, code=(0, 1, 2))
    data = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
        os.remove(path)
    return said + data, data


def report(trace):
    misuse = run("report", trace, "-o", WORK + "/x.nothing", code=(2,)).decode()
    extensions = re.findall(r"\.[a-z]+", misuse[misuse.index("must end with"):])
    assert extensions, misuse
    for extension in extensions:
        for extra in ((), *(("--graph", kind) for kind in offered("report", "--graph", ""))):
            yield f"report {' '.join(extra)} -o {extension}", into("report", trace, *extra, suffix=extension)[0]


def export(trace):
    misuse = run("export", "--to", "nothing", trace, code=(2,)).decode()
    for format in re.findall(r"[a-z]+", misuse[misuse.index("(expected") + 9:misuse.index(")")].replace(" or ", " ")):
        extra = ("--cause",) if format == "folded" else ()
        both, data = into("export", trace, "--to", format, *extra)
        assert data or b"built without" in both, format
        yield f"export --to {format}", both


def diff(trace):
    other = next((path for path in traces if path.endswith("restart.txt")), trace)
    for format in formats("diff"):
        yield f"diff --format {format}", run("diff", "--format", format, other, trace)
    path = WORK + "/diff.html"
    yield "diff -o", run("diff", other, trace, "-o", path) + open(path, "rb").read()


def check(trace):
    budget = WORK + "/a.budget"
    with open(budget, "w", encoding="utf-8") as file:
        file.write("faults <= 1\nfaults{object=*} <= 0\nfaults <= baseline\n")
    yield "check --update", run("check", "--update", "--budget", budget, trace, "--allow-truncated")
    with open(budget + ".baseline", "rb") as file:
        yield "a baseline", file.read()
    for format in formats("check"):
        yield f"check --format {format}", run("check", "--budget", budget, "--format", format, trace)


def whatif(trace):
    yield from to_stdout("whatif", trace)


def order(trace):
    for format in formats("order"):
        yield f"order --format {format}", into("order", trace, "--format", format)[0]
    elf = next(iter(sorted(os.listdir(HOME + "/elf"))), None) if os.path.isdir(HOME + "/elf") else None
    if elf:
        with open(WORK + "/a.order", "w", encoding="utf-8") as file:
            file.write("main\n")
        for how in ((), ("--format", "json")):
            yield f"order --verify {' '.join(how)}", run("order", "--verify", WORK + "/a.order", *how,
                                                        f"{HOME}/elf/{elf}")


def prefetch(trace):
    # Of another home a list names files in full.
    data = into("prefetch", trace, "--force")[0]
    yield "prefetch", data.replace(b"/home/plantedother/", b"/")


def smaps(_):
    path = HOME + "/a.smaps"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"55550000-55551000 r-xp 00000000 08:01 7 {HOME}/bin/app\nSize: 4 kB\nRss: 4 kB\nPss: 4 kB\n"
                   "Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 4 kB\nPrivate_Dirty: 0 kB\n"
                   "Referenced: 4 kB\nAnonymous: 0 kB\nSwap: 0 kB\n")
    yield from to_stdout("smaps", path)
    for format in formats("smaps"):
        yield f"smaps --format {format} of two", run("smaps", "--format", format, path, path)


def map_(_):
    for elf in sorted(os.listdir(HOME + "/elf"))[:4] if os.path.isdir(HOME + "/elf") else []:
        yield from to_stdout("map", f"{HOME}/elf/{elf}")


def doctor(_):
    yield "doctor", run("doctor")


def redact(trace):
    path = WORK + "/redacted.trace"
    yield "redact", run("redact", trace, "-o", path, "--allow-truncated")
    yield "a redacted trace", run("dump", "--allow-truncated", path)
    # Not even where everything is asked for.
    for format in formats("analyze"):
        yield (f"analyze --format {format} of it", run("analyze", "--arguments", "--full-paths", "--allow-truncated",
                                                       "--full", "--format", format, path, code=(0, 1, 2)))
    for format in ("rows", "folded"):
        yield f"export --to {format} of it", run("export", "--to", format, "--arguments", "--full-paths",
                                                 "--allow-truncated", path, code=(0, 1, 2))
    with open(path, "rb") as file:
        yield "its bytes", file.read()
    os.remove(path)


# What is not here writes nothing that it was not given (resolve, of rows), or a trace: those keep all.
RECIPES = {"analyze": analyze, "report": report, "export": export, "diff": diff, "check": check, "whatif": whatif,
           "order": order, "prefetch": prefetch, "smaps": smaps, "map": map_, "doctor": doctor, "redact": redact}
KEEP_ALL = {"record", "dump", "pack", "import", "resolve"}

print(f"1..{2 * len(commands) - len(KEEP_ALL) + 1}")
for command in commands:
    if command in KEEP_ALL:
        result(f"{command} writes what it is given, or a trace", [])
        continue
    if command not in RECIPES:
        result(f"{command} is tested", ["a new command: add what it writes to RECIPES"])
        continue
    leaks, outputs = [], 0
    for trace in traces if command not in ("smaps", "map", "doctor") else traces[:1]:
        for what, data in RECIPES[command](trace):
            outputs += 1
            leaks += [f"{what} of {os.path.basename(trace)} has {word}" for word in found(data, SECRETS)]
    result(f"{command}: no secret in any of its outputs", leaks if outputs else ["nothing was written"])

# That the search finds what is there: the same with all options.
have = {command: [word for word in offered(command, "--") if word in ("--arguments", "--full-paths", "--host")]
        for command in commands}
shown_options = have
for command in commands:
    if command in KEEP_ALL:
        continue
    wanted = [word for option, word in (("--arguments", SECRETS[0]), ("--full-paths", SECRETS[1]))
              if option in have[command]]
    seen = set()
    for trace in traces if command in RECIPES else []:
        if not seen.issuperset(wanted):
            for _, data in RECIPES[command](trace):
                seen.update(found(data, wanted))
    result(f"{command}: what is asked for is shown ({', '.join(wanted) or 'nothing'})",
           [f"no {word}" for word in wanted if word not in seen])
with open(start, "rb") as file:
    result("dump is the trace, and has all", [word for word in SECRETS[:2] if word not in found(run("dump", start), [word])])
shutil.rmtree(WORK)
sys.exit(failed)
