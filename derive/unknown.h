// SPDX-License-Identifier: Apache-2.0
// Why initiators are unknown.
#pragma once

#include "model/model.h"

/** Reasons why the initiator of a fault is not known. */
enum unknown_reason {
	UNKNOWN_UNREAD,	    // only its instruction tells, and there is no disassembler
	UNKNOWN_NO_STACKS,  // none were recorded
	UNKNOWN_STACK_LOST, // its stack was not kept
	UNKNOWN_CUT,	    // its stack is deeper than the copy
	UNKNOWN_TOO_DEEP,   // it has more frames than are kept
	UNKNOWN_ELSEWHERE, // it goes on on another stack of its thread, of which nothing was copied
	UNKNOWN_NO_CALLER, // its stack ends in code without unwinding data
	UNKNOWN_NOTHING_TELLS, // its stack is whole
	UNKNOWN_REASONS,
};

struct unknown {
	uint64_t faults; // with an unknown initiator, of those shown
	uint64_t by_reason[UNKNOWN_REASONS];
	enum unknown_reason reason; // of most of them
	// With UNKNOWN_NO_CALLER: in whose code most of those stacks end, and how many; MODEL_NONE:
	// in no file's.
	uint32_t object;
	uint64_t object_faults;
};

/** O(faults). */
void unknown_find(const struct model *model, struct unknown *ret_unknown);
