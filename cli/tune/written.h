// SPDX-License-Identifier: Apache-2.0
// Files that a command writes where it is started.
#pragma once

#include "base/arena.h"

/** Entries of the working folder with their times and sizes. Zero-initialise. */
struct written;

/** Look at the working folder, in @arena. NULL: it cannot be read, or has too much in it. */
struct written *written_look(struct arena *arena);

/**
 * Find what has come into the working folder since, or has changed there.
 *
 * Returns: "a, b, 5 more", in @arena; NULL: nothing, or @before is
 */
const char *written_since(const struct written *before, struct arena *arena);
