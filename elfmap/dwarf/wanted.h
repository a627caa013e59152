// SPDX-License-Identifier: Apache-2.0
// Initializers that still look for their source, by address.
#pragma once

#include "elfmap/private.h"

struct wanted {
	uint64_t vaddr;
	struct elfmap_initializer *initializer;
};

/**
 * Those of @count initializers that have no source yet and whose function is known, sorted by its
 * vaddr; to be released with free().
 */
struct wanted *wanted_sort(struct elfmap_initializer *initializers, size_t count,
			   size_t *ret_count);

/** Index of the first of @wanted at or past @vaddr; @count if there is none. O(log n). */
size_t wanted_first(const struct wanted *wanted, size_t count, uint64_t vaddr);
