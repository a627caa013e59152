# SPDX-License-Identifier: Apache-2.0
"""Checks the rings that a recorder mapped, by strace -f -v -e trace=perf_event_open,mmap,close: standard
input. Each ring of an inherited event must wake its reader at a quarter of its size, one at every record
aside. Prints the sizes in KiB, one per line."""
import re
import sys

PAGE = 4096
opened, mapped = {}, {}
for line in sys.stdin:
    found = re.search(r"\bperf_event_open\(\{(.*)\}, .*\) = (\d+)$", line)
    if found:
        mapped.pop(int(found[2]), None)
        opened.pop(int(found[2]), None)
        if "inherit=1" in found[1]:
            watermark = re.search(r"watermark=1,.*wakeup_watermark=(\d+)", found[1])
            opened[int(found[2])] = int(watermark[1]) if watermark else None
    found = re.search(r"\bmmap\(NULL, (\d+), PROT_READ\|PROT_WRITE, MAP_SHARED, (\d+), 0\) = 0x", line)
    if found and int(found[2]) in opened:
        mapped[int(found[2])] = int(found[1]) - PAGE
for fd, size in mapped.items():
    if opened[fd] not in (1, size // 4):
        sys.exit(f"a ring of {size} bytes wakes at {opened[fd]}")
    print(size // 1024)
