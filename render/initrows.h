// SPDX-License-Identifier: Apache-2.0
// Rows of an answer about initializers, and their order.
#pragma once

#include "render/render.h"

struct initrows {
	const uint32_t *rows; // into model.initializers
	size_t count;
	size_t silent; // of those without a fault, how many there are
};

/** Return the time of an initializer: its faults, and computing if that is known. */
static inline uint64_t initrows_time(const struct model_initializer *initializer)
{
	return initializer->count.own_ns + initializer->cpu_ns + initializer->wait_ns;
}

/**
 * The initializers of all objects, or with OBJECT arguments of those shown, that faulted or took
 * time; with options->all also the others. Owned by @arena.
 *
 * Sorted by options->sort; equals in the order they ran: by their first fault; with options->all
 * object by object, each in the order of its arrays, those that never faulted last. O(n log n).
 */
struct initrows initrows_select(const struct model *model,
				const struct render_initializers_options *options,
				struct arena *arena);
