// SPDX-License-Identifier: Apache-2.0
// elfault-prefetch on behalf of `elfault prefetch --from`: it is static, so that a cold start of it
// waits for next to nothing, while elfault's own waits for a dozen libraries.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

/** The program that requests a list's ranges and executes a command. */
struct launcher {
	const char *path;
	bool is_elfault; // elfault-prefetch does not exist
};

/** Find it. Strings are in @arena. */
struct launcher launcher_find(struct arena *arena);

/**
 * Execute @launcher for @list and @command with the rights that this process has. Returns only if
 * it cannot, with errno.
 */
void launcher_execute(const struct launcher *launcher, const char *list, char *const *command);

/**
 * Execute elfault-prefetch for a whole command line of elfault, before anything else is done, if
 * that is all it asks for: `prefetch [--root] --from LIST [--] COMMAND`. Returns where there is
 * more to do or to say.
 */
void launcher_execute_early(int argc, char **argv);

/** Whether the file at @path is a list; what is neither that nor a trace is for its reader to
 * refuse. */
bool launcher_is_list(const char *path);
