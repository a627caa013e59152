// SPDX-License-Identifier: Apache-2.0
// A cold start: the files of a command leave the page cache, which is checked.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "base/privilege.h"
#include "record/files/mappedfiles.h"
#include "record/record.h"

/**
 * Write back what is dirty of options->files and drop their pages, with RECORD_COLD_ALL all pages,
 * directories and inodes that can be dropped. How much there was, which files stayed, how much of
 * each and who maps them is told in @notes.
 *
 * The files are opened, and other processes looked into, with the caller's rights.
 * @command: the process that will run the command, which is not told of
 * @err: ERR_DENIED, ERR_OS. Only RECORD_COLD_ALL can fail.
 */
bool coldfiles_drop(const struct record_options *options, const struct caller *caller,
		    pid_t command, struct notes *notes, struct err *err);

/** Name in @notes files that the command has @mapped and that are not of @files. */
void coldfiles_note_others(const struct record_files *files, const struct mappedfiles *mapped,
			   struct notes *notes);
