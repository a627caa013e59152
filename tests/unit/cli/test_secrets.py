#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Written files and pipes have no arguments, no home directories and no host, whatever the format.

usage: test_secrets.py ELFAULT TRACES ELFS [RECORDED]

TRACES are the text traces of the fixtures: each gets a command line with secrets, and the files it names move into a
home directory, into which ELFS are copied. RECORDED is a folder with `a.trace`, `home`, in whose folder `elf` are ELF
files, and `secrets` (a word a line: one of the arguments, the home directory, others) instead: a live test records it.
Commands, formats and options are those that the program itself offers: what is not tested fails.
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
used_options = {}  # of each command: those that it was called with
failed = False
count = 0


def result(sentence, problems):
    global failed, count
    count += 1
    print(f"{'not ok' if problems else 'ok'} {count} - {sentence}")
    for problem in problems:
        print(f"# {problem}")
        failed = True


def run(*arguments, code=(0, 1, 3), stdin=b""):
    """What is written to both pipes."""
    words = [arguments[0], *shown_options.get(arguments[0], ()), *arguments[1:]]
    done = subprocess.run([ELFAULT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, input=stdin, env={**os.environ, "HOME": HOME, "XDG_CACHE_HOME": WORK + "/cache",
                               "PATH": WORK + "/bin:" + os.environ["PATH"]})
    if done.returncode not in code:
        result(f"elfault {' '.join(arguments)}", [f"exit status {done.returncode}: {done.stderr.decode()[-500:]}"])
    if done.returncode != 2:
        used_options.setdefault(arguments[0], set()).update(
            "--output" if word == "-o" else word.split("=")[0] for word in arguments[1:] if word.startswith("-"))
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
os.makedirs(WORK + "/bin")
with open(WORK + "/bin/xdg-open", "w", encoding="utf-8") as opener:  # no browser
    opener.write("#!/bin/sh\n")
os.chmod(WORK + "/bin/xdg-open", 0o755)
if len(sys.argv) > 4:
    recorded = os.path.abspath(sys.argv[4])
    traces = [recorded + "/a.trace"]
    with open(recorded + "/secrets", encoding="utf-8") as file:
        SECRETS = file.read().split()
    HOME = os.path.realpath(recorded + "/home")
else:
    shutil.copytree(ELFS, HOME + "/elf", ignore=lambda _, names: [name for name in names if not name.endswith(".elf")])
    traces = [plant(name) for name in sorted(os.listdir(TRACES)) if name.endswith(".txt")]
for path in traces:
    run("dump", "--allow-truncated", path, code=(0,))  # all are read
start = next((path for path in traces if path.endswith("start.txt")), traces[0])
commands = [word for word in offered("") if not word.startswith("-")]


def elves():
    """ELF files in the home directory."""
    return [os.path.join(HOME, "elf", name) for name in sorted(os.listdir(HOME + "/elf"))]


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
                  ("--where", "object=*"), ("--io", "--top", "0"), ("--bindings",), ("--stacks", "ids"), ("--top", "0"), ("--full", "--color", "always"),
                  ("--full", "--no-demangle", "--force"), ("--program", "app"), ("--from", "1us", "--until", "2ms"), ("--allow-truncated",)):
        for format in formats("analyze"):
            yield (f"analyze {' '.join(extra)} --format {format}",
                   run("analyze", *extra, "--format", format, trace, code=(0, 1, 2)))
    for extra in (("--fault", "0"), ("--function", "main"), ("--initializer", "start_early")):
        for format in formats("analyze"):
            yield (f"analyze {' '.join(extra)} --format {format}",
                   run("analyze", *extra, "--format", format, trace, code=(0, 1)))
    for name in objects(trace)[:1]:
        yield "analyze OBJECT", run("analyze", name, trace)
        yield "analyze --object", run("analyze", "--timeline", "--object", name, trace, code=(0, 1, 2))
    if trace == start:
        for field in offered("analyze", "--by", ""):
            for format in ("text", "json", "csv"):
                yield f"analyze --by {field} --format {format}", run("analyze", "--by", field, "--format", format, trace)
        for key in offered("analyze", "--sort", ""):
            yield f"analyze --sort {key}", run("analyze", "--initializers", "--sort", key, trace)


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
        for extra in ((), *(("--graph", kind, "--min-share", "0") for kind in offered("report", "--graph", "")),
                      *(("--by", field, "--size", "600x400") for field in offered("report", "--by", "")[:1]),
                      *(("--object", name) for name in objects(trace)[:1]),
                      ("--program", "app"), ("--from", "1us", "--until", "2ms"), ("--open",), ("--small",),
                      ("--where", "object=*", "--no-demangle", "--force", "--allow-truncated")):
            yield f"report {' '.join(extra)} -o {extension}", into("report", trace, *extra, suffix=extension)[0]


