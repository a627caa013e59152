// SPDX-License-Identifier: Apache-2.0
// Phases of a process, one after the other, as its faults show them.
#pragma once

#include "base/vec.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

enum phase {
	PHASE_LOAD,	  // exec, and the dynamic linker mapping files
	PHASE_RELOCATE,	  // relocation and the lookups that it needs
	PHASE_INITIALIZE, // static initializers
	PHASE_MAIN,
	PHASE_EXIT, // static destructors
	PHASES,
	// What the faults of some initiators speak for instead:
	PHASE_START = PHASES, // any phase before main
	PHASE_ANY,
};

/** "load", "relocate", "initialize", "main", "exit". */
const char *phase_name(enum phase phase);

/** Return the phase that faults of @initiator speak for, PHASE_START or PHASE_ANY. */
enum phase phase_of_initiator(enum model_initiator initiator);

/**
 * From the phase's first fault to the first of the next phase. The first one begins with the
 * program and the last one ends with it, where its time is known (derive/lifetime.h).
 */
struct phase_span {
	bool is_there; // it has faults
	uint64_t first_ns, end_ns;
};

struct phases {
	uint32_t pid;	// whose
	bool are_shown; // false: too few faults, or nothing tells phases apart
	struct phase_span spans[PHASES];
};

/** How many faults a program has in an object. */
struct program_use {
	uint32_t object;
	uint32_t program; // index in programs
	uint32_t faults;
};

/** The phases of all programs: a process may run one after the other. */
struct program_phases {
	VEC(struct phases) programs;  // in the order of their first faults
	VEC(struct program_use) uses; // by object, then most faults first
};

/**
 * Find the phases of every program of @model. A fault's initiator says what phase it speaks for;
 * phases follow each other, so the four borders are put where the fewest faults contradict them: an
 * IFUNC resolver, dlopen and the like do not cut one in two. O(n). Release with phases_deinit().
 */
void phases_init(struct program_phases *phases, const struct model *model);
void phases_deinit(struct program_phases *phases);

/** The programs that faulted in @object, most faults first; *@ret_count of them, 0: none. */
const struct program_use *phases_uses(const struct program_phases *phases, uint32_t object,
				      size_t *ret_count);

/** The phases of the program that faulted most in @object (MODEL_NONE: in all). */
void phases_find(const struct model *model, uint32_t object, struct phases *ret_phases);
