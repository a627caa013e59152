// SPDX-License-Identifier: Apache-2.0
// The part of a command line that others may read: its program and the names of its options.
// Passwords, tokens and names of customers are in the rest.
#pragma once

#include "base/arena.h"

#include <stddef.h>

/** Stands for what is not shown. */
#define SHOWNWORDS_HIDDEN "\u2026"

/**
 * The words of a command line of which only the first, "--NAME" and a dash with one letter are
 * kept:
 *
 *   --token=abc, --token abc  "--token=…", "--token" "…"
 *   -p, -psecret, -DKEY=x     "-p", "-p…", "-D…"
 *   KEY=x, any other word     "…", one for all that follow each other
 *   --                        itself; what follows it is no option
 *
 * A value that looks like an option is taken for one.
 *
 * Returns: *@ret_count words of @arena.
 */
const char *const *shownwords_of(struct arena *arena, const char *const *words, size_t count,
				 size_t *ret_count);

/** The same of a line whose words are separated by blanks. */
const char *shownwords_of_line(struct arena *arena, const char *line);