def export(trace):
    misuse = run("export", "--to", "nothing", trace, code=(2,)).decode()
    for format in re.findall(r"[a-z]+", misuse[misuse.index("(expected") + 9:misuse.index(")")].replace(" or ", " ")):
        extra = ("--cause",) if format == "folded" else ()
        both, data = into("export", trace, "--to", format, *extra)
        assert data or b"built without" in both, format
        yield f"export --to {format}", both
    for words in (("folded", "--weight", "time"), ("rows", "--label", "of=this"), ("folded", "--where", "object=*"),
                  ("folded", "--from", "1us", "--until", "2ms"), ("speedscope", "--no-demangle", "--force", "--allow-truncated")):
        yield f"export --to {' '.join(words)}", run("export", "--to", *words, trace)


def diff(trace):
    other = next((path for path in traces if path.endswith("restart.txt")), trace)
    for format in formats("diff"):
        yield f"diff --format {format}", run("diff", "--format", format, other, trace)
    path = WORK + "/diff.html"
    yield "diff -o", run("diff", other, trace, "-o", path) + open(path, "rb").read()
    for extra in (("--top", "0", "--color", "always"), ("--no-demangle", "--allow-truncated"),
                  *(("--pair", f"{name}={name}") for name in objects(trace)[:1])):
        for format in formats("diff"):
            yield f"diff {' '.join(extra)} --format {format}", run("diff", *extra, "--format", format, trace, trace)
    yield "diff --program", run("diff", "--program", "app", trace, trace, code=(0, 1))
    yield "diff --from", run("diff", "--from", "1us", "--until", "2ms", trace, trace, code=(0, 1))
    yield "diff --no-guess", run("diff", "--no-guess", "--full", other, trace)
    yield "diff of sets", run("diff", other, trace, "--after", trace, other)


def check(trace):
    budget = WORK + "/a.budget"
    with open(budget, "w", encoding="utf-8") as file:
        file.write("faults <= 1\nfaults{object=*} <= 0\nfaults <= baseline\n")
    yield "check --update", run("check", "--update", "--budget", budget, trace, "--allow-truncated")
    with open(budget + ".baseline", "rb") as file:
        yield "a baseline", file.read()
    yield "check --from", run("check", "--budget", budget, "--from", "1us", "--until", "2ms", trace, code=(0, 1, 3))
    yield "check --program", run("check", "--budget", budget, "--program", "app", trace, code=(0, 1, 3))
    for format in formats("check"):
        for extra in ((), ("--baseline", budget + ".baseline", "--top", "0", "--color", "always", "--allow-incomplete")):
            yield f"check --format {format}", run("check", "--budget", budget, *extra, "--format", format, trace)


def whatif(trace):
    listed = WORK + "/whatif.order"
    with open(listed, "w", encoding="utf-8") as file:
        file.write("main\n")
    yield from to_stdout("whatif", trace)
    yield "whatif --until", run("whatif", "--until", "2ms", trace, code=(0, 1))
    yield "whatif --program", run("whatif", "--program", "app", trace, code=(0, 1))
    yield from to_stdout("whatif", trace, ("--order", listed, "--color", "always", "--allow-truncated"))


def order(trace):
    for format in formats("order"):
        yield f"order --format {format}", into("order", trace, "--format", format)[0]
    for name in objects(trace)[:1]:
        yield "order --object", into("order", trace, "--object", name, "--allow-truncated")[0]
    yield "order --weights", into("order", trace, "--weights", "2")[0]
    yield "order --from", into("order", trace, "--from", "1us", "--until", "2ms")[0]
    with open(WORK + "/a.order", "w", encoding="utf-8") as file:
        file.write("main\n")
    for how in ((), ("--format", "json")):
        yield f"order --verify {' '.join(how)}", run("order", "--verify", WORK + "/a.order", *how, elves()[0])


