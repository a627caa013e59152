// SPDX-License-Identifier: Apache-2.0
// Counts faults of several traces into common rows.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "compare/compare.h"

/** A row being counted, and what distinguishes it from others with the same hash. */
struct tally_row {
	struct compare_row row;
	const char *name, *build; // the row's own, which it loses if others are merged into it
	enum compare_table table;
	uint32_t next; // row of the same hash, MODEL_NONE: none
	uint32_t into; // row that this one went into, MODEL_NONE: none
	uint32_t last_page;
};

/** Zero-initialise, except for the arena and the number of runs. */
struct tally {
	struct arena *arena;
	size_t run_count; // of both sides
	struct u64map by_hash;
	VEC(struct tally_row) rows;
	uint64_t *total; // as compare_row.runs
};

/** Count the faults of @model, which is number @run; @object_ids as pairing_add() gave them. */
void tally_add(struct tally *tally, size_t run, const struct model *model,
	       const uint32_t *object_ids);

/**
 * The rows that things of a counted @model are in, by their index in the model's table of that
 * kind: objects, sections, functions, symbols or initializers. MODEL_NONE: in none, as they have no
 * fault. *@ret_rows, of which there are *@ret_count, is to be freed. O(things).
 */
void tally_find(struct tally *tally, enum compare_table table, const struct model *model,
		const uint32_t *object_ids, uint32_t **ret_rows, size_t *ret_count);

void tally_deinit(struct tally *tally);
