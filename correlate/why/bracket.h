// SPDX-License-Identifier: Apache-2.0
// The call that a thread was in the middle of where its stack does not say: stacks of the same
// thread before and after it show it.
#pragma once

#include "correlate/replay/process.h"
#include "correlate/why/context.h"

/** A call that lasts, so that all that the thread does between two moments of it is within it. */
enum stay {
	STAY_UNKNOWN,
	STAY_PROGRAM,	  // main, or a thread of the program's, with no dlopen in it
	STAY_INITIALIZER, // one that is known, or those that have no names
	STAY_EXIT,	  // exit(), which does not return
};

struct bracket {
	enum stay stay;
	uint32_t initializer;	  // of STAY_INITIALIZER: into rows->initializers; else MODEL_NONE
	enum model_dlopen dlopen; // of STAY_INITIALIZER
};

struct brackets;

/**
 * Read what surrounds each fault and moment. A stay holds where the nearest stack before and the
 * nearest one behind that tell show it, and where something in between shows the dynamic linker
 * loading, no code was mapped since: what it loads has initializers. Behind exit() nothing else can
 * come, also for a process that it makes; what its own stack does not have outside it was before.
 * Threads but a process's first run the program from their beginning to their end unless a stack
 * shows otherwise. Everything is borrowed, and only while this runs, but for the result. O(faults +
 * moments).
 */
struct brackets *brackets_read(const struct rows *rows, const struct processes *processes,
			       const struct contexts *contexts, struct roles *roles,
			       const struct all_faults *faults, const struct all_moments *moments);
void brackets_destroy(struct brackets *brackets);

/** Return the call that fault or moment @index is in. */
const struct bracket *brackets_of_fault(const struct brackets *brackets, size_t index);
const struct bracket *brackets_of_moment(const struct brackets *brackets, size_t index);

/** True if main of @program still runs behind fault @fault: a later stack of its shows it. */
bool brackets_has_main_behind(const struct brackets *brackets, uint32_t program, size_t fault);
