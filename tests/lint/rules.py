#!/usr/bin/env python3
"""The parts of the documentation that describe rules say what the rules say; their prose is complete.
  rules.py PROGRAM DOCS
PROGRAM prints them (rules.c); UPDATE_GOLDEN=1 writes them between the markers."""
import os
import pathlib
import re
import subprocess
import sys
import textwrap

BEGIN, END = '<!-- written from the rules in advice/ -->\n', '<!-- end of what is written -->\n'
WIDTH = 120


def wrap(line):
    if not line or line[0] in '#|':
        return line
    return textwrap.fill(line, WIDTH, subsequent_indent='  ' if line.startswith('- ') else '',
                         break_long_words=False, break_on_hyphens=False)


program, docs = sys.argv[1:]
print('1..3')
failed = False
for number, name in enumerate(('findings', 'diff'), 1):
    printed = subprocess.run([program, name], check=True, capture_output=True, text=True).stdout
    wanted = '\n'.join(map(wrap, printed.strip().split('\n')))
    path = pathlib.Path(docs) / f'{name}.md'
    before, rest = path.read_text().split(BEGIN)
    written, after = rest.split(END)
    if os.environ.get('UPDATE_GOLDEN'):
        written = f'\n{wanted}\n\n'
        path.write_text(before + BEGIN + written + END + after)
    is_same = written == f'\n{wanted}\n\n'
    print('ok' if is_same else 'not ok', number, f'- {path.name} describes the rules as they are')
    if not is_same:
        print('# UPDATE_GOLDEN=1 writes it anew')
        failed = True

# A name that find() gives no value to would be printed as it is.
wrong = []
for path in sorted(pathlib.Path(docs).parent.glob('advice/*/*.c')):
    source = path.read_text()
    every = {'object', 'trace', 'run', 'prefetch'}  # have values in every rule: advice/trace/rule.h
    named = set(re.findall(r'\{(\w+)\}', source)) - every
    given = set(re.findall(r'\{ "(\w+)"', source)) - every
    wrong += [f'{path.name}: {{{name}}}' for name in sorted(named ^ given)]
print('not ok' if wrong else 'ok', '3 - each value of a rule is in its prose, and each of its prose is measured')
for each in wrong:
    print('#', each)
sys.exit(failed or bool(wrong))
