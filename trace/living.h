// SPDX-License-Identifier: Apache-2.0
// Tasks that still ran when the recording ended: no count of the kernel has their faults yet.
#pragma once

#include "base/u64map.h"
#include "trace/trace.h"

/** Reports about tasks, in order of time; borrows them. */
struct living {
	const struct trace_task *tasks;
	size_t count;
	// Places in tasks, plus one: 0 is none.
	struct u64map threads; // thread -> what was told of it last
	struct u64map execs;   // process -> its last exec
};

/** Look through @count @tasks, sorted by time. O(count). Release with living_deinit(). */
void living_init(struct living *living, const struct trace_task *tasks, size_t count);
void living_deinit(struct living *living);

/** True if thread @tid was seen, but not its end. */
bool living_is(const struct living *living, uint32_t tid);

/** The threads that were seen, but not their end; *@ret_processes counts their processes. */
size_t living_count(const struct living *living, size_t *ret_processes);

/** How many of @trace's faults are of tasks that were not seen to end. O(tasks + faults). */
uint64_t living_faults(const struct trace *trace);
