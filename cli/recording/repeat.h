// SPDX-License-Identifier: Apache-2.0
// Records one command several times, into a directory of traces.
#pragma once

#include "record/record.h"

#include <stddef.h>

struct repeat {
	struct record_options options; // but for output, which follows from folder
	const char *folder;
	size_t count; // of runs
	size_t only;  // 0: all of them; else this one, and the folder has those before
	bool plain;   // run the command unrecorded before each of them
	bool strict, quiet;
};

/**
 * Record the runs, FOLDER/1.trace and so on, and say on standard error what came of each. A run
 * that cannot be recorded, or a signal to this process, ends the set; its trace is removed then, so
 * that a set holds whole runs alone.
 *
 * Returns: the exit status: the first of the runs' that is not 0.
 */
int repeat_run(const struct repeat *repeat);
