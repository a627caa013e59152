// SPDX-License-Identifier: Apache-2.0
// Functions of a file that moved relative to the others.
#pragma once

#include "base/vec.h"
#include "compare/compare.h"

/** A function seen to run on one side. */
struct placed {
	const char *name;
	const char *section; // NULL: unknown
	uint64_t vaddr, size;
	double first_use; // as in compare_move
	double faults;
};

/** The functions of one side: each address once, in any order. */
struct placed_side {
	struct placed *functions;
	size_t count;
};

/**
 * Fill what @locality has on moves from both sides' functions. Those are one that have the same
 * name, then, of what is left, the same name without what compilers append; a name that several
 * functions of a side have matches nothing, nor, unless @is_one_build, does one that is an address.
 * Of the functions matched, the largest number whose order
 * by address is the same on both sides stayed; the others moved. O(n log n).
 */
void moves_find(struct compare_locality *locality, struct placed_side sides[COMPARE_SIDES],
		bool is_one_build, uint64_t page_size, struct arena *arena);
