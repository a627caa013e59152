// SPDX-License-Identifier: Apache-2.0
// System calls by process and number: how often, how long, and what of that was waited.
#pragma once

#include "base/u64map.h"
#include "correlate/time/lives.h"
#include "correlate/replay/rows.h"
#include "model/calls.h"
#include "trace/trace.h"

/** Zero where the trace has no calls or no account; release with calls_deinit(). */
struct calls {
	const struct lives *lives;     // NULL: none are counted
	const struct machine *machine; // of the recording
	uint32_t execve;	       // number
	uint64_t start_ns;	       // of the recording
	uint32_t *processes;	       // indexes of lives->processes, by pid, then begin
	VEC(struct model_call) rows;
	struct u64map by_key; // process and number -> rows
};

/**
 * Count what @trace tells of calls and of waits in them. @lives: account_fill() has made them.
 * @is_of_window: nothing is counted, as it is not known when single calls were.
 */
void calls_init(struct calls *calls, const struct trace *trace, const struct lives *lives,
		bool is_of_window);
void calls_deinit(struct calls *calls);

/** Storage has delivered @part for a system call of the task that it is of. */
void calls_add_bytes(struct calls *calls, const struct trace_request *part);

/** Hand them over to @model, if it has an account. */
void calls_fill(struct calls *calls, struct model *model, const struct trace *trace);
