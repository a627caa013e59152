// SPDX-License-Identifier: Apache-2.0
// How far a process is: before main, just after, or long past its start.
#pragma once

#include "base/u64map.h"
#include "model/model.h"

enum progress {
	PROGRESS_UNKNOWN,     // its start is not in the trace, or it is a fork
	PROGRESS_BEFORE_MAIN, // the program has not faulted yet
	PROGRESS_AFTER_MAIN,  // within its first PROGRESS_EARLY_FAULTS faults
	PROGRESS_LATER,
};

/** So many faults of the program itself still count as its start. */
enum { PROGRESS_EARLY_FAULTS = 256 };

/** Zero-initialise to use. */
struct progress_map {
	struct u64map by_pid;
};

/** The phase of process @pid at its @fault; every fault must be given, in time order. */
enum progress progress_at(struct progress_map *map, uint32_t pid, const struct model_fault *fault);

void progress_deinit(struct progress_map *map);
