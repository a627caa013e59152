// SPDX-License-Identifier: Apache-2.0
// Which program a process runs at a fault: a process id stands for one program after the other.
#pragma once

#include "base/vec.h"
#include "base/u64map.h"
#include "model/model.h"

struct program_state {
	uint32_t execs;
	bool in_exec;
};

/** Zero-initialise to use. */
struct programs {
	VEC(struct program_state) states;
	struct u64map by_pid; // -> index in states
};

/**
 * A number for the program that the process of @fault runs. Every fault of the model must be given,
 * in time order: an exec shows in the kernel's faults that build the new program.
 */
uint64_t programs_at(struct programs *programs, const struct model_fault *fault);

/** Is the exec of the program with that number in the model? */
static inline bool programs_is_known(uint64_t program)
{
	return (uint32_t)program > 0;
}

void programs_deinit(struct programs *programs);
