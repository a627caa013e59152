// SPDX-License-Identifier: Apache-2.0
// The trace file: written without a name, or under a temporary one where the file system has no
// such files, with the caller's rights, then put in its place.
#pragma once

#include "base/err.h"
#include "base/privilege.h"

#include <stdbool.h>

struct outfile {
	const struct caller *caller;
	const char *path;	// borrowed
	const char *new_folder; // borrowed; NULL: the file goes where folders are already
	char *temporary;	// NULL: the file has no name yet
	char *temporary_folder; // that becomes new_folder; or NULL
	int fd;			// -1: not open
};

/**
 * Create the file beside @path, mode 0600. Refuses a @path that is there and is no regular file.
 *
 * @new_folder: the directory part of @path, which is made anew and put in its place together with
 *              the file; NULL where directories stay as they are
 * @err: ERR_INPUT, ERR_OS.
 */
bool outfile_open(struct outfile *output, const char *path, const char *new_folder,
		  const struct caller *caller, struct err *err);

/** Keep an older file (or folder) as PATH.old and take its place. */
bool outfile_commit(struct outfile *output, struct err *err);

/** Close; remove the file (and folder) if it was never committed. */
void outfile_close(struct outfile *output);

/**
 * May a set be placed at @path? Nothing is there, or a directory that holds traces alone, and the
 * same of PATH.old: no other directory is moved away or removed. @err: ERR_INPUT, ERR_OS.
 */
bool setfolder_check(const char *path, struct err *err);

/** Make a directory beside @path, mode 0700. *@ret_path is its name, to be freed. */
bool setfolder_make(const char *path, char **ret_path, struct err *err);

/** Keep what is at @path as PATH.old, in place of an older one; put directory @made at @path. */
bool setfolder_place(const char *made, const char *path, struct err *err);
