// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a trace, in either form: as they are, and with the hashes put right, so that
// what stands behind the hashes is reached too. What can be read must come back equal through text
// and through the writer.
#include "tests/fuzz/tracebytes.h"
#include "trace/writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *text_of(const struct trace *trace, size_t *ret_size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);

	if (!out || !trace_write_text(trace, out))
		abort();
	fclose(out);
	return text;
}

/** Text read back gives the same text. */
static void check_text(const struct trace *trace)
{
	size_t size, size_again;
	CLEANUP(freep) char *text = text_of(trace, &size);
	CLEANUP(trace_closep) struct trace *again = tracebytes_read(text, size);

	if (!again)
		abort();
	CLEANUP(freep) char *text_again = text_of(again, &size_again);
	if (size != size_again || memcmp(text, text_again, size) != 0)
		abort();
}

/** All events written in binary come back. */
static void check_binary(const struct trace *trace)
{
	CLEANUP(fd_close) int fd = memfd_create("trace", MFD_CLOEXEC);
	struct trace_writer *writer = NULL;
	struct trace_summary summary = trace->summary;
	struct err err;

	if (fd < 0 || !trace_writer_open(fd, &trace->meta, &writer, &err))
		abort();
	vec_foreach (task, &trace->tasks)
		trace_writer_task(writer, task);
	vec_foreach (mapping, &trace->mappings)
		trace_writer_mapping(writer, mapping);
	vec_foreach (remap, &trace->remaps)
		trace_writer_remap(writer, remap);
	vec_foreach (stack, &trace->stacks)
		trace_writer_stack(writer, stack);
	vec_foreach (fault, &trace->faults)
		trace_writer_fault(writer, fault);
	vec_foreach (file, &trace->files)
		trace_writer_file(writer, file);
	vec_foreach (content, &trace->contents)
		trace_writer_content(writer, content);
	vec_foreach (pause, &trace->pauses)
		trace_writer_pause(writer, pause);
	vec_foreach (read, &trace->reads)
		trace_writer_read(writer, read);
	vec_foreach (request, &trace->requests)
		trace_writer_request(writer, request);
	vec_foreach (path, &trace->paths)
		trace_writer_path(writer, path);
	vec_foreach (root, &trace->roots)
		trace_writer_root(writer, root);
	vec_foreach (device, &trace->devices)
		trace_writer_device(writer, device);
	vec_foreach (sample, &trace->samples)
		trace_writer_sample(writer, sample);
	vec_foreach (call, &trace->calls)
		trace_writer_call(writer, call);
	vec_foreach (prefault, &trace->prefaults)
		trace_writer_prefault(writer, prefault);
	vec_foreach (argument, &trace->arguments)
		trace_writer_argument(writer, argument);
	vec_foreach (open, &trace->opens)
		trace_writer_open_call(writer, open);
	vec_foreach (flush, &trace->flushes)
		trace_writer_flush_call(writer, flush);
	vec_foreach (mark, &trace->marks)
		trace_writer_mark(writer, mark);
	summary.recorded = trace->faults.count;
	if (!trace_writer_finish(writer, &summary))
		abort();
	trace_writer_close(writer);

	CLEANUP(trace_closep) struct trace *again = tracebytes_read_fd(fd);
	if (!again || !again->complete || again->notes.list.count > 0 ||
	    again->faults.count != trace->faults.count ||
	    again->mappings.count != trace->mappings.count ||
	    again->remaps.count != trace->remaps.count ||
	    again->tasks.count != trace->tasks.count ||
	    again->stacks.count != trace->stacks.count ||
	    again->files.count != trace->files.count ||
	    again->contents.count != trace->contents.count ||
	    again->pauses.count != trace->pauses.count ||
	    again->reads.count != trace->reads.count ||
	    again->requests.count != trace->requests.count ||
	    again->paths.count != trace->paths.count || again->roots.count != trace->roots.count ||
	    again->devices.count != trace->devices.count ||
	    again->samples.count != trace->samples.count ||
	    again->calls.count != trace->calls.count ||
	    again->prefaults.count != trace->prefaults.count ||
	    again->arguments.count != trace->arguments.count ||
	    again->flushes.count != trace->flushes.count ||
	    again->opens.count != trace->opens.count || again->marks.count != trace->marks.count)
		abort();
}

static void check(const void *bytes, size_t size)
{
	CLEANUP(trace_closep) struct trace *trace = tracebytes_read(bytes, size);

	if (!trace)
		return;
	check_text(trace);
	check_binary(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	check(data, size);
	if (!tracebytes_is_binary(data, size))
		return 0;

	CLEANUP(freep) uint8_t *repaired = malloc(size);
	if (!repaired)
		abort();
	memcpy(repaired, data, size);
	tracebytes_repair(repaired, size);
	check(repaired, size);
	return 0;
}
