// SPDX-License-Identifier: Apache-2.0
// Whether a file that a run used is worth a line of a list. Serves cure/prefetch.c.
#pragma once

#include "model/fileuses.h"

enum prefetch_file_state {
	PREFETCH_FILE_SAME,
	PREFETCH_FILE_CHANGED, // since the recording, or by the run; not there; not a regular file
	PREFETCH_FILE_IN_MEMORY, // its file system has no other storage
};

/**
 * Look at a file of a recording that began at @start_unix_ns. Of one that is the same *@file gets
 * the size and the time where the recording does not have them.
 */
enum prefetch_file_state prefetch_file_look(struct model_used_file *file, uint64_t start_unix_ns);
