// SPDX-License-Identifier: Apache-2.0
// Evidence of one frame of a call stack: its own function, the frames around it, and what other
// stacks of the trace taught about the same place.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/why/role.h"

#include <stdbool.h>
#include <stdint.h>

struct initreach;

/** How code gets from an initializer to a function. */
enum initreach_way {
	INITREACH_BRANCH_WITHIN, // a jump or call to where its own file has the function
	INITREACH_JUMP_WITHIN,	 // a jump to there, or a few, each from where the last one led to
	INITREACH_JUMP, // the same, the last by a symbol that is bound to any file's function
	INITREACH_WAYS,
};

/** Initializers that may have led to a function. */
struct initreach_found {
	VEC(uint32_t) list; // into rows->initializers, in the order they run
	bool is_seen;	    // the code of at least one shows it
};

/** @rows is borrowed and has its initializers. The code is read when it is first asked for. */
struct initreach *initreach_create(const struct rows *rows);
void initreach_destroy(struct initreach *reach);

/**
 * True if the code of an initializer leads to the function at @vaddr of @object this way.
 *
 * What symbols bind to is decided when the process runs: a function that did run is one that a jump
 * through a symbol led to if its file defines a symbol of that name there. How elfmap_branch_next()
 * follows code, and what of it, stands there; of each function the first 64 KiB are read.
 */
bool initreach_leads(struct initreach *reach, uint32_t object, uint64_t vaddr,
		     enum initreach_way way);

/**
 * All that do, and for jumps those of @object besides that may jump anywhere, as far as their code
 * shows. @found is filled anew; zero-initialise it before the first use.
 */
void initreach_find(struct initreach *reach, uint32_t object, uint64_t vaddr,
		    enum initreach_way way, struct initreach_found *found);

/** Bits. */
enum callsite {
	CALLSITE_MAIN = 1 << 0,	       // it calls main, and exit with what that returns
	CALLSITE_ARRAY = 1 << 1,       // it calls what an array holds
	CALLSITE_INITIALIZER = 1 << 2, // it was seen to call an initializer
	CALLSITE_EXIT_KNOWN = 1 << 3,  // beside CALLSITE_MAIN: frames.c has asked what exit is
};

struct callsites;

/** Everything is borrowed. */
struct callsites *callsites_create(const struct objects *objects, const struct roles *roles);
void callsites_destroy(struct callsites *callsites);

/** Bits of the call in @frame; 0 where its file cannot be read. O(1) amortised. */
uint32_t callsites_of(struct callsites *callsites, const struct model_frame *frame);

/** Note what stacks showed. */
void callsites_add(struct callsites *callsites, const struct model_frame *frame, uint32_t bits);

/** Find exit, by a call with CALLSITE_MAIN; false if the code does not show it. */
bool callsites_exit(const struct callsites *callsites, const struct model_frame *frame,
		    uint64_t *ret_vaddr);

/**
 * Lessons of all stacks: the calls that run initializers and main, and where PLT stubs enter ld.so.
 */
struct frames;

/** A frame that is being asked. Everything is borrowed. */
struct frame {
	const struct frames *frames;
	const struct model_stack *stack;
	uint32_t at;
	uint32_t roles;
	// Where it is a dynamic linker's: frames [at, run_end) are, and these are all their roles.
	uint32_t run_end, run_roles;
};

/** Learn from all stacks of @rows. Everything is borrowed. */
struct frames *frames_learn(const struct rows *rows, struct roles *roles);
void frames_destroy(struct frames *frames);

/** Frame @at of @stack; its run is only looked for where @with_run. */
struct frame frames_at(const struct frames *frames, const struct model_stack *stack, uint32_t at,
		       bool with_run);

/** Roles of frame @at of @stack, also those of its place in it; 0 beyond the outermost. */
uint32_t frames_roles(const struct frames *frames, const struct model_stack *stack, uint32_t at);

/** The same for the stack of @frame. */
uint32_t frame_roles_at(const struct frame *frame, uint32_t at);

/** Roles of all frames from @first outwards, up to the first with one of @until, itself included.
 */
uint32_t frame_roles_outwards(const struct frame *frame, uint32_t first, uint32_t until);

/** True if it is the stack's first function, and the stack is whole. */
bool frame_is_outermost(const struct frame *frame);

/** True if it, which starts an initializer's code, was called to run it and not by hand. */
bool frame_is_run_as_initializer(const struct frame *frame);

/** True if what called it runs initializers, as its code or other stacks show. */
bool frame_is_run_by_init_call(const struct frame *frame);

/** True if the code of what called it calls what an array holds, be it initializers or not. */
bool frame_is_called_by_array(const struct frame *frame);

/** The same as frame_is_run_as_initializer() for a finalizer. */
bool frame_is_run_as_finalizer(const struct frame *frame);

/** True if dlclose() called it, which calls only finalizers outside the dynamic linker and libc. */
bool frame_is_called_by_dlclose(const struct frame *frame);

/** True if it is the function that called main, and goes on to call exit. */
bool frame_is_behind_main(const struct frame *frame);

/** True if it is the entry point's, of a program without libc: the outermost of a whole stack. */
bool frame_is_bare_start(const struct frame *frame);

/** The same, and it has called something. */
bool frame_is_bare_call(const struct frame *frame);

/** True if the dynamic linker's run of frames was entered to bind a PLT entry. */
bool frame_binds_lazily(const struct frame *frame);

/** The initializer that it is, where it has ROLE_INITIALIZER. */
uint32_t frame_initializer(const struct frame *frame);

/** The initializers that may have led to its function this way, into *@found. */
void frame_find_leading(const struct frame *frame, enum initreach_way way,
			struct initreach_found *found);
