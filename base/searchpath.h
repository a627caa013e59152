// SPDX-License-Identifier: Apache-2.0
// Programs as PATH finds them.
#pragma once

#include "base/arena.h"

/**
 * Find the program that a command line begins with, as execvp() does.
 *
 * Returns: its absolute path in @arena, with its links: a program may look at its own name. NULL:
 * there is none that may be executed.
 */
const char *searchpath_find(struct arena *arena, const char *name);
