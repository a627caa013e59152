// SPDX-License-Identifier: Apache-2.0
// Operations of storage as rows of the model: the requests that storage.c counts, one by one.
#include "correlate/storage/parts.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

void storage_ios_deinit(struct storage_ios *ios)
{
	vec_deinit(&ios->list);
	vec_deinit(&ios->files);
	vec_deinit(&ios->calls);
	vec_deinit(&ios->threads);
	u64map_deinit(&ios->by_call);
	u64map_deinit(&ios->by_thread);
}

/** The row of the name of a system call; MODEL_NONE: there was none, or it has no name. */
static uint32_t call_row(struct storage_ios *ios, const struct trace_request *part)
{
	const char *name =
		part->flags & TRACE_READ_CALL ? trace_call_name(ios->trace, part->call) : NULL;
	bool is_new;

	if (!name)
		return MODEL_NONE;
	uint32_t *place = u64map_put(&ios->by_call, part->call, &is_new);

	if (is_new) {
		vec_push(&ios->calls, arena_strdup(&ios->rows->model->arena, name));
		*place = (uint32_t)ios->calls.count;
	}
	return *place - 1;
}

static uint64_t thread_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

static void learn_threads(struct storage_ios *ios)
{
	const struct rows *rows = ios->rows;

	for (uint32_t i = 0; i < rows->threads.count; i++)
		*u64map_put(&ios->by_thread,
			    thread_key(rows->threads.items[i].pid, rows->threads.items[i].tid),
			    NULL) = i + 1;
}

/** The thread that asked, for which there is a row only if it was seen to do something else. */
static uint32_t thread_row(struct storage_ios *ios, const struct trace_request *part)
{
	bool is_new;

	if (ios->by_thread.count == 0)
		learn_threads(ios);
	uint32_t *place = u64map_put(&ios->by_thread, thread_key(part->pid, part->tid), &is_new);

	if (is_new) {
		const bool is_known = part->pid != 0;

		vec_push(&ios->threads,
			 (struct model_thread){ .program = MODEL_NONE,
						.pid = is_known ? part->pid : MODEL_NONE,
						.tid = is_known ? part->tid : MODEL_NONE,
						.comm = MODEL_NONE });
		*place = (uint32_t)(ios->rows->threads.count + ios->threads.count);
	}
	return *place - 1;
}

/** Code that is not known. */
static const struct model_ip *nowhere(struct storage_ios *ios)
{
	if (!ios->nowhere) {
		struct model_ip *ip = arena_array(&ios->rows->model->arena, 1, sizeof(*ip));

		*ip = (struct model_ip){ .object = MODEL_NONE,
					 .name = MODEL_NONE,
					 .code = MODEL_NONE };
		ios->nowhere = ip;
	}
	return ios->nowhere;
}

/** Fill in who asked, in a fault or where it waited. */
static void fill_what(struct storage_ios *ios, const struct storage_io *io, struct model_io *row)
{
	const struct trace_request *part = io->part;

	if (io->what) {
		row->what = *io->what;
		row->has_fault = part->flags & TRACE_READ_FAULT;
		row->at_fault = io->what->at;
		row->fault_ns = io->what->time_ns;
		if (row->has_fault)
			row->fault_seq = (uint64_t)(io->what - ios->faults->list.items);
	} else {
		row->what = (struct model_fault){ .by = nowhere(ios),
						  .thread = thread_row(ios, part),
						  .stack = MODEL_NONE,
						  .initializer = MODEL_NONE,
						  .init_object = MODEL_NONE,
						  .blame = MODEL_NONE };
	}
	row->what.time_ns = trace_since(part->time_ns, ios->trace->meta.start_ns);
	row->what.duration_ns = part->duration_ns;
	row->what.has_duration = true;
	row->what.time = NULL;
	row->what.extent = NULL;
	row->what.has_around = row->what.has_read = false;
	row->what.initiator = (uint8_t)io->initiator;
	row->what.at = (struct model_place){ .offset = part->offset,
					     .object = MODEL_NONE,
					     .section = MODEL_NONE,
					     .name = MODEL_NONE,
					     .has_offset = io->file != MODEL_NONE };
}

void storage_ios_add(struct storage_ios *ios, const struct storage_io *io)
{
	const struct trace_request *part = io->part;
	struct model_io row = {
		.bytes = part->size,
		.wait_ns = io->wait_ns,
		.device = part->device,
		.sector = part->sector,
		.request = UINT64_MAX,
		.call = call_row(ios, part),
		.cause = io->cause,
		.is_left_out = !io->is_counted,
	};

	if (model_io_is_request(&row)) {
		if (!(part->flags & TRACE_READ_CONTINUES) || ios->request_count == 0)
			ios->request_count++;
		row.request = ios->request_count - 1;
	}
	fill_what(ios, io, &row);
	vec_push(&ios->list, row);
	vec_push(&ios->files, io->file);
}

// ---- Files and sections -----------------------------------------------------------------------

/** The operations before in one file. */
struct file_state {
	bool has_last;
	struct range last;
	uint32_t object; // of model_io_view(), or MODEL_NONE
};

struct tables {
	struct storage_ios *ios;
	struct arena *arena;
	VEC(struct model_object) files;
	VEC(struct model_section) sections;
	struct u64map by_section; // object and section's number -> row + 1
	struct u64map by_path; // hash of a path, which files may follow each other under -> row + 1
};

/** The section of @map that has the byte at @offset: the first, as storage_sections_fill() has it.
 */
