// SPDX-License-Identifier: Apache-2.0
// The files that the recorded processes map: each gets a number, and what tells it from other files
// of its path is learned while it is mapped. Nothing of their content is looked at before
// mappedfiles_settle(), which is for after privilege has gone.
#pragma once

#include "base/notes.h"
#include "trace/trace.h"

struct mappedfiles;

struct mappedfiles *mappedfiles_create(void);

/** Accepts NULL. */
void mappedfiles_destroy(struct mappedfiles *files);

/** Number the file of @mapping, which has just been made: 0 where it has none. O(1). */
uint32_t mappedfiles_see(struct mappedfiles *files, const struct trace_mapping *mapping);

/**
 * Hash what has no build-id, and write every file to the trace; the writer's error sticks.
 * Returns: all of them, *@ret_count, by id less 1; valid until destroyed.
 */
const struct trace_identity *mappedfiles_settle(struct mappedfiles *files,
						struct trace_writer *writer, size_t *ret_count);
