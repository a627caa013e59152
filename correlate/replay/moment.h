// SPDX-License-Identifier: Apache-2.0
// Moments at which it was seen what a thread was doing, beside its faults: samples of the
// processor, and pauses whose stack is known. The rules of faults decide why the code ran.
#pragma once

#include "correlate/replay/attribute.h"
#include "correlate/replay/stacks.h"

/** Reads the moments of a trace in order of time. */
struct moment_reader {
	const struct trace *trace;
	size_t pause, sample; // that come next
};

/** When the next one was; UINT64_MAX: none is left. Passes over pauses without a stack. */
uint64_t moments_next_ns(struct moment_reader *reader);

/** What it is of. */
void moments_next_task(const struct moment_reader *reader, uint32_t *ret_pid, uint32_t *ret_tid);

/** Add it to @moments, as @process is now. @thread: a row. */
void moments_take(struct moment_reader *reader, struct attribution *attribution,
		  struct stacks *stacks, struct process *process, uint32_t thread,
		  struct all_moments *moments);
