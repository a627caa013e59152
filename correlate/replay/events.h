// SPDX-License-Identifier: Apache-2.0
// Events of a trace beside its faults: moments at which a thread was seen, and pages that calls
// took without an event.
#pragma once

#include "base/u64map.h"
#include "correlate/replay/aspace.h"
#include "correlate/replay/attribute.h"
#include "correlate/replay/process.h"
#include "correlate/replay/rows.h"
#include "correlate/replay/stacks.h"
#include "model/prefault.h"
#include "model/search.h"

/** Reads the moments of a trace in order of time. */
struct moment_reader {
	const struct trace *trace;
	size_t pause, sample; // that come next
};

/** When the next one was; UINT64_MAX: none is left. Passes over pauses without a stack. */
uint64_t moments_next_ns(struct moment_reader *reader);

/** Return the process and thread of the next moment. */
void moments_next_task(const struct moment_reader *reader, uint32_t *ret_pid, uint32_t *ret_tid);

/** Add it to @moments, as @process is now. @thread: a row. */
void moments_take(struct moment_reader *reader, struct attribution *attribution,
		  struct stacks *stacks, struct process *process, uint32_t thread,
		  struct all_moments *moments);

/** Zero-initialise; release with prefaults_deinit(). */
struct prefaults {
	VEC(struct model_prefault) rows;
	struct u64map by_key; // call, file and section -> rows
	uint64_t looked;      // pages that were looked up one by one
};

/** Add @from, of a process with @aspace as it is when the call returns. */
void prefaults_add(struct prefaults *prefaults, struct objects *objects, struct aspace *aspace,
		   const struct trace_prefault *from, const char *call, uint64_t page_size);

/** Hand them over to @model, most faults first, and count them. */
void prefaults_fill(struct prefaults *prefaults, struct model *model);

void prefaults_deinit(struct prefaults *prefaults);

/** A call of the dynamic linker, and the program that it was made in. */
struct found_open {
	const struct trace_open *open;
	uint32_t program;
};

/** Zero-initialise; release with vec_deinit() of .list. */
struct opens {
	VEC(struct found_open) list;
	uint64_t untold;
};

/** Add @from, of @process as it is when the call returns, if the dynamic linker made it. */
void opens_add(struct opens *opens, struct objects *objects, const struct process *process,
	       const struct process_program *program, const struct trace_open *from);

/** Hand them over to @model; why the linker looked there is not known yet. */
void opens_fill(const struct opens *opens, const struct trace *trace, struct model *model);
