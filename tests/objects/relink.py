#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare what `analyze` counts and predicts of relocation with readelf, ld.so and real links.

usage: relink.py ELFAULT OPEN [FILE...]

Links a library and a program once as they are and once with each option that a relink stands for,
by every linker there is: the prediction made from the first is compared with readelf's account of
the second. Slots, pages and tables of these and each FILE are compared with readelf; names looked
up with LD_DEBUG=bindings. Prints TAP.
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import finish, report

ELFAULT, OPEN = sys.argv[1:3]
FILES = sys.argv[3:]
PAGE = 4096

# Relative slots in runs and gaps, some at odd places, names of its own and of others by pointer, by
# call and by the GOT.
SOURCE = """
extern int puts(const char *);
extern void *malloc(unsigned long);
extern int rand(void);
int shared_counter, shared_other;
int exported_a(int x) { return x + shared_counter; }
int exported_b(int x) { return exported_a(x) + rand(); }
__attribute__((weak)) int exported_c(int x) { return exported_b(x) * 2; }
static int hidden(int x) { return exported_c(x) + *(int *)malloc(4); }
__attribute__((visibility("hidden"))) int concealed;
__attribute__((visibility("protected"))) int protected_one;
int *pointer_to_own = &shared_other;
int *pointer_to_own_again = &shared_counter;
int *pointer_to_hidden = &concealed;
int *pointer_to_protected = &protected_one;
int (*pointers_to_functions[])(int) = { exported_a, exported_b, exported_c, hidden };
int (*pointer_to_imported)(const char *) = puts;
struct sparse { long gap[%(gap)d]; const void *to; };
const struct sparse sparse[%(sparse)d] = { [0 ... %(sparse)d - 1] = { { 1 }, &sparse[0] } };
const char *const dense[] = { %(dense)s };
struct __attribute__((packed)) squeezed { short first; const void *to; char last; };
struct squeezed squeezed[] = { { 1, &squeezed[0], 2 }, { 3, &squeezed[1], 4 },
                               { 5, &squeezed[0], 6 }, { 7, &squeezed[2], 8 } };
int use(void)
{
    return puts(dense[1]) + hidden(3) + *pointer_to_hidden + pointers_to_functions[1](2) +
           shared_other + squeezed[1].last;
}
#ifdef PROGRAM
int main(void) { return 0; }
#endif
""" % {"gap": 70, "sparse": 300, "dense": ", ".join(f'"text {i}"' for i in range(900))}


def differences(**pairs):
    """None if each pair is equal, else those that are not."""
    return "\n".join(f"{key}: {ours}, expected {theirs}"
                     for key, (ours, theirs) in pairs.items() if ours != theirs) or None


Slot = collections.namedtuple("Slot", "table vaddr type symbol")
CLASSES = (("RELATIVE", "relative"), ("IRELATIV", "irelative"), ("JUMP_SLOT", "jump_slot"),
           ("COPY", "copy"), ("TPOFF", "tls"), ("DTPMOD", "tls"), ("DTPOFF", "tls"),
           ("TLSDESC", "tls"), ("", "symbolic"))


def class_of(kind):
    word = kind.removeprefix("R_X86_64_")
    if word == "RELATIVE64":
        word = "RELATIVE"
    return next(name for prefix, name in CLASSES if word.startswith(prefix))


