// SPDX-License-Identifier: Apache-2.0
// From values to places on an axis, and the round values where an axis has its ticks.
#pragma once

#include "base/arena.h"
#include "base/range.h"

#include <stddef.h>
#include <stdint.h>

/** Values of an axis that are left out, but for a short break. */
struct scale_gap {
	uint64_t first, last;
};

/** Values from first to last lie evenly on [start, start + length], except for those in gaps. */
struct scale {
	uint64_t first, last;
	double start, length;
	const struct scale_gap *gaps; // sorted, disjoint, within first and last
	size_t gap_count;
	double gap_length; // of each on the axis
};

/**
 * Find where nothing happens for long: stretches that none of @spans reaches into, which are sorted
 * by their starts and may overlap or be empty. Each is more than a tenth of what would be left
 * without those already found, and far more than spans are apart there. In @arena; at most @limit
 * of them, in order.
 */
const struct scale_gap *scale_find_gaps(struct arena *arena, const struct range *spans,
					size_t count, size_t limit, size_t *ret_count);

/** The place of @value; what lies outside is put at the nearer end. */
double scale_place(const struct scale *scale, uint64_t value);

/** A place on an axis that is worth a mark. */
struct scale_tick {
	uint64_t value;
	double place;
	const char *label;
};

/**
 * Up to @limit ticks at round values of @scale, whose values are nanoseconds; labels share a unit:
 * "0", "50 ms", "100 ms". None is in a gap, or where it would touch its neighbour. @micro: "us" as
 * it can be shown. In @arena; *@ret_count may be 0.
 */
const struct scale_tick *scale_time_ticks(struct arena *arena, const struct scale *scale,
					  const char *micro, size_t limit, size_t *ret_count);

/** The same for bytes: "0", "32 MiB", "64 MiB". */
const struct scale_tick *scale_size_ticks(struct arena *arena, const struct scale *scale,
					  size_t limit, size_t *ret_count);

/**
 * Share out @total units among @count parts: each gets at least its minimum, the rest goes by
 * weight. Where minima would take more than two thirds, they shrink alike. The shares add up to
 * @total, unless all weights are 0.
 */
void scale_share(const double *weights, const unsigned *minima, size_t count, unsigned total,
		 unsigned *ret_shares);
