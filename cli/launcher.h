// SPDX-License-Identifier: Apache-2.0
// elfault-prefetch on behalf of `elfault prefetch --from`: it is static, so that a cold start of it
// waits for next to nothing, while elfault's own waits for a dozen libraries.
#pragma once

/**
 * Execute elfault-prefetch, which asks for the ranges of @list and executes @command, with the
 * rights that this process has. Returns only if it cannot, with errno: ENOENT if it does not exist.
 */
void launcher_execute(const char *list, char *const *command);

/**
 * The same for a whole command line of elfault, before anything else is done, if that is all it
 * asks for: `prefetch [--root] --from LIST [--] COMMAND`. Returns where there is more to do or to
 * say.
 */
void launcher_execute_early(int argc, char **argv);
