// SPDX-License-Identifier: Apache-2.0
// The files that the recorded processes map: each gets a number, and what tells it from other files
// of its path is learned while it is mapped. What is not at its path as the recorder sees it is
// kept open, since nobody finds it later. Nothing of any content is looked at before
// mappedfiles_settle(), which is for after privilege has gone.
#pragma once

#include "base/privilege.h"
#include "trace/writer.h"

struct mappedfiles;

/** @caller, borrowed: who may read what is kept. */
struct mappedfiles *mappedfiles_create(const struct caller *caller);

/** Accepts NULL. */
void mappedfiles_destroy(struct mappedfiles *files);

/** A process has been forked, or runs a new program: look at its root while it is there. */
void mappedfiles_task(struct mappedfiles *files, const struct trace_task *task);

/**
 * @pid has made a file in memory, its descriptor @fd: keep hold of it for a moment, in case the
 * process maps it and ends before that is told.
 */
void mappedfiles_memory(struct mappedfiles *files, uint32_t pid, uint32_t fd);

/** Let go of files in memory that were made some time ago: they use memory as long as held. */
void mappedfiles_let_go(struct mappedfiles *files);

/** Number the file of @mapping, which has just been made: 0 where it has none. O(1). */
uint32_t mappedfiles_see(struct mappedfiles *files, const struct trace_mapping *mapping);

/** The final result. Valid until mappedfiles_destroy(). */
struct mappedfiles_result {
	const struct trace_identity *identities; // by id less 1
	const int *fds;				 // beside them: of those that are kept, or -1
	size_t count;
};

/**
 * Hash what has no build-id, and write every file to the trace; with @embed also the content of
 * those that were kept. The writer's error sticks.
 */
struct mappedfiles_result mappedfiles_settle(struct mappedfiles *files, bool embed,
					     struct trace_writer *writer);

/** The path of file @index, "" of one that is not found at its path; NULL past the last one. */
const char *mappedfiles_path(const struct mappedfiles *files, size_t index);
