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
	size_t warmups; // starts of each that are not counted
	size_t runs;	// of each; 0: as bench_has_enough() says; of one alone ten, and for 3 s
	bool ignore_failure; // go on after a status that is not 0
};

/**
 * Start the commands, one after the other in counterbalanced order: of each four starts the first
 * and the last are of one command, by chance which. What drifts meanwhile favours none of them.
 *
 * @ret_starts: in @arena, *@ret_count of each command
 * Returns: 0, or the exit status with which to end; why was said.
 */
int starts_run(const struct starts_plan *plan, struct arena *arena,
	       const struct bench_start *ret_starts[BENCH_COMMANDS], size_t *ret_count);
