// SPDX-License-Identifier: Apache-2.0
// Reads a trace file: tells which of the two forms it has, or what else it is.
#include "trace/trace.h"

#include "base/cleanup.h"
#include "elfmap/headers/elfheaders.h"
#include "trace/format.h"
#include "trace/private.h"

#include <string.h>

enum { TEXT_MAX_BYTES = 1 << 30 };

static bool read_text(struct trace_file *file, const char *start, size_t start_size,
		      struct trace *trace, struct err *err)
{
	if (file->size > TEXT_MAX_BYTES)
		return err_set(err, ERR_INPUT, "%s: the text trace is larger than %d bytes",
			       file->path, TEXT_MAX_BYTES);

	size_t rest_size = (size_t)file->size - start_size;
	CLEANUP(freep) char *text = xreallocarray(NULL, 1, (size_t)file->size);
	size_t got;

	memcpy(text, start, start_size);
	if (!trace_file_read(file, text + start_size, rest_size, &got, err))
		return false;
	return trace_parse_text(file->path, text, start_size + got, trace, err);
}

static bool read_either(struct trace_file *file, struct trace *trace, struct err *err)
{
	char start[DISK_MAGIC_SIZE];
	size_t got;

	if (!trace_file_read(file, start, sizeof(start), &got, err))
		return false;
	if (got == sizeof(start) && memcmp(start, DISK_MAGIC, DISK_MAGIC_SIZE) == 0)
		return trace_read_binary(file, trace, err);
	if (got == sizeof(start) && memcmp(start, DISK_TEXT_WORD, sizeof(start)) == 0)
		return read_text(file, start, got, trace, err);
	if (memcmp(start, DISK_MAGIC, got) == 0)
		return err_set(err, ERR_INPUT, "%s: cut within its first %d bytes; nothing to read",
			       file->path, DISK_MAGIC_SIZE);
	if (elfheaders_is_elf(start, got))
		return err_set(err, ERR_INPUT,
			       "%s: is an ELF file, not a trace; `elfault map` shows it",
			       file->path);
	if (got >= 8 && memcmp(start, "PERFILE2", 8) == 0)
		return err_set(err, ERR_INPUT,
			       "%s: is a perf.data file, not a trace of elfault record",
			       file->path);
	return err_set(err, ERR_INPUT, "%s: is not a trace of elfault record", file->path);
}

/** Nobody knew when the recording began who would come into the cgroup. */
static uint32_t first_process(const struct trace *trace)
{
	vec_foreach (task, &trace->tasks)
		if (task->kind == TRACE_TASK_EXEC)
			return task->pid;
	return trace->tasks.count > 0 ? trace->tasks.items[0].pid : 0;
}

bool trace_read(const char *path, struct trace **ret_trace, struct err *err)
{
	CLEANUP(trace_file_close) struct trace_file file = { .fd = -1 };

	if (!trace_file_open(path, &file, err))
		return false;

	CLEANUP(trace_closep) struct trace *trace = trace_create(path);

	trace->name = file.name ? arena_strdup(&trace->arena, file.name) : trace->path;
	if (!read_either(&file, trace, err))
		return false;
	trace_sort(trace);
	trace_cut_at_end(trace);
	if (trace->meta.cgroup && trace->meta.root_pid == 0)
		trace->meta.root_pid = first_process(trace);
	*ret_trace = TAKE(trace);
	return true;
}
