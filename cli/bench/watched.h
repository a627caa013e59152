// SPDX-License-Identifier: Apache-2.0
// Starts of programs that do not end: over when a condition holds, and ended then.
#pragma once

#include "base/err.h"
#include "cli/option/option.h"
#include "record/record.h"

/** A start that was recorded until a condition, and what was looked for in its trace. */
struct watched {
	bool is_recorded; // else err says why not, and exit_status
	struct err err;
	bool is_interrupted;	 // by SIGINT, which the command was sent as well
	int exit_status, signal; // as of struct record_result
	bool is_missed;		 // no condition held before it ended
	bool is_first;		 // the first condition held, not another one
	struct record_usage usage;
	uint64_t since_ns; // from exec to the condition
	uint64_t faults;   // up to there
	bool is_read;	   // look() has read the trace: what follows is known, up to the condition
	uint64_t processor_ns, minor, major;
	uint64_t late_ns; // those whom the condition waited for waited for a processor
};

/** Look for what @watched has in @trace. Returns false if it cannot be read, which was said. */
typedef bool watched_look(const char *trace, const struct option_values *shared,
			  struct watched *watched);

/**
 * Start @start and record it until a condition of @until ends it, as lightly as can be, since only
 * the kernel sees conditions. A recording gives up privilege for good and traps signals: it is made
 * in a process of its own, in which @look, which may be NULL, is called as well. The trace is made
 * in @folder, and goes.
 *
 * Returns: false if no process could be started; ret->err says why.
 */
bool watched_run(const struct record_options *start, const struct until *until, const char *folder,
		 watched_look *look, const struct option_values *shared,
		 struct watched *ret_watched);
