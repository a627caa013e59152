// SPDX-License-Identifier: Apache-2.0
// Starts of commands in turn, while nothing records but what conditions need.
#pragma once

#include "cli/option/option.h"
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
	// For a shell, before each start; one alone is that of all commands.
	char *prepare[BENCH_COMMANDS];
	size_t prepare_count;
	bool shows_progress; // on standard error
	// Conditions by which starts end, or NULL; then for their recordings a folder, and how to
	// read them.
	const struct until *until;
	const char *folder;
	const struct option_values *shared;
};

/** Run what is to run before a start of @command. Returns its exit status; one that is not 0 was
 * said. */
int starts_prepare(const struct starts_plan *plan, size_t command);

/**
 * Start @command of @plan and end it when a condition of plan->until holds.
 *
 * Returns: 0, or the exit status with which to end; why was said.
 */
int starts_until(const struct starts_plan *plan, size_t command, struct bench_start *ret_start);

/**
 * Find the files of each command of @plan that starts cold: by recording it once.
 *
 * Returns: 0, or the exit status with which to end; why was said. To be released with
 * starts_forget_files().
 */
int starts_find_files(struct starts_plan *plan);
void starts_forget_files(struct starts_plan *plan);

/**
 * Start the commands, one after the other in counterbalanced order: of each four starts the first
 * and the last are of one command, by chance which. What drifts meanwhile favours none of them.
 *
 * @notes:      of cold starts: what stayed in memory before the last one
 * @ret_starts: in @arena, *@ret_count of each command
 * Returns: 0, or the exit status with which to end; why was said.
 */
int starts_run(const struct starts_plan *plan, struct arena *arena, struct notes *notes,
	       const struct bench_start *ret_starts[BENCH_COMMANDS], size_t *ret_count);
