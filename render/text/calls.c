// SPDX-License-Identifier: Apache-2.0
// How often system calls were made and how long they took, for a person.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "model/calls.h"

/** Its time without waiting for a processor. */
static uint64_t own_time(const struct model_call *row)
{
	return row->ns > row->runnable_ns ? row->ns - row->runnable_ns : 0;
}

static const char *each(struct text *text, const struct model_call *row)
{
	if (row->count == 0)
		return "-";
	return arena_printf(&text->arena, "%.1f us",
			    (double)own_time(row) / (double)row->count / 1e3);
}

static const char *process_of(struct text *text, const struct model_call *row)
{
	const struct model *model = text->model;
	const struct model_process_times *process = &model->account->processes[row->process];

	return arena_printf(&text->arena, "%s %u", model->comms[process->comm], process->pid);
}

static void print_rows(struct text *text, const struct model_call *rows, size_t count,
		       bool with_process)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < count && i < text->top; i++) {
		const struct model_call *row = &rows[i];

		table_begin_row(table);
		table_figure(table, "time", TABLE_MILLISECONDS, own_time(row));
		table_figure(table, "calls", TABLE_NUMBER, row->count);
		table_cell(table, "each", TABLE_RIGHT, each(text, row));
		table_figure(table, "waiting", TABLE_MILLISECONDS, row->wait_ns + row->file_io_ns);
		table_figure(table, "for storage", TABLE_MILLISECONDS, row->file_io_ns);
		table_figure(table, "runnable", TABLE_MILLISECONDS, row->runnable_ns);
		table_figure(table, "read", TABLE_BYTES, row->bytes);
		table_cell(table, "call", TABLE_LEFT, row->name ?: "unknown");
		if (with_process)
			table_cell(table, "program", TABLE_NAME, process_of(text, row));
	}
	table_print(table, text->out);
	text_more(text, count);
}

void text_calls(struct text *text)
{
	const struct model_account *account = text->model->account;
	const struct model_calls *calls = text->model->calls;

	if (!calls || calls->all_count == 0)
		return;
	uint64_t ns = 0;

	array_foreach (row, calls->all, calls->all_count)
		ns += own_time(row);
	fprintf(text->out, "\n%sSystem calls%s of all threads: %s in %s\n",
		terminal_start(text->terminal, TERMINAL_BOLD), terminal_end(text->terminal),
		text_milliseconds(text, ns), text_plural(text, calls->count, "call", "calls"));
	print_rows(text, calls->all, calls->all_count, false);
	if (account->process_count < 2)
		return;
	fputc('\n', text->out);
	print_rows(text, calls->by_process, calls->by_process_count, true);
}
