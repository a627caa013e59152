// SPDX-License-Identifier: Apache-2.0
// The tables of relocations of one object, made shorter: which of the faults on them are left.
#pragma once

#include "cure/whatifkit.h"
#include "model/relocation.h"

/** The tables of an object, which ld.so reads from the first byte to the last. */
struct whatif_table {
	bool is_known;	// it has one, and its place is known
	uint64_t start; // of the first, as an offset in the file
	uint64_t bytes; // of all
	uint64_t left;	// bytes that a cure leaves, at the beginning
};

/** Find the tables of @object; left is set to all of their bytes. */
struct whatif_table whatif_table_of(const struct model_object *object);

/** Did @fault, of the object with @table, read the tables as they are? */
bool whatif_table_has(const struct whatif_table *table, const struct model_fault *fault);

/** Did @fault, of the object with @table, read a part of it that is not there any more? */
bool whatif_table_drops(const struct whatif_kit *kit, const struct whatif_table *table,
			const struct model_fault *fault);

/** The fate of a file. */
enum whatif_fate {
	FATE_OTHER,  // it is not of this link: opened by name, or of another program
	FATE_STAYS,  // a library as before
	FATE_MERGED, // linked in
	FATE_GONE,   // nothing needs it any more
};

/** A way to link. */
struct whatif_way {
	const char *cure, *title;
	bool is_fixed;	     // -no-pie, unless it is so already
	bool libraries, cxx; // linked in, of each kind
	bool all;	     // the C library as well: no dynamic linker
	unsigned error_percent;
};

/** A link of the program while it is predicted. */
struct whatif_plan {
	struct whatif_kit *kit;
	const struct whatif_way *way;
	bool is_fixed;
	enum whatif_fate *fates;     // by object
	struct whatif_table *tables; // by object: of what is relocated otherwise
	uint32_t *merged;
	size_t merged_count;
	bool needs_cxx; // a library that stays needs libstdc++
	// Of the objects of the program, before and after.
	uint64_t objects, objects_left, slots, slots_left, lookups, lookups_left;
};

/**
 * Find what becomes of every file when the program is linked in this way; false where the program
 * is not known. Release with whatif_plan_deinit() in any case.
 */
bool whatif_plan_init(struct whatif_plan *plan, struct whatif_kit *kit,
		      const struct whatif_way *way);
void whatif_plan_deinit(struct whatif_plan *plan);

/**
 * Does relocation still have to write a page whose slots have these @targets (bits by enum
 * model_target)? Slots of COPY relocations are not among them.
 */
bool whatif_is_page_left(const struct whatif_plan *plan, unsigned targets);
