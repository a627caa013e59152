// SPDX-License-Identifier: Apache-2.0
// The reason why a call stack's innermost code ran, by the stack alone.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/why/role.h"

#include <stdbool.h>
#include <stdint.h>

struct rule; // correlate/why/rule.h

/** The context that one stack shows. */
struct context {
	const struct rule *rule;	// that decided; NULL: the stack does not say
	enum model_initiator initiator; // MODEL_LOADER: the dynamic linker at work, whatever it
					// does; MODEL_INITIATOR_UNKNOWN: the stack does not say
	enum model_dlopen dlopen;
	uint32_t initializer;	    // that was running: into rows->initializers; MODEL_NONE
	uint32_t initializer_frame; // the outermost of its frames, or what it ended by jumping to
	uint32_t init_object;	    // that it is of; MODEL_NONE
	// Where several may be it: in contexts_maybe(); none: any may.
	uint32_t first_maybe, maybe_count;
	bool is_nested; // another of the same object, or that is not known, runs further out
	// Frames [run_start, run_end) are the dynamic linker's, where it is the initiator.
	uint32_t run_start, run_end;
	bool is_named;	    // all functions up to the one that decided have names
	bool is_behind_gap; // what decided called frames that are not known
	bool is_complete; // it reaches a program's, a dynamic linker's or a thread's first function
	bool is_in_main;
	bool is_in_exit;     // exit() is on it, or has run what main returned to
	bool has_entered;    // the program's entry point is on it
	bool binds;	     // dlsym() is on it
	bool has_loop;	     // a call of what an array holds is on it
	bool builds_tls;     // what sets the first thread's pointer to TLS has called something
	bool makes_thread;   // a function that makes threads has called another
	bool is_on_go_stack; // one that Go's scheduler has for itself
};

struct contexts;

/**
 * Read all stacks of @rows. Everything is borrowed. The rules of frames in correlate/why/rule.c
 * decide.
 */
struct contexts *contexts_create(const struct rows *rows, struct roles *roles);
void contexts_destroy(struct contexts *contexts);

/** Return the context of stack @stack, a row of rows->stacks. */
const struct context *contexts_of(const struct contexts *contexts, uint32_t stack);

/** Return the contexts of all stacks, beside rows->stacks; owned by @contexts. */
const struct context *contexts_list(const struct contexts *contexts);

/**
 * Return the initializers that may be running, of all contexts: sorted, into rows->initializers.
 */
const uint32_t *contexts_maybe(const struct contexts *contexts);

/**
 * The innermost initializer on @stack from frame @first outwards: one that is known, or MODEL_NONE
 * where some initializer runs that is not. *@ret_frame: the outermost of its frames; the count of
 * frames where none runs.
 */
uint32_t contexts_initializer(struct contexts *contexts, uint32_t stack, uint32_t first,
			      uint32_t *ret_frame);

/**
 * Fill the initializer, or only its object, of the faults whose stacks leave more than one, where
 * the faults before and after them in initializers of the same process leave but one. @contexts are
 * of @rows. O(faults in initializers × (log of these + what each may be in)).
 */
void initorder_name(const struct rows *rows, const struct contexts *contexts,
		    struct all_faults *faults);
