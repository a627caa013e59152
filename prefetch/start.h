// SPDX-License-Identifier: Apache-2.0
// Starts a command while its files are asked for.
#pragma once

#include "prefetch/ask.h"

#include <sys/types.h>

/**
 * Read the list at @path: regular files only. *@ret_text is what its paths point into; free() it.
 * Returns: false where it is not there or no list; @how was told why.
 */
bool prefetch_list_read(const char *path, const struct prefetch_how *how,
			struct prefetch_list *ret_list, char **ret_text);

/** The process that asks. */
struct prefetch_asker {
	const char *path; // of the list, to be read; NULL: it is here
	const struct prefetch_list *list;
	const char *file; // that is executed; NULL: by the first word of the command
	const char *program;
	bool ignores_changes; // files that are not as the list has them are left out in silence
};

/**
 * Ask for what the list names, the beginning here, the rest in a process of its own, and let this
 * one execute @command. That process is nobody's child but init's, has none of the command's files
 * open but standard error, and ends with the command at the latest. What goes wrong with it is
 * said, and the command runs all the same.
 *
 * Returns: only if the command cannot be executed, which is said: 127 not found, 126 otherwise.
 */
int prefetch_start(const struct prefetch_asker *asker, char *const *command);

/** Close every file from @first on, so that nobody waits for this process to close its end. */
void prefetch_close_from(unsigned int first);

/**
 * Like fork(), but the child has init for its parent, and its end is noticed by nobody. Returns: 0
 * in the child; what is above 0 here; -1 with errno.
 */
pid_t prefetch_fork_nobodys(void);
