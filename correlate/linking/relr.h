// SPDX-License-Identifier: Apache-2.0
// How large a table of packed relative relocations (DT_RELR) would be, as linkers encode it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** A table being measured. Start with relr_start(), add vaddrs in ascending order. */
struct relr {
	unsigned word_size; // 4 or 8
	uint64_t words;	    // of the table so far
	uint64_t last;	    // vaddr added last
	uint64_t next;	    // the first vaddr that the current bitmap stands for
	bool has_next;	    // a first vaddr was written
	bool has_bitmap;    // the bitmap at next was written
};

struct relr relr_start(unsigned word_size);

/**
 * True if RELR can hold this slot: its encoding needs the lowest bit. (mold packs slots at whole
 * words only; almost all are.)
 */
static inline bool relr_can_hold(uint64_t vaddr)
{
	return vaddr % 2 == 0;
}

/** Count the slot at @vaddr, which relr_can_hold(); one that comes twice counts once. O(1). */
void relr_add(struct relr *relr, uint64_t vaddr);

/** Bytes of the table. */
static inline uint64_t relr_size(const struct relr *relr)
{
	return relr->words * relr->word_size;
}
