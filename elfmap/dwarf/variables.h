// SPDX-License-Identifier: Apache-2.0
// Variables that DWARF places at a fixed vaddr, and the files that declare them.
#pragma once

#include "elfmap/private.h"

#include "base/u64map.h"

/** Zero-initialise to use; release with variables_deinit(). */
struct variables {
	struct u64map by_vaddr;	 // -> index into files
	VEC(const char *) files; // owned by the map
};

/** Read all variables of @map's DWARF, namespaces' and functions' included; none without one. */
void variables_read(struct variables *variables, struct elfmap *map);
void variables_deinit(struct variables *variables);

/** The file that declares the variable at @vaddr; NULL if DWARF does not say. */
const char *variables_file_at(const struct variables *variables, uint64_t vaddr);
