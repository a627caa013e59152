// SPDX-License-Identifier: Apache-2.0
// One step outwards from code that has no unwinding data: PLT stubs, the C runtime's own start and
// end, a thread's first instructions, generated code.
#pragma once

#include "unwind/imageset.h"
#include "unwind/rawstack.h"

/** No code below: nothing is mapped there, unless root allows it. */
enum { HANDSTEP_ADDRESS_MIN = 1 << 16 };

enum handstep_end {
	HANDSTEP_CALLER,     // the caller is known
	HANDSTEP_OUTERMOST,  // there is none
	HANDSTEP_COPY_ENDS,  // the copy of the stack ends before it
	HANDSTEP_STACK_ENDS, // it was interrupted by a signal, on a stack of which nothing was
			     // copied
	HANDSTEP_UNKNOWN,
};

/** The position of a frame. */
struct handstep_frame {
	struct raw_stack stack; // registers as the frame has them; bytes from its sp on
	bool is_call;		// the ip is a return address, so the frame is within a call
};

/**
 * Find the caller of @frame from the instructions there.
 *
 * Nothing is guessed: a return address counts only if a call instruction of a file stands before
 * it. One of generated code cannot be checked: *@ret_is_checked is false then, and the caller must
 * go on to a frame that can be before it believes it.
 * @ret_caller: valid for HANDSTEP_CALLER; its bytes are @frame's. For HANDSTEP_STACK_ENDS it has
 *              registers.
 */
enum handstep_end handstep_run(const struct imagesets *sets, const struct imageset *set,
			       const struct handstep_frame *frame,
			       struct handstep_frame *ret_caller, bool *ret_is_checked);

/** True if a call instruction of a file of @set stands right before @addr. */
bool handstep_is_behind_call(const struct imagesets *sets, const struct imageset *set,
			     uint64_t addr, bool is_32bit);

/** True if handlers of signals return to @addr: it is rt_sigreturn(), which nothing calls. */
bool handstep_is_sigreturn(const struct imagesets *sets, const struct imageset *set, uint64_t addr);
