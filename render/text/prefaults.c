// SPDX-License-Identifier: Apache-2.0
// Faults that system calls took without an event, for a person.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/prefault.h"

#include <string.h>

enum { CALLS_NAMED = 3 };

static const char *name_of(const char *name)
{
	return name ? name : "unknown";
}

/** The faults of all rows of the call of row @i; 0: an earlier row is of the same. */
static uint64_t faults_of_call(const struct model *model, size_t i)
{
	const char *name = name_of(model->prefaults[i].call);
	uint64_t faults = 0;

	for (size_t j = 0; j < model->prefault_count; j++) {
		if (strcmp(name_of(model->prefaults[j].call), name) != 0)
			continue;
		if (j < i)
			return 0;
		faults += model->prefaults[j].faults;
	}
	return faults;
}

const char *text_prefault_calls(struct text *text)
{
	const struct model *model = text->model;
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };
	size_t named = 0;

	for (size_t i = 0; i < model->prefault_count; i++) {
		uint64_t faults = faults_of_call(model, i);

		if (faults == 0)
			continue;
		if (named++ == CALLS_NAMED) {
			strbuf_puts(&list, ", ...");
			break;
		}
		strbuf_printf(&list, "%s%s by %s", list.length > 0 ? ", " : "",
			      figure_number(&text->arena, faults),
			      name_of(model->prefaults[i].call));
	}
	return arena_strdup(&text->arena, strbuf_text(&list));
}

void text_prefaults(struct text *text)
{
	const struct model *model = text->model;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	if (model->prefault_count == 0)
		return;
	fprintf(text->out, "\n%sFaults in system calls%s, without an event: %s\n",
		terminal_start(text->terminal, TERMINAL_BOLD), terminal_end(text->terminal),
		figure_number(&text->arena, model->counts.call_unsampled));
	for (size_t i = 0; i < model->prefault_count && i < text->top; i++) {
		const struct model_prefault *row = &model->prefaults[i];

		table_begin_row(table);
		table_figure(table, "faults", TABLE_NUMBER, row->faults);
		table_cell(table, "call", TABLE_LEFT, name_of(row->call));
		table_cell(table, "section", TABLE_LEFT,
			   row->section ? text_safe(text, row->section) : "-");
		table_cell(table, "file", TABLE_NAME,
			   row->file ? text_safe(text, row->file) : "(several)");
	}
	table_print(table, text->out);
	text_more(text, model->prefault_count);
}
