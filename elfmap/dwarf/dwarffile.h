// SPDX-License-Identifier: Apache-2.0
// The DWARF of a file, opened once and only when it is asked for.
#pragma once

#include "elfmap/private.h"

#include <elfutils/libdw.h>

/** An opened DWARF and what it stands on. */
struct elfmap_dwarf {
	Dwarf *dwarf;	// NULL: there is none to be read
	uint64_t bytes; // of its sections, decompressed: what honest work on it is measured by

	// Owned: what @dwarf reads from.
	Elf *elf;
	struct elfmap *shared; // the file that dwz moved common parts to, NULL
	Elf *shared_elf;
	Dwarf *shared_dwarf;
};

/**
 * The DWARF of @map's file, or of its separate debug file. Never NULL; its .dwarf is, where neither
 * has any (nothing is opened then) or it cannot be read (then a note says so). Owned by @map.
 */
const struct elfmap_dwarf *elfmap_dwarf(struct elfmap *map);

/** If the DWARF of @map was asked for, add what it needs of @part: its file or one beside it. */
void elfmap_add_dwarf(const struct elfmap *map, const struct elfmap *part, struct rangeset *set);
