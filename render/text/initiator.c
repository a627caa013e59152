// SPDX-License-Identifier: Apache-2.0
// Why the code ran that faulted, for a person: the first table of the answer and of each object.
#include "render/text/text.h"

#include "base/cleanup.h"

#include <string.h>

void text_count_initiators(struct text *text)
{
	const struct model *model = text->model;
	struct model_count(*sections)[MODEL_INITIATORS] =
		arena_array(&text->arena, model->section_count, sizeof(*sections));
	struct model_count *all = arena_array(&text->arena, MODEL_INITIATORS, sizeof(*all));

	array_foreach (fault, model->faults, model->fault_count) {
		model_count_fault(&all[fault->initiator], fault);
		if (fault->at.section != MODEL_NONE)
			model_count_fault(&sections[fault->at.section][fault->initiator], fault);
	}
	text->initiators = all;
	text->section_initiators = (const struct model_count(*)[MODEL_INITIATORS])sections;
}

/** One row: an initiator, and the section where it faulted most. */
struct row {
	struct model_count count;
	uint32_t section; // MODEL_NONE: in none
	uint64_t section_faults;
};

static void see_section(struct text *text, struct row *rows, uint32_t section)
{
	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		uint64_t faults = text->section_initiators[section][i].faults;

		if (faults > rows[i].section_faults) {
			rows[i].section = section;
			rows[i].section_faults = faults;
		}
	}
}

/** "1,894 in .data.rel.ro of libfoo.so" */
static const char *most_touched(struct text *text, const struct row *row, bool with_object)
{
	const struct model *model = text->model;

	if (row->section == MODEL_NONE)
		return "-";
	const struct model_section *section = &model->sections[row->section];
	const char *label = text->labels[section->object];
	const char *number = figure_number(&text->arena, row->section_faults);

	if (with_object && section->name && strcmp(label, section->name) != 0)
		return arena_printf(&text->arena, "%s in %s of %s", number, section->name, label);
	return arena_printf(&text->arena, "%s in %s", number,
			    section->name ? section->name
			    : with_object ? label
					  : "(unknown)");
}

static void print(struct text *text, const struct row *rows, const struct model_count *whole,
		  bool with_object)
{
	bool is_printed[MODEL_INITIATORS] = { 0 };
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (;;) {
		size_t best = MODEL_INITIATORS;

		for (size_t i = 0; i < MODEL_INITIATORS; i++)
			if (!is_printed[i] && rows[i].count.faults > 0 &&
			    (best == MODEL_INITIATORS ||
			     rows[i].count.faults > rows[best].count.faults))
				best = i;
		if (best == MODEL_INITIATORS)
			break;
		is_printed[best] = true;
		text_count_cells(text, table, &rows[best].count, whole);
		table_cell(table, "initiator", TABLE_LEFT,
			   model_initiator_name((enum model_initiator)best));
		table_cell(table, "mostly touched", TABLE_NAME,
			   most_touched(text, &rows[best], with_object));
	}
	fputc('\n', text->out);
	table_print(table, text->out);
}

void text_initiators(struct text *text)
{
	const struct model *model = text->model;
	struct row rows[MODEL_INITIATORS];

	if (model->total.faults == 0)
		return;
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		rows[i] = (struct row){ .count = text->initiators[i], .section = MODEL_NONE };
	// In the order of the tables below, so that of equals the first of them is named.
	for (size_t o = 0; o < model->shown_count; o++) {
		const struct model_object *object = &model->objects[model->shown[o]];

		for (size_t i = 0; i < object->section_count; i++)
			see_section(text, rows, object->sections[i]);
	}
	print(text, rows, &model->total, true);
}

void text_object_initiators(struct text *text, const struct model_object *object)
{
	struct row rows[MODEL_INITIATORS];

	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		rows[i] = (struct row){ .section = MODEL_NONE };
	for (size_t s = 0; s < object->section_count; s++) {
		uint32_t section = object->sections[s];

		for (size_t i = 0; i < MODEL_INITIATORS; i++) {
			const struct model_count *count = &text->section_initiators[section][i];

			model_count_add(&rows[i].count, count);
		}
		see_section(text, rows, section);
	}
	if (object->section_count > 0)
		print(text, rows, &object->count, false);
}
