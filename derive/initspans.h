// SPDX-License-Identifier: Apache-2.0
// When each initializer ran, as the faults, samples and pauses inside it show it.
#pragma once

#include "base/vec.h"
#include "model/model.h"

#include <stdint.h>

/** One run of an initializer in one thread: from what was first seen inside it to the end of what
 * was last. */
struct initspan {
	uint32_t initializer; // into model.initializers
	uint32_t thread;      // into model.threads
	uint32_t tid;
	uint32_t round;	     // how often its thread had been outside of initializers: runs of one
			     // round followed each other, or one ran in the other
	uint32_t depth;	     // runs of its thread that go on around it
	uint64_t read_bytes; // that storage delivered for it; where that is not known, its faults
			     // read
	uint64_t first_ns, end_ns;
};

struct initspans {
	VEC(struct initspan) list; // in the order of their beginnings
};

/**
 * Find all runs in @model. A run goes on until its thread is seen outside of initializers; what has
 * no known initiator says nothing about that. O(n). Release with initspans_deinit().
 */
void initspans_init(struct initspans *spans, const struct model *model);
void initspans_deinit(struct initspans *spans);
