// SPDX-License-Identifier: Apache-2.0
// From a log to a trace: which format it is, reading, what goes into the notes, writing.
#include "import/import.h"

#include "base/path.h"
#include "import/imported.h"
#include "machine/page.h"
#include "trace/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct format {
	const char *name;
	const char *lines; // what they look like, for a message
	imported_detector *is;
	imported_reader *read;
} formats[] = {
	[IMPORT_PERF_SCRIPT] = { "perf-script", "'COMM PID/TID TIME: PERIOD page-faults: ADDR IP'",
				 perfscript_is, perfscript_read },
	[IMPORT_BPFTRACE] = { "bpftrace", "'mmap(\"…' and 'page_fault_user(\"…'", bpftrace_is,
			      bpftrace_read },
	[IMPORT_OFFSETS] = { "offsets", "'FILE OFFSET'", offsets_is, offsets_read },
};

/** Lines of a log: a damaged one counts its events as lost. A log may be larger than memory. */
static const struct lines_kind log_lines = {
	.name = "a log",
	.line_max = 64 << 10,
	.keeps_damaged = true,
};

const char *import_format_name(enum import_format format)
{
	return format < IMPORT_FORMATS ? formats[format].name : NULL;
}

// ---- Which format -----------------------------------------------------------------------------

/** Binary files that people may take for a log. */
static bool refuse_binary(const struct import_source *source, const char *bytes, size_t size,
			  struct err *err)
{
	static const struct {
		const char *magic, *is;
	} known[] = {
		{ "PERFILE2", "perf's own data: print it with perf script first (docs/import.md)" },
		{ "\x89"
		  "elfault",
		  "a trace already" },
		{ "elfault-trace-text", "a trace already" },
		{ "\x7f"
		  "ELF",
		  "an ELF file, not a log" },
	};

	array_foreach (row, known, sizeof(known) / sizeof(known[0]))
		if (size >= strlen(row->magic) &&
		    memcmp(bytes, row->magic, strlen(row->magic)) == 0)
			return err_set(err, ERR_INPUT, "%s: is %s", source->name, row->is);
	if (size == 0)
		return err_set(err, ERR_INPUT, "%s: is empty", source->name);
	return true;
}

/** The format that most of the first lines are of; at equal counts the earlier one. */
static bool detect(const struct import_source *source, const char *bytes, size_t size,
		   enum import_format *ret_format, struct err *err)
{
	uint64_t counts[IMPORT_FORMATS] = { 0 };
	struct lines lines;
	struct text_line line;
	enum import_format best = IMPORT_PERF_SCRIPT;

	lines_init_memory(&lines, source->name, bytes, size, &log_lines);
	while (lines_next(&lines, &line))
		for (enum import_format i = 0; i < IMPORT_FORMATS; i++)
			counts[i] += !line.is_damaged && formats[i].is(&line);
	lines_deinit(&lines);
	for (enum import_format i = 0; i < IMPORT_FORMATS; i++)
		if (counts[i] > counts[best])
			best = i;
	if (counts[best] == 0)
		return err_set(err, ERR_INPUT,
			       "%s: not recognized: none of its first lines is of perf script "
			       "(%s), of the bpftrace log (%s) or %s; --from says which it is",
			       source->name, formats[IMPORT_PERF_SCRIPT].lines,
			       formats[IMPORT_BPFTRACE].lines, formats[IMPORT_OFFSETS].lines);
	*ret_format = best;
	return true;
}

// ---- Reading ----------------------------------------------------------------------------------

static struct imported *create(const struct import_source *source)
{
	struct imported *imported = xcalloc(1, sizeof(*imported));

	imported->strings.arena = &imported->arena;
	imported->source =
		arena_strdup(&imported->arena, path_file_name(source->name ? source->name : ""));
	imported->folder = source->folder ? source->folder : "/";
	imported->meta = (struct trace_meta){ .page_size = MACHINE_PAGE, .root_pid = 1 };
	imported->summary.exit_status = -1;
	return imported;
}

void import_close(struct imported *imported)
{
	if (!imported)
		return;
	vec_deinit(&imported->faults);
	vec_deinit(&imported->mappings);
	vec_deinit(&imported->tasks);
	vec_deinit(&imported->stacks);
	vec_deinit(&imported->files);
	u64map_deinit(&imported->by_frames);
	intern_deinit(&imported->strings);
	notes_deinit(&imported->notes);
	arena_deinit(&imported->arena);
	free(imported);
}

static void note_odd(struct imported *imported, const struct imported_odd *odd, const char *what)
{
	notes_add_counted(&imported->notes, odd->count, "%s: %s; the first is line %" PRIu64,
			  imported->source, what, odd->first);
}

