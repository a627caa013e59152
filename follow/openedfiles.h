// SPDX-License-Identifier: Apache-2.0
// Files that a command opens, by stops at its system calls. Needs no privilege.
#pragma once

#include "base/err.h"
#include "base/privilege.h"
#include "base/vec.h"

/** Paths without links, each once, in the order of first use. */
struct openedfiles {
	VEC(char *) paths;
};

/**
 * Run @command as @caller to its end, with its threads and children, and find the regular files
 * that they opened to read. @seconds: SIGTERM ends it after so many, SIGKILL after twice as many;
 * 0: never.
 */
bool openedfiles_find(char *const *command, const struct caller *caller, unsigned int seconds,
		      struct openedfiles *ret_files, struct err *err);
