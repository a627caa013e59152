// SPDX-License-Identifier: Apache-2.0
// The outer frames of a stack that could only be followed for a part of the way: those that other
// stacks of the same thread were seen to have, as far as their return addresses are still there.
#pragma once

#include "base/range.h"
#include "unwind/framewalk.h"

/** The frames of whole stacks of one set of modules, by where on the stack they return. */
struct outerframes;

/** Never NULL. Borrows @sets. */
struct outerframes *outerframes_create(const struct imagesets *sets, uint32_t set, bool is_32bit);
void outerframes_destroy(struct outerframes *outer);

/** Learn from a stack that was followed to its end; another is left alone. O(frames). */
void outerframes_learn(struct outerframes *outer, const struct framewalk_result *result);

/** True if outerframes_join() may find more of a stack that ended so. */
bool outerframes_may_join(const struct framewalk_result *result);

/**
 * Append FRAMEWALK_GAP and the outer frames to @result, which was walked on @stack, and mark it as
 * whole.
 *
 * From the outermost frame inwards each is still running if the word where its callee returns to it
 * is what it was: the same call from the same frame. So nothing is taken that only lies there from
 * an earlier call. What is between may be anything of the program. exit() is told apart and becomes
 * a frame; where there is a return address of the dynamic linker's, which may run initializers,
 * nothing is appended. O(bytes of the stack).
 */
void outerframes_join(struct outerframes *outer, const struct raw_stack *stack,
		      struct framewalk_result *result);

/**
 * The part of @stack that @result shows, outside of all calls of exit() and of the dynamic linker
 * that it shows; .end 0: none. Another stack on the same memory whose part overlaps it is in none
 * of those calls. None for a whole stack without such a call. Of what was walked, not what was
 * joined.
 */
struct range outerframes_shown(struct outerframes *outer, const struct raw_stack *stack,
			       const struct framewalk_result *result);

/** framewalk_run_deep(), past nothing that may run initializers or finalizers, and learn from it.
 */
void outerframes_run_deep(struct outerframes *outer, struct framewalk *walk,
			  const struct raw_stack *stack, struct framewalk_result *ret_result);
