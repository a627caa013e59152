// SPDX-License-Identifier: Apache-2.0
// Sums of each program of a run: its runs, their time and their faults.
#pragma once

#include "base/vec.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/** All runs of the programs of one name and first option. */
struct program_sum {
	uint32_t comm;	    // into model.comms; MODEL_NONE: unknown
	const char *option; // its first argument, if it is a "--NAME"; NULL: it is not, or unknown
	uint64_t runs;	    // what a process does between fork and exec is no run of its own
	uint64_t own_ns;    // of first threads, without waiting for a processor
	uint64_t wall_ns;   // in which at least one ran: copies that a fork made are not added up
	uint64_t end_ns;    // of the last of them
	uint64_t cpu_ns;    // of all threads, in faults and outside
	uint64_t wait_ns;   // first threads: for storage, for others
	uint64_t fault_ns;  // of the faults, as far as known
	uint64_t faults;
};

struct program_sums {
	VEC(struct program_sum)
	list;		// most time first, else most time in faults or most faults; then by name
	bool has_times; // false: wall, processor and waits are unknown
};

/**
 * From the account where the model has one, else from the faults shown: what names a program there
 * is the name that its first thread had last. O(n). Release with vec_release().
 */
void programsums_init(struct program_sums *sums, const struct model *model);
