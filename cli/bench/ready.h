// SPDX-License-Identifier: Apache-2.0
// A start up to its condition, in place of a whole one.
#pragma once

#include "cli/recording/recorded.h"
#include "record/record.h"

/** Exit statuses of a start in which the first condition did not hold, or that was not watched. */
enum { READY_NEVER = RECORDED_NEVER_HELD, READY_FAILED = RECORDED_FAILED };

/**
 * Run @options->command until @options->until ends it, watched as a recording is, which takes
 * little from it. Its streams are this process's own, or /dev/null where @options->is_silent.
 *
 * *@ret_usage: wall time up to the moment at which the condition held, and what of it those whom
 * it waited for waited for a processor; faults up to there, all of them as minor ones; user and
 * system time up to the program's end
 * *@ret_status: READY_NEVER if the first condition did not hold
 * Returns: false if it could not be started or watched.
 */
bool ready_run(const struct record_options *options, struct record_usage *ret_usage,
	       int *ret_status, struct err *err);
