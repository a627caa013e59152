#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cold starts without and with the line that `elfault analyze` prints for them, as docs/measured/prefetch.md has it.

usage: sudo tests/bench/cures/cold.py FOLDER [--pairs N] [--elfault ELFAULT] [PROGRAM...]

The files that a program uses are copied to an ext4 on a loop device with 128 KiB of read-ahead, and mounted over
themselves in a mount namespace: nobody else maps them, so that all of them can leave memory, libc and ld.so as well,
and no other device is slowed down. elfault-prefetch and the list are there, too. Waits are those that the kernel
counts for the task, from execve() of the line's first word to the end (taskstats: whatever a task sleeps for storage,
in faults, reads or lookups); faults are the major ones of them.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
PTRACE_TRACEME, PTRACE_CONT, PTRACE_SETOPTIONS, PTRACE_O_TRACEEXEC = 0, 7, 0x4200, 0x10
CLONE_NEWNS = 0x20000
DELAYS = pathlib.Path("/proc/sys/kernel/task_delayacct")


class Taskstats:
    """What the kernel counts for a task, by generic netlink (linux/taskstats.h)."""

    CONTROL, GET_FAMILY, FAMILY_ID, FAMILY_NAME = 16, 3, 1, 2
    GET, PID, AGGREGATE, STATS, BLKIO_COUNT = 1, 1, 4, 3, 32

    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.socket.bind((0, 0))
        answer = self.ask(self.CONTROL, self.GET_FAMILY, self.FAMILY_NAME, b"TASKSTATS\0")
        self.family = struct.unpack("H", answer[self.FAMILY_ID])[0]

    @staticmethod
    def attributes(data):
        found = {}
        while len(data) >= 4:
            length, kind = struct.unpack_from("HH", data)
            found[kind] = data[4:length]
            data = data[(length + 3) & ~3:]
        return found

    def ask(self, family, command, kind, value):
        attribute = struct.pack("HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)
        body = struct.pack("BBH", command, 1, 0) + attribute
        self.socket.send(struct.pack("IHHII", 16 + len(body), family, 1, 1, 0) + body)
        answer = self.socket.recv(1 << 16)
        if struct.unpack_from("H", answer, 4)[0] == 2:
            sys.exit(f"taskstats: {os.strerror(-struct.unpack_from('i', answer, 16)[0])}")
        return self.attributes(answer[20:])

    def waits(self, pid):
        stats = self.ask(self.family, self.GET, self.PID, struct.pack("I", pid))
        return struct.unpack_from("Q", self.attributes(stats[self.AGGREGATE])[self.STATS], self.BLKIO_COUNT)[0]


def call(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def drop(paths):
    for path in paths:
        file = os.open(path, os.O_RDONLY)
        os.fdatasync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def files_of(elfault, folder, words):
    """The files that @words maps, by a recording, and opens, by strace where that is installed."""
    listing, opens = folder / "files.list", folder / "opens"
    call(elfault, "record", "--quiet", "-o", folder / "first.trace", "--", *words, stderr=subprocess.DEVNULL)
    call(elfault, "prefetch", "--gap", "0", "--full-paths", folder / "first.trace", "-o", listing, stderr=subprocess.DEVNULL)
    paths = set(re.findall(r"^file (?:\S+ ){4}(.*)$", listing.read_text(), re.M))
    if shutil.which("strace"):
        call("strace", "-f", "-qq", "-e", "trace=open,openat", "-o", opens, *words, stderr=subprocess.DEVNULL)
        paths |= set(re.findall(r'"(/(?:usr|etc|lib)[^"]*)", O_RDONLY.* = \d', opens.read_text()))
    return sorted({os.path.realpath(path) for path in paths if os.path.isfile(path)})


class Disk:
    """A file system of its own that has @files, each mounted over itself."""

    def __init__(self, folder, files):
        image, self.path = folder / "image", folder / "disk"
        size = sum(os.path.getsize(file) + 65536 for file in files) * 1.3 + (64 << 20)
        with open(image, "wb") as out:
            out.truncate(int(size) & ~4095)
        call("mkfs.ext4", "-q", "-F", image)
        self.path.mkdir(exist_ok=True)
        self.device = call("losetup", "--find", "--show", "--direct-io=on", image).strip()
        call("mount", self.device, self.path)
        pathlib.Path(f"/sys/block/{os.path.basename(self.device)}/queue/read_ahead_kb").write_text("128")
        self.mounted = []
        for file in files:
            copy = pathlib.Path(f"{self.path}{file}")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)
        call("sync", "-f", self.path)
        for file in files:
            call("mount", "--bind", f"{self.path}{file}", file)
            self.mounted.append(file)

    def leave(self):
        for file in self.mounted:
            call("umount", "-l", file)
        call("umount", "-l", self.path)
        call("losetup", "-d", self.device)


def cool(files):
    time.sleep(0.05)  # what is being read cannot be dropped
    drop(files)


def end_of(pid, words):
    """What wait4() says of it, which must have gone well."""
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{shlex.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return usage


def seconds_of(words, files):
    """Start @words cold."""
    cool(files)
    with open(os.devnull, "w") as null:
        begin = time.monotonic()
        pid = os.posix_spawnp(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null.fileno(), 1)])
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - begin
    end_of(pid, words)
    return seconds


