// SPDX-License-Identifier: Apache-2.0
// Android's packed relocations, one after the other. Serves relocations.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** Position in a packed table. */
struct packedrelocations {
	const uint8_t *at, *end;
	uint64_t left;	     // entries
	uint64_t group_left; // of the group that is being read
	uint64_t flags;	     // of it
	uint64_t step;	     // of it: from one slot to the next
	// Of the entry that was read last.
	uint64_t vaddr, info, addend;
};

/**
 * Begin to read the @size bytes at @bytes. False: they are none of its format ("APS2"), which the
 * linker's --pack-dyn-relocs=android writes. Source: bionic, linker/linker_reloc_iterators.h.
 */
bool packedrelocations_begin(struct packedrelocations *packed, const uint8_t *bytes, uint64_t size);

/** Read the next entry; false at the end, or where the table is damaged: then some are left. */
bool packedrelocations_next(struct packedrelocations *packed);
