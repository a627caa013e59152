#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `elfault tune` promises, measures and keeps of twelve programs, four of them drawn by lot, and whether tuned programs do the same
work. Prints the tables of docs/measured/tune.md.

usage: tune.py ELFAULT [--seed N] [--lot N] [--runs N] [PROGRAM...]

Every program is started with --version (or -version, -e 1) in an empty folder: those by lot are of /usr/bin, load libraries, and print the same
twice. Programs that are not installed are named and counted. Missing on Debian: apt install doxygen emacs-nox ffmpeg. On a busy machine begin
with `chrt -r 1`: nobody else is let in between."""
import argparse
import json
import os
import pathlib
import random
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import http.server

PROGRAMS = {"cmake": ["--version"], "gdb": ["--version"], "doxygen": ["--version"], "curl": ["--version"], "emacs": ["--version"],
            "qemu-system-x86_64": ["--version"], "ffmpeg": ["-version"], "clang-14": ["--version"], "git": ["--version"], "perl": ["-e", "1"]}
FIXED = 8


def quiet(words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)


def is_candidate(path):
    """Whether tune could do something for it: a program that loads libraries and tells its version."""
    try:
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF" or os.stat(path).st_mode & 0o6000:
                return False
        outcomes = [quiet([str(path), "--version"], timeout=5) for _ in range(2)]
    except (OSError, subprocess.TimeoutExpired):
        return False
    return all(o.returncode == 0 for o in outcomes) and outcomes[0].stdout == outcomes[1].stdout != b""


def draw(seed, count):
    names = sorted(path for path in pathlib.Path("/usr/bin").iterdir() if not path.is_symlink() and path.name not in PROGRAMS)
    lot, drawn = random.Random(seed), []
    lot.shuffle(names)
    for path in names:
        if len(drawn) == count:
            break
        if is_candidate(path):
            drawn.append(path.name)
    return drawn


def change(measure):
    return "" if measure is None else f"{100 * measure['own']['change']:+.0f}%"


def times(measure):
    return "" if measure is None else f"{measure['plain_own_ns'] / 1e6:.1f} → {measure['tuned_own_ns'] / 1e6:.1f} ms, {change(measure)}"


def verdict(measure, has_processor):
    if measure is None:
        return ""
    own, processor = measure["own"]["verdict"], measure["processor"]["verdict"]
    return f"{processor}, by processor time" if own == "no-difference" != processor and has_processor else own


def row(name, start):
    warm, cold, both = start["with_standins"], start["cold"], start["warm"]
    cells = [f"`{name}`", f"{start['files_away']} of {start['files']}", f"−{start['predicted_faults']:,}",
             f"{warm['plain_faults']:,.0f} → {warm['tuned_faults']:,.0f}" if warm else "", change(warm),
             f"{100 * warm['processor']['change']:+.0f}%" if warm else "",
             ("yes: " if start["keeps_standins"] else "no: ") + verdict(warm, True) if warm else start["differs"] or "none",
             times(cold), times(both),
             f"{'yes' if start['keeps_list'] else 'no'}: cold {verdict(cold, False)}, warm {verdict(both, True)}" if cold else "none"]
    return "| " + " | ".join(cells) + " |"


# ---- Real work ----------------------------------------------------------------------------------

def serve(folder):
    """A server of TLS on this machine. Returns its port and its certificate."""
    certificate = folder / "certificate.pem"
    quiet(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
           "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", certificate])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, folder / "key.pem")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"0123456789" * 10000)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("localhost", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port, certificate


def tasks(folder):
    """For each program: how to prepare, its arguments, and a folder whose files it writes."""
    project, core, out = folder / "project", folder / "core", folder / "out"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(one C)\n"
        f"file(DOWNLOAD file://{project}/one.c ${{CMAKE_BINARY_DIR}}/fetched.c SHOW_PROGRESS STATUS status)\nmessage(\"${{status}}\")\n"
        f"file(ARCHIVE_CREATE OUTPUT ${{CMAKE_BINARY_DIR}}/one.tar.gz PATHS {project}/one.c FORMAT gnutar COMPRESSION GZip MTIME 0)\n"
        "add_executable(one one.c)\n")
    (project / "one.c").write_text("/** Fails. */\nint fail(int *at) { return *at; }\nint main(void) { return fail(0); }\n")
    (project / "Doxyfile").write_text(f"INPUT = {project}\nOUTPUT_DIRECTORY = {out}\nEXTRACT_ALL = YES\nHTML_TIMESTAMP = NO\nGENERATE_LATEX = NO\n")
    quiet(["cc", "-g", "-o", project / "one", project / "one.c"])
    quiet(["gdb", "-batch", "-ex", "run", "-ex", f"generate-core-file {core}", project / "one"])
    port, certificate = serve(folder)
    text = '(progn (princ (secure-hash (quote sha512) "text")) (princ (json-serialize (json-parse-string "{\\"a\\":[1,2]}"))) ' \
           '(princ (gnutls-available-p)) (princ (format-time-string "%Y" 0 t)))'
    return {"cmake": ["-S", project, "-B", out], "gdb": ["-batch", "-ex", "bt", "-ex", "info sharedlibrary", project / "one", core],
            "doxygen": [project / "Doxyfile"], "curl": ["--silent", "--cacert", certificate, f"https://localhost:{port}/x"],
            "emacs": ["-Q", "-batch", "-eval", text]}, out


def outcome(words, out):
    """What it prints, and the files that it writes: logs name the process."""
    shutil.rmtree(out, ignore_errors=True)
    done = quiet([str(word) for word in words], timeout=600)
    files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*"))
             if path.is_file() and path.suffix in (".html", ".c", ".gz", ".js")} if out.exists() else {}
    return done.returncode, done.stdout, files


def work(tuned):
    with tempfile.TemporaryDirectory() as name:
        arguments, out = tasks(pathlib.Path(name))
        for program, words in arguments.items():
            if program not in tuned:
                continue
            plain, once_more, again = (outcome([start, *words], out) for start in (program, program, tuned[program]))
            # An archive has the time at which it was packed.
            alike = [path for path, data in plain[2].items() if once_more[2].get(path) == data]
            same = "the same" if plain[:2] == again[:2] and all(again[2].get(path) == plain[2][path] for path in alike) \
                and plain[2].keys() == again[2].keys() else "DIFFERENT"
            print(f"| `{program}` | exit status {plain[0]}, {len(plain[1]):,} bytes, {len(alike)} of {len(plain[2])} files alike in two plain runs | {same} |", flush=True)
            if same != "the same":
                sys.stderr.write(f"{program}: {plain[1].decode(errors='replace')}\n----\n{again[1].decode(errors='replace')}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("elfault", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--lot", type=int, default=4)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("programs", nargs="*")
    given = parser.parse_intermixed_args()
    given.elfault = given.elfault.resolve()
    here = tempfile.TemporaryDirectory()
    os.chdir(here.name)  # programs drawn by lot may write where they stand
    asked = given.programs or list(PROGRAMS)
    programs = [name for name in asked if shutil.which(name)]
    if not given.programs:
        programs = programs[:FIXED] + draw(given.seed, given.lot)
    missing = [name for name in asked if not shutil.which(name)]
    print(f"seed {given.seed}, load {os.getloadavg()[0]:.1f}, {given.runs} pairs; {len(missing)} of {len(asked)} programs are not installed"
          f"{': ' + ', '.join(missing) if missing else ''}\n", flush=True)
    print("| program | files left out | faults predicted | measured | warm | processor time | stand-ins kept | list: cold | warm | list kept |")
    print("|---|--:|--:|--:|--:|--:|---|--:|--:|---|", flush=True)
    tuned, halved = {}, 0
    with tempfile.TemporaryDirectory() as data:
        os.environ["XDG_DATA_HOME"] = data
        for name in programs:
            done = subprocess.run([given.elfault, "tune", "--runs", str(given.runs), "--format", "json", "--", name,
                                   *PROGRAMS.get(name, ["--version"])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            if done.returncode != 0:
                print(f"| `{name}` | refused: {done.stderr.decode().strip().removeprefix('elfault: ')} |||||||||", flush=True)
                continue
            start = json.loads(done.stdout)["starts"][0]
            print(row(name, start), flush=True)
            sys.stderr.buffer.write(done.stderr)
            halved += start["keeps_list"] and start["cold"]["own"]["change"] <= -0.5
            if start["keeps_standins"] or start["keeps_list"]:
                tuned[name] = f"{data}/elfault/tune/{name}/run"
        print(f"\ncold × 0.5 or better, and kept: {halved} of {len(programs)}")
        print(f"\nload {os.getloadavg()[0]:.1f}\n\n| program | real work | tuned |\n|---|---|---|", flush=True)
        work(tuned)


if __name__ == "__main__":
    main()
