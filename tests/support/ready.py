#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# When a server is ready, as a client sees it that knows nothing of elfault:
#   ready.py PORT|PATH           connects until that works; prints the begin of the last attempt that failed and
#                                the end of the first one that did not, in nanoseconds of CLOCK_MONOTONIC
#   ready.py --check TRACE NAME  reads such a line, and fails unless the mark NAME of the trace, which is in text
#                                form, lies between the two, or 2 ms beside at most
import re
import socket
import sys
import time

SLACK_NS = 2_000_000


def connects(place):
    is_path = not place.isdigit()
    try:
        with socket.socket(socket.AF_UNIX if is_path else socket.AF_INET) as client:
            client.connect(place if is_path else ("127.0.0.1", int(place)))
            return True
    except OSError:
        return False


def wait_for(place):
    deadline = time.monotonic() + 60
    before = time.monotonic_ns()
    while True:
        begin = time.monotonic_ns()
        if connects(place):
            print(before, time.monotonic_ns())
            return 0
        before = begin
        if time.monotonic() > deadline:
            return 1
        time.sleep(0.0002)


def check(trace, name):
    before, after = (int(word) for word in sys.stdin.read().split())
    with open(trace, encoding="utf-8") as lines:
        times = [int(found[1]) for found in (
            re.match(rf'mark time=(\d+) .*name="?{re.escape(name)}"?( |$)', line) for line in lines) if found]
    if len(times) != 1:
        print(f"{trace} has {len(times)} marks {name}")
        return 1
    print(f"{name}: {(times[0] - before) / 1e6:.3f} ms after the last failure, "
          f"{(times[0] - after) / 1e6:.3f} ms after the first success")
    return 0 if before - SLACK_NS <= times[0] <= after + SLACK_NS else 1


if sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2], sys.argv[3]))
sys.exit(wait_for(sys.argv[1]))
