// SPDX-License-Identifier: Apache-2.0
// The cost of each program of the run, as text.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "derive/programsums.h"

/** Does another program have the name of @row, which its option tells apart then? */
static bool has_namesake(const struct program_sums *sums, const struct program_sum *row)
{
	vec_foreach (other, &sums->list)
		if (other != row && other->comm == row->comm)
			return true;
	return false;
}

static void print_row(struct text *text, struct table *table, const struct program_sums *sums,
		      const struct program_sum *row, const char *heading, bool has_fault_time)
{
	table_begin_row(table);
	table_figure_or_dash(table, "runs", TABLE_NUMBER, row->runs);
	if (sums->has_times) {
		table_figure(table, "time", TABLE_TIME, row->own_ns);
		table_figure(table, "wall", TABLE_TIME, row->wall_ns);
		table_figure(table, "processor", TABLE_TIME, row->cpu_ns);
		table_figure(table, "waits", TABLE_TIME, row->wait_ns);
	}
	table_figure(table, "faults", TABLE_NUMBER, row->faults);
	if (has_fault_time)
		table_figure_or_dash(table, "in faults", TABLE_TIME, row->fault_ns);
	const char *name = row->comm == MODEL_NONE ? "(no name)" : text->model->comms[row->comm];

	table_cell(table, heading, TABLE_NAME,
		   row->option && has_namesake(sums, row)
			   ? arena_printf(&text->arena, "%s %s", name, row->option)
			   : name);
}

void text_programs(struct text *text, size_t limit)
{
	CLEANUP(vec_release) struct program_sums sums = { 0 };
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	uint64_t cut_faults = 0, faults = 0, fault_ns = 0;

	if (text->model->counts.programs < 2)
		return;
	programsums_init(&sums, text->model);
	if (sums.list.count < 2)
		return;
	vec_foreach (row, &sums.list) {
		faults += row->faults;
		fault_ns += row->fault_ns;
	}
	const char *heading = text->is_screen && sums.list.count > limit
				      ? arena_printf(&text->arena, "program (%s of %s)",
						     figure_number(&text->arena, limit),
						     figure_number(&text->arena, sums.list.count))
				      : "program";

	for (size_t i = 0; i < sums.list.count; i++) {
		if (i < limit)
			print_row(text, table, &sums, &sums.list.items[i], heading, fault_ns > 0);
		else
			cut_faults += sums.list.items[i].faults;
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	if (sums.list.count > limit && !text->is_screen)
		text_cut(text, "program", sums.list.count - limit, cut_faults, faults);
}
