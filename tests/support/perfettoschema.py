#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Take Perfetto's schema of traces out of its trace processor, for `protoc --descriptor_set_in=OUT`.

usage: perfettoschema.py trace_processor.wasm OUT

The program has FileDescriptorSets among its data. The longest of those with trace.proto is taken.
"""
import re
import sys

TRACE = b"protos/perfetto/trace/trace.proto"


def length(data, at):
    """A varint, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def file_end(data, at):
    """Where the file that begins at @at ends; None: no file begins there."""
    if at >= len(data) or data[at] != 0x0a:
        return None
    size, body = length(data, at + 1)
    if body >= len(data) or data[body] != 0x0a:
        return None
    name_size, name = length(data, body + 1)
    return body + size if data[name:name + name_size].endswith(b".proto") and name_size < size else None


def main(program, out):
    data = open(program, "rb").read()
    found, seen = b"", 0
    for match in re.finditer(rb"\x0a[\x80-\xff]*[\x00-\x7f]\x0a.(?=protos/|google/)", data, re.DOTALL):
        at = match.start()
        if at < seen:
            continue
        end = at
        while (after := file_end(data, end)) is not None:
            end = after
        seen = max(end, seen)
        if TRACE in data[at:end] and end - at > len(found):
            found = data[at:end]
    assert found, f"{program}: no FileDescriptorSet has {TRACE.decode()}"
    open(out, "wb").write(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
