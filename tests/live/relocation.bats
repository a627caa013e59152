#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Pages written by relocation and pages of .data and .bss, in a program where each is known.
load common

# relocated LINKER RELA|RELR [OPTION...]
relocated() {
	local linker=$1 encoding=$2
	shift 2
	need_bpf
	need gcc readelf "ld.$linker"
	# In the order of the source, also in memory.
	gcc -O1 -fno-toplevel-reorder -fPIE -pie -fuse-ld="$linker" "$@" -o relocated "$fixtures/relocated.c"
	record trace ./relocated
	"$ELFAULT" analyze --format json trace | "$tests/live/relocated.py" "$PWD/relocated" "$encoding"
}

@test "relocation and data pages, linked by bfd" { relocated bfd RELA; }
@test "relocation and data pages, linked by gold" { relocated gold RELA; }
@test "relocation and data pages, linked by lld" { relocated lld RELA; }
@test "relocation and data pages, linked by mold" { relocated mold RELA; }
# glibc refuses DT_RELR without its version GLIBC_ABI_DT_RELR, which lld 14 and mold 1.10 do not add.
@test "packed relocations write the same pages, linked by bfd" {
	relocated bfd RELR -Wl,-z,pack-relative-relocs
}
