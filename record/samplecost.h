// SPDX-License-Identifier: Apache-2.0
// Cost of a sample of the processor, by the gaps that samples made in a loop.
#pragma once

#include "record/costchild.h"
#include "trace/trace.h"

#include <stddef.h>
#include <stdint.h>

/** Means of the samples that nothing else interrupted as well; 0: there were none. */
struct samplecost {
	uint64_t ns;	     // by how much one makes the loop longer
	uint64_t program_ns; // trace_sample.program_ns of it
};

/**
 * Find what samples of @tid in @trace cost. Other things interrupt a loop as well, such as the
 * timer, and on a busy machine as often: a gap counts that a sample was taken in. O(n m).
 *
 * @gaps: @count of them, CLOCK_MONOTONIC as the times of @trace
 */
struct samplecost samplecost_of(const struct trace *trace, uint32_t tid,
				const struct costchild_gap *gaps, size_t count);
