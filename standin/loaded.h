// SPDX-License-Identifier: Apache-2.0
// The files that a program loads at its start, with their names.
#pragma once

#include "standin/library.h"

struct standin_loaded {
	struct standin_library **items; // in the order of loading: the program first
	size_t count;
};

/**
 * Ask the program's own dynamic linker (`ld.so --list`), which executes nothing of the program's,
 * and read what it names. Release with standinloaded_deinit().
 *
 * @err: a library that is not found, a program without a dynamic linker.
 */
bool standinloaded_init(struct standin_loaded *loaded, const char *program, struct err *err);
void standinloaded_deinit(struct standin_loaded *loaded);

/** The one of that soname or path; NULL: none. */
const struct standin_library *standinloaded_named(const struct standin_loaded *loaded,
						  const char *name);

/**
 * Mark in @ret_stays, one for each, those that are loaded also if @library needs none: all but it
 * and what nobody else brings.
 */
void standinloaded_without(const struct standin_loaded *loaded,
			   const struct standin_library *library, bool *ret_stays);
