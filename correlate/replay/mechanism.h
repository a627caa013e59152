// SPDX-License-Identifier: Apache-2.0
// What a page needed, from the kind of mapping, the error code and the page's history.
#pragma once

#include "model/model.h"
#include "correlate/replay/pagehistory.h"
#include "trace/trace.h"

/** What is mapped where the fault happened. */
struct mechanism_page {
	bool is_file;
	bool is_shared;	       // MAP_SHARED
	bool is_shared_memory; // shared, but not a file that anyone named
	uint64_t number;       // addr / page size
};

/**
 * Decide, and note the fault in @history. Without an error code (perf) whether the page was mapped
 * follows from @history alone: *@ret_is_inferred tells.
 */
enum model_mechanism mechanism_decide(const struct trace_fault *fault, enum model_access access,
				      const struct mechanism_page *page,
				      struct pagehistory *history, bool *ret_is_inferred);
