# SPDX-License-Identifier: Apache-2.0
"""The kinds of ELF file in the zoo: how each is made, and what it is judged by.

A build is run by sh in a folder of its own with $src, this folder, and $base, a folder with walk.o
and plain, the program that most kinds are made from. It leaves a file of the kind's name.
"""

import dataclasses


@dataclasses.dataclass
class Kind:
    name: str  # of the file and, cut to 15 letters, of its process
    what: str  # for the table
    build: str
    tools: tuple = ()  # that the build needs; without one the kind is skipped
    twin: str = ""  # a file with the same code at the same addresses and all names; itself
    runs: bool = True
    note: str = ""  # words of a note that must be there
    missing: str = ""  # why some names are missing, for the table; without it none may be
    lines: bool = True  # whether it has lines to give


PLAIN = "$base/plain"

KINDS = [
    Kind("plain", "g++ -O2 -g", "cp $base/plain plain"),
    Kind("zstd", "objcopy --compress-debug-sections=zstd",
         "objcopy --compress-debug-sections=zstd $base/plain zstd", twin=PLAIN),
    Kind("zlib", "objcopy --compress-debug-sections=zlib",
         "objcopy --compress-debug-sections=zlib $base/plain zlib", twin=PLAIN),
    Kind("zdebug", "objcopy --compress-debug-sections=zlib-gnu",
         "objcopy --compress-debug-sections=zlib-gnu $base/plain zdebug", twin=PLAIN),
    Kind("tables", "eu-elfcompress --name .symtab --name .strtab",
         "eu-elfcompress -q --force --name .symtab --name .strtab -o tables $base/plain",
         tools=("eu-elfcompress",), twin=PLAIN),
    Kind("strings", "eu-elfcompress --name .strtab",
         "eu-elfcompress -q --force --name .strtab -o strings $base/plain",
         tools=("eu-elfcompress",), twin=PLAIN),
    Kind("stripped", "strip", "strip -o stripped $base/plain", twin=PLAIN, lines=False,
         missing="no symbol table: functions are named by their address"),
    Kind("sectionless", "llvm-objcopy --strip-sections",
         "llvm-objcopy --strip-sections $base/plain sectionless",
         tools=("llvm-objcopy",), twin=PLAIN, lines=False, note="no section headers",
         missing="no symbol table: functions are named by their address"),
    Kind("debuglink", "objcopy --only-keep-debug, strip, objcopy --add-gnu-debuglink",
         "objcopy --only-keep-debug $base/plain debuglink.debug && strip -o debuglink $base/plain "
         "&& objcopy --add-gnu-debuglink=debuglink.debug debuglink", twin=PLAIN),
    Kind("zstd-debuglink", "the same, the debug file compressed by zstd",
         "objcopy --only-keep-debug --compress-debug-sections=zstd $base/plain zstd.debug "
         "&& strip -o zstd-debuglink $base/plain "
         "&& objcopy --add-gnu-debuglink=zstd.debug zstd-debuglink", twin=PLAIN),
    Kind("dwz", "dwz", "dwz -o dwz $base/plain", tools=("dwz",), twin=PLAIN),
    Kind("split", "g++ -gsplit-dwarf", "g++ -O2 -g -gsplit-dwarf $src/walk.cc -o split",),
    Kind("dwarf64", "g++ -gdwarf64", "g++ -O2 -g -gdwarf64 $src/walk.cc -o dwarf64"),
    Kind("payload", "bytes behind the last section, as of node's single executables",
         "cp $base/plain payload && head -c 300000 $src/zoo.py >> payload && "
         "head -c 5000000 /dev/zero >> payload", twin=PLAIN),
    Kind("sparse", "3 GiB, most of it a hole behind the last section",
         "cp $base/plain sparse && truncate -s 3G sparse", twin=PLAIN),
]
