// SPDX-License-Identifier: Apache-2.0
// Cuts of the time axis: stretches that pictures leave out, since nothing happens in them. One list
// for the whole axis, the same in every picture.
#pragma once

#include "base/arena.h"
#include "base/range.h"
#include "model/model.h"

enum { CUTS_MAX = 12 }; // more than pictures have room for

/** A stretch in which every thread waits for something other than storage, or for a processor. */
struct cut {
	struct range time; // in ns since the start of the recording
	const char *label; // a word of the list "wait"; "late": for a processor; "child outside":
			   // for a child that was not recorded
};

struct cuts {
	const struct cut *items; // in order of time, disjoint
	size_t count;
};

/**
 * Find the cuts of @axis, in @arena: the longest first, each of more than a tenth of what is left
 * without those already found. None without model.moments, which tell when threads wait.
 * O(n log n) in moments.
 */
struct cuts cuts_find(struct arena *arena, const struct model *model, struct range axis);