class Elf:
    """A file as readelf sees it."""

    def __init__(self, path):
        self.path = path
        self.slots = []
        table, relr = None, False
        process = subprocess.Popen(["readelf", "-rW", path], stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.startswith("Relocation section"):
                table = line.split("'")[1]
                relr = table.startswith(".relr")
            words = line.split()
            if relr and len(words) == 1 and re.fullmatch("[0-9a-f]{16}", words[0]):
                self.slots.append(Slot(table, int(words[0], 16), "R_X86_64_RELATIVE", None))
            elif not relr and len(words) > 2 and words[2].startswith("R_"):
                symbol = words[4].split("@")[0] if len(words) > 4 else None
                self.slots.append(Slot(table, int(words[0], 16), words[2], symbol))
        process.wait()
        self.slots = [slot for slot in self.slots if slot.type != "R_X86_64_NONE"]
        self.sections = {}
        text = self.readelf("-SW")
        for name, kind, vaddr, offset, size in re.findall(
                r"^ +\[ *\d+\] (\S+) +(\S+) +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", text, re.M):
            self.sections[name] = (kind, int(vaddr, 16), int(offset, 16), int(size, 16))
        self.symbols = {}  # of .dynsym: (is defined, is a function, visibility, binding)
        for kind, bind, visibility, index, name in re.findall(
                r"^ +\d+: [0-9a-f]+ +\S+ (\S+) +(\S+) +(\S+) +(\S+) (\S+)",
                self.readelf("--dyn-syms"), re.M):
            self.symbols[name.split("@")[0]] = (index != "UND", kind == "FUNC", visibility, bind)

    def readelf(self, *options):
        return subprocess.run(["readelf", "-W", *options, self.path], capture_output=True,
                              text=True, check=True).stdout

    def table_bytes(self):
        return sum(size for kind, _, _, size in self.sections.values()
                   if kind in ("RELA", "REL", "RELR"))

    def classes(self):
        counts = dict.fromkeys((name for _, name in CLASSES), 0)
        for slot in self.slots:
            counts[class_of(slot.type)] += 1
        return counts

    def pages(self):
        """Pages that hold a slot. A copied object is left out: its size is the symbol's."""
        return {(slot.vaddr + at) // PAGE for slot in self.slots for at in (0, 7)}

    def by_section(self):
        """Slots and pages that hold one, by section."""
        ranges = sorted((vaddr, vaddr + size, name)
                        for name, (kind, vaddr, _, size) in self.sections.items()
                        if vaddr and size and name not in (".tbss", ".tm_clone_table"))
        answer, at = {}, 0
        for slot in sorted(self.slots, key=lambda slot: slot.vaddr):
            while ranges[at][1] <= slot.vaddr:
                at += 1
            slots, pages = answer.setdefault(ranges[at][2], [0, set()])
            answer[ranges[at][2]][0] = slots + 1
            pages |= {slot.vaddr // PAGE, (slot.vaddr + 7) // PAGE}
        return {name: (slots, len(pages)) for name, (slots, pages) in answer.items()}

    def own(self, functions_only=False, kinds=("symbolic", "jump_slot")):
        """Slots that the object itself could bind."""
        for slot in self.slots:
            defined, is_function, visibility, bind = self.symbols.get(
                slot.symbol, (False, False, None, None))
            if (class_of(slot.type) in kinds and defined and visibility == "DEFAULT" and
                    bind in ("GLOBAL", "WEAK") and (is_function or not functions_only)):
                yield slot


def analyze(path):
    """The relocation part of what analyze says where @path was mapped and touched once."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as trace:
        trace.write('elfault-trace-text 1\n'
                    'meta arg="x" backend="bpf" machine="x86_64" page_size=4096 root_pid=10 '
                    'start=1000\n'
                    'exec pid=10 tid=10 time=1000 comm="x"\n'
                    f'map pid=10 tid=10 time=2000 addr=0x10000 size=0x1000 prot=r--p '
                    f'path={json.dumps(path)}\n'
                    'fault pid=10 tid=10 time=2500 addr=0x10000 ip=0x1 error=user\n')
        trace.flush()
        text = subprocess.run([ELFAULT, "analyze", "--allow-truncated", "--format", "json",
                               trace.name], capture_output=True, text=True, check=True).stdout
    return json.loads(text)["objects"][0]["relocation"]


def relink(relocation, option):
    return next(entry for entry in relocation["relinks"] if entry["option"] == option)


def check_counts(name, path):
    """Everything that a file says without being run, against readelf."""
    elf, relocation = Elf(path), analyze(path)
    has_copy = elf.classes()["copy"] > 0
    report(differences(counts=(relocation["counts"], elf.classes()),
                       table_bytes=(relocation["table_bytes"], elf.table_bytes())),
           f"{name}: {len(elf.slots)} slots by class as readelf has them")
    if not has_copy:
        ours = {row["section"]: (row["relocations"], row["pages_holding"])
                for row in relocation["by_section"]}
        report(differences(pages_holding=(relocation["pages_holding"], len(elf.pages())),
                           by_section=(ours, elf.by_section())),
               f"{name}: {len(elf.pages())} pages hold a slot, section by section")
    tables = {row["table"]: (row["size"], (offset + row["size"] - 1) // PAGE - offset // PAGE + 1)
              for row in relocation["tables"]
              for _, _, offset, _ in [elf.sections[row["table"]]]}
    ours = {row["table"]: (row["size"], row["pages"]) for row in relocation["tables"]}
    wanted = {section for section, (kind, vaddr, _, size) in elf.sections.items()
              if vaddr and size and kind in ("RELA", "RELR", "GNU_HASH", "HASH", "DYNSYM", "VERSYM",
                                             "VERNEED", "VERDEF")} | {".dynstr"}
    report(differences(tables=(ours, tables), names=(set(ours), wanted)),
           f"{name}: tables and their pages")
    return elf, relocation


def check_lookups(name, path, relocation):
    """What ld.so says that it binds before it is done loading."""
    environment = dict(os.environ, LD_DEBUG="bindings,libs")
    text = subprocess.run([OPEN, path], capture_output=True, text=True, env=environment).stderr
    text = text[:text.index("calling init: " + path)]
    lookups = re.findall(r"binding file " + re.escape(path) + r" \[\d+\] to .* symbol `(\w+)'",
                         text)
    # Weak names that nobody has are looked up and bind nothing.
    unbound = {"__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"}
    elf = Elf(path)
    asked = {slot.symbol for slot in elf.slots if slot.symbol in unbound}
    report(differences(lookups=(relocation["lookups_at_load"], len(lookups) + len(asked))),
           f"{name}: {len(lookups)} names bound as ld.so says")


def build(directory, name, command):
    path = os.path.join(directory, name)
    made = subprocess.run([*command, "-o", path], capture_output=True, text=True)
    # Linkers pass over -z words that they do not know with a warning.
    return path if made.returncode == 0 and "warning" not in made.stderr else None


def check_relr(name, before, relocation, after):
    entry = relink(relocation, "-z pack-relative-relocs")
    left = [slot for slot in after.slots
            if slot.table != ".relr.dyn" and class_of(slot.type) == "relative"]
    # mold packs slots at whole words only, the others every even one.
    stray = sum(slot.vaddr % 2 == 0 for slot in left) if "mold" in name else 0
    predicted = relocation["table_bytes"] + entry["table_bytes"]
    problem = differences(
        applies=(entry["applies"], True),
        relocations=(entry["relocations"], before.classes()["relative"] - len(left) + stray))
    if not problem and not 0 <= after.table_bytes() - predicted <= 24 * stray:
        problem = f"{predicted} bytes of tables predicted, there are {after.table_bytes()}"
    # Smaller tables move what follows, so that it may begin at another place in its page.
    if not problem and abs(relocation["pages_holding"] - len(after.pages())) > 1:
        problem = f"{relocation['pages_holding']} pages before, {len(after.pages())} after"
    return problem


def check_symbolic(option, functions_only):
    def check(name, before, relocation, after):
        entry = relink(relocation, option)
        own = list(before.own(functions_only))
        jump_slots = list(before.own(functions_only, ("jump_slot",)))
        names = {slot.symbol for slot in before.own(functions_only, ("symbolic",))}
        saved = before.table_bytes() - after.table_bytes()
        problem = differences(
            applies=(entry["applies"], True),
            relocations=(entry["relocations"], len(own)),
            table_bytes=(entry["table_bytes"], -24 * len(jump_slots)),
            lookups=(entry["lookups"], -len(names)),
            left=([slot.symbol for slot in after.own(functions_only)], []))
        # A GOT slot may vanish that is counted as becoming relative.
        got = sum(24 for slot in own if slot.type.endswith("GLOB_DAT"))
        if not problem and not 0 <= saved + entry["table_bytes"] <= got:
            problem = f"{saved} bytes saved, {-entry['table_bytes']} expected, {got} of the GOT"
        return problem
    return check


def check_no_plt(name, before, relocation, after):
    entry = relink(relocation, "-fno-plt")
    # What the start files call; and gold makes a PLT entry where a function's address is stored.
    stay = {"__cxa_finalize"} | {slot.symbol for slot in before.slots
                                 if name.startswith("gold") and slot.type == "R_X86_64_64"}
    return differences(
        applies=(entry["applies"], True),
        relocations=(entry["relocations"], before.classes()["jump_slot"]),
        lookups=(entry["lookups"], before.classes()["jump_slot"]),
        left=({slot.symbol for slot in after.slots if slot.type.endswith("JUMP_SLOT")} - stay,
              set()))


def check_now(name, before, relocation, after):
    entry, linked = relink(relocation, "-z now"), analyze(after.path)
    back = relink(linked, "-z lazy")
    return differences(
        applies=(entry["applies"], True),
        bind_now=(linked["bind_now"], True),
        lookups=(relocation["lookups_at_load"] + entry["lookups"], linked["lookups_at_load"]),
        table_bytes=(before.table_bytes() + entry["table_bytes"], after.table_bytes()),
        now_applies=(relink(linked, "-z now")["applies"], False),
        lazy_applies=(back["applies"], True),
        lazy_lookups=(linked["lookups_at_load"] + back["lookups"],
                      relocation["lookups_at_load"]))


def check_hash(name, before, relocation, after):
    return differences(applies=(relink(relocation, "--hash-style=gnu")["applies"], True),
                       linked=(relink(analyze(after.path), "--hash-style=gnu")["applies"], False))


def check_no_pie(name, before, relocation, after):
    entry = relink(relocation, "-no-pie")
    return differences(applies=(entry["applies"], True),
                       relocations=(entry["relocations"], before.classes()["relative"]),
                       left=(after.classes()["relative"], 0),
                       table_bytes=(entry["table_bytes"], -24 * before.classes()["relative"]),
                       linked=(relink(analyze(after.path), "-no-pie")["applies"], False))


def variants(linker, source):
    """(what, how it is linked now, how it would be, the check)"""
    base = ["gcc", "-O1", "-fcommon", source, "-fuse-ld=" + linker]
    library = [*base, "-shared", "-fPIC", "-Wl,-z,lazy"]
    program = [*base, "-DPROGRAM"]
    pack = "-Wl,--pack-dyn-relocs=relr" if linker == "lld" else "-Wl,-z,pack-relative-relocs"
    yield "RELR", library, [*library, pack], check_relr
    yield "RELR of a program", [*program, "-fPIE", "-pie"], [*program, "-fPIE", "-pie", pack], \
        check_relr
    yield "-Bsymbolic", library, [*library, "-Wl,-Bsymbolic"], check_symbolic("-Bsymbolic", False)
    yield "-Bsymbolic-functions", library, [*library, "-Wl,-Bsymbolic-functions"], \
        check_symbolic("-Bsymbolic-functions", True)
    yield "-fno-plt", library, [*library, "-fno-plt"], check_no_plt
    yield "-z now", library, [*library, "-Wl,-z,now"], check_now
    yield "--hash-style=gnu", [*library, "-Wl,--hash-style=sysv"], \
        [*library, "-Wl,--hash-style=gnu"], check_hash
    yield "-no-pie", [*program, "-fPIE", "-pie"], [*program, "-fno-pie", "-no-pie"], check_no_pie


def main():
    if not shutil.which("readelf") or not shutil.which("gcc"):
        print("1..0 # SKIP readelf and gcc are needed")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        directory = os.path.realpath(directory)
        source = os.path.join(directory, "source.c")
        built = 0
        with open(source, "w", encoding="ascii") as out:
            out.write(SOURCE)
        for linker in ("bfd", "gold", "lld", "mold"):
            seen = {}
            for what, now, then, check in variants(linker, source):
                name = f"{linker}: {what}"
                key = " ".join(now)
                if key not in seen:
                    path = build(directory, f"before-{linker}-{len(seen)}", now)
                    seen[key] = path and (*check_counts(f"{linker} {len(seen)}", path), path)
                    if path and "-shared" in now:
                        check_lookups(f"{linker} {len(seen) - 1}", path, seen[key][1])
                after = seen[key] and build(directory, f"after-{linker}-{built}", then)
                if not after:
                    print(f"# {name}: cannot be built here")
                    continue
                built += 1
                elf, relocation, _ = seen[key]
                report(check(name, elf, relocation, Elf(after)), f"{name} as predicted")
        report(None if built else "no linker could build anything", f"{built} links predicted")
        for path in FILES:
            if os.path.exists(path):
                check_counts(os.path.basename(path), os.path.realpath(path))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