def waits_of(stats, program, words, files):
    """Start @words cold: waits before the first instruction of @program and behind it, major faults."""
    cool(files)
    path = shutil.which(words[0])
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        LIBC.ptrace(PTRACE_TRACEME, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execv(path, words)
    os.waitpid(pid, 0)
    LIBC.ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXEC)
    # Behind the program come those that it executes itself, as gdb does.
    before, is_begun = 0, False
    while True:
        LIBC.ptrace(PTRACE_CONT, pid, 0, 0)
        stop = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
        waits = stats.waits(pid)
        if stop.si_code in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED):
            break
        if not is_begun:
            before, is_begun = waits, os.readlink(f"/proc/{pid}/exe") == program
        os.waitpid(pid, 0)
    return before, waits - before, end_of(pid, words).ru_majflt


def printed_line(elfault, trace):
    """What `elfault analyze` says is to be typed."""
    answer = json.loads(call(elfault, "analyze", "--format", "json", trace, stderr=subprocess.DEVNULL))
    for finding in answer["findings"]:
        found = re.match(r"(.*?; .*?) asks for these ranges", finding["advice"] or "")
        if finding["id"] == "cold-start" and found:
            return found[1]
    return None


def measure(elfault, stats, folder, program, pairs):
    words = [shutil.which(program), "--version"]
    prefetch = elfault.parent.parent / "prefetch/elfault-prefetch"
    files = files_of(elfault, folder, words) + [os.path.realpath(prefetch)]
    disk = Disk(folder, files)
    try:
        # One folder: the line names the trace as it was named.
        os.chdir(disk.path)
        drop(files)  # --cold drops what is mapped, not what is only read
        call(elfault, "record", "--quiet", f"--cold={folder}/first.trace", "-o", f"{program}.trace", "--", *words,
             stderr=subprocess.DEVNULL)
        line = printed_line(elfault, f"{program}.trace")
        if not line:
            return f"| {program} | no line is printed: it hardly waits |", None
        make, use = line.split("; ", 1)
        call("sh", "-c", make, stderr=subprocess.DEVNULL)
        use = shlex.split(use)
        cold = files + ["prefetch.list"]
        plain, cured = [], []
        for _ in range(pairs):
            for rows, line_words in ((plain, words), (cured, use)):
                rows.append((seconds_of(line_words, cold),))
        # Apart, since being stopped takes time, the more the busier the machine is.
        for at in range(pairs):
            for rows, line_words in ((plain, words), (cured, use)):
                rows[at] += waits_of(stats, os.path.realpath(words[0]), line_words, cold)
    finally:
        os.chdir("/")
        disk.leave()
    median = [[statistics.median(row[column] for row in rows) for column in range(4)] for rows in (plain, cured)]
    ratios = [after[0] / before[0] for before, after in zip(plain, cured)]
    slower = sum(ratio > 1 for ratio in ratios)
    figures = [f"{before:.0f} → {after:.0f} (most {max(row[column] for row in cured)})"
               for column, (before, after) in enumerate(zip(*median)) if column > 0]
    return (f"| {program} | {median[0][0] * 1e3:.1f} | {median[1][0] * 1e3:.1f} | {statistics.median(ratios):.2f} |"
            f" {slower} of {pairs} | {' | '.join(figures)} |", line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--elfault", type=pathlib.Path,
                        default=pathlib.Path(__file__).parents[3] / "build/cli/elfault")
    parser.add_argument("programs", nargs="*", default=["git", "mold", "cmake", "gdb"])
    arguments = parser.parse_intermixed_args()
    folder, elfault = arguments.folder.resolve(), arguments.elfault.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    # The line names elfault as it is typed by who has it in PATH.
    os.environ["PATH"] = f"{elfault.parent}:{os.environ['PATH']}"
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    if LIBC.unshare(CLONE_NEWNS):
        sys.exit("unshare: needs root")
    call("mount", "--make-rprivate", "/")
    accounting = DELAYS.read_text()
    DELAYS.write_text("1")
    lines = []
    try:
        stats = Taskstats()
        print("| program | plain, ms | with the line, ms | ratio | slower | waits up to its first instruction | its waits |"
              " major faults |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        for program in arguments.programs:
            row, line = measure(elfault, stats, folder, program, arguments.pairs)
            print(row, flush=True)
            lines.append(line)
    finally:
        DELAYS.write_text(accounting)
    print("\n```")
    print("\n".join(filter(None, lines)))
    print("```")


main()
