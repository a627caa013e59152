// SPDX-License-Identifier: Apache-2.0
// The locality of each file, collected from one model at a time.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "compare/compare.h"

/** A function of one side in its runs. */
struct gathered_function {
	const char *name, *section;
	uint64_t vaddr, size;
	uint64_t *first_uses; // by run of all: which by first use, from 1; 0: not seen
	uint64_t *faults;     // by run of all
};

/** One side of an object. */
struct gathered_side {
	bool is_there;
	const char *build_id; // of the first run; functions of another build lie elsewhere
	VEC(struct gathered_function) functions;
	struct u64map by_vaddr; // -> index of functions
};

/** An object. */
struct gathered {
	struct compare_locality row;
	struct compare_curves *curves; // by run
	struct gathered_side sides[COMPARE_SIDES];
};

/** Zero-initialise, except for the arena and the numbers of runs. */
struct gathering {
	struct arena *arena;
	const size_t *run_count; // by side
	uint64_t page_size;
	VEC(struct gathered) objects; // by id
};

/**
 * Gather from @model, which is number @run of all; @object_ids as pairing_add() gave them. Time
 * O(faults + frames).
 */
void locality_add(struct gathering *gathering, enum compare_side side, size_t run,
		  const struct model *model, const uint32_t *object_ids);

/** Judge all, and set the locality of each file among @objects. */
void locality_finish(struct gathering *gathering, struct compare_object *objects, size_t count);

void gathering_deinit(struct gathering *gathering);