/** Count what was not taken as lost. */
static void settle(struct imported *imported)
{
	note_odd(imported, &imported->odd_faults, "a damaged line of a fault counts as lost");
	note_odd(imported, &imported->odd_mappings,
		 "a damaged line of a mapping or a task is left out");
	note_odd(imported, &imported->odd, "a line was not understood");
	if (imported->cut_line)
		notes_add(&imported->notes,
			  "%s: ends within line %" PRIu64
			  ", without a newline: the log, or a number, may be cut",
			  imported->source, imported->cut_line);
	imported->summary.lost += imported->odd_faults.count;
	imported->summary.lost_other += imported->odd_mappings.count;
	imported->summary.recorded = imported->faults.count;
}

/** The first and the last time; where an event has the time 0 it was there before. */
static void fill_times(struct imported *imported)
{
	struct trace_meta *meta = &imported->meta;
	uint64_t first = UINT64_MAX, last = 0;

	vec_foreach (fault, &imported->faults) {
		first = fault->time_ns < first ? fault->time_ns : first;
		last = fault->time_ns > last ? fault->time_ns : last;
	}
	vec_foreach (task, &imported->tasks) {
		first = task->time_ns > 0 && task->time_ns < first ? task->time_ns : first;
		last = task->time_ns > last ? task->time_ns : last;
	}
	meta->start_ns = first == UINT64_MAX ? 0 : first;
	imported->summary.end_ns = last;
}

static bool has_nothing(const struct imported *imported)
{
	return imported->faults.count == 0 && imported->mappings.count == 0 &&
	       imported->odd_faults.count == 0;
}

static bool read_lines(const struct import_source *source, enum import_format format,
		       struct imported *imported, struct lines *lines, struct err *err)
{
	const char *bytes;
	size_t size;

	if (!lines_peek(lines, &bytes, &size))
		return lines_ended(lines, err);
	if (!refuse_binary(source, bytes, size, err) ||
	    (format == IMPORT_FORMATS && !detect(source, bytes, size, &format, err)))
		return false;
	imported->format = format;
	imported->meta.backend = formats[format].name;
	bool is_read = formats[format].read(imported, lines, err);

	// What a reader says of a log that could not be read to its end is about a part of it.
	if (!lines_ended(lines, err))
		return false;
	if (!is_read)
		return err_prefix(err, "%s", source->name);
	if (has_nothing(imported))
		return err_set(err, ERR_INPUT, "%s: none of its %" PRIu64 " lines is %s",
			       source->name, imported->lines, formats[format].lines);
	return true;
}

bool import_read(const struct import_source *source, enum import_format format,
		 struct imported **ret_imported, struct err *err)
{
	CLEANUP(import_closep) struct imported *imported = create(source);
	CLEANUP(lines_deinit) struct lines lines;

	if (source->fd >= 0)
		lines_init(&lines, source->name, source->fd, &log_lines);
	else
		lines_init_memory(&lines, source->name, source->bytes, source->size, &log_lines);
	if (!read_lines(source, format, imported, &lines, err))
		return false;
	settle(imported);
	fill_times(imported);
	*ret_imported = TAKE(imported);
	return true;
}

struct import_figures import_figures(const struct imported *imported)
{
	return (struct import_figures){
		.format = imported->format,
		.lines = imported->lines,
		.faults = imported->faults.count,
		.mappings = imported->mappings.count,
		.lost = imported->summary.lost,
		.odd_lines = imported->odd.count + imported->odd_faults.count +
			     imported->odd_mappings.count,
	};
}

// ---- Writing ----------------------------------------------------------------------------------

/** Write the events; an error sticks to the writer. */
static void write_events(const struct imported *imported, struct trace_writer *writer)
{
	vec_foreach (file, &imported->files)
		trace_writer_file(writer, file);
	vec_foreach (task, &imported->tasks)
		trace_writer_task(writer, task);
	vec_foreach (mapping, &imported->mappings)
		trace_writer_mapping(writer, mapping);
	vec_foreach (stack, &imported->stacks)
		trace_writer_stack(writer, stack);
	vec_foreach (fault, &imported->faults)
		trace_writer_fault(writer, fault);
	vec_foreach (note, &imported->notes.list)
		trace_writer_note(writer, note);
}

bool import_write(struct imported *imported, const char *producer, int fd, struct err *err)
{
	struct trace_writer *writer;

	imported->meta.producer = producer;
	if (!trace_writer_open(fd, &imported->meta, &writer, err))
		return false;
	write_events(imported, writer);
	bool ok = trace_writer_finish(writer, &imported->summary);
	if (!ok)
		*err = *trace_writer_error(writer);
	trace_writer_close(writer);
	return ok;
}
