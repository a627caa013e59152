// SPDX-License-Identifier: Apache-2.0
// Places of calls that start a program's life: what they call, by their code and by what stacks
// showed.
#pragma once

#include "correlate/replay/rows.h"

#include <stdbool.h>
#include <stdint.h>

/** Bits. */
enum callsite {
	CALLSITE_MAIN = 1 << 0,	       // it calls main, and exit with what that returns
	CALLSITE_ARRAY = 1 << 1,       // it calls what an array holds
	CALLSITE_INITIALIZER = 1 << 2, // it was seen to call an initializer
	CALLSITE_EXIT_KNOWN = 1 << 3,  // beside CALLSITE_MAIN: frames.c has asked what exit is
};

struct callsites;

/** @rows is borrowed. */
struct callsites *callsites_create(const struct rows *rows);
void callsites_destroy(struct callsites *callsites);

/** Bits of the call in @frame; 0 where its file cannot be read. O(1) amortised. */
uint32_t callsites_of(struct callsites *callsites, const struct model_frame *frame);

/** Note what stacks showed. */
void callsites_add(struct callsites *callsites, const struct model_frame *frame, uint32_t bits);

/** Where exit is, by a call with CALLSITE_MAIN; false where the code does not say. */
bool callsites_exit(const struct callsites *callsites, const struct model_frame *frame,
		    uint64_t *ret_vaddr);
