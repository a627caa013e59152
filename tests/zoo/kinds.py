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
    libraries: int = 0  # of its own, each of which must be seen where it was built
    unlined: str = ""  # why some lines are missing nevertheless


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
    Kind("debugdata", "the symbols of functions compressed by xz, in .gnu_debugdata",
         "nm --defined-only --format=posix $base/plain | sed -n 's/ [tTwW] .*//p' | sort -u >kept && "
         "objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=kept "
         "--only-keep-debug $base/plain small && xz small && strip -o debugdata $base/plain && "
         "objcopy --add-section .gnu_debugdata=small.xz debugdata",
         tools=("xz",), twin=PLAIN, lines=False),
    Kind("zstd-debuglink", "the same, the debug file compressed by zstd",
         "objcopy --only-keep-debug --compress-debug-sections=zstd $base/plain zstd.debug "
         "&& strip -o zstd-debuglink $base/plain "
         "&& objcopy --add-gnu-debuglink=zstd.debug zstd-debuglink", twin=PLAIN),
    Kind("dwz", "dwz", "dwz -o dwz $base/plain", tools=("dwz",), twin=PLAIN),
    Kind("split", "g++ -gsplit-dwarf", "g++ -O2 -g -gsplit-dwarf $src/walk.cc -o split",),
    Kind("dwp", "the same, llvm-dwp -e",
         "g++ -O2 -g -gsplit-dwarf -c $src/walk.cc -o part.o && g++ part.o -o dwp && "
         "llvm-dwp -e dwp -o dwp.dwp && rm -f *.dwo", tools=("llvm-dwp",)),
    Kind("dwarf64", "g++ -gdwarf64", "g++ -O2 -g -gdwarf64 $src/walk.cc -o dwarf64"),
    Kind("payload", "bytes behind the last section, as of node's single executables",
         "cp $base/plain payload && head -c 3000 $src/zoo.py >> payload && "
         "head -c 5000000 /dev/zero >> payload", twin=PLAIN),
    Kind("sparse", "3 GiB, most of it a hole behind the last section",
         "cp $base/plain sparse && truncate -s 3G sparse", twin=PLAIN),
    Kind("far", "symbols, DWARF and section headers behind 5 GiB",
         "cp $base/plain far && $src/elf.py far far", twin=PLAIN),
    Kind("dynsym", "g++ -rdynamic, strip",
         "g++ -rdynamic $base/walk.o -o full && strip -o dynsym full", twin="full", lines=False,
         missing="local functions are in no table"),
    Kind("hash", "the same, with names that .gnu.hash does not find",
         "g++ -rdynamic -Wl,--hash-style=gnu $base/walk.o -o full && strip -o hash full && "
         "$src/elf.py hash hash", twin="full", lines=False,
         missing="local functions are in no table"),
    Kind("medium", "g++ -mcmodel=medium: .ldata, .lbss, .lrodata",
         "g++ -O2 -g -mcmodel=medium -mlarge-data-threshold=16 $src/walk.cc -o medium"),
    Kind("large", "g++ -mcmodel=large", "g++ -O2 -g -mcmodel=large $src/walk.cc -o large"),
    Kind("m32", "gcc -m32", "gcc -m32 -O1 -g -pie -fPIE -nostdlib $src/bare.c -o m32", runs=False),
    Kind("no-pie", "g++ -no-pie", "g++ -no-pie $base/walk.o -o no-pie"),
    Kind("static", "g++ -static", "g++ -static $base/walk.o -o static"),
    Kind("static-pie", "g++ -static-pie", "g++ -static-pie $base/walk.o -o static-pie"),
    Kind("high", "g++ -no-pie -Wl,-Ttext-segment=0x10000000",
         "g++ -no-pie -Wl,-Ttext-segment=0x10000000 $base/walk.o -o high"),
    Kind("biased", "g++ -pie -Wl,-Ttext-segment=0x200000",
         "g++ -pie -Wl,-Ttext-segment=0x200000 $base/walk.o -o biased"),
    Kind("script", "a linker script: another load bias, .code instead of .text",
         "ld -pie --verbose | sed '1,/^====/d; /^====/,$d; s/^  \\.text  /  .code  /; "
         "s/SEGMENT_START(\"text-segment\", 0)/0x123000/' >script.ld && "
         "g++ -pie -Wl,-T,script.ld $base/walk.o -o script"),
    Kind("many", "200,000 functions",
         "python3 $src/elf.py many many.s && as many.s -o many.o && "
         "g++ $base/walk.o many.o -o many", lines=False),
    Kind("libraries", "a program with 499 libraries of its own", "$src/libraries.sh libraries $base/walk.o", libraries=499),
    Kind("relr", "g++ -Wl,-z,pack-relative-relocs",
         "g++ -Wl,-z,pack-relative-relocs $base/walk.o -o relr"),
    Kind("android", "clang++ -fuse-ld=lld -Wl,--pack-dyn-relocs=android",
         "clang++ -fuse-ld=lld -Wl,--pack-dyn-relocs=android $base/walk.o -o android",
         tools=("clang++", "ld.lld"), runs=False),
    Kind("emit-relocs", "g++ -Wl,--emit-relocs",
         "g++ -Wl,--emit-relocs $base/walk.o -o emit-relocs"),
    Kind("crel", "clang++-19 -Wa,--crel -Wl,--emit-relocs",
         "clang++-19 -O2 -g -Wa,--crel,--allow-experimental-crel -fuse-ld=lld -Wl,--emit-relocs "
         "$src/walk.cc -o crel", tools=("clang++-19", "ld.lld-19")),
    Kind("sections", "g++ -ffunction-sections -Wl,--gc-sections",
         "g++ -O2 -g -ffunction-sections -fdata-sections -Wl,--gc-sections $src/walk.cc -o sections"),
    Kind("lto", "g++ -flto", "g++ -O2 -g -flto $src/walk.cc -o lto"),
    Kind("icf-gold", "g++ -fuse-ld=gold -Wl,--icf=all",
         "g++ -O2 -g -ffunction-sections -fuse-ld=gold -Wl,--icf=all $src/walk.cc -o icf-gold",
         tools=("ld.gold",)),
    Kind("icf-lld", "clang++ -fuse-ld=lld -Wl,--icf=all",
         "clang++ -O2 -g -ffunction-sections -fuse-ld=lld -Wl,--icf=all $src/walk.cc -o icf-lld",
         tools=("clang++", "ld.lld")),
    Kind("icf-mold", "g++ -fuse-ld=mold -Wl,--icf=all",
         "g++ -O2 -g -ffunction-sections -fuse-ld=mold -Wl,--icf=all $src/walk.cc -o icf-mold",
         tools=("mold",)),
    Kind("blocks", "clang++ -fbasic-block-sections=all -fuse-ld=lld",
         "clang++ -O2 -g -fbasic-block-sections=all -fuse-ld=lld $src/walk.cc -o blocks",
         tools=("clang++", "ld.lld")),
    Kind("bolt", "llvm-bolt -split-functions -split-all-cold",
         "g++ -Wl,--emit-relocs $base/walk.o -o full && "
         "llvm-bolt full -o bolt -reorder-blocks=ext-tsp -reorder-functions=hfsort "
         "-split-functions -split-all-cold -data=$src/walk.fdata -update-debug-sections",
         tools=("llvm-bolt",),
         unlined="BOLT leaves what g++ had split off out of the ranges of its DWARF"),
]

