// SPDX-License-Identifier: Apache-2.0
// Starts of programs that do not end: over when a condition holds, and ended then.
#pragma once

#include "record/record.h"

/** Exit status of a start in which no condition held. */
enum { READY_NEVER = 124 };

/**
 * Run @options->command until @options->until ends it, watched as a recording is, which takes
 * little from it. Its streams are this process's own, or /dev/null where @options->is_silent.
 *
 * *@ret_usage: wall time up to the moment at which the condition held, faults up to there, all of
 * them as minor ones; user and system time up to the program's end
 * Returns: false if it could not be started or watched.
 */
bool ready_run(const struct record_options *options, struct record_usage *ret_usage,
	       int *ret_status, struct err *err);
