#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predict each cure of ten programs from one recording, then link and record them so: docs/measured/whatif.md.

usage: whatif.py ELFAULT [--only NAME[,NAME]] [--keep DIR] [--cold]

Needs root, g++, and Debian's libsqlite3-dev, libxml2-dev, libicu-dev, libssl-dev, libcapstone-dev, libelf-dev,
libjson-c-dev, llvm-14-dev, liblzma-dev, zlib1g-dev, libpython3.11-dev, tcl-dev, libfreetype-dev, libmagic-dev, libdw-dev; a program whose libraries are missing is skipped, which is said.
--cold copies each program and its libraries to a file system of its own on a loop device, and sets read-ahead there
only. Prints Markdown.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 3
CLASSES = 400

HELLO_C = """
#include <stdio.h>
int main(int argc, char **argv) { return printf("%d %s\\n", argc, argv[0]) < 0; }
"""
POINTERS_C = ("#include <stdio.h>\n#include <string.h>\nstatic const char *const names[] = {\n"
              + "".join(f'"name number {i}",\n' for i in range(20000))
              + '};\nint main(int argc, char **argv) { return puts(names[argc * 311]) < 0; }\n')
HELLO_CC = """
#include <iostream>
int main(int argc, char **argv) { std::cout << argc << " " << argv[0] << std::endl; }
"""
TEXT_CC = """
#include <iostream>
#include <regex>
#include <map>
#include <sstream>
#include <locale>
int main(int argc, char **argv)
{
	std::regex expression("a(b|c)*d[0-9]+");
	std::map<std::string, int> count;
	std::ostringstream out;
	for (int i = 0; i < 200; i++)
		count["abcd" + std::to_string(i * argc % 37)]++;
	for (auto &[key, value] : count)
		if (std::regex_match(key, expression))
			out << key << ' ' << value << '\\n';
	std::cout << out.str().size() << std::endl;
}
"""
CLASSES_CC = ("#include <iostream>\n#include <memory>\n#include <vector>\n"
              "struct Base { virtual ~Base() {} virtual int f(int a) const { return a; } };\n"
              + "".join(f"struct C{i} : Base {{ int f(int a) const override {{ return a * {i} + {i % 7}; }}\n"
                        f"virtual int g{i}(int b) {{ return b - {i}; }} }};\n" for i in range(CLASSES))
              + "int main(int argc, char **) {\nstd::vector<std::unique_ptr<Base>> all;\n"
              + "".join(f"all.emplace_back(new C{i});\n" for i in range(CLASSES))
              + "int sum = argc;\nfor (auto &each : all) sum += each->f(sum);\nstd::cout << sum << std::endl; }\n")
