#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether what another tool reads in an export is what `analyze --format json --faults` says of the same trace.

usage: exported.py pprof|perfetto|sqlite ANSWER.json READ

READ is what the tool made of the export: `go tool pprof -raw`, `protoc --decode`, or a database. Faults, time and
bytes have to be the same in all, and by each value of each field that the format has.
"""
import collections
import json
import re
import sqlite3
import sys


def sums():
    return collections.defaultdict(lambda: [0, 0, 0])


def add(table, fields, weights):
    for key in [("all", None), *fields.items()]:
        if key[1] is not None or key[0] == "all":
            table[key] = [have + more for have, more in zip(table[key], weights)]


def answered(answer, wanted, time):
    """The sums of the JSON document, by the fields wanted."""
    page_size = answer["trace"]["page_size"]
    table = sums()
    for fault in answer["faults"]:
        init = fault["initializer"] or {}
        fields = {
            **{name: fault[name] for name in ("initiator", "mechanism", "kind", "access", "mode", "certainty", "comm")},
            "object": fault["at"]["object"], "section": fault["at"]["section"], "symbol": fault["at"]["symbol"],
            "function": fault["by"]["function"], "by_object": fault["by"]["object"],
            "blame": (fault["blame"] or {}).get("function"), "init_object": init.get("object"),
            "initializer": init.get("function") or init.get("array"),
            "pid": str(fault["pid"]), "tid": str(fault["tid"]),
            "stack": ";".join(frame["function"] or "?" for frame in fault["stack"]) or None,
        }
        read = fault["read"]["pages"] * page_size if fault["read"] else 0
        add(table, {name: value for name, value in fields.items() if name in wanted},
            (1, fault[time] or 0, read))
    return table


def code_places(answer):
    """Object and offset of each frame, or of the instruction alone; and the build-id of each such object."""
    ids = {row["path"]: row["build_id"] for row in answer["objects"]}
    found = {(frame["object"], frame["offset"]) for fault in answer["faults"] for frame in fault["stack"] or [fault["by"]]
             if frame["offset"] is not None}
    return found, ids


def check_mappings(locations, mappings, answer):
    """Start and offset of a mapping make the offset in the file of an address; the build-id is the file's."""
    places, ids = code_places(answer)
    assert {(mappings[number][2], address - mappings[number][0] + mappings[number][1])
            for address, number in locations if number in mappings and mappings[number][2][0] in "/~"} == places
    for start, offset, path, build_id in mappings.values():
        assert start % 4096 == offset % 4096 == 0, path
        assert path not in ids or ids[path] is None or build_id == ids[path], path


def pprof(path, answer):
    table, weights, in_samples, locations, mappings = sums(), None, False, [], {}
    for line in open(path, errors="replace"):
        if line.startswith("faults/count"):
            in_samples = True
        elif line.startswith("Locations"):
            in_samples = False
        elif not in_samples and (match := re.match(r" +\d+: 0x([0-9a-f]+) M=(\d+)", line)):
            locations.append((int(match[1], 16), int(match[2])))
        elif not in_samples and (match := re.match(r"(\d+): 0x([0-9a-f]+)/0x[0-9a-f]+/0x([0-9a-f]+) (.*?) ([0-9a-f]*) \[", line)):
            mappings[int(match[1])] = int(match[2], 16), int(match[3], 16), match[4], match[5]
        elif in_samples and (match := re.match(r" +(\d+) +(\d+) +(\d+): [\d ]+$", line)):
            weights = list(map(int, match.groups()))
        elif in_samples:
            add(table, dict(re.findall(r"(\w+):\[(.*?)\](?= \w+:\[|$)", line.strip())), weights)
    check_mappings(locations, mappings, answer)
    return table, ("initiator", "mechanism", "kind", "object", "section", "initializer", "init_object", "comm", "pid",
                   "tid")


