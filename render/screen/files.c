// SPDX-License-Identifier: Apache-2.0
// The files that cost most, in a few rows: time or faults; what was read, mapped and touched.
#include "render/screen/screen.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "model/storage.h"

#include <stdlib.h>
#include <string.h>

/** A file, or memory outside files. */
struct file_row {
	const char *label;
	uint64_t time_ns; // own time of faults on it; of what calls alone read, waiting for it
	uint64_t faults, major;
	uint64_t read, mapped, touched; // bytes
};

/** Columns that have a value in any row. */
struct columns {
	bool time, major, read, storage;
};

ORDER_OF(compare, file_row,
	 ORDER(y->time_ns, x->time_ns) ?: ORDER(y->faults, x->faults) ?: ORDER(y->read, x->read)
		 ?: strcmp(x->label, y->label))

/** Add what storage says to the first @count rows, those of all objects; and files never mapped. */
static size_t add_storage(const struct model *model, struct file_row *rows, size_t count)
{
	const struct model_storage *storage = model->storage;

	for (size_t i = 0; i < count; i++)
		rows[i].read = 0;
	array_foreach (section, storage->sections, storage->section_count) {
		if (section->object == MODEL_NONE)
			continue;
		rows[section->object].mapped += section->mapped;
		rows[section->object].touched += section->touched;
	}
	array_foreach (file, storage->files, storage->file_count) {
		struct file_row *row =
			file->object == MODEL_NONE ? &rows[count++] : &rows[file->object];

		if (file->object == MODEL_NONE)
			row->label = file->path ? file->path : "(unknown file)";
		row->read += file->bytes;
		// Of a file that is mapped, waits are in the time of its faults.
		if (file->object == MODEL_NONE || row->faults == 0)
			row->time_ns = file->wait_ns;
	}
	return count;
}

static struct file_row row_of(const struct model *model, const char *label,
			      const struct model_count *count)
{
	return (struct file_row){
		.label = label,
		.time_ns = count->own_ns,
		.faults = count->faults,
		.major = count->major,
		.read = model_read_bytes(model, count),
	};
}

static struct file_row *find_rows(struct text *text, size_t *ret_count)
{
	const struct model *model = text->model;
	const struct model_count unattributed = text_unattributed(model);
	size_t extra = model->storage ? model->storage->file_count : 0;
	struct file_row *rows =
		arena_array(&text->arena, model->object_count + extra + 1, sizeof(*rows));
	size_t count = model->object_count;

	for (size_t i = 0; i < count; i++) {
		const struct model_count *from = &model->objects[i].count;

		rows[i] = row_of(model, text->labels[i], from);
	}
	if (model->storage)
		count = add_storage(model, rows, count);
	if (unattributed.faults > 0)
		rows[count++] = row_of(model, "(no mapping known)", &unattributed);
	if (count > 0)
		qsort(rows, count, sizeof(*rows), compare);
	while (count > 0 &&
	       rows[count - 1].time_ns + rows[count - 1].faults + rows[count - 1].read == 0)
		count--;
	*ret_count = count;
	return rows;
}

static struct columns find_columns(const struct model *model, const struct file_row *rows,
				   size_t count)
{
	struct columns columns = { .storage = model->storage };

	for (size_t i = 0; i < count; i++) {
		columns.time |= rows[i].time_ns > 0;
		columns.major |= rows[i].major > 0;
		columns.read |= rows[i].read > 0;
	}
	return columns;
}

void screen_files(struct text *text, size_t limit)
{
	size_t count;
	const struct file_row *rows = find_rows(text, &count);
	const struct columns columns = find_columns(text->model, rows, count);
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	struct arena *arena = &text->arena;

	if (count == 0)
		return;
	const char *heading = count > limit ? arena_printf(arena, "file or memory (%s of %s)",
							   figure_number(arena, limit),
							   figure_number(arena, count))
					    : "file or memory";

	for (size_t i = 0; i < count && i < limit; i++) {
		const struct file_row *row = &rows[i];

		table_begin_row(table);
		if (columns.time)
			table_figure_or_dash(table, "time", TABLE_TIME, row->time_ns);
		table_figure_or_dash(table, "faults", TABLE_NUMBER, row->faults);
		if (columns.major)
			table_figure_or_dash(table, "major", TABLE_NUMBER, row->major);
		if (columns.read)
			table_figure_or_dash(table, "read", TABLE_BYTES, row->read);
		if (columns.storage) {
			table_figure_or_dash(table, "mapped", TABLE_BYTES, row->mapped);
			table_figure_or_dash(table, "touched", TABLE_BYTES, row->touched);
		}
		table_cell(table, heading, TABLE_NAME, row->label);
	}
	fputc('\n', text->out);
	table_print(table, text->out);
}
