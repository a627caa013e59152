#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a recording with what another tool saw of the same run: a line for each figure with both and how far they
may be apart, then what does not agree. docs/other-tools.md says why they differ.

usage: peers.py window DUMP                     the time of the command's first thread since its exec, for perf's --time
       peers.py sched ANALYSIS DUMP TIMEHIST SWITCHES  of perf sched timehist --state, within that window, and
                                                of perf script -F time,event,trace --ns, its sched_switch
       peers.py time ANALYSIS DUMP TIMED COMM   of time -f "%e %U %S %R %F %w %c" of COMM, which it ran while recorded
       peers.py calls ANALYSIS DUMP SUMMARY COMM  of perf trace -s, of COMM, which a recorded shell ran
       peers.py requests STORAGE DUMP REQUESTS DEVICE  of bpftrace in tests/live/storage.bats; DEVICE: 7:0
"""
import json
import re
import sys

MS = 1e6
LAST_NS = 20000  # how far apart the two are at one event
TIME_HUNDREDTH = 10 * MS  # time(1) cuts what it prints to hundredths of a second
NAMES = {0: "read", 61: "wait4", 202: "futex", 230: "clock_nanosleep"}  # x86-64's
KINDS = {
    "child": ("wait4", "waitid"),
    "lock": ("futex",),
    "sleep": ("nanosleep", "clock_nanosleep"),
    "poll": ("poll", "ppoll", "select", "pselect6", "epoll_wait"),
    "read": ("read", "readv", "pread64", "preadv"),
    "write": ("write", "writev", "pwrite64", "pwritev"),
    "exec": ("execve", "execveat"),
}
RUNNING = ("cpu", "fault", "recording")  # what the kernel counts as such, with held() in the last
WAITING = ("wait", "file-io", "fault-io")


class Comparison:
    """What was compared, and what does not agree."""

    def __init__(self):
        self.wrong = []

    def show(self, what, ours, theirs, is_right, unit="ms"):
        scale, digits = (MS, 3) if unit == "ms" else (1, 0)
        print(f"{what:34} elfault {ours / scale:12.{digits}f} {unit:5}  other {theirs / scale:12.{digits}f} "
              f"{unit:5}  difference {(theirs - ours) / scale:+9.{digits}f}")
        if not is_right:
            self.wrong.append(what)

    def near(self, what, ours, theirs, slack):
        self.show(what, ours, theirs, abs(theirs - ours) <= max(0.03 * ours, slack))

    def between(self, what, ours, theirs, least, most, unit="ms"):
        self.show(what, ours, theirs, least <= theirs <= most, unit)

    def same(self, what, ours, theirs, unit=""):
        self.show(what, ours, theirs, ours == theirs, unit)


def slack(switches):
    """Both are called at each switch, one after the other."""
    return MS + 0.05 * MS * switches


class Dump:
    """Events of a trace, each with all its fields."""

    def __init__(self, path):
        self.pauses, self.exits, self.requests, self.root, self.exec_ns = [], [], [], None, None
        for line in open(path):
            word, _, rest = line.partition(" ")
            if word not in ("meta", "exec", "exit", "pause", "request"):
                continue
            event = dict(field.split("=", 1) for field in rest.split() if "=" in field)
            if word == "meta":
                self.root = int(event["root_pid"])
                continue
            event = {key: int(value) if value.isdigit() else value for key, value in event.items()}
            event.setdefault("pid", self.root)
            event.setdefault("tid", event["pid"])
            if word == "exec" and event["pid"] == self.root:
                self.exec_ns = self.exec_ns or event["time"]
            {"pause": self.pauses, "exit": self.exits, "request": self.requests}.get(word, []).append(event)

    def of_root(self):
        """Pauses of the command's first thread since its exec."""
        return [pause for pause in self.pauses if pause["tid"] == self.root and pause["time"] >= self.exec_ns]

    def end_ns(self):
        return max(pause["time"] for pause in self.of_root())


def away(pause):
    return pause["back"] - pause["time"] if "back" in pause else 0


def held(pauses):
    """While the recorder had the processor that these waited for: runnable for all but the account."""
    return sum(pause.get("recorder", 0) for pause in pauses)


def waits_in(pauses, number=None):
    """Those in a system call. One that is preempted may be on its way back: perf's call has ended by then."""
    return [pause for pause in pauses if "call" in pause and pause.get("left") != "preempted" and
            (number is None or pause["call"] == number)]


def sum_of(times, *states):
    return sum(times[state] for state in states)


def load(analysis):
    return json.load(open(analysis))


def window(dump):
    events = Dump(dump)
    print(",".join(f"{time // 10**9}.{time % 10**9:09}" for time in (events.exec_ns, events.end_ns())))


