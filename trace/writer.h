// SPDX-License-Identifier: Apache-2.0
// Writing a trace.
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "base/notes.h"
#include "trace/event.h"

/** Appends a binary trace to a file. Events may come in any order. */
struct trace_writer;

/**
 * Start a trace on @fd, which is borrowed, empty and positioned at 0; writes header and meta at
 * once.
 * @err: ERR_OS.
 */
bool trace_writer_open(int fd, const struct trace_meta *meta, struct trace_writer **ret_writer,
		       struct err *err);

/**
 * Add one event. Buffered; a chunk is compressed and written when about 1 MiB is pending or
 * trace_writer_flush() is called. Strings and frames are copied. Errors stick: every later call
 * returns false, and trace_writer_error() tells. What was flushed before stays readable.
 */
bool trace_writer_fault(struct trace_writer *writer, const struct trace_fault *fault);
bool trace_writer_mapping(struct trace_writer *writer, const struct trace_mapping *mapping);
bool trace_writer_remap(struct trace_writer *writer, const struct trace_remap *remap);
bool trace_writer_task(struct trace_writer *writer, const struct trace_task *task);
bool trace_writer_pause(struct trace_writer *writer, const struct trace_pause *pause);
bool trace_writer_sample(struct trace_writer *writer, const struct trace_sample *sample);
bool trace_writer_stack(struct trace_writer *writer, const struct trace_stack *stack);
bool trace_writer_note(struct trace_writer *writer, const struct note *note);
bool trace_writer_file(struct trace_writer *writer, const struct trace_identity *file);
bool trace_writer_content(struct trace_writer *writer, const struct trace_content *content);
bool trace_writer_read(struct trace_writer *writer, const struct trace_read *read);
bool trace_writer_request(struct trace_writer *writer, const struct trace_request *request);
bool trace_writer_call(struct trace_writer *writer, const struct trace_call *call);
bool trace_writer_prefault(struct trace_writer *writer, const struct trace_prefault *prefault);
bool trace_writer_argument(struct trace_writer *writer, const struct trace_argument *argument);
bool trace_writer_open_call(struct trace_writer *writer, const struct trace_open *open);
bool trace_writer_flush_call(struct trace_writer *writer, const struct trace_flush *flush);
bool trace_writer_mark(struct trace_writer *writer, const struct trace_mark *mark);
bool trace_writer_path(struct trace_writer *writer, const struct trace_path *path);
bool trace_writer_root(struct trace_writer *writer, const struct trace_root *root);
bool trace_writer_device(struct trace_writer *writer, const struct trace_device *device);

/** Write all pending events as whole chunks. */
bool trace_writer_flush(struct trace_writer *writer);

/** Fault events added so far. */
uint64_t trace_writer_fault_count(const struct trace_writer *writer);

/** Faults in whole chunks of the file: those that a reader would get after an error. */
uint64_t trace_writer_faults_kept(const struct trace_writer *writer);

/** The first error, or NULL. */
const struct err *trace_writer_error(const struct trace_writer *writer);

/** Flush and write the summary, which completes the trace. Does not release @writer. */
bool trace_writer_finish(struct trace_writer *writer, const struct trace_summary *summary);

/** Release @writer, which may be NULL; writes nothing and does not close the file descriptor. */
void trace_writer_close(struct trace_writer *writer);

CLEANUP_POINTER(trace_writer_close, struct trace_writer)