SQLITE_C = """
#include <sqlite3.h>
#include <stdio.h>
static int row(void *unused, int count, char **values, char **names)
{ (void)unused; (void)names; return count > 0 && puts(values[0] ? values[0] : "") < 0; }
int main(void)
{
	sqlite3 *db;
	return sqlite3_open(":memory:", &db) || sqlite3_exec(db, "create table t(a integer, b text);"
		"insert into t values(1,'one'),(2,'two'); create index i on t(b);"
		"select count(*) || group_concat(upper(b)) from t where a > 0 order by b;", row, 0, 0) || sqlite3_close(db);
}
"""
XML_C = """
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdio.h>
int main(void)
{
	static const char text[] = "<?xml version='1.0'?><a><b c='1'>x</b><b c='2'>y</b></a>";
	xmlDocPtr doc = xmlReadMemory(text, sizeof(text) - 1, "t.xml", NULL, 0);
	xmlXPathContextPtr context = xmlXPathNewContext(doc);
	xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)"//b[@c='2']", context);
	return printf("%d\\n", found->nodesetval->nodeNr) < 0;
}
"""
CRYPTO_C = """
#include <openssl/evp.h>
#include <stdio.h>
int main(void)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int size;
	if (!EVP_Digest("abc", 3, digest, &size, EVP_sha256(), NULL)) return 1;
	return printf("%02x%02x\\n", digest[0], digest[31]) < 0;
}
"""
CAPSTONE_C = """
#include <capstone/capstone.h>
#include <stdio.h>
int main(void)
{
	csh handle;
	cs_insn *found;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle)) return 1;
	size_t count = cs_disasm(handle, (const uint8_t *)"\\x55\\x48\\x8b\\x05\\xb8\\x13\\x00\\x00", 8, 0x1000, 0, &found);
	return printf("%zu %s\\n", count, found[0].mnemonic) < 0;
}
"""
ICU_CC = """
#include <unicode/unistr.h>
#include <unicode/normalizer2.h>
#include <iostream>
int main()
{
	UErrorCode status = U_ZERO_ERROR;
	const icu::Normalizer2 *form = icu::Normalizer2::getNFKCInstance(status);
	icu::UnicodeString text = icu::UnicodeString::fromUTF8("A\\xcc\\x8angstr\\xc3\\xb6m");
	std::string out;
	form->normalize(text.toLower(), status).toUTF8String(out);
	std::cout << out << std::endl;
}
"""
LLVM_CC = """
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
int main()
{
	// As ld.lld does, so that nearly all of the library is needed.
	llvm::InitializeAllTargetInfos();
	llvm::InitializeAllTargets();
	llvm::InitializeAllTargetMCs();
	llvm::InitializeAllAsmPrinters();
	llvm::InitializeAllAsmParsers();
	std::string error;
	llvm::LLVMContext context;
	llvm::Module module("m", context);
	const llvm::Target *target = llvm::TargetRegistry::lookupTarget("x86_64-linux-gnu", error);
	llvm::outs() << (target ? target->getName() : "none") << "\\n";
}
"""
PYTHON_C = """
#include <Python.h>
int main(int argc, char **argv)
{
	char *words[] = { argv[0], "-c", "import json", NULL };
	return Py_BytesMain(argc > 1 ? argc : 3, argc > 1 ? argv : words);
}
"""
TCL_C = """
#include <tcl.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	Tcl_FindExecutable(argv[0]);
	Tcl_Interp *interp = Tcl_CreateInterp();
	if (Tcl_Eval(interp, "set a 0; foreach i {1 2 3} { incr a [string length x$i] }; expr {$a * 2}") != TCL_OK)
		return 1;
	return printf("%d %s\\n", argc, Tcl_GetStringResult(interp)) < 0;
}
"""
SSL_C = """
#include <openssl/ssl.h>
#include <stdio.h>
int main(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL *ssl = SSL_new(context);
	return printf("%s %d\\n", SSL_get_version(ssl), SSL_CTX_set_default_verify_paths(context)) < 0;
}
"""
FREETYPE_C = """
#include <ft2build.h>
#include FT_FREETYPE_H
#include <stdio.h>
int main(void)
{
	FT_Library library;
	int major, minor, patch;
	FT_Init_FreeType(&library);
	FT_Library_Version(library, &major, &minor, &patch);
	return printf("%d.%d\\n", major, minor) < 0;
}
"""
MAGIC_C = """
#include <magic.h>
#include <stdio.h>
int main(void)
{
	magic_t cookie = magic_open(MAGIC_MIME);
	return magic_load(cookie, NULL) || puts(magic_buffer(cookie, "#!/bin/sh\\n", 10)) < 0;
}
"""
DW_C = """
#include <elfutils/libdwfl.h>
#include <stdio.h>
int main(void)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf,
						  .find_debuginfo = dwfl_standard_find_debuginfo };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	return printf("%d\\n", dwfl_report_end(dwfl, NULL, NULL)) < 0;
}
"""
LLVM = "/usr/lib/llvm-14"
SYSTEM = ("-lm", "-lstdc++")


class Program:
    """A program, its libraries as the linker finds them shared and as archives, and what else to link then."""

    def __init__(self, name, source, shared="", static="", flags=""):
        self.name, self.source, self.flags = name, source, flags.split()
        self.shared, self.static = shared.split(), static.split()
        self.is_cxx = source.count("#include <iostream>") > 0 or "llvm" in source


PROGRAMS = [
    Program("hello", HELLO_C),
    Program("pointers", POINTERS_C),
    Program("iostream", HELLO_CC),
    Program("regex", TEXT_CC),
    Program("classes", CLASSES_CC),
    Program("sqlite", SQLITE_C, "-lsqlite3", "-lsqlite3 -lm"),
    Program("xml", XML_C, "-lxml2", "-lxml2 -licuuc -licudata -lz -llzma -lm -lstdc++", "-I/usr/include/libxml2"),
    Program("crypto", CRYPTO_C, "-lcrypto", "-lcrypto"),
    Program("capstone", CAPSTONE_C, "-lcapstone", "-lcapstone"),
    Program("icu", ICU_CC, "-licuuc -licudata", "-licuuc -licudata"),
    Program("python", PYTHON_C, "-lpython3.11 -lm", "-lpython3.11 -lexpat -lz -lm", "-I/usr/include/python3.11"),
    Program("tcl", TCL_C, "-ltcl8.6", "-ltcl8.6 -lz -lm", "-I/usr/include/tcl8.6"),
    Program("ssl", SSL_C, "-lssl -lcrypto", "-lssl -lcrypto"),
    Program("freetype", FREETYPE_C, "-lfreetype", "-lfreetype -lpng -lz -lbrotlidec -lbrotlicommon -lm",
            "-I/usr/include/freetype2"),
    Program("magic", MAGIC_C, "-lmagic", "-lmagic -lbz2 -lz -llzma"),
    Program("dw", DW_C, "-ldw -lelf", "-ldw -lelf -lz -llzma -lbz2 -lzstd"),
    Program("llvm", LLVM_CC, "-lLLVM-14", "@llvm", f"-I{LLVM}/include -std=c++17 -fno-rtti -fuse-ld=lld"),
]

