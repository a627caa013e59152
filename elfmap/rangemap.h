// SPDX-License-Identifier: Apache-2.0
// Sorted, disjoint, half-open ranges with an id each: who owns a vaddr or an offset.
#pragma once

#include "base/arena.h"
#include "base/range.h"

#include <stddef.h>

/** A range and what it stands for. */
struct rangemap_item {
	struct range range;
	uint32_t id;
};

/** Built once, then only read. Items are disjoint and sorted; they live in the arena. */
struct rangemap {
	const struct rangemap_item *items;
	size_t count;
};

/** True if the owner of id @a beats that of id @b where both cover a byte: a strict total order. */
typedef bool rangemap_beats(const void *context, uint32_t a, uint32_t b);

/** The lower id wins: the first in file order. */
bool rangemap_first_wins(const void *context, uint32_t a, uint32_t b);

/**
 * Build from @count ranges in any order, overlapping or not; empty ones are dropped. @items is
 * reordered. Each covered value goes to the winner among its ranges. O(n log n), at most
 * 2 * count items.
 */
void rangemap_build(struct rangemap *map, struct arena *arena, struct rangemap_item *items,
		    size_t count, rangemap_beats *beats, const void *context);

/** The item that holds @value, or NULL. O(log n). */
const struct rangemap_item *rangemap_find(const struct rangemap *map, uint64_t value);

/** The item that holds @value, else the first after it, or NULL. Those after follow it. O(log n).
 */
const struct rangemap_item *rangemap_next(const struct rangemap *map, uint64_t value);
