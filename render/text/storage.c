// SPDX-License-Identifier: Apache-2.0
// Bytes that storage delivered, as text: by cause, by file, and how much of that was used.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "model/storage.h"

#include <stdlib.h>

enum { FILES_SHOWN = 5, SECTIONS_SHOWN = 12, CALLS_SHOWN = 5, MIN_PERCENT = 1 };

/** Bytes for the recorded tasks. */
static uint64_t own_bytes(const struct model_storage *storage)
{
	return storage->device_bytes - storage->by_cause[MODEL_STORAGE_OTHERS];
}

const char *text_flushes(struct text *text, const struct model_storage *storage)
{
	if (storage->flushes == 0)
		return "";
	return arena_printf(&text->arena, "; %s waited %s until files were written",
			    text_plural(text, storage->flushes, "flush", "flushes"),
			    table_time(&text->arena, text->terminal, storage->flush_ns));
}

void text_storage_line(struct text *text)
{
	const struct model_storage *storage = text->model->storage;
	struct arena *arena = &text->arena;
	const char *separator = " = ";

	if (!storage)
		return;
	fprintf(text->out, "  storage    %s read", figure_size(arena, storage->device_bytes));
	for (enum model_storage_cause i = 0; i < MODEL_STORAGE_CAUSES; i++) {
		if (storage->by_cause[i] == 0)
			continue;
		fprintf(text->out, "%s%s %s", separator, figure_size(arena, storage->by_cause[i]),
			model_storage_cause_text(i));
		separator = " + ";
	}
	if (storage->lost > 0)
		fprintf(text->out, "; %s lost",
			text_plural(text, storage->lost, "record", "records"));
	else
		fputs(storage->complete ? " (complete)" : "", text->out);
	fprintf(text->out, "%s\n", text_flushes(text, storage));
}

static void print_requests(struct text *text, const struct model_storage *storage)
{
	struct arena *arena = &text->arena;
	uint64_t steps = storage->forward + storage->backward + storage->random;

	fprintf(text->out, "\n%sStorage%s: %s for the command, by requests of %s (median)",
		terminal_start(text->terminal, TERMINAL_BOLD), terminal_end(text->terminal),
		figure_size(arena, own_bytes(storage)), figure_size(arena, storage->median_size));
	if (steps > 0)
		fprintf(text->out, "; forward %s, backward %s, elsewhere %s",
			figure_number(arena, storage->forward),
			figure_number(arena, storage->backward),
			figure_number(arena, storage->random));
	fputs("\n\n", text->out);
}

/** How a file is called in the other tables. */
static const char *label_of(struct text *text, uint32_t object, const char *path)
{
	if (object != MODEL_NONE && object < text->model->object_count)
		return text->labels[object];
	return path ? path : "(unknown file)";
}

static void print_files(struct text *text, const struct model_storage *storage)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t shown = text->top == SIZE_MAX ? SIZE_MAX : FILES_SHOWN;
	uint64_t left = 0;

	for (size_t i = 0; i < storage->file_count; i++) {
		const struct model_storage_file *file = &storage->files[i];

		if (i >= shown) {
			left += file->bytes;
			continue;
		}
		table_begin_row(table);
		table_figure(table, "bytes", TABLE_BYTES, file->bytes);
		table_figure(table, "requests", TABLE_NUMBER, file->requests);
		table_figure(table, "waited", TABLE_TIME, file->wait_ns);
		table_share(table, "read-ahead", file->by_cause[MODEL_STORAGE_READAHEAD],
			    file->bytes);
		table_share(table, "unused", file->unused, file->bytes);
		table_cell(table, "file", TABLE_NAME, label_of(text, file->object, file->path));
	}
	table_print(table, text->out);
	if (storage->file_count > shown)
		fprintf(text->out, "  %s of %s more\n", figure_size(&text->arena, left),
			text_plural(text, storage->file_count - shown, "file", "files"));
}

/** Sections of mapped files alone: of others the table of files says all. */
static bool is_section_shown(const struct text *text, const struct model_storage *storage,
			     const struct model_storage_section *section)
{
	if (!section->section || section->read == 0)
		return false;
	return text->top == SIZE_MAX || section->read * 100 >= own_bytes(storage) * MIN_PERCENT;
}

static void print_sections(struct text *text, const struct model_storage *storage)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t shown = 0;

	array_foreach (section, storage->sections, storage->section_count) {
		if (!is_section_shown(text, storage, section) ||
		    (text->top != SIZE_MAX && shown == SECTIONS_SHOWN))
			continue;
		if (shown++ == 0)
			fputc('\n', text->out);
		table_begin_row(table);
		table_figure(table, "size", TABLE_BYTES, section->size);
		table_share(table, "read", section->read, section->size);
		table_share(table, "mapped", section->mapped, section->size);
		table_share(table, "touched", section->touched, section->size);
		table_cell(table, "section", TABLE_SHORT, section->section);
		table_cell(table, "file", TABLE_NAME,
			   label_of(text, section->object, section->path));
	}
	table_print(table, text->out);
}

/** "read 9.1 MiB, openat 208.0 KiB": where system calls read, the most first. */
static void print_calls(struct text *text, const struct model_storage *storage)
{
	struct arena *arena = &text->arena;
	size_t shown = text->top == SIZE_MAX ? SIZE_MAX : CALLS_SHOWN;

	if (storage->call_count == 0)
		return;
	fputs("\n  in system calls: ", text->out);
	for (size_t i = 0; i < storage->call_count && i < shown; i++)
		fprintf(text->out, "%s%s %s", i > 0 ? ", " : "",
			storage->calls[i].name ? storage->calls[i].name : "others",
			figure_size(arena, storage->calls[i].bytes));
	if (storage->call_count > shown)
		fprintf(text->out, " and %zu more", storage->call_count - shown);
	fputc('\n', text->out);
}

struct share {
	enum model_initiator initiator;
	uint64_t bytes;
};

ORDER_OF(compare_shares, share, ORDER(y->bytes, x->bytes) ?: ORDER(x->initiator, y->initiator))

static void print_initiators(struct text *text, const struct model_storage *storage)
{
	struct share shares[MODEL_INITIATORS];

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		shares[i] = (struct share){ i, storage->by_initiator[i] };
	qsort(shares, MODEL_INITIATORS, sizeof(shares[0]), compare_shares);
	if (shares[0].bytes == 0)
		return;
	fputs("\n  for ", text->out);
	for (size_t i = 0; i < MODEL_INITIATORS && shares[i].bytes > 0; i++)
		fprintf(text->out, "%s%s %s", i > 0 ? ", " : "",
			model_initiator_name(shares[i].initiator),
			figure_size(&text->arena, shares[i].bytes));
	fputc('\n', text->out);
}

void text_storage(struct text *text)
{
	const struct model_storage *storage = text->model->storage;

	if (!storage || storage->file_count == 0)
		return;
	print_requests(text, storage);
	print_files(text, storage);
	print_sections(text, storage);
	print_initiators(text, storage);
	print_calls(text, storage);
}
