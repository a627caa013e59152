// SPDX-License-Identifier: Apache-2.0
// The files that a program loads at its start, with their names.
#pragma once

#include "base/u64map.h"
#include "standin/library.h"

struct standin_loaded {
	struct standin_library **items; // in the order of loading: the program first
	size_t count;
	struct u64map definers; // hash of a name -> the first that defines it, by its index
};

/**
 * Ask the program's own dynamic linker (`ld.so --list`), which executes nothing of the program's,
 * and read what it names: of a program without one, itself alone. Release with
 * standinloaded_deinit().
 *
 * @err: a library that is not found.
 */
bool standinloaded_init(struct standin_loaded *loaded, const char *program, struct err *err);

/** The same of a script: itself alone. */
void standinloaded_init_script(struct standin_loaded *loaded, const char *script);
void standinloaded_deinit(struct standin_loaded *loaded);

/** The one of that soname or path; NULL: none. */
const struct standin_library *standinloaded_named(const struct standin_loaded *loaded,
						  const char *name);

/**
 * Find the first in the order of loading that defines @name, of whatever version, with a place of
 * its own: not a copy. Returns: its index, or the count: none.
 */
size_t standinloaded_definer(const struct standin_loaded *loaded, const char *name);

/**
 * Mark in @ret_stays, one for each, those that are loaded without those that @without marks: all
 * but these and what nobody else brings.
 */
void standinloaded_without(const struct standin_loaded *loaded, const bool *without,
			   bool *ret_stays);

/** The same without one of them. */
void standinloaded_without_one(const struct standin_loaded *loaded,
			       const struct standin_library *library, bool *ret_stays);
