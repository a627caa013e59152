// SPDX-License-Identifier: Apache-2.0
// The runs of which one is shown: how far they spread, and the command unrecorded beside them.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "model/set.h"

static void add_row(struct text *text, struct table *table, const char *name,
		    const struct model_spread *spread, const uint64_t *plain)
{
	const enum table_unit unit =
		spread == &text->model->set->figures[MODEL_SET_FAULTS] ? TABLE_NUMBER : TABLE_TIME;

	table_begin_row(table);
	table_cell(table, "", TABLE_LEFT, name);
	table_figure(table, "median", unit, spread->median);
	table_figure(table, "least", unit, spread->least);
	table_figure(table, "most", unit, spread->most);
	if (text->model->set->plain.count == 0)
		return;
	if (plain)
		table_figure(table, "unrecorded", unit, *plain);
	else
		table_cell(table, "unrecorded", TABLE_RIGHT, "");
}

static void print_table(struct text *text, const struct model_set *set)
{
	static const char *const names[] = {
		[MODEL_SET_OWN] = "time",
		[MODEL_SET_CPU] = "  cpu",
		[MODEL_SET_FAULT] = "  fault",
		[MODEL_SET_STORAGE] = "  storage",
		[MODEL_SET_WAIT] = "  wait",
		[MODEL_SET_LATE] = "late",
		[MODEL_SET_RECORDING] = "recording",
		[MODEL_SET_WALL] = "wall time",
		[MODEL_SET_PROCESSOR] = "processor",
		[MODEL_SET_FAULTS] = "faults",
	};
	const uint64_t *const plain[MODEL_SET_FIGURES] = {
		[MODEL_SET_WALL] = &set->plain.wall_ns,
		[MODEL_SET_PROCESSOR] = &set->plain.processor_ns,
		[MODEL_SET_FAULTS] = &set->plain.faults,
	};
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (enum model_set_figure i = 0; i < MODEL_SET_FIGURES; i++) {
		// The whole command's are for comparison with runs that nobody watched.
		const bool is_whole = i == MODEL_SET_WALL || i == MODEL_SET_PROCESSOR;

		if (set->figures[i].most > 0 && (!is_whole || set->plain.count > 0))
			add_row(text, table, names[i], &set->figures[i], plain[i]);
	}
	table_print(table, text->out);
}

void text_set(struct text *text)
{
	const struct model_set *set = text->model->set;

	if (!set)
		return;
	fprintf(text->out, "  runs       %s in %s; below is %s, the nearest to the median%s\n",
		figure_number(&text->arena, set->count), text_safe(text, set->path),
		text_safe(text, path_file_name(set->shown)),
		set->has_times ? "" : " of faults: not every run has times");
	if (set->incomplete > 0)
		text_alert(text,
			   arena_printf(&text->arena,
					"  INCOMPLETE: %s of these runs lack faults or end early",
					figure_number(&text->arena, set->incomplete)));
	if (set->mixed_count > 0)
		text_alert(text,
			   arena_printf(&text->arena,
					"  MIXED: the runs have several builds of %s%s: the "
					"medians are of none of them",
					text_safe(text, set->mixed[0]),
					set->mixed_count > 1
						? arena_printf(&text->arena, " and %zu more files",
							       set->mixed_count - 1)
						: ""));
	print_table(text, set);
	fputc('\n', text->out);
}
