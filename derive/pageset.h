// SPDX-License-Identifier: Apache-2.0
// Distinct pages, and other pairs of numbers that are counted once.
#pragma once

#include "base/u64map.h"
#include "model/model.h"

/** Zero-initialise to use. */
struct pageset {
	struct u64map map;
};

/** Add (@a, @b); true if it is new. */
bool pageset_add_pair(struct pageset *set, uint64_t a, uint64_t b);

/**
 * Add the page that @fault touched; true if it is new. A page of a file is the same in all
 * processes, memory outside files is each process's own.
 */
bool pageset_add(struct pageset *set, const struct model *model, const struct model_fault *fault);

/** The same, where each @owner counts pages of its own. */
bool pageset_add_for(struct pageset *set, uint32_t owner, const struct model *model,
		     const struct model_fault *fault);

/** How many there are. */
static inline uint64_t pageset_count(const struct pageset *set)
{
	return set->map.count;
}

void pageset_deinit(struct pageset *set);