# Of "59174.482467 [0000]  spends[12164]  12.492  12.408  2.436  R": when it left the processor, for how long it had
# been away before it ran (waiting and then runnable), how much of that runnable, how long it ran, why it left.
TIMEHIST = re.compile(r"^\s*(\d+)\.(\d{6})\s+\[\d+\]\s+.*\[(-?\d+)(?:/\d+)?\]" + r"\s+([\d.]+)" * 3 + r"\s+(\S+)")


def timehist_of(path, tid, end_ns):
    """Rows of this thread: (away, runnable, ran, why it left, when it came back, whether runnable is known)."""
    rows, last_ns = [], 0
    for found in filter(None, map(TIMEHIST.match, open(path))):
        left_ns = int(found[1]) * 10**9 + int(found[2]) * 1000
        away_ns, runnable, ran = (float(value) * MS for value in found.groups()[3:6])
        if int(found[3]) == tid:
            rows.append((away_ns, runnable, ran, found[7], left_ns - ran, True))
        elif found[3] == "-1" and abs(left_ns - end_ns) < LAST_NS and rows:
            # It has been told that the thread has ended: to how long that had been away it has no clue.
            rows.append((left_ns - ran - last_ns, 0, ran, found[7], left_ns - ran, False))
        last_ns = left_ns if int(found[3]) == tid else last_ns
    return rows


def returns_of(path, tid):
    """When a switch says that this thread is next, in microseconds."""
    switch = re.compile(rf"^\s*(\d+)\.(\d{{6}})\d*: .*(?:next_pid={tid}\b|==> .*:{tid} \[)")
    return {int(found[1]) * 10**6 + int(found[2]) for found in map(switch.match, open(path)) if found}


def sched(compare, analysis, dump, timehist, switches):
    events, account = Dump(dump), load(analysis)["account"]
    rows = timehist_of(timehist, events.root, events.end_ns())
    returns = returns_of(switches, events.root)
    ran, waited, runnable, unsure, unseen = sum(row[2] for row in rows), 0, 0, 0, 0
    # It was away for what the first row says before its exec.
    for (_, _, _, left, _, _), (off, delay, stay, _, back_ns, is_sure) in zip(rows, rows[1:]):
        is_waiting = left[0] in "SDTtI"
        delay = min(delay, off) if is_waiting else off
        waited += off - delay
        runnable += delay
        unsure += off if is_waiting and not is_sure else 0
        # Without an event perf takes what another ran before for this thread's.
        if not any(round(back_ns / 1000) + late in returns for late in range(-3, 4)):
            unseen += stay
    ours, count = account["main"], len(events.of_root())
    by_recorder = held(events.of_root())
    may = slack(count) + unseen
    if unseen:
        print(f"perf did not see it come back to {unseen / MS:.3f} ms")
    compare.same("switches", count, len(rows))
    compare.near("run time", sum_of(ours, *RUNNING) - by_recorder, ran, may)
    compare.near("wait time - sch delay", sum_of(ours, *WAITING), waited, may + unsure)
    compare.near("sch delay + preempted", ours["runnable"] + by_recorder, runnable, may + unsure)
    compare.near("all", account["wall_ns"], ran + waited + runnable, slack(count))


def times(compare, analysis, dump, timed, comm):
    events, account = Dump(dump), load(analysis)["account"]
    elapsed, user, system, minor, major, voluntary, involuntary = map(float, open(timed).read().split())
    pid = next(row["pid"] for row in account["processes"] if row["comm"] == comm)
    own = [row for row in account["processes"] if row["pid"] == pid]
    # What it counts of a child it counts of the child's children too.
    below = [row for row in account["processes"] if row["pid"] != events.root]
    began, left, switched = set(), {"waiting": 0, "preempted": 0}, 0
    for pause in events.pauses:
        if pause["pid"] == events.root:
            continue
        switched += 1
        if "ends" not in pause and pause["tid"] in began:  # it begins with a pause, but no switch
            left[pause.get("left", "waiting")] += 1
        began.add(pause["tid"])
    # The kernel may count the last switch of a process before or after it is waited for.
    ends = len({row["pid"] for row in below})
    compare.between("elapsed", own[-1]["end_ns"] - own[0]["start_ns"], elapsed * 1e9,
                    own[-1]["end_ns"] - own[0]["start_ns"] - TIME_HUNDREDTH, account["wall_ns"])
    cpu = sum(sum_of(row["all"], *RUNNING) for row in below) - held(
        pause for pause in events.pauses if pause["pid"] != events.root)
    may = max(0.03 * cpu, slack(switched))
    compare.between("user + system", cpu, (user + system) * 1e9, cpu - 2 * TIME_HUNDREDTH - may, cpu + may)
    exits = [event for event in events.exits if event["pid"] != events.root]
    compare.same("minor faults", sum(event["kernel_minor"] for event in exits), minor)
    compare.same("major faults", sum(event["kernel_major"] for event in exits), major)
    recorded = sum(row["faults"] for row in below)
    # execve touches the new stack itself.
    compare.between("faults, recorded", recorded, minor + major, recorded,
                    recorded + load(analysis)["counts"]["unsampled"], "")
    compare.between("voluntary switches", left["waiting"], voluntary, left["waiting"], left["waiting"] + ends, "")
    compare.between("involuntary switches", left["preempted"], involuntary, left["preempted"], left["preempted"], "")


