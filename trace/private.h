// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of both forms. Serves trace/ only.
#pragma once

#include "trace/trace.h"

/** The arrays of struct trace, each with what it is sorted by. */
#define TRACE_ARRAYS(EACH)       \
	EACH(faults, time_ns)    \
	EACH(mappings, time_ns)  \
	EACH(remaps, time_ns)    \
	EACH(tasks, time_ns)     \
	EACH(pauses, time_ns)    \
	EACH(samples, time_ns)   \
	EACH(stacks, id)         \
	EACH(files, id)          \
	EACH(contents, file)     \
	EACH(reads, time_ns)     \
	EACH(requests, time_ns)  \
	EACH(calls, time_ns)     \
	EACH(prefaults, time_ns) \
	EACH(arguments, time_ns) \
	EACH(opens, time_ns)     \
	EACH(flushes, time_ns)   \
	EACH(marks, time_ns)     \
	EACH(paths, device)      \
	EACH(roots, file)        \
	EACH(devices, device)

/** Bytes of an open trace file, read from front to back. */
struct trace_file {
	const char *path;
	int fd;
	uint64_t size;	// when it was opened; of a pack, that of the trace in it
	uint64_t start; // in a pack, where the trace is
	uint64_t at;	// from there
	char *name;	// in a pack, what the trace was called; otherwise NULL
};

/** An empty trace for @path: no summary, nothing known. */
struct trace *trace_create(const char *path);

/** Open @path if it is a regular file that is not empty. */
bool trace_file_open(const char *path, struct trace_file *ret_file, struct err *err);
void trace_file_close(struct trace_file *file);

/** Read up to @size bytes; @ret_got is less only at the end of the file. */
bool trace_file_read(struct trace_file *file, void *bytes, size_t size, size_t *ret_got,
		     struct err *err);

/** Add the events of a binary trace; its magic was already read from @file. */
bool trace_read_binary(struct trace_file *file, struct trace *trace, struct err *err);

/** Add the events of @text, a whole trace in text form, which need not end with a NUL. */
bool trace_parse_text(const char *path, const char *text, size_t size, struct trace *trace,
		      struct err *err);

/** Sort everything as trace.h promises. Stable; near linear if almost sorted. */
void trace_sort(struct trace *trace);

/**
 * Leave out of the sorted @trace all that is later than the mark that ends it, if there is one: the
 * recorder stops when it has learned of the moment, which is some milliseconds later.
 */
void trace_cut_at_end(struct trace *trace);

/** Add @count of a note of any length. */
void trace_note(struct trace *trace, const char *text, uint64_t count);
