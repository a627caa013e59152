// SPDX-License-Identifier: Apache-2.0
// A folder that holds the root of another machine, or a part of one.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <sys/stat.h>

struct sysroot {
	const char *path; // borrowed
	int fd;		  // -1: not open
};

bool sysroot_open(struct sysroot *sysroot, struct err *err);
void sysroot_close(struct sysroot *sysroot);

/**
 * Open what a process whose root this folder is would find at @path, if that is a regular file.
 * Returns 0 with *@ret_status, and *@ret_fd of a regular file; otherwise errno.
 */
int sysroot_find(const struct sysroot *sysroot, const char *path, int *ret_fd,
		 struct stat *ret_status);
