// SPDX-License-Identifier: Apache-2.0
// Programs that are built and installed together with the running one.
#pragma once

#include "base/arena.h"

/** A program. Both are NULL where it does not exist. */
struct companion {
	const char *path; // to execute
	const char *word; // of a shell's command line: its name where PATH finds this very file
};

/**
 * Find the program @name: beside the running one, which is at @self, in @folder beside that one's
 * folder (as in a build tree), or in @search, a PATH; both may be NULL. Strings are in @arena.
 */
struct companion companion_find_from(struct arena *arena, const char *name, const char *folder,
				     const char *self, const char *search);

/** Find elfault-prefetch, which asks for the pages of a list and is built without shared libraries.
 */
struct companion companion_prefetch(struct arena *arena);
