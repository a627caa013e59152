// SPDX-License-Identifier: Apache-2.0
// A part of a recording, of which alone an answer counts. Part of the model: plain data.
#pragma once

#include "base/range.h"

#include <stdbool.h>
#include <stdint.h>

/** Times are since the start of the recording. All 0: it is not asked for, and all is counted. */
struct model_window {
	bool is_set;
	bool is_to_end; // nothing is behind it, whatever until_ns says
	uint64_t from_ns, until_ns;
	const char *from, *until; // as they are typed; NULL: they were not
};

/** True if an event at @time_ns is counted. */
static inline bool model_window_has(const struct model_window *window, uint64_t time_ns)
{
	return !window->is_set ||
	       (time_ns >= window->from_ns && (window->is_to_end || time_ns < window->until_ns));
}

/** Return the moment that ends @window, since the start; UINT64_MAX: nothing is behind it. */
static inline uint64_t model_window_end(const struct model_window *window)
{
	return !window->is_set || window->is_to_end ? UINT64_MAX : window->until_ns;
}

/** Return @window in times of which @start_ns is the start of the recording. */
static inline struct range model_window_times(const struct model_window *window, uint64_t start_ns)
{
	const uint64_t end_ns = model_window_end(window);

	return (struct range){ start_ns + window->from_ns,
			       end_ns < UINT64_MAX ? start_ns + end_ns : end_ns };
}