# The cure, what replaces -pie, whether the libraries are archives, and what else is on the link line.
LINKS = [
    ("relr", "-pie", False, ["-Wl,-z,pack-relative-relocs"]),
    ("no-pie", "-no-pie", True, []),
    ("static-libstdc++", "-pie", False, ["-static-libstdc++", "-static-libgcc"]),
    ("no-pie-static-libstdc++", "-no-pie", True, ["-static-libstdc++", "-static-libgcc"]),
    ("static", "-static", True, []),
]


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options)


def archives(program):
    if program.static[-1:] == ["@llvm"]:
        names = run([f"{LLVM}/bin/llvm-config", "--link-static", "--libs", "all-targets", "lto", "option"]).stdout.split()
        return [f"-L{LLVM}/lib", *program.static[:-1], *names, "-lz", "-ltinfo", "-lxml2", "-licuuc", "-licudata", "-llzma"]
    return program.static


def link(program, work, name, mode, is_static, extra):
    """Link program as `name`, or return None."""
    compiler = "g++" if program.is_cxx else "gcc"
    if "-lstdc++" in program.static and is_static:
        compiler = "g++"
    libraries = program.shared
    if is_static and program.static:
        libraries = archives(program)
        if mode != "-static":
            # Of the system's libraries there are no archives that would do beside a shared libc.
            system = [name for name in libraries if name in SYSTEM and name != "-lstdc++"]  # g++ adds its own
            libraries = ["-Wl,-Bstatic", *(name for name in libraries if name not in SYSTEM), "-Wl,-Bdynamic", *system]
    flags = [flag for flag in program.flags if flag.startswith("-fuse")]
    if mode == "-static" and "-fuse-ld=lld" in flags:
        libraries = [*libraries, "-Wl,--allow-multiple-definition"]
    command = [compiler, *flags, mode, work / f"{program.name}.o", *libraries, *extra, "-o", work / name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{program.name}: {name} does not link: {done.stderr.strip().splitlines()[-1][:200]}", file=sys.stderr)
        return None
    return work / name


def compile_program(program, work):
    suffix = "cc" if program.is_cxx else "c"
    source = work / f"{program.name}.{suffix}"
    source.write_text(program.source)
    flags = [flag for flag in program.flags if not flag.startswith("-fuse")]
    compiler = "g++" if program.is_cxx else "gcc"
    done = subprocess.run([compiler, "-O2", "-fPIE", *flags, "-c", source, "-o", work / f"{program.name}.o"],
                          capture_output=True, text=True)
    if done.returncode:
        print(f"{program.name}: skipped: {done.stderr.strip().splitlines()[0][:200]}", file=sys.stderr)
    return done.returncode == 0


def record(elfault, binary, trace, *options):
    run([elfault, "record", *options, "-o", trace, "--", binary])
    return json.loads(run([elfault, "whatif", "--format", "json", trace]).stdout)


def measure(elfault, binary, trace):
    """The median of faults of a warm start, and the trace of the last."""
    run([binary])
    counts = [record(elfault, binary, trace)["before"]["faults"] for _ in range(ROUNDS)]
    return statistics.median(counts)


def compare(elfault, program, work):
    """Rows of (program, cure, before, predicted, measured, is a bound)."""
    base = link(program, work, f"{program.name}-base", "-pie", False, [])
    if not base:
        return []
    trace = work / f"{program.name}.trace"
    before = measure(elfault, base, trace)
    # RELR is measured by linking the program again; its libraries stay.
    own = json.loads(run([elfault, "whatif", "--format", "json", base, trace]).stdout)
    predicted = {cure["cure"]: cure for cure in own["cures"]}
    scale = before / own["before"]["faults"]
    rows = []
    for cure, mode, is_static, extra in LINKS:
        row = predicted[cure]
        if not row["applies"]:
            rows.append((program.name, cure, before, None, None, row["reason"]))
            continue
        binary = link(program, work, f"{program.name}-{cure}", mode, is_static, extra)
        if binary:
            after = measure(elfault, binary, work / f"{program.name}-{cure}.trace")
            rows.append((program.name, cure, before, round(row["after"]["faults"] * scale), after, row["bound"]))
    return rows


def print_links(rows):
    print("| program | cure | faults | predicted | measured | error |")
    print("|---|---|--:|--:|--:|--:|")
    for name, cure, before, predicted, measured, note in rows:
        if predicted is None:
            print(f"| {name} | {cure} | {before:,} | – | – | {note} |", flush=True)
        else:
            error = 100 * (predicted - measured) / measured
            print(f"| {name} | {cure} | {before:,} | {predicted:,} | {measured:,} | {error:+.1f} %"
                  f"{' (bound)' if note is True else ''} |", flush=True)


class Disk:
    """A file system of its own, whose read-ahead nobody else has."""

    def __init__(self, work):
        self.image, self.mount = work / "disk", work / "mnt"
        self.mount.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(1 << 30)
        run(["mkfs.ext4", "-q", "-F", "-b", "4096", self.image])
        self.loop = run(["losetup", "--find", "--show", self.image]).stdout.strip()
        run(["mount", self.loop, self.mount])

    def read_ahead(self, kib):
        pathlib.Path(f"/sys/block/{os.path.basename(self.loop)}/queue/read_ahead_kb").write_text(str(kib))

    def close(self):
        subprocess.run(["umount", self.mount])
        subprocess.run(["losetup", "-d", self.loop])


def copy_program(program, work, disk):
    """The program and its libraries on the disk, by its own copy of ld.so."""
    base = work / f"{program.name}-base"
    for line in run(["ldd", base]).stdout.splitlines():
        words = [word for word in line.split() if word.startswith("/")]
        if words:
            shutil.copy(words[0], disk.mount / os.path.basename(words[0]))
    binary = link(program, work, f"mnt/{program.name}", "-pie", False, cold_flags(disk))
    os.sync()
    return binary


def cold_flags(disk):
    return [f"-Wl,--dynamic-linker={disk.mount}/ld-linux-x86-64.so.2", f"-Wl,-rpath,{disk.mount},--disable-new-dtags"]


def record_cold(elfault, binary, work):
    """A cold start of a binary on the disk, predicted from as well."""
    run([binary])
    warm = work / "warm.trace"
    run([elfault, "record", "-o", warm, "--", binary])
    return record(elfault, binary, work / "cold.trace", f"--cold={warm}")


def compare_cold(elfault, program, work, disk):
    """A row for each read-ahead, predicted from a warm start, and for each link, from a cold one."""
    binary = copy_program(program, work, disk)
    if not binary:
        return
    disk.read_ahead(128)
    run([binary])
    warm = {cure["cure"]: cure for cure in record(elfault, binary, work / "warm.trace")["cures"]}
    for kib in (0, 128, 512, 2048, 8192):
        disk.read_ahead(kib)
        print_cold(program, f"read-ahead {kib} KiB", warm.get(f"read-ahead-{kib}k"),
                   record_cold(elfault, binary, work)["before"])
    disk.read_ahead(128)
    record_cold(elfault, binary, work)
    cold = json.loads(run([elfault, "whatif", "--format", "json", binary, work / "cold.trace"]).stdout)
    predicted = {cure["cure"]: cure for cure in cold["cures"]}
    for cure, mode, is_static, extra in LINKS:
        flags = [] if mode == "-static" else cold_flags(disk)
        if predicted[cure]["applies"]:
            other = link(program, work, f"mnt/{program.name}-{cure}", mode, is_static, [*extra, *flags])
            if other:
                os.sync()
                print_cold(program, cure, predicted[cure], record_cold(elfault, other, work)["before"])


def print_cold(program, what, row, measured):
    if not row:
        return
    after = row["after"]
    error = 100 * (after["read_bytes"] - measured["read_bytes"]) / max(measured["read_bytes"], 1)
    print(f"| {program.name} | {what} | {'≥ ' if row['bound_of_major'] else ''}{after['major']:,} "
          f"| {measured['major']:,} | {after['read_bytes'] / 1048576:.2f} | {measured['read_bytes'] / 1048576:.2f} "
          f"| {error:+.1f} %{' (bound)' if row['bound'] else ''} |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("elfault")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--cold", action="store_true")
    arguments = parser.parse_args()
    elfault = os.path.abspath(arguments.elfault)
    only = set(filter(None, arguments.only.split(",")))
    with tempfile.TemporaryDirectory(dir=arguments.keep) as folder:
        work = pathlib.Path(folder)
        chosen = [program for program in PROGRAMS if (not only or program.name in only)
                  and compile_program(program, work)]
        print_links(row for program in chosen for row in compare(elfault, program, work))
        if not arguments.cold:
            return
        disk = Disk(work)
        try:
            print("\n| program | cold start | majors predicted | measured | MiB predicted | measured | error |")
            print("|---|--:|--:|--:|--:|--:|--:|")
            for program in chosen:
                compare_cold(elfault, program, work, disk)
        finally:
            disk.close()


if __name__ == "__main__":
    main()
