// SPDX-License-Identifier: Apache-2.0
// A walk over the entries of DWARF that damaged data cannot make endless: libdw's own walks recurse
// as deep as the data says, and to skip an entry it may have to read all within it.
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * Work left on one file. An honest entry or range is read a few times at most and takes at least a
 * byte, so a limit of some times the file's size is met only by damaged ones.
 */
struct dwarfwalk_budget {
	uint64_t steps;
};

enum { DWARFWALK_DEPTH_MAX = 256 };

/** One level of the walk: an entry that is being looked at. */
struct dwarfwalk_level {
	Dwarf_Die die;
	Dwarf_Die next; // its sibling
	bool has_next;
	uint64_t end;  // offset in .debug_info that nothing within its parent reaches
	uint32_t mark; // the caller's, for the entry; inherited from its parent
};

/** The offset that nothing within the entry of @level reaches. */
uint64_t dwarfwalk_end(struct dwarfwalk_level *level);

/** A walk below one entry, in the order of the file. */
struct dwarfwalk {
	struct dwarfwalk_budget *budget;
	struct dwarfwalk_level levels[DWARFWALK_DEPTH_MAX];
	uint32_t depth;
	bool descend; // set by the caller to see what is within the entry of the last step
};

/** Start below @root, which ends before offset @end. @mark: for entries right below it. */
void dwarfwalk_start(struct dwarfwalk *walk, struct dwarfwalk_budget *budget, Dwarf_Die *root,
		     uint64_t end, uint32_t mark);

/**
 * The next entry; NULL at the end, or when the budget is spent or the data makes no sense. Set
 * walk->descend to visit what is within it, and its ->mark to have that inherited.
 */
struct dwarfwalk_level *dwarfwalk_next(struct dwarfwalk *walk);
