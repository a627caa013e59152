// SPDX-License-Identifier: Apache-2.0
// The tuning of a start: what is tried, predicted, measured, kept.
#pragma once

#include "base/arena.h"
#include "cli/option/option.h"
#include "compare/tunedstart.h"

struct tuning_request {
	char *const *command;
	const char *path;  // of the folder, absolute
	const char *until; // condition at which a start is over; NULL: its end
	bool refreshes;	   // by itself, after an upgrade
	size_t runs;	   // pairs of warm starts; 0: until the verdict is clear
	const struct option_values *shared;
};

/**
 * Tune the start of a command. What pays is in the folder then, with the result; where nothing does
 * there is no folder, unless one was there before: its launcher starts the program plainly then.
 *
 * Returns: true and *@ret_start in @arena; false: it was said why.
 */
bool tuning_run(const struct tuning_request *request, struct arena *arena,
		struct tunedstart *ret_start);
