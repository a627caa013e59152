#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Facts about a processor are in machine/ alone: to add a processor is to write one file there, not to find the places
that know of x86. Comments, tests and fixtures may say what they like. Each row of ALLOWED has its reason, and one that
nothing needs any more is a fault as well.

usage: machine.py ROOT"""
import pathlib
import re
import sys

NO_SYSCALL = r"(?<!\bsyscall\()(?<!\bsyscall\( )"
KINDS = {
    "page": (r"\b(?:4096|4095|0x0*fff|0x0*1000)(?:[uU]?[lL]{0,2})\b",
             "a page is MACHINE_PAGE, the last error MACHINE_ERRNO_MAX (machine/page.h); what is neither is 4 << 10"),
    "ELF machine": (r"\bEM_[A-Z0-9]\w*", "ask machine_of() what the processor is like"),
    "call number": (rf"{NO_SYSCALL}\bSYS_\w+|\b__NR_\w+",
                    "machine_call_number() and machine_call() know them; SYS_... is for syscall() of our own"),
    "disassembler": (r"\b(?:X86|ARM64)_[A-Z]\w*|\bCS_(?:ARCH|MODE|GRP|AC|OPT|ERR)_\w+|\bcs_\w+|\bcsh\b",
                     "capstone is asked in machine/ only"),
    "register": (r"\buser_regs_struct\b|\bPERF_REG_\w+|\b(?:orig_)?r(?:[abcd]x|[sd]i|[sbi]p|[89]|1[0-5])\b",
                 "machine/registers.h and machine/task.h have them"),
    # Bytes in a list, or compared: of two digits, since masks have others.
    "opcode": (r"[{,]\s*0x[0-9a-fA-F]{2}\s*,(?=\s*0x[0-9a-fA-F]{1,2}\s*[,}])"
               r"|(?:[=!]=|\bcase)\s*0x[0-9a-fA-F]{2}\b|\"(?:\\x[0-9a-fA-F]{2}){2}|=\s*0x[0-9a-fA-F]{2}\s*,",
               "what an instruction does is asked of struct machine"),
}
# Path or folder -> the kinds that it may have -> why.
ALLOWED = {
    "bpf/": {
        "call number": "the kernel counts the calls of the processor that it runs on",
        "register": "struct pt_regs is the kernel's",
        "opcode": "a code segment, a task's state and a request's operation, of the kernel",
    },
    "prefetch/present.c": {"call number": "defines one for syscall() where libc's headers are older"},
    "elfmap/machine.c": {"ELF machine": "relocation types are data of ELF, of machines that have no file here as well"},
    "elfmap/machine.h": {"ELF machine": "the layout of relocations, likewise"},
    "elfmap/entries.c": {"opcode": "how .eh_frame_hdr encodes pointers"},
    "base/glob.c": {"opcode": "UTF-8"},
    "base/text.h": {"opcode": "UTF-8"},
    "advice/": {"opcode": "UTF-8"},
    "budget/": {"opcode": "UTF-8"},
    "cure/order.c": {"opcode": "characters of UTF-8 that are no letters"},
    "prefetch/list.c": {"opcode": "a character that is no letter"},
    "render/": {"opcode": "UTF-8, and dots of Braille"},
}
FOREIGN = re.compile(r"machine|tests|fixtures|docs|build|\.")


def code_of(text):
    """@text without comments and without strings but those of bytes; lines stay where they are."""
    def blank(match):
        found = match[0]
        if found.startswith("/"):
            return re.sub(r"[^\n]", " ", found)
        return found if "\\x" in found else '""'
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", blank, text, flags=re.S)


def facts(text):
    """(line, kind, what stands there)."""
    code = code_of(text)
    code = re.sub(r"\bsyscall\(\s*SYS_", "syscall(SYS_", code)
    for kind, (pattern, _) in KINDS.items():
        for match in re.finditer(pattern, code):
            yield code.count("\n", 0, match.start()) + 1, kind, " ".join(match[0].split())


def allowance(path, kind):
    """The row of ALLOWED that lets @path have @kind."""
    for row, kinds in ALLOWED.items():
        if (path == row or (row.endswith("/") and path.startswith(row))) and kind in kinds:
            return row, kind
    return None


def sources(root):
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and not FOREIGN.match(folder.name):
            yield from (source for source in sorted(folder.rglob("*")) if source.suffix in (".c", ".h", ".def"))


def lint_fails_where_it_should():
    bad = {
        "page": ["x = size & ~UINT64_C(0xfff);", "char page[4096];", "if (result >= -4095ull)", "at += 0x1000;"],
        "ELF machine": ["if (machine == EM_X86_64)", "case EM_AARCH64:"],
        "call number": ["if (number == SYS_mmap)", "{ __NR_openat, 1 }"],
        "disassembler": ["case X86_INS_CALL:", "x = X86_REG_RIP;", "cs_insn *next;", "ARM64_OP_MEM"],
        "register": ["regs.orig_rax", "struct user_regs_struct regs;", "x = regs->rdi;"],
        "opcode": ["if (code[0] == 0xe8)", "{ 0x48, 0x89, 0xe5 }", 'memcmp(code, "\\x0f\\x05", 2)', "case 0xc3:",
                   "CALL = 0xe8,"],
    }
    good = ["// 4096, EM_386, SYS_mmap", "/* 0xfff\n */ x = 1;", 'puts("at least 4096");', "syscall(SYS_openat2, 1)",
            "syscall(\n\tSYS_openat2, 1)", "a = b & 0xff;", "x = 40960;", "MACHINE_PAGE", "{ 1, 2, 0x7f }",
            "size = 4 << 10;", "mask & 0xffff"]
    return (all({kind for _, kind, _ in facts(line)} == {kind} for kind, lines in bad.items() for line in lines)
            and not any(list(facts(line)) for line in good)
            and [line for line, _, _ in facts("/* a\n */\n\nif (m == EM_386)")] == [4])


def main():
    root = pathlib.Path(sys.argv[1])
    faults = {kind: [] for kind in KINDS}
    needed = set()
    for source in sources(root):
        path = str(source.relative_to(root))
        for line, kind, found in facts(source.read_text(errors="replace")):
            row = allowance(path, kind)
            if row:
                needed.add(row)
            else:
                faults[kind].append(f"{path}:{line}: {found}")
    print(f"1..{len(KINDS) + 2}")
    idle = [f"{row}: {kind}" for row, kinds in ALLOWED.items() for kind in kinds if (row, kind) not in needed]
    checks = [("the lint finds facts about processors", [] if lint_fails_where_it_should() else ["self-test"]),
              ("each allowance is needed", idle)]
    checks += [(f"no {kind} outside machine/: {advice}", faults[kind]) for kind, (_, advice) in KINDS.items()]
    for number, (name, bad) in enumerate(checks, 1):
        print(f"{'not ' if bad else ''}ok {number} - {name}")
        for fault in bad:
            print(f"# {fault}")
    return any(bad for _, bad in checks)


if __name__ == "__main__":
    sys.exit(main())
