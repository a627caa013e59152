// SPDX-License-Identifier: Apache-2.0
// Which processes map a file, and so keep its pages in memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HOLDERS_NAMED = 4 };

/** A process that maps a file. */
struct holder {
	pid_t pid;
	char comm[16];
};

/** A file, and who maps it. */
struct held_file {
	uint64_t device, inode; // as /proc/PID/maps has them
	struct holder holders[HOLDERS_NAMED];
	size_t holder_count; // also those that are not named
	pid_t latest;	     // that was counted
	bool is_own;	     // this process maps it as well, which is not counted
};

/**
 * Look for them in /proc/PID/maps of all processes but @ignored, with the rights that the calling
 * process has now. @files get sorted. Returns how many processes could not be looked into.
 */
size_t holders_find(struct held_file *files, size_t count, pid_t ignored);
