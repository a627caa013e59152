#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes to a 64-bit little-endian ELF file that no tool makes.

usage: elf.py far FILE     tables behind 5 GiB, the rest of the file a hole
       elf.py hash FILE    a .gnu.hash in which no name is found
       elf.py many FILE    assembler of 200,000 functions, new
"""

import struct
import sys

SECTION = struct.Struct("<IIQQQQIIQQ")  # name type flags addr offset size link info align entsize


def sections(data):
    offset, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    rows = [SECTION.unpack_from(data, offset + i * SECTION.size) for i in range(count)]
    strings = data[rows[names][4]:rows[names][4] + rows[names][5]]
    return offset, [(strings[row[0]:strings.index(b"\0", row[0])].decode(), row) for row in rows]


def far(path, data):
    """Move what is not loaded, and the section headers."""
    start, rows = sections(data)
    at, pieces = 5 << 30, []
    for index, (_, row) in enumerate(rows):
        if row[1] in (0, 8) or row[2] & 2:  # SHT_NULL, SHT_NOBITS; SHF_ALLOC
            continue
        at = (at + 15) & ~15
        pieces.append((at, data[row[4]:row[4] + row[5]]))
        struct.pack_into("<Q", data, start + index * SECTION.size + 24, at)
        at += row[5]
    at = (at + 15) & ~15
    pieces.append((at, data[start:start + len(rows) * SECTION.size]))
    struct.pack_into("<Q", data, 0x28, at)
    with open(path, "r+b") as file:
        file.truncate(max(row[4] + row[5] for _, row in rows if row[2] & 2 and row[1] != 8))
        file.write(data[:64])
        for offset, content in pieces:
            file.seek(offset)
            file.write(content)


def hash_nothing(path, data):
    """Empty the Bloom filter and the buckets."""
    row = next(row for name, row in sections(data)[1] if name == ".gnu.hash")
    buckets, _, words, _ = struct.unpack_from("<IIII", data, row[4])
    size = words * 8 + buckets * 4
    data[row[4] + 16:row[4] + 16 + size] = bytes(size)
    with open(path, "r+b") as file:
        file.write(data)


def many(path):
    with open(path, "w", encoding="ascii") as file:
        for i in range(200000):
            file.write(f".type zoo_{i},@function\nzoo_{i}: ret\n.size zoo_{i},1\n")


if sys.argv[1] == "many":
    many(sys.argv[2])
    sys.exit()
with open(sys.argv[2], "rb") as original:
    {"far": far, "hash": hash_nothing}[sys.argv[1]](sys.argv[2], bytearray(original.read()))
