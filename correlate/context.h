// SPDX-License-Identifier: Apache-2.0
// What a call stack by itself says about why its innermost code ran.
#pragma once

#include "correlate/builder.h"
#include "correlate/role.h"

#include <stdbool.h>
#include <stdint.h>

/** What one stack says. */
struct context {
	enum model_initiator initiator; // MODEL_LOADER: the dynamic linker at work, whatever it
					// does; MODEL_INITIATOR_UNKNOWN: the stack does not say
	enum model_dlopen dlopen;
	uint32_t initializer; // that was running: into builder->initializers; MODEL_NONE
	uint32_t initializer_frame; // the outermost of its frames, or what it ended by jumping to
	// Frames [run_start, run_end) are the dynamic linker's, where it is the initiator.
	uint32_t run_start, run_end;
	bool is_complete; // it reaches a program's, a dynamic linker's or a thread's first function
	bool is_in_main;
	bool has_entered;      // the program's entry point is on it
	bool binds;	       // dlsym() is on it
	bool depends_on_start; // true only until the program is entered: what musl's libc does when
			       // all frames are its own, or ld.so when the stack is cut
};

struct contexts;

/**
 * Read all stacks of @builder. Everything is borrowed; @builder must not get more functions or
 * stacks afterwards.
 *
 * The innermost frame that tells decides. Without symbols: an initializer is known by its address
 * in the arrays and by who calls it, an IFUNC resolver by its relocation, lazy binding by the call
 * through the PLT above the dynamic linker, main by the code at the entry point. Where code was
 * reached by a jump from an initializer's end, the call that runs initializers, learned from other
 * stacks, tells.
 */
struct contexts *contexts_create(struct builder *builder, struct roles *roles);
void contexts_destroy(struct contexts *contexts);

/** What stack @stack, a row of builder->stacks, says. */
const struct context *contexts_of(const struct contexts *contexts, uint32_t stack);

/**
 * The innermost initializer on @stack from frame @first outwards: one that is known, or MODEL_NONE
 * where some initializer runs that is not. *@ret_frame: the outermost of its frames; the count of
 * frames where none runs.
 */
uint32_t contexts_initializer(struct contexts *contexts, uint32_t stack, uint32_t first,
			      uint32_t *ret_frame);
