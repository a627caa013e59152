// SPDX-License-Identifier: Apache-2.0
// A recorded trace in memory: how it is read, shown as text and redacted. It knows nothing of ELF.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/notes.h"
#include "base/vec.h"
#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * A whole trace in memory: every array sorted by time (stable), ready to be replayed. Plain data,
 * owned by the trace. 88 bytes a fault; equal paths and frames are there once.
 */
struct trace {
	struct arena arena;
	char *path;	  // of the file that was read
	const char *name; // in a pack, what the trace was called when it was packed; else the path
	struct trace_meta meta;
	struct trace_summary summary;
	bool complete; // the summary is there and nothing was cut
	VEC(struct trace_fault) faults;
	VEC(struct trace_mapping) mappings;
	VEC(struct trace_remap) remaps;
	VEC(struct trace_task) tasks;
	VEC(struct trace_pause) pauses;
	VEC(struct trace_sample) samples;
	VEC(struct trace_stack) stacks;	    // sorted by id
	VEC(struct trace_identity) files;   // sorted by id
	VEC(struct trace_content) contents; // sorted by file
	VEC(struct trace_read) reads;
	VEC(struct trace_request) requests;
	VEC(struct trace_call) calls;
	VEC(struct trace_prefault) prefaults;
	VEC(struct trace_argument) arguments;
	VEC(struct trace_open) opens;
	VEC(struct trace_flush) flushes;
	VEC(struct trace_mark) marks;
	VEC(struct trace_path) paths;	  // sorted by device
	VEC(struct trace_root) roots;	  // sorted by file
	VEC(struct trace_device) devices; // sorted by device
	struct notes notes;		  // the recorder's, then the reader's
};

/**
 * Read a trace in either form; the first bytes tell which.
 *
 * Every chunk's length and hash is checked before its content is believed. A cut or damaged trace
 * is read up to its last whole chunk: then *@ret_trace is set, complete is false and a note says
 * where it ends. Unknown chunk types are skipped and noted.
 * @err: ERR_OS; ERR_INPUT: not a trace, another version (both named). Returns false only if nothing
 * could be read. Never blocks on a FIFO or device: they are refused.
 */
bool trace_read(const char *path, struct trace **ret_trace, struct err *err);

/** How much is in a trace, as it claims; 0 of what it does not tell. */
struct trace_size {
	uint64_t faults;
	uint64_t stacks;
	uint64_t mappings;
	uint64_t others; // remaps, what happened to tasks, pauses, samples, reads, requests,
			 // calls
};

/**
 * Look how much is in a trace without reading it; a text trace does not tell.
 * @err: as of trace_read(), which has more to refuse.
 */
bool trace_measure(const char *path, struct trace_size *ret_size, struct err *err);

/**
 * A number for the recording, equal for both forms of a trace and what trace_redact() makes of it,
 * and different for any other: a hash of when and where it was recorded, and of its faults. Of what
 * is not shown, the command's words and the host, nothing is in it: else it would tell whoever
 * guesses them that the guess is right.
 */
uint64_t trace_run_id(const struct trace *trace);

/** Release @trace, which may be NULL. */
void trace_close(struct trace *trace);

CLEANUP_POINTER(trace_close, struct trace)

/**
 * Give back the memory of faults that are not needed any more, as far as it is whole pages: those
 * from index @from to @to, which read as zeros afterwards.
 */
void trace_drop_faults(struct trace *trace, size_t from, size_t to);

/** The stack with this id, or NULL. O(log n). */
const struct trace_stack *trace_stack_by_id(const struct trace *trace, uint32_t id);

/** The file with this id, or NULL. O(log n). */
const struct trace_identity *trace_file_by_id(const struct trace *trace, uint32_t id);

/** The name of the root that @file is of; NULL: the recorder's. O(log n). */
const char *trace_root_of(const struct trace *trace, uint32_t file);

/** The parts of a file that the trace holds, *@ret_count of them, in no order. O(log n). */
const struct trace_content *trace_contents_of(const struct trace *trace, uint32_t file,
					      size_t *ret_count);

/**
 * Write @trace as text, one event a line, in time order; trace_read() reads it back to an equal
 * trace. Returns false (errno set) if @out failed.
 */
bool trace_write_text(const struct trace *trace, FILE *out);

/**
 * Write @trace in binary form on @fd, as trace_writer_open() takes it: without a summary if @trace
 * is incomplete, so that what is read back is incomplete as well.
 */
bool trace_write(const struct trace *trace, int fd, struct err *err);

/** Counts of what trace_redact() changed. */
struct trace_redacted {
	size_t words;  // of the command line that are not what they were
	size_t homes;  // home directories
	size_t labels; // values
	bool host;
};

/**
 * Take out of @trace what is not for others: of the command all but what shownwords_of() keeps,
 * the host, home directories, which become HOMEPATH_REDACTED (base/homepath.h), and of each label
 * the value if @hide_labels. Nothing that is counted changes, and trace_run_id() stays. In
 * trace_content homes are overwritten in place.
 */
struct trace_redacted trace_redact(struct trace *trace, bool hide_labels);

/** The name of system call @number on the machine of @trace; NULL: none that is known. */
const char *trace_call_name(const struct trace *trace, uint32_t number);
