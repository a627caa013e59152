// SPDX-License-Identifier: Apache-2.0
// Which initializers caused IO, for a person: totals by object, then one table.
#include "render/initrows.h"
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "render/text/fold.h"

#include <stdlib.h>

/** What the initializers of one object, or of all, come to. */
struct total {
	const struct model_object *object;
	uint64_t initializers, faulted, lazy_binding;
	struct model_count count;
};

static void add(struct total *total, const struct model_initializer *row)
{
	total->initializers++;
	total->faulted += row->count.faults > 0;
	total->lazy_binding += row->lazy_binding;
	total->count.faults += row->count.faults;
	total->count.major += row->count.major;
	total->count.duration_ns += row->count.duration_ns;
}

static void print_total(struct text *text, const char *name, const struct total *total)
{
	struct arena *arena = &text->arena;

	fprintf(text->out, "  %s: %s, %s faulted", text_safe(text, name),
		text_plural(text, total->initializers, "initializer", "initializers"),
		table_number(arena, total->faulted));
	if (total->count.faults > 0) {
		fprintf(text->out, ": %s, %s major",
			text_plural(text, total->count.faults, "fault", "faults"),
			table_number(arena, total->count.major));
		if (total->lazy_binding > 0)
			fprintf(text->out, ", %s of them lazy bindings",
				table_number(arena, total->lazy_binding));
		if (total->count.duration_ns > 0)
			fprintf(text->out, ", %s",
				table_time(arena, text->terminal, total->count.duration_ns));
	}
	fputc('\n', text->out);
}

static int compare_totals(const void *left, const void *right)
{
	const struct total *a = left, *b = right;

	return ORDER(b->count.faults, a->count.faults) ?: ORDER(a->object, b->object);
}

/** Lines for the objects whose initializers faulted; returns the total of all. */
static struct total print_totals(struct text *text)
{
	const struct model *model = text->model;
	struct arena *arena = &text->arena;
	struct total *totals = arena_array(arena, model->object_count + 1, sizeof(*totals));
	struct total all = { 0 };
	// Of all initializers, whatever the table shows.
	const struct render_initializers_options everything = { .all = true };
	const struct initrows rows = initrows_select(model, &everything, arena);
	size_t silent = 0;

	for (size_t i = 0; i < model->object_count; i++)
		totals[i].object = &model->objects[i];
	for (size_t i = 0; i < rows.count; i++) {
		const struct model_initializer *row = &model->initializers[rows.rows[i]];

		add(&totals[row->object], row);
		add(&all, row);
	}
	qsort(totals, model->object_count, sizeof(*totals), compare_totals);
	for (size_t i = 0; i < model->object_count; i++) {
		if (totals[i].count.faults > 0)
			print_total(text, text->labels[totals[i].object - model->objects],
				    &totals[i]);
		else
			silent += totals[i].initializers > 0;
	}
	if (silent > 0)
		fprintf(text->out, "  %s whose initializers did not fault\n",
			text_plural(text, silent, "object", "objects"));
	return all;
}

static void print_row(struct text *text, struct table *table, const struct model_initializer *row,
		      bool has_lazy_binding, bool has_time, bool has_objects)
{
	struct arena *arena = &text->arena;

	table_cell(table, table_number(arena, row->count.faults));
	if (has_lazy_binding)
		table_cell(table,
			   row->lazy_binding > 0 ? table_number(arena, row->lazy_binding) : "-");
	table_cell(table, table_number(arena, row->count.major));
	if (row->count.major > 0)
		table_alert(table);
	if (has_time)
		table_cell(table, row->count.duration_ns > 0 ? table_time(arena, text->terminal,
									  row->count.duration_ns)
							     : "-");
	table_cell(table, table_number(arena, row->pages));
	table_cell(table, table_number(arena, row->code_pages));
	table_cell(table, table_number(arena, row->code_pages_only));
	table_cell(table,
		   row->count.faults > 0 ? table_time(arena, text->terminal, row->first_ns) : "-");
	if (has_objects)
		table_cell(table, text->labels[row->object]);
	table_cellf(table, "%s[%lu]", row->array, (unsigned long)row->index);
	if (row->function)
		table_cell(table, row->function);
	else
		table_cellf(table, "0x%llx", (unsigned long long)row->vaddr);
	table_cell(table, row->source ? row->source : "-");
}

