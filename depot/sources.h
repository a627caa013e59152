// SPDX-License-Identifier: Apache-2.0
// Sources of files that are not at their recorded path. Serves depot.c.
#pragma once

#include "base/err.h"
#include "depot/depot.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

struct debuginfod;

/** NULL where DEBUGINFOD_URLS names no server. */
struct debuginfod *debuginfod_client_create(void);
/** Accepts NULL. */
void debuginfod_client_destroy(struct debuginfod *client);

/**
 * Get a file. @name: what it belongs to, for messages; @progress: where progress is shown, NULL
 * Returns a descriptor, and its path in the cache, which the caller frees. On failure -1; @err has
 * a message only if it was not told before and is not that no server has the file.
 */
int debuginfod_client_get(struct debuginfod *client, const struct depot_wish *wish, FILE *progress,
			  char **ret_path, struct err *err);

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
