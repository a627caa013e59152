// SPDX-License-Identifier: Apache-2.0
// The files that one initializer came from: one, or under LTO all that were merged into it.
#pragma once

#include "elfmap/private.h"

#include "base/u64map.h"

enum {
	SOURCELIST_NAMED = 8,	     // named one by one; the others are counted
	SOURCELIST_LENGTH = 4 << 10, // of a name, longer ones are cut
};

/** Zero-initialise to use; release with sourcelist_deinit(). */
struct sourcelist {
	const char *names[SOURCELIST_NAMED]; // in the order they were added
	size_t count;			     // with those that are not named
	struct u64map seen;		     // addresses of names
};

/** Add @name, which is borrowed, unless it is there. One name at two addresses may count twice
 * where it is not named. O(1). */
void sourcelist_add(struct sourcelist *list, const char *name);

/** "a.cc, b.cc and 3 more", owned by @arena; NULL of none. */
const char *sourcelist_text(const struct sourcelist *list, struct arena *arena);

void sourcelist_deinit(struct sourcelist *list);
