// SPDX-License-Identifier: Apache-2.0
// Plain and tuned starts in turn.
#pragma once

#include "base/arena.h"
#include "compare/bench.h"
#include "record/record.h"

#include <stdbool.h>

/** Starts of two commands, and the verdict on them. */
struct tunemeasure {
	struct bench_difference difference; // the tuned one against the plain one
	double wall_ns[BENCH_COMMANDS];	    // medians
	double faults[BENCH_COMMANDS];	    // likewise, minor and major
	size_t pairs;
};

/**
 * Measure @plain and @tuned, whose files are in memory. @runs: of each; 0: until
 * the verdict is clear. Returns: 0, or the exit status with which
 * to end; why was said.
 */
int tunemeasure_warm(const struct record_options *plain, const struct record_options *tuned,
		     size_t runs, struct tunemeasure *ret_measure);

/** The same of @pairs of starts before each of which @files leave memory, as far as they can. */
int tunemeasure_cold(const struct record_options *plain, const struct record_options *tuned,
		     const struct record_files *files, size_t pairs,
		     struct tunemeasure *ret_measure);
