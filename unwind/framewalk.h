// SPDX-License-Identifier: Apache-2.0
// From one raw stack to its frames, with libdwfl.
#pragma once

#include "base/range.h"
#include "unwind/imageset.h"
#include "unwind/rawstack.h"

enum {
	FRAMEWALK_DEPTH_MAX = 256,
	FRAMEWALK_GAP = 0, // a frame in place of some that are not known; see trace_stack.frames
};

/** How a walk ended. */
enum framewalk_end {
	FRAMEWALK_OUTERMOST,  // at a frame that says it has no caller
	FRAMEWALK_COPY_ENDS,  // the next word lies above what was copied
	FRAMEWALK_STACK_ENDS, // it lies on another stack, of which nothing was copied
	FRAMEWALK_TOO_DEEP,   // at FRAMEWALK_DEPTH_MAX
	FRAMEWALK_NO_IMAGE,   // the code is of no mapped file: generated, or the mapping was lost
	FRAMEWALK_BAD_IMAGE,  // the code is of a file that could not be used
	FRAMEWALK_NO_RULE,    // the file does not say how to leave this frame
};

/** The frames of one stack, innermost first; see trace_stack.frames. */
struct framewalk_result {
	uint64_t frames[FRAMEWALK_DEPTH_MAX];
	// Addresses of the words on the stack by which they were returned to; 0: not known.
	uint64_t slots[FRAMEWALK_DEPTH_MAX];
	uint32_t frame_count; // at least 1: the ip
	enum framewalk_end end;
	struct image *image; // where it ended; NULL for FRAMEWALK_NO_IMAGE
};

/** A set of modules prepared for unwinding. */
struct framewalk;

/** @is_32bit: use only the set's modules of that class. Borrows @sets. Never NULL. */
struct framewalk *framewalk_create(const struct imagesets *sets, uint32_t set, bool is_32bit);
void framewalk_destroy(struct framewalk *walk);

/**
 * Unwind a stack of more than FRAMEWALK_DEPTH_MAX frames as far as it goes, and keep its innermost
 * and its outermost, a gap between them. All calls together follow no more than some 100,000
 * frames, about half a second.
 *
 * @barriers: return addresses that must not be in the gap, or only the innermost are kept; none:
 *            all but those of the innermost
 */
void framewalk_run_deep(struct framewalk *walk, const struct raw_stack *stack,
			const struct range *barriers, size_t barrier_count,
			struct framewalk_result *ret_result);

/** Unwind one stack. */
void framewalk_run(struct framewalk *walk, const struct raw_stack *stack,
		   struct framewalk_result *ret_result);
