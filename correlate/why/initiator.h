// SPDX-License-Identifier: Apache-2.0
// Why the code ran that faulted.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/replay/process.h"

/**
 * Fill initiator, certainty, dlopen and initializer of every fault and moment, and *@ret_runs: the
 * runs of initializers on the stacks of faults. Moments teach nothing of other faults.
 *
 * The rules of correlate/why/rule.c decide. What the dynamic linker was doing follows from what it
 * touched and from which of its functions write the relocated slots and read the lookup tables of
 * other objects, learned from the whole trace. O(faults + frames of distinct stacks), beside a
 * search of the relocations for each data fault.
 */
void initiators_decide(const struct rows *rows, const struct processes *processes,
		       struct all_faults *faults, struct all_moments *moments,
		       struct init_runs *ret_runs);
