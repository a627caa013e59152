// SPDX-License-Identifier: Apache-2.0
// What a thread was doing when it asked storage for something: the fault that it was in, or why it
// then waited.
#pragma once

#include "base/u64map.h"
#include "correlate/replay/rows.h"
#include "trace/trace.h"

/** A fault that storage was read in, or a pause with a known stack. Times are as in the trace. */
struct deed {
	uint64_t start_ns, end_ns;
	uint32_t tid;
	uint32_t call; // of a pause: the system call that it was in; UINT32_MAX: none
	const struct model_fault *what; // in what was given to doing_init()
};

/** Both sorted by thread, then time. */
struct doing {
	VEC(struct deed) faults;
	VEC(struct deed) pauses;
	struct u64map workers;	// threads of the kernel's in the program, as io_uring has them
	struct u64map programs; // pid -> place in main_ns
	VEC(uint64_t) main_ns;	// when main was first seen to run
};

/** @faults and @moments have their initiators, and are borrowed. Release with doing_deinit(). */
void doing_init(struct doing *doing, const struct rows *rows, const struct trace *trace,
		const struct all_faults *faults, const struct all_moments *moments);
void doing_deinit(struct doing *doing);

/** What @read of a recorded task was asked for in; NULL: unknown. O(log n). */
const struct model_fault *doing_at(const struct doing *doing, const struct trace_read *read);

/**
 * Whether a thread of the kernel's asked for @read on behalf of its process, after main has been
 * seen to run there: by the rule of faults, this is the program's doing.
 */
bool doing_by_worker(const struct doing *doing, const struct trace_read *read);
