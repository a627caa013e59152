// SPDX-License-Identifier: Apache-2.0
// Messages about recordings, on standard error.
#pragma once

#include "record/record.h"

#include <stddef.h>

enum recorded_status {
	RECORDED_LOST = 4,	   // with --strict
	RECORDED_NEVER_HELD = 124, // no condition of --until, as timeout(1) has it
	RECORDED_FAILED = 125,	   // of elfault itself: the command's own statuses come through
};

/** Of record_options: how starts are recorded where nothing else is asked for. */
#define RECORDED_DEFAULTS                                                                    \
	.backend = RECORD_BACKEND_AUTO, .cpu_hz = 10000, .cpu_adapts = true, .stacks = true, \
	.stack_memory = UINT64_C(1) << 30

bool recorded_has_losses(const struct record_result *result);

/** Print the notes, then the line with the file and the next command. */
void recorded_print(const struct record_options *options, const struct record_result *result);

/** One run of a set, and the plain one before it. */
struct recorded_times {
	struct record_usage recorded, plain;
};

/** Print one run of a set in a line. */
void recorded_print_run(size_t run, size_t count, const struct record_result *result);

/**
 * Return a line for each kind of note, but for those that hardly matter: *@ret_count in @arena. The
 * trace keeps all.
 */
const char *const *recorded_note_lines(const struct notes *notes, struct arena *arena,
				       size_t *ret_count);

/** Print "elfault: note: @text". */
void recorded_print_note(const char *text);

/**
 * The last lines of a set: times with and without recording, where plain runs show them, then the
 * counts.
 *
 * @folder: where the runs are
 * @sum:    of all runs: recorded, lost, lost_other; the backend
 */
void recorded_print_set(const struct record_options *options, const char *folder,
			const struct recorded_times *times, size_t run_count,
			const struct record_result *sum);
