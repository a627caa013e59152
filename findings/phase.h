// SPDX-License-Identifier: Apache-2.0
// How far a process is: before main, just after, or long past its start.
#pragma once

#include "base/u64map.h"
#include "correlate/model.h"

enum phase {
	PHASE_UNKNOWN,	   // its start is not in the trace, or it is a fork
	PHASE_BEFORE_MAIN, // the program has not faulted yet
	PHASE_AFTER_MAIN,  // within its first PHASE_EARLY_FAULTS faults
	PHASE_LATER,
};

/** So many faults of the program itself still count as its start. */
enum { PHASE_EARLY_FAULTS = 256 };

/** Zero-initialise to use. */
struct phases {
	struct u64map by_pid;
};

/** The phase at @fault; every fault of the model must be given, in time order. */
enum phase phases_at(struct phases *phases, const struct model_fault *fault);

void phases_deinit(struct phases *phases);
