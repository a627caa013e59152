#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `elfault map` as a person or a script meets it: output, exit status, messages.
#   test_map.sh ELFAULT SCHEMA     with ELF_FIXTURES in the environment
set -uo pipefail
elfault=$1 schema=$2
command=map
. "$(dirname "$0")/../../support/command.sh"

library=${ELF_FIXTURES:-}/relocations64.elf
if [ ! -r "$library" ]; then
	echo "1..0 # SKIP yaml2obj was not found"
	exit 0
fi

# Holds if the Python expression $1 does, of the last answer `d`.
holds() {
	python3 -c 'import json, sys
with open(sys.argv[2], encoding="utf-8") as answer:
    d = json.load(answer)
sys.exit(not eval("(" + sys.argv[1] + ")"))' "$1" "$work/out" 2>>"$work/err"
}
echo 1..18

says 0 "" --format json --page-size 4096 "$library" && holds 'd["schema"] == "elfault.map/1" and
d["type"] == "ET_DYN" and d["machine"] == "x86_64" and d["symbols"] == "symtab" and
d["build_id"] is None and d["interpreter"] is None and d["size"] > 0x2600'
result "JSON tells what the file is" $?

holds 'd["load"]["relocations"] == {"relative": 8, "symbolic": 2, "irelative": 1, "tls": 1,
"copy": 1, "jump_slot": 1, "encoding": "mixed", "table_bytes": 264} and
d["load"]["pages_written_by_relocation"] == 2 and d["load"]["relro_bytes"] == 0x500 and
d["load"]["bind_now"] is False'
result "JSON tells what loading costs" $?

holds '[(i["array"], i["index"], i["function"], i["vaddr"], i["size"]) for i in d["initializers"]]
== [(".preinit_array", 0, "start_early", "0x1010", 8), (".init", 0, "_init", "0x1000", None),
(".init_array", 0, "start", "0x1020", 8), (".init_array", 1, "exported", "0x1030", 16),
(".ctors", 2, None, "0x1038", None), (".ctors", 1, "exported", "0x1030", 16)]'
result "JSON lists the initializers as they run" $?

holds '[s for s in d["sections"] if s["name"] == ".bss"][0]["offset"] is None and
[s["pages"] for s in d["sections"] if s["name"] == ".bss"] == [2] and
[s["vaddr"] for s in d["sections"] if s["name"] == ".symtab"] == [None] and
[s["segment"] for s in d["sections"] if s["name"] in (".text", ".bss", ".symtab")] == [1, 2, None]'
result "JSON has null where a section has no bytes or no address" $?

if python3 -c 'import jsonschema' 2>/dev/null; then
	python3 -c 'import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
		"$work/out" "$schema" 2>>"$work/err"
	result "JSON follows its schema" $?
else
	result "JSON follows its schema # SKIP no jsonschema" 0
fi

cp "$work/out" "$work/first"
says 0 "" --format json --page-size 4096 "$library" && cmp -s "$work/first" "$work/out"
result "the same file gives the same bytes" $?

holds '[s["size"] for s in d["symbols_by_size"]] ==
sorted((s["size"] for s in d["symbols_by_size"]), reverse=True) and len(d["symbols_by_size"]) > 4'
result "symbols come largest first" $?

says 0 "" --format json --symbols all "$library" && holds 'd["symbols_by_size"] ==
sorted(d["symbols_by_size"], key=lambda s: (int(s["vaddr"], 16), s["name"]))'
result "all symbols come in address order" $?

says 0 "" --format json --symbols 2 "$library" && holds 'len(d["symbols_by_size"]) == 2'
result "--symbols limits their number" $?

says 0 "" --format json --page-size 65536 "$library" &&
	holds 'd["load"]["pages_written_by_relocation"] == 1 and d["load"]["page_size"] == 65536'
result "--page-size counts larger pages" $?

# Packed as Android's linker reads them they are the same ones. Their table moves what lies behind it.
if command -v ld.lld >/dev/null && command -v gcc >/dev/null; then
	printf 'int a[4], *p[5000] = { [0 ... 4999] = a + 1 };\nint main(void) { return !p[1]; }\n' >"$work/many.c"
	for packing in none android android+relr; do
		gcc -fPIE -pie -fuse-ld=lld "-Wl,--pack-dyn-relocs=$packing,--use-android-relr-tags" -o "$work/$packing" "$work/many.c"
		says 0 "" --format json "$work/$packing"
		python3 -c 'import json, sys; counts = json.load(open(sys.argv[1]))["load"]["relocations"]
print(counts["relative"], counts["symbolic"], counts["jump_slot"]); print(counts["table_bytes"], file=sys.stderr)' \
			"$work/out" >>"$work/counts" 2>>"$work/bytes"
	done
	[ "$(sort -u "$work/counts" | wc -l)" = 1 ] && grep -qE '^5[0-9]{3} ' "$work/counts" &&
		[ "$(head -1 "$work/bytes")" -gt $((10 * $(tail -1 "$work/bytes"))) ]
	result "packed relocations are counted" $?
else
	result "packed relocations are counted # SKIP ld.lld or gcc is not installed" 0
fi

# A name that would turn the terminal's text bold and is not UTF-8.
LC_ALL=C sed 's/start_early/st\x1b[1m\xffly__/' "$library" >"$work/hostile"
says 0 "" "$work/hostile" && ! LC_ALL=C grep -q $'\x1b' "$work/out" && grep -qF 'st\x1b[1m' "$work/out"
result "text shows control characters instead of sending them" $?

says 0 "" --format json "$work/hostile" &&
	holds 'd["initializers"][0]["function"] == "st\x1b[1m\ufffdly__"'
result "JSON replaces what is not UTF-8" $?

says 0 "" "$library" && head -1 "$work/out" | grep -qF "$library" &&
	grep -qF '14 (8 relative, 2 symbolic, 1 irelative, 1 tls, 1 copy, 1 jump slot)' "$work/out" &&
	grep -qE '\.init_array\[1\] +0x1030 +16 B +exported' "$work/out"
result "text starts with the file and what loading it costs" $?

says 1 "$work/nothing" "$work/nothing" && [ ! -s "$work/out" ]
result "a file that is not there is named, with exit status 1" $?

says 2 "power of two" --page-size 5000 "$library" && says 2 "invalid value 'xml'" --format xml "$library" &&
	says 2 "missing OBJECT" && says 2 "one or two at a time" "$library" "$library" "$library" &&
	says 2 "requires two files" --format csv "$library" &&
	says 2 "requires one file" --relocations "$library" "$library"
result "misuse says what is wrong, with exit status 2" $?

says 0 "" --help && grep -q 'elfault map libfoo.so' "$work/out"
result "--help shows examples on standard output" $?
says 1 "No such file" $'no\e[31mfile' && ! grep -q $'\e' "$work/err"
result "a name cannot act on the terminal" $?

exit $failed
