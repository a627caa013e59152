#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The share of a log that equals elfault's own recording of the same command.

  imported.py OWN IMPORTED      both as analyze --format ndjson prints them

Faults are matched by what was touched and by the instruction, as the ELF files write them; where the log does not tell
who touched, by the former alone. Prints one line of figures, `name=number`, in per mille of the imported faults:
    section symbol function initiator       have one
    matched                                 are in the own recording as well
    right unknown wrong                     of these: the initiator
    misplaced                               of these: another section or symbol than there (must be 0)
"""
import collections
import json
import sys


def load(path):
    with open(path, encoding='utf-8') as lines:
        return [json.loads(line) for line in lines]


def place(fault):
    at = fault['at']
    if not at['section'] or not at['object'] or not at['object'].startswith('/'):
        return None
    return at['object'].rsplit('/', 1)[-1], at['vaddr'] if at['vaddr'] is not None else at['offset']


def main():
    own = load(sys.argv[1])
    imported = load(sys.argv[2])
    by_place = collections.defaultdict(list)
    for fault in own:
        by_place[place(fault)].append(fault)
    figures = collections.Counter()
    for fault in imported:
        for name, has in (('section', place(fault)), ('symbol', fault['at']['symbol']),
                          ('function', fault['by']['function']),
                          ('initiator', fault['initiator'] != 'unknown')):
            figures[name] += bool(has)
        if not place(fault):
            continue
        same = by_place[place(fault)]
        if fault['by']['vaddr'] is not None:
            same = [one for one in same if one['by']['vaddr'] == fault['by']['vaddr']]
        if not same:
            continue
        figures['matched'] += 1
        figures['misplaced'] += all(one['at']['section'] != fault['at']['section'] or
                                    one['at']['symbol'] != fault['at']['symbol'] for one in same)
        if fault['initiator'] == 'unknown':
            figures['unknown'] += 1
        elif any(one['initiator'] == fault['initiator'] for one in same):
            figures['right'] += 1
        else:
            figures['wrong'] += 1
            print('wrong:', fault['initiator'], 'is', same[0]['initiator'], place(fault), fault['by']['function'],
                  file=sys.stderr)
    names = ('section', 'symbol', 'function', 'initiator', 'matched', 'right', 'unknown', 'wrong', 'misplaced')
    print(f'faults={len(imported)} own={len(own)}',
          *(f'{name}={-(-figures[name] * 1000 // max(len(imported), 1))}' for name in names))


main()
