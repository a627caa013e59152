#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# When the first window of a program is mapped on the X display, as xev tells that knows nothing of elfault:
#   mapped.py CLASS    waits for a window whose WM_CLASS has this word, and prints when it was told of, twice, as
#                      ready.py prints two moments, in nanoseconds of CLOCK_MONOTONIC. The file `watching` is made
#                      when it watches.
import queue
import re
import subprocess
import sys
import threading
import time


def is_of(window, name):
    found = subprocess.run(["xprop", "-id", window, "WM_CLASS"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True, check=False).stdout
    return name.lower() in found.lower()


def poke(done):
    while not done.wait(0.1):
        subprocess.run(["xprop", "-root", "-f", "WATCHED", "8s", "-set", "WATCHED", "x"], check=False)


def stamp(lines, told, done):
    """Each window has its time before anything is asked about another."""
    is_mapped = False
    for line in lines:
        now = time.monotonic_ns()
        if not done.is_set() and "WATCHED" in line:
            done.set()
            with open("watching", "w", encoding="utf-8"):
                pass
        found = re.search(r"event 0x\w+, window (0x\w+), override NO", line)
        if is_mapped and found:
            told.put((now, found[1]))
        is_mapped = line.startswith("MapNotify")


def main(name):
    done, told = threading.Event(), queue.Queue()
    command = ["xev", "-root", "-event", "substructure", "-event", "property"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as xev:
        # Nothing tells that it watches but what it sees.
        threading.Thread(target=poke, args=(done,)).start()
        threading.Thread(target=stamp, args=(xev.stdout, told, done), daemon=True).start()
        while True:
            now, window = told.get()
            if is_of(window, name):
                xev.kill()
                print(now, now, flush=True)
                return 0


sys.exit(main(sys.argv[1]))
