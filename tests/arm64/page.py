#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print a report page with its data unpacked, without the graphs, which a build without graphviz lacks.

usage: page.py PAGE.html
"""
import base64
import json
import re
import sys
import zlib

with open(sys.argv[1], encoding="utf-8") as page:
    text = page.read()
block = re.search(r'(id="data">)([A-Za-z0-9+/=]+)', text)
if not block:  # of a comparison
    print(text)
    sys.exit()
data = zlib.decompress(base64.b64decode(block[2]), 31)
size = int.from_bytes(data[:4], "little")
header = json.loads(data[4:4 + size])
print(text[:block.start(2)], json.dumps(header, indent=1), data[4 + size:].hex(), text[block.end():])