def messages(lines):
    """The text form of a message: field -> list of values, of messages the same."""
    found = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            name, value = line[:-2], messages(lines)
        else:
            name, value = line.split(": ", 1)
            value = re.sub(r"\\(\d{3}|.)", lambda escape: chr(int(escape[1], 8)) if escape[1].isdigit() else
                           {"n": "\n", "r": "\r", "t": "\t"}.get(escape[1], escape[1]),
                           value[1:-1]).encode("latin1", "replace").decode("utf8", "replace") if value[0] == '"' else value
        if name.isdigit():
            sys.exit(f"field {name} is not in the schema: {line}")
        found[name].append(value)
    return found


class Perfetto:
    """Faults are slices of the category page-fault, or moments where their duration is not known."""

    def __init__(self):
        self.table, self.names = sums(), collections.defaultdict(dict)
        self.tracks, self.open, self.counters, self.seen = {}, collections.defaultdict(list), {}, None
        self.recording, self.moments, self.marks = {}, collections.Counter(), []

    def intern(self, data):
        for kind, rows in data.items():
            for row in rows:
                number, rest = row["iid"][0], {name: value for name, value in row.items() if name != "iid"}
                assert number not in self.names[kind] and number != "0", (kind, row)
                self.names[kind][number] = rest
                if kind == "callstacks":
                    assert all(frame in self.names["frames"] for frame in rest["frame_ids"])
                if kind == "frames":
                    assert rest["function_name_id"][0] in self.names["function_names"]

    def frames(self, number):
        functions = self.names["function_names"]
        return [functions[self.names["frames"][frame]["function_name_id"][0]]["str"][0]
                for frame in self.names["callstacks"][number]["frame_ids"]]

    def value(self, note):
        for name, value in note.items():
            if name == "string_value_iid":
                return self.names["debug_annotation_string_values"][value[0]]["str"][0]
            if name.endswith("_value"):
                return value[0]

    def name(self, event):
        return self.names["event_names"][event["name_iid"][0]]["name"][0]

    def fault(self, event, track):
        notes = {self.names["debug_annotation_names"][note["name_iid"][0]]["name"][0]: self.value(note)
                 for note in event["debug_annotations"]}
        notes["initiator"] = self.name(event)
        notes["pid"], notes["tid"] = track["thread"][0]["pid"][0], track["thread"][0]["tid"][0]
        if "callstack_iid" in event:
            notes["innermost"] = self.frames(event["callstack_iid"][0])[-1]
        return notes

    def packet(self, packet):
        for data in packet["interned_data"]:
            self.intern(data)
        for track in packet["track_descriptor"]:
            assert track["uuid"][0] not in self.tracks and all(
                parent in self.tracks for parent in track["parent_uuid"]), track
            self.tracks[track["uuid"][0]] = track
        for event in packet["track_event"]:
            self.event(event, int(packet["timestamp"][0]))

    def event(self, event, time):
        uuid, kind = event["track_uuid"][0], event["type"][0]
        for track, value in zip(event["extra_counter_track_uuids"], event["extra_counter_values"]):
            assert int(value) > self.counters.get(track, 0) and self.tracks[track]["counter"]
            self.counters[track] = int(value)
        if kind == "TYPE_SLICE_END":
            begun, notes, state = self.open[uuid].pop()
            assert time >= begun or begun == 2**64 - 1
            self.moments[state] += time - begun
            if notes:
                add(self.table, notes, (1, time - begun, int(notes.get("read_bytes", 0))))
            return
        category = self.names["event_categories"][event["category_iids"][0]]["name"][0]
        if category == "recording":
            self.recording = {note["name"][0]: self.value(note) for note in event["debug_annotations"]}
        if category == "mark":
            assert kind == "TYPE_INSTANT" and self.tracks[uuid]["name"] == ["elfault"], event
            notes = {note["name"][0]: self.value(note) for note in event["debug_annotations"]}
            self.marks.append((time, event["name"][0], notes["condition"], int(notes["since_ns"]),
                               int(notes.get("pid", 0)), int(notes.get("tid", 0))))
        notes = self.fault(event, self.tracks[uuid]) if category == "page-fault" else None
        if kind == "TYPE_SLICE_BEGIN":
            self.open[uuid].append((time, notes, self.name(event) if category == "wait" else None))
        elif category == "sample":
            notes = {self.names["debug_annotation_names"][note["name_iid"][0]]["name"][0]: self.value(note)
                     for note in event["debug_annotations"]}
            self.moments["cpu"] += int(notes["ns"])
        elif notes:
            add(self.table, notes, (1, 0, int(notes.get("read_bytes", 0))))

    def check(self, answer):
        counted = collections.Counter()
        for track, value in self.counters.items():
            counted[self.tracks[track]["name"][0]] += value
        faults, _, read = self.table[("all", None)]
        assert counted["page faults"] == faults and counted["bytes read by faults"] == read, counted
        assert not any(self.open.values())
        # Some computing and waiting has no moment, and no more than there was has one.
        if answer["account"] and not narrowed(answer):
            spent = answer["account"]["all"]
            for state in ("cpu", "wait", "file-io"):
                assert self.moments[state] <= spent[state], (state, self.moments[state], spent[state])
            assert self.moments["cpu"] > 0 or answer["account"]["samples"] == 0
        assert self.marks == [
            (mark["time_ns"], mark["name"], mark["condition"], mark["since_ns"], mark["pid"] or 0, mark["tid"] or 0)
            for mark in (answer["account"] or {}).get("marks", []) if is_shown(mark["time_ns"], answer)], self.marks
        for name in ("recorded", "attributed", "lost"):
            assert int(self.recording[name]) == answer["counts"][name], name


