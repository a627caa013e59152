// SPDX-License-Identifier: Apache-2.0
// Bytes that storage delivered, and bytes of files that the run used.
#pragma once

#include "base/vec.h"
#include "correlate/replay/aspace.h"
#include "correlate/replay/objects.h"
#include "correlate/replay/rows.h"
#include "correlate/time/calls.h"
#include "model/fileuses.h"
#include "trace/trace.h"

/**
 * Fill rows->model->storage and what initializers read, if @trace has a record of it; while @faults
 * has all faults, whose initiators and those of @moments are decided.
 * @page_size: a power of two
 * @calls: what was read in system calls is added there as well
 */
void storage_fill(struct rows *rows, const struct trace *trace, const struct all_faults *faults,
		  const struct all_moments *moments, uint64_t page_size, struct calls *calls);

/** Uses by faults, while they are replayed: .file is the object. Zero-initialise to use. */
struct fileuses {
	VEC(struct model_file_use) list;
	bool is_exact; // of the trace; set first
};

void fileuses_deinit(struct fileuses *uses);

/** Add what @fault used, as @aspace is then. @page_size: a power of two; @start_ns: the trace's */
void fileuses_fault(struct fileuses *uses, struct aspace *aspace, const struct trace_fault *fault,
		    uint64_t page_size, uint64_t start_ns);

/**
 * Add the headers of what is executed: execve and ld.so read them before they map anything, which
 * shows in a trace only where they were not in memory.
 */
void fileuses_headers(struct fileuses *uses, struct objects *objects, const struct trace *trace);

/** Whether the recorder says that read-ahead was off while it recorded @trace. */
bool fileuses_is_exact(const struct trace *trace);

/** Add what was read, and fill rows->model->file_uses. @faults: all of them */
void fileuses_fill(struct model *model, const struct objects *objects,
		   const struct model_thread *threads, const struct trace *trace,
		   const struct all_faults *faults, const struct fileuses *uses);
