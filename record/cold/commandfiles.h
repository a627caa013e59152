// SPDX-License-Identifier: Apache-2.0
// The files that a command maps, as a trace of it shows: found by record_files_find().
#pragma once

#include "record/record.h"

struct record_files {
	char *block;	    // the paths, one after the other
	const char **paths; // absolute, in order, each once
	size_t count;
	size_t elsewhere; // that the trace has besides: deleted, or of another root
};

/** Whether @path is one of them. O(log n). */
bool commandfiles_has(const struct record_files *files, const char *path);

/** Whether the kernel's @path of a mapping is that of a file which can be opened by it. */
bool commandfiles_is_path(const char *path);