static void print_table(struct text *text, const struct initrows *rows, const struct total *all)
{
	const struct model *model = text->model;
	bool has_lazy_binding = all->lazy_binding > 0, has_time = all->count.duration_ns > 0;
	bool has_objects = false;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	uint64_t cut_faults = 0;

	for (size_t i = 1; i < rows->count; i++)
		if (model->initializers[rows->rows[i]].object !=
		    model->initializers[rows->rows[0]].object)
			has_objects = true;
	table_column(table, "faults", TABLE_RIGHT);
	if (has_lazy_binding)
		table_column(table, "lazy", TABLE_RIGHT);
	table_column(table, "major", TABLE_RIGHT);
	if (has_time)
		table_column(table, "time", TABLE_RIGHT);
	table_column(table, "pages", TABLE_RIGHT);
	table_column(table, "code", TABLE_RIGHT);
	table_column(table, "only", TABLE_RIGHT);
	table_column(table, "at", TABLE_RIGHT);
	if (has_objects)
		table_column(table, "object", TABLE_SHORT);
	table_column(table, "entry", TABLE_LEFT);
	table_column(table, "function", TABLE_NAME);
	table_column(table, "source", TABLE_NAME);
	for (size_t i = 0; i < rows->count; i++) {
		const struct model_initializer *row = &model->initializers[rows->rows[i]];

		if (i < text->top)
			print_row(text, table, row, has_lazy_binding, has_time, has_objects);
		else
			cut_faults += row->count.faults;
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	if (rows->count > text->top)
		text_cut(text, "initializer", rows->count - text->top, cut_faults,
			 all->count.faults);
}

static void print_legend(struct text *text, bool has_lazy_binding)
{
	fprintf(text->out,
		"\n%s  faults  inside the initializer, whatever they touched%s\n"
		"%s  pages   distinct pages that faulted; code: pages of code seen to run in it; "
		"only: those of them seen to run nowhere else\n"
		"  at      time of its first fault, since recording started%s\n",
		terminal_start(text->terminal, TERMINAL_DIM), terminal_end(text->terminal),
		terminal_start(text->terminal, TERMINAL_DIM), terminal_end(text->terminal));
	if (has_lazy_binding)
		fprintf(text->out,
			"%s  lazy    faults that bind a function at its first call; -z now moves "
			"them to the start%s\n",
			terminal_start(text->terminal, TERMINAL_DIM), terminal_end(text->terminal));
}

bool render_initializers_text(const struct model *model,
			      const struct render_initializers_options *options, FILE *out)
{
	struct text text = {
		.model = model,
		.terminal = &options->terminal,
		.out = fold_open(out, &options->terminal),
		.top = options->top > 0 ? options->top : SIZE_MAX,
	};

	text_find_labels(&text);
	text_headline(&text);
	const struct initrows rows = initrows_select(model, options, &text.arena);
	const struct total all = print_totals(&text);

	if (!model->trace.has_stacks)
		fputs("  The trace has no call stacks, so faults cannot be attributed to "
		      "initializers.\n",
		      text.out);
	else if (all.initializers == 0)
		fputs("  No initializers in any file that could be read.\n", text.out);
	else if (all.faulted == 0 && !options->all)
		fprintf(text.out, "  %s; none faulted.\n",
			text_plural(&text, all.initializers, "initializer", "initializers"));
	// With OBJECT arguments they may belong to another object.
	if (model->untold.faults > 0 && !model->is_narrowed)
		fprintf(text.out,
			"  unknown: %s inside initializers that ended with a jump or are missing "
			"from the stack\n",
			text_plural(&text, model->untold.faults, "fault", "faults"));
	if (rows.count > 0)
		print_table(&text, &rows, &all);
	if (rows.silent > 0 && !options->all && all.faulted > 0)
		fprintf(text.out, "  %s did not fault; --initializers=all lists them\n",
			text_plural(&text, rows.silent, "other", "others"));
	if (rows.count > 0)
		print_legend(&text, all.lazy_binding > 0);
	text_notes(&text);
	arena_deinit(&text.arena);
	fold_close(text.out, out);
	return fflush(out) == 0 && !ferror(out);
}
