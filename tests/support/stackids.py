#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hold `elfault analyze --format ndjson --stacks ids` against the same without: put together, the lines are equal.

usage: stackids.py ELFAULT TRACE...
"""
import json
import subprocess
import sys


def lines(elfault, trace, *options):
    command = [elfault, "analyze", "--allow-truncated", "--format", "ndjson", *options, trace]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in output.splitlines()]


def put_together(short):
    """The faults with their stacks, and how many frames and stacks there were; each is defined before it is named."""
    frames, stacks, faults = {}, {None: {"stack": [], "stack_end": None}}, []
    for line in short:
        if "frame_id" in line:
            number = line.pop("frame_id")
            assert number == len(frames) + 1, f"frame {number} after {len(frames)}"
            frames[number] = line
        elif "frames" in line:
            number = line["stack_id"]
            assert number == len(stacks), f"stack {number} after {len(stacks) - 1}"
            stacks[number] = {"stack": [frames[frame] for frame in line["frames"]], "stack_end": line["stack_end"]}
        else:
            faults.append({**line, **stacks[line.pop("stack_id")]})
    return faults, len(frames), len(stacks) - 1


def main(elfault, *traces):
    stacks_seen = 0
    for trace in traces:
        long = lines(elfault, trace)
        faults, frame_count, stack_count = put_together(lines(elfault, trace, "--stacks", "ids"))
        for fault in faults:
            fault.pop("stack_id", None)
        if faults != long:
            sys.exit(f"{trace}: the faults are not the same")
        stacks_seen += stack_count
        print(f"{trace}: {len(faults)} faults, {frame_count} frames, {stack_count} stacks")
    return 0 if stacks_seen else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
