#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""entered.py ORDER PLACES PROGRAM LIBRARY: every function of which PLACES (fixtures/programs/enters.c) has the place
is in the order file ORDER, and ORDER has no other function of these files that writes its place."""
import collections
import subprocess
import sys

order_path, places_path, program, library = sys.argv[1:]
with open(order_path, encoding='ascii') as file:
    order = {line.rstrip('\n') for line in file if not line.startswith('#')}


def functions(path):
    """Names by place, counted from the file's first byte in memory."""
    with open(path, 'rb') as elf:
        header = elf.read(64)
        elf.seek(int.from_bytes(header[32:40], 'little'))
        segments = [elf.read(56) for _ in range(int.from_bytes(header[56:58], 'little'))]
    base = min(int.from_bytes(segment[16:24], 'little') for segment in segments if segment[:4] == b'\1\0\0\0')
    names = collections.defaultdict(set)
    for line in subprocess.run(['nm', path], check=True, capture_output=True, text=True).stdout.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in 'tTiW':
            names[int(fields[0], 16) - base].add(fields[2])
    return names


objects = {'p': functions(program), 'l': functions(library)}
entered, missing = set(), []
with open(places_path, encoding='ascii') as file:
    for line in file:
        which, place = line.split()
        names = objects[which][int(place, 16)]
        assert names, f'no function at {line}'
        entered |= names
        if not names & order:
            missing.append(names)
assert not missing, f'entered but not in {order_path}: {missing}'
assert len(entered) >= 30, entered
for never in 'never', 'library_never':
    assert never not in entered and never not in order, never
# Called by the dynamic linker while it relocates the library: before anything of it can write.
assert 'resolve' in order, 'the IFUNC resolver is missing'
with_place = 'shared_ thread blocked in_ executed before_ after_ twice_ run_ take_ open_ on_ stop_ construct destruct'
extra = [name for name in order - entered for prefix in with_place.split() if name.startswith(prefix)
         and any(name in names for of in objects.values() for names in of.values())]
assert not extra, f'not entered: {extra}'
print(len(entered), 'functions entered, all in', order_path)