static size_t section_at(struct elfmap *map, uint64_t offset, const char **ret_name)
{
	size_t count;
	const struct elfmap_section *sections = elfmap_sections(map, &count);

	for (size_t i = 0; i < count; i++)
		if (sections[i].has_bytes && offset >= sections[i].offset &&
		    offset - sections[i].offset < sections[i].size) {
			*ret_name = sections[i].name;
			return i + 1;
		}
	*ret_name = "[padding]";
	return 0;
}

static uint32_t section_row(struct tables *tables, uint32_t object, uint64_t offset)
{
	struct elfmap *map = objects_map(tables->ios->rows->objects, object);
	const char *name;
	bool is_new;

	if (!map)
		return MODEL_NONE;
	size_t number = section_at(map, offset, &name);
	uint32_t *place = u64map_put(&tables->by_section, (uint64_t)object << 32 | number, &is_new);

	if (is_new) {
		vec_push(&tables->sections,
			 (struct model_section){ .object = object,
						 .name = arena_strdup(tables->arena, name),
						 .segment = -1 });
		*place = (uint32_t)tables->sections.count;
	}
	return *place - 1;
}

/**
 * The object of the view that @file is. Of files that were never mapped those that followed each
 * other under one path, as journals do, are one, with the size of the last.
 */
static uint32_t object_row(struct tables *tables, const struct storage_file *file)
{
	if (file->row.object != MODEL_NONE || !file->row.path)
		return file->row.object;

	struct model_object row = {
		.path = file->row.path, .is_file = true, .size = file->row.size, .symbols = "none"
	};
	uint32_t *place = u64map_put(&tables->by_path, hash_text(0, row.path), NULL);

	if (*place && strcmp(tables->files.items[*place - 1].path, row.path) == 0) {
		tables->files.items[*place - 1] = row;
	} else {
		vec_push(&tables->files, row);
		*place = (uint32_t)tables->files.count;
	}
	return (uint32_t)tables->ios->rows->object_rows.count + *place - 1;
}

static void fill_file(struct tables *tables, const struct storage_file *file,
		      struct file_state *state, struct model_io *row)
{
	const uint64_t offset = row->what.at.offset;
	const struct range bytes = { offset, row->bytes > UINT64_MAX - offset
						     ? UINT64_MAX
						     : offset + row->bytes };

	row->what.at.object = state->object;
	if (!model_io_is_request(row))
		return;
	if (file->row.object != MODEL_NONE) {
		row->what.at.section = section_row(tables, file->row.object, bytes.start);
		const struct storage_uses *uses = storage_file_whole(file);

		row->has_uses = file->is_wanted;
		row->mapped = row->has_uses ? rangeset_count(&uses->mapped, bytes) : 0;
		row->touched = row->has_uses ? rangeset_count(&uses->touched, bytes) : 0;
	}
	if (row->cause == MODEL_STORAGE_OTHERS)
		return;
	if (state->has_last)
		row->direction = storage_direction(state->last, bytes);
	state->has_last = true;
	state->last = bytes;
}

/** Drop those outside the window, of which those behind them have learned where they lie. */
static void keep_counted(struct storage_ios *ios)
{
	size_t kept = 0;

	for (size_t i = 0; i < ios->list.count; i++)
		if (!ios->list.items[i].is_left_out)
			ios->list.items[kept++] = ios->list.items[i];
	ios->list.count = kept;
}

ORDER_OF_INDEXES(compare_by_fault, model_io, ORDER(x->fault_ns, y->fault_ns) ?:
		 ORDER(x->what.thread, y->what.thread) ?: ORDER(x, y))

static void list_by_fault(struct storage_ios *ios, struct arena *arena, struct model_ios *ret_ios)
{
	VEC(uint32_t) list = { 0 };

	for (uint32_t i = 0; i < ios->list.count; i++)
		if (ios->list.items[i].has_fault)
			vec_push(&list, i);
	if (list.count > 0)
		qsort_r(list.items, list.count, sizeof(*list.items), compare_by_fault,
			ios->list.items);
	ret_ios->by_fault = vec_keep_counted(&list, arena, &ret_ios->by_fault_count);
}

void storage_ios_fill(struct storage_ios *ios, struct storage_files *files)
{
	struct arena *arena = &ios->rows->model->arena;
	struct model_ios *kept = arena_array(arena, 1, sizeof(*kept));
	struct tables tables = { .ios = ios, .arena = arena };
	CLEANUP(freep)
	struct file_state *states = xcalloc(files->list.count + 1, sizeof(*states));

	for (size_t i = 0; i < files->list.count; i++)
		states[i].object = object_row(&tables, &files->list.items[i]);
	for (size_t i = 0; i < ios->list.count; i++) {
		uint32_t file = ios->files.items[i];

		if (file != MODEL_NONE)
			fill_file(&tables, &files->list.items[file], &states[file],
				  &ios->list.items[i]);
	}
	keep_counted(ios);
	list_by_fault(ios, arena, kept);
	kept->files = vec_keep_counted(&tables.files, arena, &kept->file_count);
	kept->sections = vec_keep_counted(&tables.sections, arena, &kept->section_count);
	kept->threads = vec_keep_counted(&ios->threads, arena, &kept->thread_count);
	kept->calls = vec_keep_counted(&ios->calls, arena, &kept->call_count);
	kept->items = ios->rows->ios = vec_keep_counted(&ios->list, arena, &kept->count);
	u64map_deinit(&tables.by_section);
	u64map_deinit(&tables.by_path);
	ios->rows->model->ios = kept;
}
