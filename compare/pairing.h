// SPDX-License-Identifier: Apache-2.0
// Matches the objects of one trace with those of another.
#pragma once

#include "base/vec.h"
#include "compare/compare.h"

/** An object while traces are added. */
struct paired {
	struct compare_object row;
	const char *soname[COMPARE_SIDES];
	uint64_t identity[COMPARE_SIDES]; // a hash of path, build-id and which of several such
	uint32_t seen_in;		  // the run that had it last, counted from 1
};

/** Zero-initialise, except for the arena, the notes and the pairs. */
struct pairing {
	struct arena *arena;
	struct notes *notes; // where oddities go
	const struct compare_pair *pairs;
	size_t pair_count;
	bool *is_found[COMPARE_SIDES]; // by pair
	uint32_t runs;
	VEC(struct paired) objects;
};

/**
 * Find or add each object of @model. *@ret_ids, by index of model.objects, is to be freed. In this
 * order: as --pair asks, the same path and build-id, the same path, the same soname, the same file
 * name; the last three only where one object alone has it. O(objects).
 */
void pairing_add(struct pairing *pairing, enum compare_side side, const struct model *model,
		 uint32_t **ret_ids);

/** Give each object its label. */
void pairing_label(struct pairing *pairing);

void pairing_deinit(struct pairing *pairing);
