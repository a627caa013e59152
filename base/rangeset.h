// SPDX-License-Identifier: Apache-2.0
// A set of numbers as ranges: add in any order, settle, then ask how many lie somewhere.
#pragma once

#include "base/range.h"
#include "base/vec.h"

/** Zero-initialise; release with rangeset_deinit(). */
struct rangeset {
	VEC(struct range) list; // settled: sorted, none touches the next
	size_t limit;		// of its count, before it is settled to save memory
};

/** Add [start, start + size), as far as it is below 2^64. */
void rangeset_add(struct rangeset *set, uint64_t start, uint64_t size);

/** Sort and join what was added; before any question. */
void rangeset_settle(struct rangeset *set);

/** How many numbers of @within are in the settled @set. */
uint64_t rangeset_count(const struct rangeset *set, struct range within);

/** How many are in both settled sets. */
uint64_t rangeset_common(const struct rangeset *a, const struct rangeset *b);

void rangeset_deinit(struct rangeset *set);
