#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare elfmap with tools that we did not write, on files from every linker there is.

usage: compare.py ELFAULT ELFDUMP OPEN FIXTURES SCHEMA [FILE...]
       compare.py --foreign OBJDUMP ELFAULT ELFDUMP SCHEMA FILE...

Builds fixtures/programs/relocations.c in many ways and checks each result, and each FILE, against
llvm-readobj (slots), objdump (PLT names), strace (mmaps of a library), /proc/PID/maps (mmaps of a
program), nm (initializers), and the JSON schema. Prints TAP.
With --foreign only FILEs of another machine, and their sections, symbols and initializers.
"""

import collections
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import finish, report, skip

FOREIGN = sys.argv[1] == "--foreign"
if FOREIGN:
    FOREIGN_OBJDUMP, ELFAULT, ELFDUMP, SCHEMA = sys.argv[2:6]
    OPEN, FIXTURES = "", ""
else:
    ELFAULT, ELFDUMP, OPEN, FIXTURES, SCHEMA = sys.argv[1:6]
FILES = sys.argv[6:]
SOURCE = os.path.join(FIXTURES, "programs", "relocations.c")


def find_tool(*names):
    return next((path for path in map(shutil.which, names) if path), None)


READOBJ = find_tool("llvm-readobj", "llvm-readobj-14")
OBJDUMP = find_tool("objdump")
LLVM_OBJDUMP = find_tool("llvm-objdump", "llvm-objdump-14")
NM = find_tool("nm")
STRACE = find_tool("strace")
CLANG = find_tool("clang", "clang-14")
try:
    import jsonschema
except ImportError:
    jsonschema = None


def output(*command, **keywords):
    return subprocess.run(command, check=True, capture_output=True, text=True, **keywords).stdout


def difference(ours, theirs):
    """None if the collections are equal, else a few of what only one has."""
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    only_ours, only_theirs = ours - theirs, theirs - ours
    if not only_ours and not only_theirs:
        return None
    return (f"only elfmap has {list(only_ours.elements())[:5]} ({only_ours.total()} in all)\n"
            f"only the other has {list(only_theirs.elements())[:5]} ({only_theirs.total()} in all)")


def their_slots(path):
    """(vaddr, type, symbol, addend or None) of every dynamic relocation, by llvm-readobj."""
    slots = []
    slot = {}
    encoding = ""
    for line in output(READOBJ, "-r", "--expand-relocs", path).splitlines():
        words = line.split()
        if words[:1] == ["Section"]:
            name = words[2]
            encoding = ("relr" if name.startswith(".relr") else
                        "rela" if name.startswith(".rela") else "rel")
        elif words[:1] == ["Offset:"]:
            slot = {"vaddr": int(words[1], 16), "symbol": 0, "addend": 0}
        elif words[:1] == ["Type:"]:
            slot["type"] = int(words[-1].strip("()"))
        elif words[:1] == ["Symbol:"]:
            slot["symbol"] = int(words[-1].strip("()"))
        elif words[:1] == ["Addend:"]:
            slot["addend"] = int(words[1], 16)
        elif words[:1] == ["}"] and slot:
            # R_*_NONE writes nothing.
            if slot["type"] != 0:
                addend = slot["addend"] if encoding == "rela" else None
                slots.append((slot["vaddr"], slot["type"], slot["symbol"], addend))
            slot = {}
    return slots


def their_needed(path):
    """Names of DT_NEEDED, by llvm-readobj, which sorts them."""
    text = output(READOBJ, "--needed-libs", path)
    return [line.strip() for line in text.partition("NeededLibraries [")[2].splitlines()
            if line.strip() not in ("", "]")]


class Dump:
    def __init__(self, path):
        self.slots, self.names, self.needed = [], {}, []
        for line in output(ELFDUMP, path).splitlines():
            words = line.split(" ", 2)
            if words[0] == "needed":
                self.needed.append(words[1])
            elif words[0] == "slot":
                kind, symbol, value, encoding = words[2].split()
                addend = int(value, 16) if encoding == "rela" else None
                self.slots.append((int(words[1], 16), int(kind), int(symbol), addend))
            else:
                self.names[int(words[1], 16)] = words[2]


def check_names(dump, path, objdump):
    """Every stub that objdump can name has the same name here."""
    problems = []
    seen = 0
    # Of an IFUNC of the file itself, objdump knows the function and elfmap the resolver.
    text = output(READOBJ, "-r", "--expand-relocs", path)
    imported = set(re.findall(r"Symbol: ([^\s@]+)", text))
    # Behind arm64's stubs is code for TLS descriptors, which GNU objdump names as if each had a stub.
    imported -= set(re.findall(r"Type: R_\w+_TLSDESC .*\n *Symbol: ([^\s@]+)", text))
    # A section that is not there is an error to objdump, with the others printed all the same.
    text = subprocess.run([objdump, "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", path],
                          capture_output=True, text=True).stdout
    for address, name in re.findall(r"^([0-9a-f]+) <([^>]+)(?:@plt|\$plt|\$pltgot)>:", text,
                                    re.M):
        ours = dump.names.get(int(address, 16))
        name = name.split("@")[0]
        if name not in imported:
            continue
        seen += 1
        if ours != "plt:" + name:
            problems.append(f"{address}: {ours}, objdump says {name}")
    return "\n".join(problems) or None, seen


def check_every_stub_has_a_name(dump, path):
    """What lazy binding calls is called by some stub, or on PowerPC through a slot of .plt."""
    text = output(READOBJ, "-r", "--expand-relocs", path)
    wanted = re.findall(r"Type: R_\w+_JU?MP_SLOT? .*\n *Symbol: ([^\s@]+)", text)
    names = set(dump.names.values())
    missing = [name for name in wanted if "plt:" + name not in names and
               ("powerpc" not in path or "got:" + name not in names)]
    return f"no stub is named {missing}" if missing else None


def check_slots_have_names(dump, path):
    """The slot of a symbol is named by it, wherever the slot is."""
    # "Name: puts@GLIBC_2.2.5 (33)"; the null symbol's name is empty.
    names = [name.split("@")[0] for name in
             re.findall(r"^ *Name: *(.*?) *\(\d+\)$", output(READOBJ, "--dyn-syms", path), re.M)]
    problems = []
    for vaddr, _, symbol, _ in dump.slots:
        name = dump.names.get(vaddr)
        if not symbol or name is None:  # in an object that has a symbol of its own
            continue
        if symbol >= len(names) or not re.match(
                rf"(got:|&){re.escape(names[symbol])}(\+0x[0-9a-f]+)?$", name):
            problems.append(f"{vaddr:#x}: {name}, its symbol is {names[symbol:symbol + 1]}")
    return "\n".join(problems) or None


def library_mmaps(path):
    """(vaddr, size, offset or None, protection) of the mmaps that ld.so does, by strace."""
    text = subprocess.run([STRACE, "-e", "trace=mmap,openat,close", OPEN, path],
                          capture_output=True, text=True).stderr
    mmaps, descriptor, base = [], None, None
    page = os.sysconf("SC_PAGESIZE")
    for line in text.splitlines():
        if base is not None and line.startswith(f"close({descriptor})"):
            break  # what follows is for the libraries it needs
        opened = re.match(r'openat\(.*"([^"]*)".* = (\d+)$', line)
        if opened:
            descriptor = opened[2] if opened[1] == path else None
        mapped = re.match(r"mmap\((\w+), (\d+), ([A-Z_|]+), ([A-Z_|]+), (-?\d+), (\w+)\) = (\w+)",
                          line)
        if not mapped or descriptor is None and base is None:
            continue
        address, size, protection, flags, of, offset, result = mapped.groups()
        anonymous = "MAP_ANONYMOUS" in flags
        if of != descriptor and not (anonymous and base is not None and "MAP_FIXED" in flags):
            continue
        base = int(result, 16) if base is None else base
        mmaps.append((int(result, 16) - base, (int(size) + page - 1) // page * page,
                      None if anonymous else int(offset, 0),
                      "".join(letter if word in protection else "-" for letter, word in
                              (("r", "PROT_READ"), ("w", "PROT_WRITE"), ("x", "PROT_EXEC")))))
    return mmaps


def check_program_mmaps(path, load):
    """Each planned mapping is there, at the same offset of the file, when the program runs."""
    process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if process.stdout.readline() != b"ready\n":
            return "the program did not start"
        with open(f"/proc/{process.pid}/maps", encoding="ascii") as maps:
            mappings = [line.split() for line in maps]
    finally:
        process.communicate(b"\n")
    mine = [words for words in mappings if words[-1] == os.path.realpath(path)]
    first = min(int(words[0].split("-")[0], 16) for words in mine)
    bias = first - min(int(mmap["vaddr"], 16) for mmap in load["mmaps"])
    pages = {}
    page = os.sysconf("SC_PAGESIZE")
    for words in mappings:
        start, end = (int(word, 16) for word in words[0].split("-"))
        for address in range(start, end, page):
            of_file = words[-1] == os.path.realpath(path)
            pages[address] = int(words[2], 16) + address - start if of_file else None
        if end - start > 1 << 32:
            return "absurd mapping"
    problems = []
    for mmap in load["mmaps"]:
        start = int(mmap["vaddr"], 16) + bias
        for address in range(start, start + mmap["size"], page):
            wanted = None if mmap["offset"] is None else mmap["offset"] + address - start
            if address not in pages or pages[address] != wanted:
                problems.append(f"{address - bias:#x}: offset {pages.get(address, 'unmapped')}, "
                                f"planned {wanted}")
    expected = {int(mmap["vaddr"], 16) + bias + at for mmap in load["mmaps"]
                for at in range(0, mmap["size"], page)}
    extra = [address for address, offset in pages.items()
             if offset is not None and address not in expected]
    problems += [f"{address - bias:#x}: mapped but not planned" for address in extra]
    return "\n".join(problems[:5]) or None


def check_schema(answer):
    if not jsonschema:
        return None
    with open(SCHEMA, encoding="utf-8") as schema:
        try:
            jsonschema.validate(answer, json.load(schema))
        except jsonschema.ValidationError as error:
            return f"{list(error.absolute_path)}: {error.message}"
    return None


def read_map(path, *options):
    return json.loads(output(ELFAULT, "map", "--format", "json", *options, path))


def check_counts(answer, dump):
    relocations = answer["load"]["relocations"]
    total = sum(relocations[key] for key in
                ("relative", "symbolic", "irelative", "tls", "copy", "jump_slot"))
    page = answer["load"]["page_size"]
    pages = {vaddr // page for vaddr, *_ in dump.slots}
    # A copied object can reach into pages where no slot starts.
    at_most = len(pages) if not relocations["copy"] else len(pages) + 2
    problems = []
    if total != len(dump.slots):
        problems.append(f"{total} relocations counted, {len(dump.slots)} slots")
    if not len(pages) <= answer["load"]["pages_written_by_relocation"] <= at_most:
        problems.append(f"{answer['load']['pages_written_by_relocation']} pages, "
                        f"slots start in {len(pages)}")
    if answer["notes"]:
        problems.append(f"notes: {answer['notes']}")
    return "\n".join(problems) or None


def check_initializers(answer, source):
    """start_first and start_second, in this order, from @source."""
    ours = [entry for entry in answer["initializers"] if (entry["function"] or "").startswith(
        "start_")]
    if [entry["function"] for entry in ours] != ["start_first", "start_second"]:
        return f"initializers {ours}"
    if any(entry["source"] != source for entry in ours):
        return f"sources {[entry['source'] for entry in ours]}, not {source}"
    return None


def check_sections(answer, path):
    """Name, address and size of each section, by llvm-readobj."""
    text = output(READOBJ, "--sections", path)
    theirs = [(name, int(address, 16), int(size)) for name, address, size in re.findall(
        r"Name: (\S+) \(.*?Address: (0x[0-9A-F]+).*?Size: (\d+)\n", text, re.S)]
    ours = [(section["name"], int(section["vaddr"] or "0", 16), section["size"])
            for section in answer["sections"]]
    return difference(ours, theirs)


def check_symbols(answer, path):
    """Each symbol that has a name here stands at that address in the file, and none is left out."""
    theirs, names = set(), {}
    for table in "--symbols", "--dyn-syms":
        for name, value, size, kind, section in re.findall(
                r"Name: ([^\s@]*)\S* \(.*?Value: (\S+).*?Size: (\d+).*?Type: (\w+).*?Section: (\S+)",
                output(READOBJ, table, path), re.S):
            theirs.add((name, int(value, 16)))
            if kind == "Function" and int(size) > 0 and section != "Undefined":
                names.setdefault(int(value, 16), name)
    ours = {(symbol["name"].split("@")[0], int(symbol["vaddr"], 16))
            for symbol in answer["symbols_by_size"] if not symbol["name"].startswith("fn@")}
    places = {vaddr for _, vaddr in ours}
    problems = [f"{vaddr:#x}: {name} is not in the file" for name, vaddr in sorted(ours - theirs)]
    problems += [f"{vaddr:#x}: {name} is left out" for vaddr, name in sorted(names.items())
                 if vaddr not in places]
    return "\n".join(problems[:5]) or None, len(ours)


def check_init_array(answer, dump):
    """Entries of .init_array are what relocations or the file put there."""
    array = [section for section in answer["sections"] if section["name"] == ".init_array"]
    ours = [int(entry["vaddr"], 16) for entry in answer["initializers"]
            if entry["array"] == ".init_array"]
    if not array:
        return f"initializers {ours} without a section" if ours else None
    start, size = int(array[0]["vaddr"], 16), array[0]["size"]
    theirs = [addend for vaddr, _, _, addend in sorted(dump.slots)
              if start <= vaddr < start + size]
    if not theirs:  # not position independent
        with open(answer["path"], "rb") as file:
            file.seek(array[0]["offset"])
            theirs = [int.from_bytes(file.read(8), "little") for _ in range(size // 8)]
    return None if ours == theirs else f"initializers {ours}, in the file {theirs}"


def check_foreign():
    for path in map(os.path.realpath, FILES):
        name = os.path.basename(path)
        check_file(name, path, objdump=FOREIGN_OBJDUMP)
        answer = read_map(path, "--symbols", "all", "--no-demangle", "--full-paths")
        report(check_sections(answer, path), f"{name}: sections as llvm-readobj has them")
        problem, seen = check_symbols(answer, path)
        report(problem, f"{name}: {seen} symbols as llvm-readobj has them")
        report(check_init_array(answer, Dump(path)), f"{name}: initializers are those of the file")


def check_file(name, path, *, objdump=OBJDUMP, is_library=False, is_program=False, source=None):
    dump, answer = Dump(path), read_map(path)
    report(difference(dump.slots, their_slots(path)), f"{name}: slots as llvm-readobj has them")
    report(difference(dump.needed, their_needed(path)), f"{name}: needs what llvm-readobj says")
    report(check_counts(answer, dump), f"{name}: counts agree and no note")
    report(check_schema(answer), f"{name}: the JSON follows its schema")
    problem, seen = check_names(dump, path, objdump)
    report(problem, f"{name}: {seen} PLT stubs named as by objdump")
    report(check_every_stub_has_a_name(dump, path), f"{name}: every stub has a name")
    if source:
        report(check_slots_have_names(dump, path), f"{name}: slots named by their symbols")
        report(check_initializers(answer, source), f"{name}: initializers and their source")
    if is_library and STRACE:
        theirs = library_mmaps(path)
        ours = [(int(mmap["vaddr"], 16), mmap["size"], mmap["offset"], mmap["protection"])
                for mmap in answer["load"]["mmaps"]]
        report(None if ours == theirs else f"planned {ours}\nstrace  {theirs}",
               f"{name}: mmaps as strace shows them")
    if is_program:
        try:
            report(check_program_mmaps(path, answer["load"]), f"{name}: mapped as planned")
        except OSError as error:
            with open(path, "rb") as file:
                is_32_bit = file.read(5)[4] == 1
            if error.errno != errno.ENOEXEC or not is_32_bit:
                raise
            skip("this kernel does not run 32-bit programs", f"{name}: mapped as planned")


def build(directory, name, command):
    """The built file, or None where this compiler or linker cannot do it."""
    path = os.path.join(directory, name)
    made = subprocess.run([*command, "-o", path], capture_output=True, text=True)
    return path if made.returncode == 0 else None


def native_variants():
    library = ["-shared", "-fPIC"]
    pie = ["-DPROGRAM", "-fPIE", "-pie"]
    for compiler, linkers in ("gcc", ("bfd", "gold", "lld", "mold")), ("clang", ("lld",)):
        for linker in linkers:
            base = [compiler, "-g", "-O1", SOURCE, "-fuse-ld=" + linker]
            prefix = f"{compiler}-{linker}"
            yield f"{prefix}-library", [*base, *library], "library"
            yield f"{prefix}-now", [*base, *library, "-Wl,-z,now"], "library"
            yield f"{prefix}-ibt", [*base, *library, "-fcf-protection=full", "-Wl,-z,ibtplt"], \
                "library"
            yield f"{prefix}-pie", [*base, *pie], "program"
            yield f"{prefix}-fixed", [*base, "-DPROGRAM", "-fno-pie", "-no-pie"], "program"
            yield f"{prefix}-static", [*base, "-DPROGRAM", "-fno-pie", "-no-pie", "-static"], \
                "program"
            yield f"{prefix}-static-pie", [*base, "-DPROGRAM", "-fPIE", "-static-pie"], "program"
            yield f"{prefix}-relr", [*base, *library, "-Wl,-z,pack-relative-relocs"], "library"
            yield f"{prefix}-relr2", [*base, *library, "-Wl,--pack-dyn-relocs=relr"], "library"
            yield f"{prefix}-m32", [*base, *library, "-m32"], "other"
            yield f"{prefix}-m32-fixed", [*base, "-DPROGRAM", "-fno-pie", "-no-pie", "-m32"], \
                "program"


def cross_variants():
    for target in ("aarch64-linux-gnu", "armv7a-linux-gnueabihf", "riscv64-linux-gnu",
                   "powerpc64le-linux-gnu"):
        base = [CLANG, "--target=" + target, "-fuse-ld=lld", "-nostdlib", "-shared", "-fPIC", "-g",
                "-DFREESTANDING", "-DNO_TLS", SOURCE]
        # clang knows no such CPU without a hint.
        if target.startswith("riscv64"):
            base.append("-march=rv64gc")
        yield target, base
        yield target + "-relr", [*base, "-Wl,--pack-dyn-relocs=relr"]


def check_kinds(target, path):
    """For machines whose stubs have no names here: what is relative, and that no type is unknown."""
    answer = read_map(path)
    relocations = answer["load"]["relocations"]
    # MIPS has no type of its own for it.
    theirs = len(re.findall(r"Type: R_(?:\w+_RELATIVE|MIPS_REL32\S*) .*\n *Symbol: - ",
                            output(READOBJ, "-r", "--expand-relocs", path)))
    problems = list(answer["notes"])
    if relocations["relative"] != theirs or not theirs:
        problems.append(f"{relocations['relative']} relative, llvm-readobj has {theirs}")
    if not relocations["symbolic"]:
        problems.append("none is symbolic")
    if answer["machine"] != target.split("-")[0].replace("powerpc", "ppc"):
        problems.append(f"machine is {answer['machine']}")
    report("\n".join(map(str, problems)) or None, f"{target}: relocations of the right kinds")


def check_other_machines(directory):
    for target in ("mips-linux-gnu", "mipsel-linux-gnu", "mips64-linux-gnuabi64",
                   "mips64el-linux-gnuabi64", "powerpc-linux-gnu"):
        path = build(directory, target, [CLANG, "--target=" + target, "-fuse-ld=lld", "-nostdlib",
                                         "-shared", "-fPIC", "-DFREESTANDING", "-DNO_TLS", SOURCE])
        if path:
            check_kinds(target, path)
        else:
            print(f"# {target}: cannot be built here")


def check_separate_debug_file(directory):
    """Sources come from the separate debug file, too."""
    path = build(directory, "split", ["gcc", "-g", SOURCE, "-shared", "-fPIC",
                                      "-Wl,--build-id=0x" + "5e" * 20])
    if not path:
        return
    debug = os.path.join(directory, "debug", ".build-id", "5e")
    os.makedirs(debug)
    subprocess.run(["objcopy", "--only-keep-debug", path, os.path.join(debug, "5e" * 19 + ".debug")],
                   check=True)
    subprocess.run(["strip", path], check=True)
    answer = read_map(path, "--debug-dir", os.path.join(directory, "debug"))
    report(check_initializers(answer, SOURCE), "sources come from the separate debug file")
    answer = read_map(path, "--debug-dir", os.path.join(directory, "nothing"))
    problem = [entry for entry in answer["initializers"] if entry["source"] is not None]
    report(str(problem) if problem else None, "without DWARF there are no sources")


def main():
    if not READOBJ or not OBJDUMP:
        print("1..0 # SKIP llvm-readobj and objdump are needed")
        return 0
    if FOREIGN:
        check_foreign()
        return finish()
    with tempfile.TemporaryDirectory() as directory:
        directory = os.path.realpath(directory)
        built = 0
        for name, command, kind in native_variants():
            path = shutil.which(command[0]) and build(directory, name, command)
            if not path:
                print(f"# {name}: cannot be built here")
                continue
            built += 1
            check_file(name, path, is_library=kind == "library", is_program=kind == "program",
                       source=SOURCE)
        for name, command in cross_variants() if CLANG and LLVM_OBJDUMP else ():
            path = build(directory, name, command)
            if not path:
                print(f"# {name}: cannot be built here")
                continue
            built += 1
            check_file(name, path, objdump=LLVM_OBJDUMP, source=SOURCE)
        if CLANG:
            check_other_machines(directory)
        report(None if built else "no compiler could build anything", f"{built} ways to link")
        check_separate_debug_file(directory)
        for path in FILES:
            if os.path.exists(path):
                # open is linked with the C library: opening that one again maps nothing.
                check_file(os.path.basename(path), os.path.realpath(path),
                           is_library=".so" in path and "libc.so" not in path)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
