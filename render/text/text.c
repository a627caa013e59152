// SPDX-License-Identifier: Apache-2.0
// The answer as text: what ran, whether the numbers add up, then object by object.
#include "render/text/text.h"

#include "base/cleanup.h"

#include <string.h>

enum { DETAILED_OBJECTS = 3, DETAILED_PERCENT = 5, DETAILED_ENOUGH_PERCENT = 80 };

static void count_section_access(struct text *text)
{
	const struct model *model = text->model;
	uint64_t(*counts)[MODEL_ACCESSES] =
		arena_array(&text->arena, model->section_count, sizeof(*counts));

	for (size_t i = 0; i < model->fault_count; i++)
		if (model->faults[i].at.section != MODEL_NONE)
			counts[model->faults[i].at.section][model->faults[i].access]++;
	text->section_access = (const uint64_t(*)[MODEL_ACCESSES])counts;
}

struct model_count text_unattributed(const struct model *model)
{
	struct model_count count = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->at.object == MODEL_NONE)
			model_count_fault(&count, fault);
	}
	return count;
}

static void print_objects(struct text *text)
{
	const struct model_count unattributed = text_unattributed(text->model);
	const struct model *model = text->model;
	uint64_t cut_faults = 0;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < model->shown_count; i++) {
		const struct model_object *object = &model->objects[model->shown[i]];

		if (i >= text->top) {
			cut_faults += object->count.faults;
			continue;
		}
		text_count_cells(text, table, &object->count, &model->total);
		table_cell(table, "object", TABLE_NAME, text->labels[model->shown[i]]);
	}
	if (unattributed.faults > 0) {
		text_count_cells(text, table, &unattributed, &model->total);
		table_cell(table, "object", TABLE_NAME, "(unattributed: no mapping known)");
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	if (model->shown_count > text->top)
		text_cut(text, "object", model->shown_count - text->top, cut_faults,
			 model->total.faults);
}

/**
 * How many of the objects shown, from the first on, get details: all if OBJECT arguments chose
 * them, else the few with most of the faults.
 */
static size_t count_detailed(const struct text *text)
{
	const struct model *model = text->model;
	uint64_t percent = model->total.faults / 100, covered = 0;
	size_t count = 0;

	if (model->is_narrowed || text->top == SIZE_MAX)
		return model->shown_count;
	while (count < model->shown_count && count < DETAILED_OBJECTS) {
		uint64_t faults = model->objects[model->shown[count]].count.faults;

		if (count > 0 && (faults < percent * DETAILED_PERCENT ||
				  covered > percent * DETAILED_ENOUGH_PERCENT))
			break;
		covered += faults;
		count++;
	}
	return count;
}

/** The command that shows the first ELF file without details here. */
static void print_way_on(struct text *text, size_t position)
{
	const struct model *model = text->model;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	while (position < model->shown_count && !model->objects[model->shown[position]].is_elf)
		position++;
	if (position == model->shown_count)
		return;
	strbuf_puts(&buf, "elfault analyze ");
	strbuf_put_word(&buf, text->labels[model->shown[position]]);
	strbuf_putc(&buf, ' ');
	const char *file = model_trace_file(&model->trace);
	strbuf_put_word(&buf, file ? file : "TRACE");
	terminal_line(text->out, text->terminal, TERMINAL_DIM, "\nNext object: %s",
		      text_safe(text, buf.text));
}

bool render_text(const struct model *model, const struct render_text_options *options, FILE *out)
{
	struct text text = text_open(model, &options->terminal, options->top, out);
	text.hide_specks = options->hide_specks;
	const size_t detailed = count_detailed(&text);
	CLEANUP(localities_closep)
	struct localities *localities =
		model->filter || model->is_narrowed ? NULL : localities_find(model);

	text.localities = localities;
	count_section_access(&text);
	text_count_initiators(&text);
	text_summary(&text);
	text_account(&text);
	text_hot(&text);
	text_waits(&text);
	if (!model->filter && !model->is_narrowed) {
		text_calls(&text);
		text_prefaults(&text);
		text_searches(&text);
	}
	if (model->shown_count > 1 && !model->filter && !model->is_narrowed)
		text_programs(&text, text.top);
	if (model->shown_count > 1)
		text_initiators(&text);
	text_findings(&text);
	if (model->shown_count > 1) {
		print_objects(&text);
		text_blame(&text, model->blamed, model->blamed_count, &model->total);
	}
	for (size_t i = 0; i < detailed && !ferror(text.out); i++)
		text_object(&text, &model->objects[model->shown[i]]);
	// It is of the whole run.
	if (!model->filter && !model->is_narrowed)
		text_storage(&text);
	print_way_on(&text, detailed);
	text_notes(&text);
	return text_close(&text, out);
}
