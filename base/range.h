// SPDX-License-Identifier: Apache-2.0
// Half-open ranges of 64-bit numbers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** [start, end): empty when start == end; never end < start. */
struct range {
	uint64_t start;
	uint64_t end;
};

static inline bool range_contains(struct range range, uint64_t value)
{
	return value >= range.start && value < range.end;
}

/** True if one of @count ranges contains @value. O(count). */
static inline bool ranges_contain(const struct range *ranges, size_t count, uint64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (range_contains(ranges[i], value))
			return true;
	return false;
}

static inline bool range_overlaps(struct range a, struct range b)
{
	return a.start < b.end && b.start < a.end;
}

static inline uint64_t range_size(struct range range)
{
	return range.end - range.start;
}

/** Return the nearest to @value from the start of @range to its end. */
static inline uint64_t range_clamp(struct range range, uint64_t value)
{
	return value < range.start ? range.start : value > range.end ? range.end : value;
}

/** Return the part of @amount, which @range has evenly, from its start to @value. */
static inline uint64_t range_part(uint64_t amount, struct range range, uint64_t value)
{
	const uint64_t passed = range_clamp(range, value) - range.start;

	return passed > 0 ? (uint64_t)((unsigned __int128)amount * passed / range_size(range)) : 0;
}

/** The same, within @window. */
static inline uint64_t range_part_within(uint64_t amount, struct range range, struct range window)
{
	return range_part(amount, range, window.end) - range_part(amount, range, window.start);
}

/** Round down to a multiple of @align, a power of two. */
static inline uint64_t align_down(uint64_t value, uint64_t align)
{
	return value & ~(align - 1);
}

/** Round up to a multiple of @align, a power of two; wraps to 0 past 2^64. */
static inline uint64_t align_up(uint64_t value, uint64_t align)
{
	return align_down(value + align - 1, align);
}
