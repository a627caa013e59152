// SPDX-License-Identifier: Apache-2.0
// How much would have had to be copied of the stacks that the copy cut.
#pragma once

#include "base/notes.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "unwind/rawstack.h"

/** The end of a stack, or the place from where on one was copied. */
struct stackneed_place {
	uint32_t pid;
	uint64_t addr;
	uint64_t uses; // faults with this stack
};

/** Zero-initialise to use; release with stackneed_deinit(). */
struct stackneed {
	VEC(struct stackneed_place) ends; // each once
	VEC(struct stackneed_place) cut;
	struct u64map known; // ends
	uint64_t uses, cut_uses;
	uint64_t copied; // most of a stack that was cut
};

/** Count @stack, which @uses faults have; @is_cut: callers are missing beyond the copy. */
void stackneed_add(struct stackneed *need, const struct raw_stack *stack, uint64_t uses,
		   bool is_cut);

/**
 * If more than 5% of the faults have a stack that was cut: the bytes that would have done for 95%
 * of these, as far as other stacks show where they end; 0 if none does. Otherwise false.
 */
bool stackneed_find(struct stackneed *need, uint64_t *ret_bytes);

/** Limits of what the recording could copy. */
struct stackneed_limits {
	uint32_t bytes;	  // of each stack, at most
	uint32_t most;	  // that --stack-size could ask for
	bool lost_stacks; // some found no room in the rings: larger ones would find less
};

/** Say so, with the option that helps where one does. */
void stackneed_note(struct stackneed *need, const struct stackneed_limits *limits,
		    struct notes *notes);

void stackneed_deinit(struct stackneed *need);
