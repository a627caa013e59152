// SPDX-License-Identifier: Apache-2.0
// The replay: from the events of a trace to rows, with what each fault used of its file.
#pragma once

#include "base/vec.h"
#include "correlate/replay/aspace.h"
#include "correlate/replay/instruction.h"
#include "correlate/replay/objects.h"
#include "correlate/replay/process.h"
#include "correlate/replay/rows.h"
#include "model/fileuses.h"
#include "trace/trace.h"

/** Uses by faults, while they are replayed: .file is the object. Zero-initialise to use. */
struct fileuses {
	VEC(struct model_file_use) list;
	bool is_exact; // of the trace; set first
};

/** Add what @fault used, as @aspace is then. @page_size: a power of two; @start_ns: the trace's */
void fileuses_fault(struct fileuses *uses, struct aspace *aspace, const struct trace_fault *fault,
		    uint64_t page_size, uint64_t start_ns);

/**
 * Add the headers of what is executed: execve and ld.so read them before they map anything, which
 * shows in a trace only where they were not in memory.
 */
void fileuses_headers(struct fileuses *uses, struct objects *objects, const struct trace *trace);

/** Does the recorder say that read-ahead was off while it recorded @trace? */
bool fileuses_is_exact(const struct trace *trace);

/** A trace under replay, and the tables that it fills. */
struct replay_request {
	struct trace *trace;
	struct model *model; // gets counts and prefaults
	struct objects *objects;
	struct processes *processes;
	struct instructions *instructions;
	unsigned needs; // enum model_need
	bool demangle;
	bool keeps_trace;      // otherwise its faults give their memory to rows
	struct fileuses *uses; // filled if they are needed
};

/**
 * Attribute every fault and every moment at which a thread was seen. O(events log areas).
 * Returns of how many faults the mechanism is inferred from earlier ones.
 */
uint64_t replay_trace(const struct replay_request *request, struct rows *ret_rows,
		      struct all_faults *ret_faults, struct all_moments *ret_moments);
