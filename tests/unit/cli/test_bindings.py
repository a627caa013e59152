#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names that the dynamic linker binds (`analyze --bindings`), held against LD_DEBUG=bindings.

usage: test_bindings.py ELFAULT BINDINGS

BINDINGS is tests/live/bindings.py. The trace is made here: which file is mapped after which is all that counts.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

# DF_SYMBOLIC, as -Bsymbolic sets.
DT_FLAGS, DF_ORIGIN, DF_SYMBOLIC = 30, 1, 2


def make_symbolic(path):
    """Have a library search itself first; linked with -Bsymbolic, it would have no name to search for."""
    content = path.read_bytes()
    before, after = (struct.pack("<QQ", DT_FLAGS, flags) for flags in (DF_ORIGIN, DF_SYMBOLIC))
    assert content.count(before) == 1
    path.write_bytes(content.replace(before, after))


def built(folder):
    build = pathlib.Path(__file__).resolve().parents[2] / "support/bindings/build.sh"
    subprocess.run([build, folder, "-Wl,-z,origin"], check=True)
    make_symbolic(folder / "libsymbolic.so")


def traced(folder):
    """Return a trace of main: the files in the order in which the dynamic linker maps them, each with a fault."""
    listed = subprocess.run(["./main"], cwd=folder, env=dict(os.environ, LD_TRACE_LOADED_OBJECTS="1"),
                            capture_output=True, text=True, check=True).stdout
    system = [line.split()[-2] for line in listed.splitlines() if "/lib" in line and str(folder) not in line]
    paths = [folder / "main", *(path for path in system if "ld-linux" in path),
             *(folder / f"lib{name}.so" for name in ("symbolic", "middle", "base", "inline", "firm")),
             *(path for path in system if "ld-linux" not in path), folder / "libplugin.so", folder / "libsecond.so"]
    text = ('elfault-trace-text 1\nmeta arg="main" backend="bpf" machine="x86_64" page_size=4096 root_pid=10 start=1000 stacks=yes\n'
            'exec pid=10 tid=10 time=1000 comm="main"\n')
    for i, path in enumerate(map(os.path.realpath, paths)):
        size = (os.path.getsize(path) + 4095) // 4096 * 4096
        addr = 0x400000 if i == 0 else 0x7F0000000000 + (i << 28)
        text += f'map pid=10 tid=10 time={2000 + 2 * i} addr={addr:#x} size={size:#x} prot=r-xp path="{path}"\n'
        text += f"fault pid=10 tid=10 time={2001 + 2 * i} addr={addr:#x} ip=0x400010 error=user\n"
    return text + "summary\n"


def who_replaces(elfault, folder, library):
    """Return why the library is not to be linked with -Bsymbolic-functions, as the answer has it; None: it may be."""
    answer = json.loads(subprocess.run([elfault, "analyze", "--format", "json", "trace"], cwd=folder,
                                       capture_output=True, text=True, check=True).stdout)
    relinks = next(row for row in answer["objects"] if os.path.basename(row["path"]) == library)["relocation"]["relinks"]
    reason = next(row for row in relinks if row["option"] == "-Bsymbolic-functions")["reason"]
    return reason.split(":")[0] if "replaces" in reason else None


def main():
    elfault, compare = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(os.path.realpath(name))
        built(folder)
        (folder / "trace").write_text(traced(folder))
        answer = subprocess.run([elfault, "analyze", "--bindings", "--full-paths", "--format", "json", "trace"],
                                cwd=folder, capture_output=True, text=True, check=True).stdout
        (folder / "answer").write_text(answer)
        loading = json.loads(answer)["loadings"][0]
        rows = {(row["name"], os.path.basename(row["from"])): row for row in loading["list"]}

        def to(name, file):
            return os.path.basename(rows[name, file]["to"] or "nothing")

        assert to("replaced", "libmiddle.so") == "main"
        assert to("replaced", "libsymbolic.so") == "libsymbolic.so"
        assert to("data", "main") == "libbase.so" and to("data", "libmiddle.so") == "main"
        assert to("nowhere", "libmiddle.so") == "nothing" and rows["nowhere", "libmiddle.so"]["weak"]
        assert rows["only_here", "libsecond.so"]["unsure"] and rows["only_here", "libsecond.so"]["to"] is None
        assert not rows["plain", "libsecond.so"]["unsure"]
        assert loading["unsure"] == 1
        assert loading["sum"]["names"] == loading["sum"]["found"] + loading["without"]
        assert loading["without"] == sum(row["to"] is None for row in loading["list"] if not row["lazy"])
        assert who_replaces(elfault, folder, "libinline.so") is None
        assert who_replaces(elfault, folder, "libfirm.so") == "main replaces firm"
        assert who_replaces(elfault, folder, "libmiddle.so") == "main replaces replaced"
        environment = dict(os.environ, LD_BIND_NOW="1", LD_DEBUG="bindings", LD_DEBUG_OUTPUT=str(folder / "told"))
        subprocess.run(["./main", "./libplugin.so", "./libsecond.so"], cwd=folder, env=environment, check=True,
                       stdout=subprocess.DEVNULL)
        told = max(folder.glob("told.*"))
        subprocess.run([sys.executable, compare, "answer", told, "now"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


if shutil.which("gcc") and shutil.which("readelf"):
    main()
    print("1..1\nok 1 - each name is bound where the dynamic linker binds it")
else:
    print("1..0 # SKIP gcc or readelf is not installed")
