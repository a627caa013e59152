// SPDX-License-Identifier: Apache-2.0
// Faults of traces counted into rows that all of them share.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "compare/compare.h"

/** A row being counted, and what tells it from others of the same hash. */
struct tally_row {
	struct compare_row row;
	enum compare_table table;
	uint32_t next; // row of the same hash, MODEL_NONE: none
	uint32_t last_page;
};

/** Zero-initialise, but for the arena and the number of runs. */
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

void tally_deinit(struct tally *tally);
