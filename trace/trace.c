// SPDX-License-Identifier: Apache-2.0
// Owns a trace in memory: opens its file, tells which of the two forms it has, and releases it.
#include "trace/trace.h"

#include "base/cleanup.h"
#include "trace/format.h"
#include "trace/private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_MAX_BYTES = 1 << 30, NOTES_MAX = 1000 };

struct trace *trace_create(const char *path)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));

	trace->path = xstrdup(path);
	trace->summary.exit_status = -1;
	return trace;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	vec_deinit(&trace->faults);
	vec_deinit(&trace->mappings);
	vec_deinit(&trace->remaps);
	vec_deinit(&trace->tasks);
	vec_deinit(&trace->stacks);
	notes_deinit(&trace->notes);
	arena_deinit(&trace->arena);
	free(trace->path);
	free(trace);
}

void trace_note(struct trace *trace, const char *text, uint64_t count)
{
	// Each new note is compared with all others, so their number must have an end.
	if (trace->notes.list.count >= NOTES_MAX) {
		notes_add(&trace->notes, "notes after the first %d were left out", NOTES_MAX);
		return;
	}
	notes_add_text(&trace->notes, text, count);
}

const struct trace_stack *trace_stack_by_id(const struct trace *trace, uint32_t id)
{
	size_t low = 0, high = trace->stacks.count;

	while (low < high) {
		size_t probe = low + (high - low) / 2;

		if (trace->stacks.items[probe].id < id)
			low = probe + 1;
		else
			high = probe;
	}
	if (low == trace->stacks.count || trace->stacks.items[low].id != id)
		return NULL;
	return &trace->stacks.items[low];
}

bool trace_file_read(struct trace_file *file, void *bytes, size_t size, size_t *ret_got,
		     struct err *err)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = read(file->fd, (uint8_t *)bytes + got, size - got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return err_os(err, "%s", file->path);
		if (more == 0)
			break;
		got += (size_t)more;
	}
	*ret_got = got;
	return true;
}

/** Open @path if it is a regular file; O_NONBLOCK so that a FIFO without a writer does not hang. */
static bool open_regular(const char *path, struct trace_file *ret_file, struct err *err)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return err_os(err, "%s", path);
	if (S_ISDIR(status.st_mode))
		return err_set(err, ERR_INPUT, "%s: is a directory, not a trace", path);
	if (!S_ISREG(status.st_mode))
		return err_set(err, ERR_INPUT, "%s: is a %s; a trace must be a regular file", path,
			       S_ISFIFO(status.st_mode) ? "FIFO" : "device or socket");
	if (status.st_size == 0)
		return err_set(err, ERR_INPUT, "%s: is empty, not a trace", path);

	*ret_file = (struct trace_file){ .path = path, .fd = fd, .size = (uint64_t)status.st_size };
	fd = -1;
	return true;
}

static bool read_text(struct trace_file *file, const char *start, size_t start_size,
		      struct trace *trace, struct err *err)
{
	if (file->size > TEXT_MAX_BYTES)
		return err_set(err, ERR_INPUT, "%s: a text trace of more than %d bytes", file->path,
			       TEXT_MAX_BYTES);

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
	if (got >= 4 && memcmp(start, "\177ELF", 4) == 0)
		return err_set(err, ERR_INPUT,
			       "%s: is an ELF file, not a trace; `elfault map` shows it",
			       file->path);
	if (got >= 8 && memcmp(start, "PERFILE2", 8) == 0)
		return err_set(err, ERR_INPUT,
			       "%s: is a perf.data file, not a trace of elfault record",
			       file->path);
	return err_set(err, ERR_INPUT, "%s: is not a trace of elfault record", file->path);
}

static void close_file(struct trace_file *file)
{
	fd_close(&file->fd);
}

bool trace_read(const char *path, struct trace **ret_trace, struct err *err)
{
	CLEANUP(close_file) struct trace_file file = { .fd = -1 };

	if (!open_regular(path, &file, err))
		return false;

	CLEANUP(trace_closep) struct trace *trace = trace_create(path);

	if (!read_either(&file, trace, err))
		return false;
	trace_sort(trace);
	*ret_trace = TAKE(trace);
	return true;
}
