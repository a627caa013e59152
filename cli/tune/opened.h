// SPDX-License-Identifier: Apache-2.0
// Files that a start opens: those that it only reads are in no recording of its faults.
#pragma once

#include "base/arena.h"
#include "record/record.h"

#include <stddef.h>

/**
 * Run @start, its output to nowhere, and find the regular files that it opens to read. A command
 * with a condition is ended by SIGTERM some seconds later.
 *
 * Returns: their paths without links, in @arena; none where it cannot be traced
 */
const char *const *opened_find(const struct record_options *start, struct arena *arena,
			       size_t *ret_count);
