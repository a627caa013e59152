#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""When real programs are ready, by elfault and by somebody who knows nothing of it. Prints Markdown.

Servers: a client that tries to connect every 50 us (connects.c): the condition held between its last attempt that failed and the
first that did not, or beside. Lines of output: whoever reads the pipe. sd_notify: a socket before elfault's that passes each
message on. Windows: xev (tests/support/mapped.py).

usage: until.py BUILD [--rounds N] [--program WORD]... [--out FILE]
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
SUPPORT = HERE.parent / "support"
POSTGRES = "/usr/lib/postgresql/15/bin"
LIMIT_MS = 2
AT_ONCE = ["chrt", "-f", "1"]
JAVA = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
public class Serve {
    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 0);
        server.start();
    }
}
"""
NGINX = """
daemon {daemon}; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ }}
http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; server {{ listen 127.0.0.1:{port}; }} }}
"""


class Connects:
    """The client of a server at a port."""

    def __init__(self, build, folder, port):
        self.client = subprocess.Popen(AT_ONCE + [build / "tests/bench/bench-connects", str(port)],
                                       stdout=subprocess.PIPE, text=True, cwd=folder)

    def moments(self):
        return [int(word) for word in self.client.communicate(timeout=120)[0].split()]


class Maps:
    """Another client of the display."""

    def __init__(self, folder, name):
        (folder / "watching").unlink(missing_ok=True)
        self.client = subprocess.Popen(AT_ONCE + [sys.executable, SUPPORT / "mapped.py", name],
                                       stdout=subprocess.PIPE, text=True, cwd=folder)
        while not (folder / "watching").exists():
            time.sleep(0.05)

    def moments(self):
        return [int(word) for word in self.client.communicate(timeout=120)[0].split()]


class Notified:
    """A socket that services tell first, which passes on to elfault's: the call that does lies between two moments."""

    def __init__(self, folder):
        self.path = folder / "notified"
        self.path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        os.chmod(self.path, 0o777)
        self.ready = None
        self.thread = threading.Thread(target=self.listen, args=(folder / "inner",), daemon=True)
        self.thread.start()

    def listen(self, inner):
        while not self.ready:
            message = self.socket.recv(8192)
            outer, name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), "\0" + inner.read_text()[1:]
            before = time.monotonic_ns()
            outer.sendto(message, name)
            if b"READY=1" in message.split(b"\n"):
                self.ready = [before, time.monotonic_ns()]

    def moments(self):
        self.thread.join(30)
        return self.ready


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def as_user(name):
    return ["setpriv", f"--reuid={name}", f"--regid={name}", "--clear-groups", "--inh-caps=-all"]


def told_first(folder, command):
    """The command with the socket before elfault's, whose name is kept for whoever listens there."""
    script = f'printf %s "$NOTIFY_SOCKET" >{folder}/inner; NOTIFY_SOCKET={folder}/notified exec "$@"'
    return ["sh", "-c", script, "sh", *command]


def postgres(folder, port):
    data = folder / "data"
    if not data.exists():
        data.mkdir()
        shutil.chown(data, "postgres", "postgres")
        subprocess.run(as_user("postgres") + [f"{POSTGRES}/initdb", "-D", data, "-A", "trust"], check=True,
                       stdout=subprocess.DEVNULL)
    (folder / "sockets").mkdir(exist_ok=True)
    shutil.chown(folder / "sockets", "postgres", "postgres")
    return as_user("postgres") + [f"{POSTGRES}/postgres", "-D", str(data), "-p", str(port), "-k", f"{folder}/sockets",
                                  "-h", "127.0.0.1"]


