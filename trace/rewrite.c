// SPDX-License-Identifier: Apache-2.0
// Writes a trace that was read as a binary trace.
#include "trace/private.h"
#include "trace/writer.h"

// The function that writes an item of each array: a new array does not compile without one.
#define WRITE_faults	trace_writer_fault
#define WRITE_mappings	trace_writer_mapping
#define WRITE_remaps	trace_writer_remap
#define WRITE_tasks	trace_writer_task
#define WRITE_pauses	trace_writer_pause
#define WRITE_samples	trace_writer_sample
#define WRITE_stacks	trace_writer_stack
#define WRITE_files	trace_writer_file
#define WRITE_contents	trace_writer_content
#define WRITE_reads	trace_writer_read
#define WRITE_requests	trace_writer_request
#define WRITE_calls	trace_writer_call
#define WRITE_prefaults trace_writer_prefault
#define WRITE_arguments trace_writer_argument
#define WRITE_opens	trace_writer_open_call
#define WRITE_flushes	trace_writer_flush_call
#define WRITE_marks	trace_writer_mark
#define WRITE_paths	trace_writer_path
#define WRITE_roots	trace_writer_root
#define WRITE_devices	trace_writer_device

static bool write_events(struct trace_writer *writer, const struct trace *trace)
{
#define WRITE_ARRAY(array, key)                   \
	vec_foreach (item, &trace->array)         \
		if (!WRITE_##array(writer, item)) \
			return false;
	TRACE_ARRAYS(WRITE_ARRAY)
	vec_foreach (note, &trace->notes.list)
		if (!trace_writer_note(writer, note))
			return false;
	return true;
}

bool trace_write(const struct trace *trace, int fd, struct err *err)
{
	CLEANUP(trace_writer_closep) struct trace_writer *writer = NULL;

	if (!trace_writer_open(fd, &trace->meta, &writer, err))
		return false;
	if (write_events(writer, trace) &&
	    (trace->complete ? trace_writer_finish(writer, &trace->summary)
			     : trace_writer_flush(writer)))
		return true;
	*err = *trace_writer_error(writer);
	return false;
}
