// SPDX-License-Identifier: Apache-2.0
// Files that a command maps, the processes that hold them, and their devices.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "record/cold/cold.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/** Directories of sysfs that hold read_ahead_kb, each once; to be freed with filedevice_free(). */
struct filedevices {
	VEC(char *) list;
};

/**
 * Add the devices that the file behind @fd, which may be one of O_PATH, is read from: that of its
 * file system, of an overlay those of all its layers, none where files live in memory.
 *
 * @err: ERR_UNSUPPORTED: its file system has none that can be found; the message names its type.
 */
bool filedevice_add(struct filedevices *devices, int fd, struct err *err);

void filedevice_free(struct filedevices *devices);

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
