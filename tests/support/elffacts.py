# SPDX-License-Identifier: Apache-2.0
"""Addresses of an ELF file, read here and not by elfault, for tests that check it.

Little-endian 64-bit files only: the test programs and the libraries that they run with.
"""
import bisect
import functools
import os
import struct

PT_LOAD = 1
SHT_RELA, SHT_DYNSYM, SHT_SYMTAB, SHT_NOBITS, SHT_RELR = 4, 11, 2, 8, 19
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE, STT_TLS, STT_IFUNC = 0, 1, 2, 3, 4, 6, 10
R_X86_64_RELATIVE = 8
DEBUG_FILES = "/usr/lib/debug/.build-id"


class Elf:
    """Sections, symbols, relocated places and build-id of one file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path}: not a little-endian 64-bit ELF file")
        header = struct.unpack_from("<HHIQQQIHHHHHH", self.bytes, 16)
        phoff, shoff, phentsize, phnum, _, shnum, shstrndx = (*header[4:6], *header[8:13])
        self.segments = []
        for i in range(phnum):
            kind, flags, offset, vaddr, _, filesz, memsz, _ = struct.unpack_from(
                "<IIQQQQQQ", self.bytes, phoff + i * phentsize)
            if kind == PT_LOAD:
                self.segments.append((offset, filesz, vaddr, memsz, flags))
        raw = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, shoff + i * 64) for i in range(shnum)]
        names = raw[shstrndx][4] if shnum else 0
        self.raw = raw
        # Name, type, vaddr, file offset, size.
        self.sections = [(self.string(names + s[0]), s[1], s[3], s[4], s[5]) for s in raw]
        self._read_symbols()

    def string(self, offset):
        return self.bytes[offset:self.bytes.index(b"\0", offset)].decode("utf-8", "replace")

    def _read_symbols(self):
        symbols = set()
        self.ifuncs = set()
        for _, (_, kind, _, _, offset, size, link, _, _, _) in zip(self.sections, self.raw):
            if kind not in (SHT_SYMTAB, SHT_DYNSYM):
                continue
            strings = self.raw[link][4]
            for at in range(offset, offset + size, 24):
                name, info, _, shndx, value, length = struct.unpack_from("<IBBHQQ", self.bytes, at)
                kind_of = info & 15
                if not shndx or shndx >= 0xff00 or kind_of in (STT_SECTION, STT_FILE, STT_TLS):
                    continue
                symbols.add((value, length, self.string(strings + name)))
                if kind_of == STT_IFUNC:
                    self.ifuncs.add(value)
        self.symbols = sorted(symbols)
        self.starts = [symbol[0] for symbol in self.symbols]
        self.has_symtab = any(section[1] == SHT_SYMTAB for section in self.sections)

    @functools.cached_property
    def build_id(self):
        for name, _, _, offset, size in self.sections:
            if name == ".note.gnu.build-id":
                return self.bytes[offset + 16:offset + size].hex()
        return None

    @functools.cached_property
    def relocated(self):
        """The address of every word that a relocation of the file writes."""
        places = set()
        for _, kind, _, offset, size in self.sections:
            if kind == SHT_RELA:
                for at in range(offset, offset + size, 24):
                    places.add(struct.unpack_from("<Q", self.bytes, at)[0])
            elif kind == SHT_RELR:
                where = 0
                for at in range(offset, offset + size, 8):
                    word = struct.unpack_from("<Q", self.bytes, at)[0]
                    if not word & 1:
                        places.add(word)
                        where = word + 8
                        continue
                    places.update(where + 8 * bit for bit in range(63) if word >> (bit + 1) & 1)
                    where += 63 * 8
        return places

    @functools.cached_property
    def initializers(self):
        """The functions that run before main, sorted: the words of the arrays, and .init."""
        addends = {}
        for _, kind, _, offset, size in self.sections:
            if kind == SHT_RELA:
                for at in range(offset, offset + size, 24):
                    place, info, addend = struct.unpack_from("<QQq", self.bytes, at)
                    if info & 0xffffffff == R_X86_64_RELATIVE:
                        addends[place] = addend
        found = set()
        for name, _, vaddr, offset, size in self.sections:
            if name == ".init":
                found.add(vaddr)
            elif name in (".preinit_array", ".init_array", ".ctors"):
                for at in range(0, size, 8):
                    word = struct.unpack_from("<Q", self.bytes, offset + at)[0]
                    found.add(addends.get(vaddr + at, word))
        return sorted(found)

    def vaddr(self, offset):
        """Of code at @offset in the file, or None."""
        for start, size, vaddr, _, flags in self.segments:
            if flags & 1 and start <= offset < start + size:
                return offset - start + vaddr
        return None

    def section_at(self, vaddr):
        for name, kind, start, _, size in self.sections:
            if start and start <= vaddr < start + size and name not in (".tbss",):
                return name
        return None

    def names_at(self, vaddr):
        """(names, start): of the innermost symbols that cover @vaddr, or of the labels before it."""
        at = bisect.bisect_right(self.starts, vaddr) - 1
        for i in range(at, max(at - 64, -1), -1):
            start, size, _ = self.symbols[i]
            if vaddr < start + size or (not size and i == at):
                return {s[2] for s in self.symbols[max(i - 16, 0):at + 1]
                        if s[0] == start and (s[1] or not size)}, start
        return set(), None


@functools.lru_cache(maxsize=None)
def elf(path):
    try:
        return Elf(path)
    except (OSError, ValueError, struct.error, IndexError):
        return None


def built(path, twins):
    """The file of the same name in the folder @twins: as built, with symbols; else @path itself."""
    twin = os.path.join(twins, os.path.basename(path))
    return elf(twin if os.path.exists(twin) else path)


@functools.lru_cache(maxsize=None)
def named(path, twins):
    """The file whose symbols name the addresses of @path: as built, or its separate debug file."""
    own = built(path, twins)
    if own and not own.has_symtab and own.build_id:
        debug = elf(f"{DEBUG_FILES}/{own.build_id[:2]}/{own.build_id[2:]}.debug")
        if debug:
            return debug
    return own
