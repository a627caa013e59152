// SPDX-License-Identifier: Apache-2.0
// Code that link-time optimisation put into units of its own, and the files that it came from.
#pragma once

#include "elfmap/private.h"

#include <elfutils/libdw.h>

/** A function or variable of such a unit. */
struct ltounit_item {
	uint64_t vaddr;
	const char *file; // the unit it was compiled in, owned by the Dwarf; NULL: made by LTO
	bool is_function;
	bool takes_and_gives_nothing; // a function that could be an initializer
	Dwarf_Die die;
};

/** Set what is left, valid as long as the Dwarf. Release with vec_release(). */
struct ltounits {
	VEC(struct ltounit_item) items;
	// Damaged units may lead anywhere again and again: no more than this is looked at in all.
	uint64_t steps_left; // entries; the size of the file that has the DWARF will do
	uint64_t code_left;  // bytes; initializers that do not overlap need no more than the file
};

/** True if the code generator made up this unit: it stands for no file. */
bool ltounits_is_one(Dwarf_Die *unit);

/** Add what lies directly in @unit. */
void ltounits_add(struct ltounits *units, Dwarf_Die *unit);

/** To be done before anything is looked up. */
void ltounits_sort(struct ltounits *units);

/**
 * The source of @initializer, in the arena of @map; NULL if nothing shows it.
 *
 * A function that was compiled from a file names it. One that LTO merged (`_sub_I_65535_0`) names
 * those of the functions inlined into it. GCC (12 at least) describes none of those; then the code
 * itself tells, in its order: the initializers that it calls and the variables that it sets up.
 */
const char *ltounits_source(struct ltounits *units, struct elfmap *map,
			    const struct elfmap_initializer *initializer);
