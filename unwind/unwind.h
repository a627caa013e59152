// SPDX-License-Identifier: Apache-2.0
// Raw stacks and mappings -> call stacks in the trace, by libdwfl, in a child process without
// privilege and with limits, so that a file that makes libdw fail costs stacks and nothing else.
#pragma once

#include "base/err.h"
#include "base/notes.h"
#include "trace/writer.h"
#include "unwind/stackspool.h"

/** The history that unwinding needs: all in time order, borrowed. */
struct unwind_input {
	const struct trace_mapping *mappings;
	size_t mapping_count;
	const struct trace_task *tasks;
	size_t task_count;
	struct stackspool *spool;
	// Known facts of the files of mappings, by id less 1; of a file past them nothing is.
	const struct trace_identity *files;
	const int *fds; // beside them: a file that is not at its path; -1: it is there
	size_t file_count;
	uint32_t stack_bytes;	  // at most copied of each stack
	uint32_t stack_bytes_max; // and could be
	bool lost_stacks;	  // some found no room in the rings
	bool progress;		  // a line on stderr when it lasts
	uint64_t memory_bytes;	  // that the child may take, 0: 4 GiB
	uint32_t cpu_seconds;	  // that the child may take, 0: by the number of stacks
};

/**
 * Unwind every stack of the spool and append it to @writer (flushed), whose file is @fd.
 *
 * Forks; the child drops every privilege, bounds its memory and time, unwinds and appends whole
 * chunks; if it dies, @fd is cut back to where it was and a note says how it died. Stack ids are
 * the spool's. *@ret_lost counts the uses of stacks without frames beyond the ip.
 * Returns false only when fork or file operations fail.
 */
bool unwind_append(const struct unwind_input *input, struct trace_writer *writer, int fd,
		   struct notes *notes, uint64_t *ret_lost, struct err *err);
