// SPDX-License-Identifier: Apache-2.0
// Gathers what runs have beside faults: the account of time, and what storage delivered.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "compare/compare.h"
#include "model/account.h"

struct amounts_bytes {
	struct compare_bytes row;
	uint32_t next; // row of the same hash, MODEL_NONE: none
};

/** Zero-initialise, except for the arena and the number of runs. */
struct amounts {
	struct arena *arena;
	size_t run_count; // of both sides
	// [0: of the first thread, 1: of all][one, or all][one, or all][run]; NULL: none was spent.
	uint64_t *times[2][MODEL_INITIATORS + 1][MODEL_STATES + 1];
	uint64_t *errors[2][MODEL_INITIATORS]; // of cpu
	struct u64map by_hash;
	VEC(struct amounts_bytes) bytes;
};

/** Add what @model has, which is number @run; @object_ids as pairing_add() gave them. */
void amounts_add(struct amounts *amounts, size_t run, const struct model *model,
		 const uint32_t *object_ids);

/** Judge all that every run of @comparison knows and hand it over. */
void amounts_finish(struct amounts *amounts, struct comparison *comparison);

void amounts_deinit(struct amounts *amounts);