def nginx(folder, port, daemon="off"):
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, daemon=daemon))
    return ["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]


def redis(folder, port, *more):
    return ["redis-server", "--port", str(port), "--save", "", "--bind", "127.0.0.1", "--dir", str(folder), *more]


def java(folder, port):
    (folder / "Serve.java").write_text(JAVA)
    if not (folder / "Serve.class").exists():
        subprocess.run(["javac", "Serve.java"], cwd=folder, check=True)
    return ["java", "-cp", str(folder), "Serve", str(port)]


def firefox(folder, _):
    (folder / "profile").mkdir(exist_ok=True)
    return ["firefox-esr", "--no-remote", "--profile", str(folder / "profile"), "about:blank"]


PYTHON = [os.path.realpath(sys.executable), "-m", "http.server", "--bind", "127.0.0.1"]
BWRAP = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
# Name, its program, condition, the command in a folder with a port, and who watches.
PROGRAMS = [
    ("postgres 15", f"{POSTGRES}/postgres", "listen:{port}", postgres, "connects"),
    ("postgres 15", f"{POSTGRES}/postgres", "output~ready to accept", postgres, "reads"),
    ("postgres 15", f"{POSTGRES}/postgres", "notify", lambda f, p: told_first(f, postgres(f, p)), "notified"),
    ("nginx", "nginx", "listen:{port}", nginx, "connects"),
    ("nginx, a daemon", "nginx", "listen:{port}", lambda f, p: nginx(f, p, "on"), "connects"),
    ("redis", "redis-server", "listen:{port}", redis, "connects"),
    ("redis", "redis-server", "output~Ready to accept", redis, "reads"),
    ("redis", "redis-server", "notify", lambda f, p: told_first(f, redis(f, p, "--supervised", "systemd")), "notified"),
    ("redis, in bwrap", "bwrap", "listen:{port}", lambda f, p: BWRAP + redis(f, p), "connects"),
    ("python3 -m http.server", PYTHON[0], "listen:{port}", lambda f, p: PYTHON + [str(p)], "connects"),
    ("a JVM's HttpServer", "javac", "listen:{port}", java, "connects"),
    ("zenity", "zenity", "window", lambda f, p: ["zenity", "--info", "--text", "hello"], "maps zenity"),
    ("Firefox", "firefox-esr", "window", firefox, "maps firefox"),
]


def watch(kind, build, folder, port):
    if kind == "connects":
        return Connects(build, folder, port)
    if kind == "notified":
        return Notified(folder)
    return Maps(folder, kind.split()[1]) if kind.startswith("maps") else None


def read_lines(stream, wanted, found):
    for line in stream:
        if not found and re.search(wanted, line):
            found.append(time.monotonic_ns())


def one_round(build, folder, row, is_first):
    """Nanoseconds of the mark, since the program began, and the two moments of whoever watches."""
    _, _, condition, command, kind = row
    port = free_port()
    words = command(folder, port)
    if is_first and kind.startswith("maps"):
        # No profile has to be made then.
        subprocess.run(["timeout", "20", *words], check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    watcher = watch(kind, build, folder, port)
    found = []
    with subprocess.Popen([build / "cli/elfault", "record", "--until", condition.format(port=port),
                           "--then", "end", "-o", folder / "trace", "--", *words], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as recorder:
        read_lines(recorder.stdout, condition.partition("~")[2], found if kind == "reads" else [0])
    moments = found * 2 if kind == "reads" else watcher.moments()
    dumped = subprocess.run([build / "cli/elfault", "dump", folder / "trace"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    mark = int(re.search(r"^mark time=(\d+)", dumped, re.M)[1])
    start = int(re.search(r"^exec time=(\d+)", dumped, re.M)[1])
    return mark, mark - start, moments


def beside(mark, moments):
    """How far the mark is outside of the two moments, in ms; and from the latter."""
    before, after = moments
    outside = max(before - mark, mark - after, 0)
    return outside / 1e6, (mark - after) / 1e6


def measure(build, home, row, rounds):
    ready, outside, differences = [], [], []
    with tempfile.TemporaryDirectory(dir=home) as folder:
        os.chmod(folder, 0o755)
        for number in range(rounds):
            mark, since, moments = one_round(build, pathlib.Path(folder), row, number == 0)
            far, difference = beside(mark, moments)
            ready.append(since / 1e6)
            outside.append(far)
            differences.append(difference)
    condition = row[2].replace("{port}", "PORT")
    within = sum(far <= LIMIT_MS for far in outside)
    return (f"| {row[0]} | `{condition}` | {statistics.median(ready):,.1f} | {statistics.median(differences):+.3f} | "
            f"{min(differences):+.3f} to {max(differences):+.3f} | {within} of {rounds} |")


def display():
    """An X server for the windows; its process, or None."""
    if not shutil.which("Xvfb"):
        return None
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-noreset", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
                              pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ.update({"DISPLAY": ":" + os.read(read, 16).decode().strip(), "GDK_BACKEND": "x11",
                       "MOZ_ENABLE_WAYLAND": "0", "NO_AT_BRIDGE": "1"})
    return server


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--program", action="append", default=[])
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    lines = [f"Linux {platform.release()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}.", "",
             "| program | condition | ready, ms | elfault less the observer, ms | from, to | within 2 ms |",
             "|---|---|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o755)
        os.environ["HOME"] = home
        server = display()
        # Whoever watches is not to be late; the recorder and the program are as always.
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        for row in PROGRAMS:
            if arguments.program and not any(word in row[0] for word in arguments.program):
                continue
            if not shutil.which(row[1]) or (row[2] == "window" and not server):
                lines.append(f"| {row[0]} | `{row[2]}` | not installed | | | |")
            else:
                lines.append(measure(build, home, row, arguments.rounds))
            print(lines[-1], file=sys.stderr, flush=True)
        if server:
            server.kill()
    (arguments.out or pathlib.Path("/dev/stdout")).write_text("\n".join(lines) + "\n")
    return 0


sys.exit(main())