# Linkers, stripped or not, changed by patchelf or not.
for linker, tool in {"bfd": "ld.bfd", "gold": "ld.gold", "lld": "ld.lld", "mold": "mold"}.items():
    link = f"g++ -fuse-ld={linker} $base/walk.o -o full"
    KINDS += [
        Kind(linker, f"g++ -fuse-ld={linker}", f"{link} && cp full {linker}", tools=(tool,)),
        Kind(f"{linker}-stripped", "the same, stripped", f"{link} && strip -o {linker}-stripped full",
             tools=(tool,), twin="full", lines=False,
             missing="no symbol table: functions are named by their address"),
        Kind(f"{linker}-patchelf", "the same, patchelf --set-rpath",
             f"{link} && patchelf --set-rpath /nowhere/{'far/' * 90} --output {linker}-patchelf full",
             tools=(tool, "patchelf"), twin="full"),
        Kind(f"{linker}-both", "stripped, then patchelf --set-rpath",
             f"{link} && strip -o stripped full && "
             f"patchelf --set-rpath /nowhere/{'far/' * 90} --output {linker}-both stripped",
             tools=(tool, "patchelf"), twin="full", lines=False,
             missing="no symbol table: functions are named by their address"),
    ]

# Other machines, of either byte order and class.
for machine, options in {"aarch64-linux-gnu": "", "armv7a-linux-gnueabihf": "",
                         "thumbv7-linux-gnueabihf": "", "riscv64-linux-gnu": "",
                         "powerpc64le-linux-gnu": "", "mips-linux-gnu": "",
                         "mips64el-linux-gnuabi64": "", "i686-linux-gnu": ""}.items():
    name = machine.split("-")[0]
    KINDS.append(Kind(
        name, f"clang --target={machine} -fuse-ld=lld",
        f"clang --target={machine} -O1 -g -fPIE -c $src/bare.c -o bare.o && "
        f"ld.lld -pie bare.o -o {name}", tools=("clang", "ld.lld"), runs=False))

# lld 14 does not link for it.
KINDS.append(Kind(
    "s390x", "clang --target=s390x-linux-gnu, GNU ld",
    "clang --target=s390x-linux-gnu -O1 -g -fPIE -c $src/bare.c -o bare.o && "
    "s390x-linux-gnu-ld -pie bare.o -o s390x", tools=("clang", "s390x-linux-gnu-ld"), runs=False))
