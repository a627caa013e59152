// SPDX-License-Identifier: Apache-2.0
// A control group of version 2, whose processes are recorded whoever starts them.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cgroup {
	int fd;	     // of its folder
	uint64_t id; // the kernel's, which is the folder's inode
};

/**
 * Open the cgroup at @path: its folder, or its name below the place where cgroup version 2 is
 * mounted, as /proc/PID/cgroup has it behind "0::".
 *
 * @err: ERR_INPUT where there is none, or where it is of version 1, with its way out.
 */
bool cgroup_open(const char *path, struct cgroup *ret_cgroup, struct err *err);

/**
 * Make the cgroup @path, a name as /proc/PID/cgroup has it, and what it is in, as far as that is
 * missing.
 *
 * @ret_folder: where it is, on the heap, if it was missing itself
 */
bool cgroup_make(const char *path, char **ret_folder, struct err *err);

/** The processes in it and in all below it, on the heap. @err: ERR_OS. */
bool cgroup_processes(const struct cgroup *cgroup, pid_t **ret_pids, size_t *ret_count,
		      struct err *err);

/** Does any process live in it, or below it? */
bool cgroup_is_populated(const struct cgroup *cgroup);

void cgroup_close(struct cgroup *cgroup);
