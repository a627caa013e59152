// SPDX-License-Identifier: Apache-2.0
// Messages about recordings, on standard error.
#pragma once

#include "record/record.h"

#include <stddef.h>

enum recorded_status {
	RECORDED_LOST = 4,     // with --strict
	RECORDED_FAILED = 125, // of elfault itself: the command's own statuses come through
};

bool recorded_has_losses(const struct record_result *result);

/** Print the notes, then the line with the file and the next command. */
void recorded_print(const struct record_options *options, const struct record_result *result);

/** Print one run of a set in a line. */
void recorded_print_run(size_t run, size_t count, const struct record_result *result);

/** Print "elfault: note: @text". */
void recorded_print_note(const char *text);

/**
 * The last line of a set.
 *
 * @folder: where the runs are
 * @sum:    of all runs: recorded, lost, lost_other; the backend
 */
void recorded_print_set(const struct record_options *options, const char *folder, size_t run_count,
			const struct record_result *sum);