def perfetto(path, answer):
    trace = Perfetto()
    lines = iter(open(path, errors="replace"))
    for line in lines:
        assert line == "packet {\n", line
        trace.packet(messages(lines))
    trace.check(answer)
    return trace.table, ("initiator", "mechanism", "kind", "access", "mode", "certainty", "object", "section", "symbol",
                         "function", "by_object", "blame", "initializer", "init_object", "comm", "pid", "tid")


SQLITE_FIELDS = ("initiator", "mechanism", "kind", "access", "mode", "certainty", "object", "section", "symbol",
                 "function", "by_object", "blame", "initializer", "init_object", "comm", "pid", "tid")


def counted(base, query):
    """The first column of each row is its name, the second a number."""
    return {name: number for name, number in base.execute(query) if number}


def is_shown(time, answer):
    """Of a mark: it held, and in the window."""
    window = answer["trace"]["window"]
    return time is not None and (not window or window["from_ns"] <= time <= window["until_ns"])


def narrowed(answer):
    return len(answer["faults"]) < answer["counts"]["recorded"]


def tables(base, answer):
    """What is not said of each fault."""
    state = "SELECT state.word, sum(ns) FROM account_times AS t JOIN words AS state ON state.id = t.state WHERE scope = "
    account = answer["account"] or {"main": {}, "all": {}, "processes": [], "calls": None, "critical_path": None,
                                    "wall_ns": None}
    subject = account.get("subject")
    for scope, times in ("main", account["main"]), ("all", account["all"]), ("subject", subject["main"] if subject else {}):
        assert counted(base, f"{state}'{scope}' GROUP BY 1") == {name: ns for name, ns in times.items() if ns}, scope
    told = base.execute("SELECT pid, start_ns, subject_wall_ns FROM account JOIN processes ON processes.id = subject").fetchall()
    assert told == ([(subject["pid"], subject["start_ns"], subject["wall_ns"])] if subject and subject["pid"] else []), told
    assert base.execute("SELECT wall_ns FROM account").fetchall() == ([(account["wall_ns"],)] if answer["account"] else [])
    assert base.execute("SELECT pid, command IS NULL FROM processes ORDER BY id").fetchall() == [
        (row["pid"], row["command"] == []) for row in account["processes"]]
    critical = account["critical_path"] or {"steps": []}
    assert base.execute("SELECT tid, ns FROM critical_steps ORDER BY id").fetchall() == [
        (row["tid"], row["duration_ns"]) for row in critical["steps"]]
    calls = account["calls"] or {"all": []}
    assert base.execute("SELECT name, count, ns FROM calls WHERE process IS NULL ORDER BY id").fetchall() == [
        (row["call"], row["count"], row["duration_ns"]) for row in calls["all"]]
    storage = answer["storage"] or {"device_bytes": 0, "by_file": [], "by_section": []}
    causes = counted(base, "SELECT cause, bytes FROM storage_by_cause")
    assert causes == {name: storage[f"by_{name}"] for name in causes}
    assert sum(causes.values()) == storage["device_bytes"]
    for table, column, rows in (("storage_files", "path", storage["by_file"]),
                                ("storage_sections", "section", storage["by_section"])):
        assert base.execute(f"SELECT {column}, read, mapped, touched FROM {table} ORDER BY id").fetchall() == [
            tuple(row[key] for key in (column, "read", "mapped", "touched")) for row in rows], table
    assert base.execute("SELECT name, saves_duration_ns, advice FROM findings ORDER BY id").fetchall() == [
        (row["id"], row["saves"]["duration_ns"], row["advice"]) for row in answer["findings"]]
    assert [row[0] for row in base.execute("SELECT text FROM notes ORDER BY id")] == answer["notes"]
    for name in ("recorded", "attributed", "unattributed", "lost", "rusage_minor", "in_elf_symbol"):
        assert base.execute(f"SELECT {name} FROM counts").fetchone() == (answer["counts"][name],), name
    listed = sorted((row["path"], init["index"], init["array"], init["faults"], init["duration_ns"], init["own_ns"], init["cpu_ns"])
                    for row in answer["objects"] for init in row["initializers"])
    shown = {row["path"] for row in answer["objects"]}  # of an answer that is narrowed not all
    assert sorted(row for row in base.execute(
        "SELECT o.path, i.position, i.array, i.faults, i.duration_ns, i.own_ns, i.cpu_ns FROM initializers AS i"
        " JOIN objects AS o ON o.id = i.object"
    ) if row[0] in shown) == listed, "initializers"
    if not answer["filter"] and not narrowed(answer):
        operations = counted(base, "SELECT c.word, sum(o.bytes) FROM operations AS o JOIN words AS c ON c.id = o.cause GROUP BY 1")
        assert operations == {name: size for name, size in causes.items() if size}, operations
        assert base.execute("SELECT count(DISTINCT request) FROM operations").fetchone() == (
            storage["requests"]["count"] if answer["storage"] else 0,)
        assert base.execute("SELECT count(*) FROM initializers AS i WHERE i.faults <> ("
                            "SELECT count(*) FROM faults AS f WHERE f.initializer = i.id)").fetchone() == (0,)
    views = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    for view in views:
        base.execute(f"SELECT * FROM {view}").fetchall()
    for table in ("initiator", "mechanism", "object", "section", "process"):
        assert base.execute(f"SELECT ifnull(sum(faults), 0) FROM faults_by_{table}").fetchone()[0] == len(answer["faults"])


def sqlite(path, answer):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert base.execute("PRAGMA foreign_key_check").fetchall() == []
    tables(base, answer)
    table = sums()
    for *row, own, read in base.execute(
            f"SELECT {', '.join(SQLITE_FIELDS)}, own_ns, read_bytes FROM fault"):
        fields = {name: value if value is None else str(value) for name, value in zip(SQLITE_FIELDS, row)}
        add(table, fields, (1, own or 0, read or 0))
    return table, SQLITE_FIELDS


def main():
    kind, answer, path = sys.argv[1:]
    answer = json.load(open(answer))
    table, wanted = {"pprof": pprof, "perfetto": perfetto, "sqlite": sqlite}[kind](path, answer)
    expected = answered(answer, wanted, "duration_ns" if kind == "perfetto" else "own_ns")
    table = {key: value for key, value in table.items() if key[0] in (*wanted, "all")}
    bad = [f"{key}: {table.get(key)} in {kind}, {expected.get(key)} in JSON"
           for key in {**expected, **table} if table.get(key) != expected.get(key)]
    if bad:
        sys.exit("\n".join(bad[:20]))
    print(f"{kind}: {len(expected)} sums are the same; in all {expected[('all', None)]}")


main()