def prefetch(trace):
    # Of another home a list names files in full.
    for extra in ((), ("--gap", "0", "--allow-truncated"), ("--until", "2ms")):
        data = into("prefetch", trace, "--force", *extra)[0]
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
    for key in offered("smaps", "--type", ""):
        yield f"smaps --type {key}", run("smaps", "--type", key, "--top", "0", "--color", "always", "--force", path)
    # Of a process that is there, by its id and its name.
    sleeper = shutil.copy("/bin/cat", HOME + "/sleeper")
    with subprocess.Popen([sleeper, "-", SECRETS[0]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        process.stdin.write(b".")
        process.stdin.flush()
        process.stdout.read(1)  # it runs
        yield from to_stdout("smaps", str(process.pid))
        yield from to_stdout("smaps", "sleeper")
        process.stdin.close()


def map_(_):
    every = ("--symbols", "all", "--initializers", "all", "--page-size", "65536", "--no-demangle", "--color", "always")
    for elf in elves()[:4]:
        for extra in ((), every):
            for format in ("text", "json"):
                yield f"map --format {format} {elf}", run("map", *extra, "--format", format, elf)
            yield from to_stdout("map", elf, (*extra, "--relocations"))
            yield from to_stdout("map", elf, (*extra, elves()[0])) # two are compared, in any format


def doctor(_):
    yield from ((f"doctor --format {format}", run("doctor", "--format", format)) for format in formats("doctor"))


def bench(_):
    """Of commands that run now."""
    starter = shutil.copy("/bin/true", HOME + "/starter")
    words = ("--warmup", "0", "--runs", "1", "--recordings", "0", "--color", "always", "--", starter, SECRETS[0])
    for format in formats("bench"):
        yield f"bench --format {format}", run("bench", "--format", format, *words)
        yield f"bench --format {format} of two", run("bench", "--ignore-failure", "--show-output", "--format", format, *words,
                                                     "--", "/bin/false", SECRETS[0])
    # Where nothing can be recorded its files are not known.
    yield "bench --until", run("bench", "--until", f"file:{HOME}/never", *words, code=(124, 125))
    yield "bench --cold", run("bench", "--cold", *words, code=(0, 125))
    yield "bench of what cannot be prepared", run("bench", "--prepare", f"exit 4 # {HOME} {SECRETS[0]}", *words, code=(4,))
    yield "bench of what fails", run("bench", "--runs", "1", "--recordings", "1", "--", shutil.copy("/bin/false", HOME + "/failer"))


def resolve(trace):
    """Names that it adds to what it is given."""
    for rows in (run("export", "--to", "rows", trace), run("analyze", "--format", "ndjson", trace)):
        for extra in ((), ("--no-demangle",)):
            yield "resolve", run("resolve", *extra, *elves(), stdin=rows.split(b"\n\n")[0])


def pack(trace):
    """What it says: a pack is a trace."""
    for extra in ((), ("--whole", "--allow-truncated")):
        yield "pack", run("pack", *extra, trace, "-o", HOME + "/a.pack")


def import_(_):
    with open(HOME + "/a.log", "w", encoding="utf-8") as file:
        file.write(f"{HOME}/elf/app 0\n")
    yield "import", run("import", "--from", "offsets", HOME + "/a.log", "-o", HOME + "/imported.trace")


def redact(trace):
    path = WORK + "/redacted.trace"
    yield "redact", run("redact", trace, "-o", path, "--labels", "--allow-truncated")
    yield "a redacted trace", run("dump", "--allow-truncated", path)
    # Not even where everything is asked for; sources are named by the debug information of the files that are here.
    shown = ("--arguments", "--allow-truncated", *(("--full-paths",) if len(sys.argv) == 4 else ()))
    for format in formats("analyze"):
        yield f"analyze --format {format} of it", run("analyze", *shown, "--full", "--format", format, path, code=(0, 1, 2))
    for format in ("rows", "folded"):
        yield f"export --to {format} of it", run("export", "--to", format, *shown, path)
    with open(path, "rb") as file:
        yield "its bytes", file.read()
    os.remove(path)


# What is not here writes a trace, which keeps all; what `record` says tests/live/secrets.bats looks at.
def standin(_):
    program = shutil.copy(ELFAULT, HOME + "/loader")
    for library in ("libelf.so.1", "libc.so.6", "libnone.so"):
        yield f"standin {library}", run("standin", library, "--output", HOME + "/standin", "--folder", HOME, "--for", program)


def tune(_):
    program = shutil.copy("/bin/true", HOME + "/tuned-program")
    # A folder of tune's that is there stays, whatever pays, and the result with it.
    os.mkdir(HOME + "/tuned")
    with open(HOME + "/tuned/settings", "w", encoding="utf-8") as file:
        file.write("elfault tune 1\n")
    folder = HOME + "/tuned"
    yield "tune", run("tune", "--runs", "1", "--self-refresh", "--output", folder, "--", program, *ARGUMENTS, SECRETS[0])
    for format in formats("tune"):
        for option in (("--print",), ("--list", "--color", "always"), ("--check",)):
            yield f"tune {option[0]} --format {format}", run("tune", *option, "--format", format, folder)
    yield "tune --refresh", run("tune", "--runs", "1", "--refresh", folder)
    yield "tune --undo", run("tune", "--undo", HOME + "/tuned")
    yield "tune --until", run("tune", "--until", "listen", "--output", folder, "--", program, *ARGUMENTS, SECRETS[0])
    yield "tune of a script", run("tune", "--runs", "1", "--", shutil.copy("/usr/bin/ldd", HOME + "/script"))


RECIPES = {"analyze": analyze, "report": report, "export": export, "diff": diff, "check": check, "whatif": whatif,
           "order": order, "prefetch": prefetch, "smaps": smaps, "map": map_, "doctor": doctor, "redact": redact,
           "resolve": resolve, "pack": pack, "bench": bench, "import": import_, "standin": standin, "tune": tune}
KEEP_ALL = {"record", "dump"}
# These ask for what is hidden, say only where or as whom to read, or run a command: secrets.bats has those.
NOT_TRIED = {"--arguments", "--full-paths", "--host", "--help", "--memory", "--debug-dir", "--sysroot", "--root",
             "order --exact", "prefetch --from", "prefetch --measure", "prefetch --format"}

# These read no trace. With a recorded one only map is tried again, whose ELF files name sources in the home directory.
WITHOUT_TRACE = {"bench", "doctor", "import", "map", "smaps", "standin", "tune"}
if len(sys.argv) > 4:
    commands = [command for command in commands if command == "map" or command not in WITHOUT_TRACE]

print(f"1..{3 * len(commands) - 2 * len(KEEP_ALL) + 1}")
for command in commands:
    if command in KEEP_ALL:
        result(f"{command} writes what it is given, or a trace", [])
        continue
    if command not in RECIPES:
        result(f"{command} is tested", ["a new command: add what it writes to RECIPES"])
        continue
    leaks, outputs = [], 0
    for trace in traces if command not in WITHOUT_TRACE else traces[:1]:
        for what, data in RECIPES[command](trace):
            outputs += 1
            leaks += [f"{what} of {os.path.basename(trace)} has {word}" for word in found(data, SECRETS)]
    result(f"{command}: no secret in any of its outputs", leaks if outputs else ["nothing was written"])
    result(f"{command}: each of its options is tried",
           [f"{word} is new: try it in {command}()" for word in offered(command, "--")
            if word not in used_options[command] and not NOT_TRIED & {word, f"{command} {word}"}])

# That the search finds what is there: the same with all options.
have = {command: [word for word in offered(command, "--") if word in ("--arguments", "--full-paths", "--host")]
        for command in commands}
shown_options = have
for command in commands:
    if command in KEEP_ALL:
        continue
    wanted = [word for option, word in (("--arguments", SECRETS[0]), ("--full-paths", SECRETS[1]))
              if option in have[command] and (command, option, len(sys.argv) > 4) != ("check", "--full-paths", True)]
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