def summary_of(path, tids):
    """Of these threads: calls and their time in nanoseconds, by name."""
    found, is_wanted = {}, False
    for line in open(path):
        head = re.match(r"\s.*\((\d+)\), \d+ events", line)
        row = re.match(r"\s+(\w+)\s+(\d+)\s+(\d+)\s+([\d.]+)\s", line)
        if head:
            is_wanted = int(head[1]) in tids
        elif row and is_wanted:
            calls, time = found.get(row[1], (0, 0))
            found[row[1]] = (calls + int(row[2]), time + float(row[4]) * MS)
    return found


def calls(compare, analysis, dump, summary, comm):
    events, account = Dump(dump), load(analysis)["account"]
    pid = next(row["pid"] for row in account["processes"] if row["comm"] == comm)
    own = [row for row in account["processes"] if row["pid"] == pid]
    pauses = [pause for pause in events.pauses if pause["pid"] == pid]
    took = summary_of(summary, {pause["tid"] for pause in pauses})
    print(f"{sum(row[0] for row in took.values())} calls")
    for kind, names in KINDS.items():
        waited = sum(sum_of(row["waits"].get(kind, {"wait": 0, "file-io": 0}), "wait", "file-io") for row in own)
        total = sum(took.get(name, (0, 0))[1] for name in names)
        if waited:
            compare.between(f"waits: {kind}", waited, total, waited - slack(len(pauses)), float("inf"))
    # Both see the same moments, each with its own work between them. Perf has none that never returns, and the return of
    # rt_sigreturn has no number.
    counted = {}
    for row in account["calls"]["by_process"]:
        if row["pid"] == pid:
            calls, time = counted.get(row["call"], (0, 0))
            counted[row["call"]] = (calls + row["count"], time + row["duration_ns"])
    for name in sorted((set(counted) | set(took)) - {"exit", "exit_group", "rt_sigreturn"}):
        calls, time = counted.get(name, (0, 0))
        # There the thread that these make returns from them as well.
        twice = 2 * calls + 1 if name in ("clone", "clone3", "fork", "vfork") else calls
        compare.between(f"calls of {name}", calls, took.get(name, (0, 0))[0], calls, twice, "")
        compare.near(f"time of {name}", time, took.get(name, (0, 0))[1], slack(calls))
    # In these a thread does little else: once it is woken and has a processor it is back.
    for number, name in NAMES.items():
        off = sum(map(away, waits_in(pauses, number)))
        if off > 10 * MS:
            compare.near(f"off the processor in {name}", off, took.get(name, (0, 0))[1], slack(len(pauses)))
    # Of all: what runs in calls, faults and is preempted in them is part of all that does.
    off = sum(map(away, waits_in(pauses)))
    other = sum(sum_of(row["all"], *RUNNING, "runnable", "fault-io") for row in own)
    compare.between("off the processor in calls", off, sum(row[1] for row in took.values()),
                    off - slack(len(pauses)), off + other + slack(len(pauses)))


def requests(compare, storage, dump, told, device):
    events, storage = Dump(dump), load(storage)
    # Of "request BEGAN BYTES LATENCY ISSUED RA".
    lines = [line.split()[1:] for line in open(told) if line.startswith("request ")]
    others = [tuple(map(int, words[:4])) for words in lines if words[4].startswith("R")]
    pids = {pause["pid"] for pause in events.pauses}
    ours = [event for event in events.requests if event["device"] == device]
    whole = [event for event in ours if "continues" not in str(event.get("flags", ""))]
    compare.same("requests", len(whole), len(others))
    compare.same("bytes", sum(event["size"] for event in ours), sum(row[1] for row in others))
    compare.same("bytes of the command", sum(event["size"] for event in ours if event["pid"]),
                 sum(row[1] for row in others if row[0] in pids), "")
    compare.near("latency", sum(event["duration"] for event in whole), sum(row[2] for row in others),
                 slack(len(whole)))
    own = sum(event["size"] for event in events.requests if event["pid"])
    if storage["device_bytes"] - storage["by_others"] != own:
        compare.wrong.append("the answer has other bytes of the command than the trace")
    asked = sum(row[1] for row in others if row[0] in pids and row[3] != row[0])
    print(f"{asked} bytes of the command were issued by another thread")


def main(what, *rest):
    if what == "window":
        return window(*rest)
    compare = Comparison()
    {"sched": sched, "time": times, "calls": calls, "requests": requests}[what](compare, *rest)
    print("\n".join(compare.wrong))
    return bool(compare.wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
