// SPDX-License-Identifier: Apache-2.0
// Starts of commands in turn, while nothing records.
#pragma once

#include "compare/bench.h"
#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

/** The commands, and when to end. */
struct starts_plan {
	struct record_options commands[BENCH_COMMANDS];
	size_t command_count;
	size_t warmups;	     // starts of each that are not counted
	size_t runs;	     // of each; 0: ten, or as many as three seconds take
	bool ignore_failure; // go on after a status that is not 0
};

/**
 * Start the commands, one after the other in counterbalanced order: the first, the second, the
 * second, the first, and so on. What drifts meanwhile favours none of them.
 *
 * @ret_starts: in @arena, *@ret_count of each command
 * Returns: 0, or the exit status with which to end; why was said.
 */
int starts_run(const struct starts_plan *plan, struct arena *arena,
	       const struct bench_start *ret_starts[BENCH_COMMANDS], size_t *ret_count);
