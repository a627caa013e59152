#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An observer of commands that bench-wrap starts, which is neither the recorder nor the command's parent: bpftrace.

A span is what an account of elfault is of: from within execve, where the kernel names the task anew, to the last time
that the first thread leaves the processor. rusage begins at the fork, and so does a parent's clock. Only switches,
renames, new tasks and exits are looked at: some µs of a span.
"""
import os
import shutil
import subprocess
import threading
import time

# Probes are attached from the last to the first, and BEGIN is run before all of them.
PROGRAM = r"""
interval:ms:100 /!@is_ready/ { @is_ready = 1; printf("ready\n"); }
tracepoint:task:task_rename /comm == "bench-wrap"/ {
    @root[args->pid] = args->pid; @on[args->pid] = nsecs; @cpu[args->pid] = (uint64)0; @ends[args->pid] = 0;
    printf("begin %d %llu\n", args->pid, nsecs);
}
tracepoint:task:task_newtask /@root[tid]/ {
    @root[args->pid] = @root[tid]; @on[args->pid] = (uint64)0; @cpu[args->pid] = (uint64)0; @ends[args->pid] = 0;
}
tracepoint:sched:sched_process_exit /@root[args->pid]/ { @ends[args->pid] = 1; }
tracepoint:sched:sched_switch {
    if (@root[args->prev_pid]) {
        if (@on[args->prev_pid]) {
            @cpu[args->prev_pid] += nsecs - @on[args->prev_pid];
            @on[args->prev_pid] = (uint64)0;
        }
        if (@ends[args->prev_pid]) {
            printf("end %d %d %llu %llu\n", @root[args->prev_pid], args->prev_pid, @cpu[args->prev_pid], nsecs);
        }
    }
    if (@root[args->next_pid]) { @on[args->next_pid] = nsecs; }
}
"""


class Observer:
    """Watches from its creation on until found() is called."""

    def __init__(self):
        # A map's 4,096 keys by default are fewer tasks than fifteen rounds make.
        self.process = subprocess.Popen(["bpftrace", "-e", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env={**os.environ, "BPFTRACE_MAP_KEYS_MAX": str(1 << 20)})
        # Read while it runs: where the pipe is full, events are lost.
        self.lines = []
        is_ready = threading.Event()
        self.reader = threading.Thread(target=self.read, args=[is_ready])
        self.reader.start()
        is_ready.wait()
        if "ready\n" not in self.lines:
            raise RuntimeError("bpftrace ended early")

    def read(self, is_ready):
        for line in self.process.stdout:
            self.lines.append(line)
            if line == "ready\n":
                is_ready.set()
        is_ready.set()

    @staticmethod
    def is_possible():
        return bool(shutil.which("bpftrace"))

    def found(self):
        """Of each command in the order they began: ms on the processor, of all its threads, and of wall time."""
        seen = -1
        while seen < len(self.lines):  # what bpftrace has not printed when it is ended is lost
            seen = len(self.lines)
            time.sleep(1)
        self.process.terminate()
        self.reader.join()
        return list(spans_of(self.lines))


def spans_of(lines):
    spans, latest = [], {}
    for words in map(str.split, lines):
        if words[:1] == ["begin"]:
            latest[words[1]] = {"start": int(words[2]), "end": int(words[2]), "cpu": {}}
            spans.append(latest[words[1]])
        elif words[:1] == ["end"] and words[1] in latest:
            span = latest[words[1]]
            # A task that ends may be off the processor before it is at its end: the last line counts.
            span["cpu"][words[2]] = int(words[3])
            if words[1] == words[2]:
                span["end"] = int(words[4])
    for span in spans:
        yield {"cpu": sum(span["cpu"].values()) / 1e6, "wall": (span["end"] - span["start"]) / 1e6}
