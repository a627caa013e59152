// SPDX-License-Identifier: Apache-2.0
// One fault, or one code address: what it touched and who ran.
#pragma once

#include "correlate/replay/access.h"
#include "correlate/replay/builder.h"
#include "correlate/replay/process.h"
#include "trace/trace.h"

/** What attribution works with; all borrowed. */
struct attribution {
	struct builder *builder;
	struct objects *objects;
	struct access_decoder *decoder;
	uint64_t page_size;
	uint64_t start_ns;
	uint64_t inferred_mechanisms; // counted
};

/** Find the function at a code address of @process as it is now; MODEL_NONE where unknown. */
struct model_ip attribute_code(struct attribution *attribution, struct process *process,
			       uint64_t addr);

/**
 * Fill *@ret_fault from @fault (all but comm and stack) and the counts of the model that concern
 * every fault.
 */
void attribute_fault(struct attribution *attribution, struct process *process,
		     const struct trace_fault *fault, struct model_fault *ret_fault);

/** The same of a moment at which a thread was seen: it touches nothing, and nothing counts it. */
void attribute_moment(struct attribution *attribution, struct process *process,
		      const struct trace_fault *from, struct model_fault *ret_moment);
