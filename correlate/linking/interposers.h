// SPDX-License-Identifier: Apache-2.0
// Programs that define a library's symbols themselves: they come first where names are looked up.
#pragma once

#include "correlate/linking/relocation.h"

#include "base/vec.h"

/** A program that loaded the library. */
struct interposer {
	struct elfmap *map;
	const char *name; // of its file, without the folder
};

/** Zero-initialise to use; release with vec_deinit() of .programs. */
struct interposers {
	VEC(struct interposer) programs;
};

/** A symbol that a library and a program define. */
struct interposition {
	const char *program;
	bool is_copy; // the program has a copy of the library's data
};

/** Find the programs in which @count's object, a library, has faults. */
void interposers_find(struct interposers *interposers, const struct relocation_count *count);

/**
 * True if one of the programs defines @symbol, a library's own, as well. What both define weakly
 * counts only if it is a copy: it is the same code by the rules of C++.
 */
bool interposers_have(const struct interposers *interposers,
		      const struct elfmap_dynamic_symbol *symbol,
		      struct interposition *ret_interposition);
