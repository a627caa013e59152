#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the tag zero-page (of expect.py) if this kernel maps its one page of zeros where untouched anonymous memory is
read, which a later write copies. Others give a page of its own at once: on kernels for guests of PVM, no write faults
any more.
"""
import mmap
import resource

PAGES = 256


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


memory = mmap.mmap(-1, PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(PAGES):
    memory[page * mmap.PAGESIZE]
read = faults()
for page in range(PAGES):
    memory[page * mmap.PAGESIZE] = 1
if faults() - read >= PAGES:
    print("zero-page")
