// SPDX-License-Identifier: Apache-2.0
// When the initializers of each file ran, as the faults inside them show it.
#pragma once

#include "base/vec.h"
#include "model/model.h"

#include <stdint.h>

/** One run of a file's initializers: in one thread, from the first fault inside them to the end of
 * the last. */
struct initspan {
	uint32_t object; // whose initializers
	uint32_t pid;
	uint64_t first_ns, end_ns;
};

struct initspans {
	VEC(struct initspan) list; // in the order of their beginnings
};

/**
 * Find all runs in @model. A run goes on until its thread faults outside of initializers; faults
 * whose initiator is unknown say nothing about that. O(n). Release with initspans_deinit().
 */
void initspans_init(struct initspans *spans, const struct model *model);
void initspans_deinit(struct initspans *spans);
