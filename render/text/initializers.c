// SPDX-License-Identifier: Apache-2.0
// Initializers that caused IO, as text: totals by object, then one table.
#include "render/initrows.h"
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

/** Totals of the initializers of one object, or of all. */
struct total {
	const struct model_object *object;
	uint64_t initializers, faulted, lazy_binding, cpu_ns, wait_ns, read;
	struct model_count count;
};

static void add(const struct model *model, struct total *total, const struct model_initializer *row)
{
	total->initializers++;
	total->faulted += row->count.faults > 0;
	total->lazy_binding += row->lazy_binding;
	model_count_add(&total->count, &row->count);
	total->read += model_initializer_read(model, row);
	total->cpu_ns += row->cpu_ns;
	total->wait_ns += row->wait_ns;
}

static void print_total(struct text *text, const char *name, const struct total *total)
{
	struct arena *arena = &text->arena;

	fprintf(text->out, "  %s: %s, %s faulted", text_safe(text, name),
		text_plural(text, total->initializers, "initializer", "initializers"),
		figure_number(arena, total->faulted));
	if (total->count.faults > 0) {
		fprintf(text->out, ": %s, %s major",
			text_plural(text, total->count.faults, "fault", "faults"),
			figure_number(arena, total->count.major));
		if (total->lazy_binding > 0)
			fprintf(text->out, ", %s of them lazy bindings",
				figure_number(arena, total->lazy_binding));
		if (total->count.own_ns > 0)
			fprintf(text->out, ", %s",
				table_time(arena, text->terminal, total->count.own_ns));
	}
	if (total->cpu_ns > 0)
		fprintf(text->out, "%s %s computing", total->count.faults > 0 ? "," : ":",
			table_time(arena, text->terminal, total->cpu_ns));
	if (total->wait_ns > 0)
		fprintf(text->out, ", %s waiting",
			table_time(arena, text->terminal, total->wait_ns));
	if (total->read > 0)
		fprintf(text->out, ", %s read", figure_size(arena, total->read));
	fputc('\n', text->out);
}

ORDER_OF(compare_totals, total,
	 ORDER(y->count.faults, x->count.faults) ?: ORDER(x->object, y->object))

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

		add(model, &totals[row->object], row);
		add(model, &all, row);
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

enum { LEAST_NAME = 20 };

/** Columns that have a value in any row. */
struct columns {
	bool time, read, cpu, wait, lazy_binding, object, source;
};

/** Does its label name the source already? */
static bool names_source(const struct model_initializer *row)
{
	size_t label = row->label ? strlen(row->label) : 0;
	const char *base = row->source ? path_file_name(row->source) : "";

	// DWARF names a package's unit so.
	if (row->package)
		return true;
	return base == row->source && label > strlen(base) &&
	       strcmp(row->label + label - strlen(base), base) == 0;
}

static void print_row(struct text *text, struct table *table, const struct model_initializer *row,
		      const struct columns *columns)
{
	table_begin_row(table);
	if (columns->time)
		table_figure_or_dash(table, "time", TABLE_TIME, initrows_time(row));
	if (columns->cpu)
		table_figure_or_dash(table, "processor", TABLE_TIME, row->cpu_ns);
	if (columns->wait)
		table_figure_or_dash(table, "waited", TABLE_TIME, row->wait_ns);
	if (columns->read)
		table_figure_or_dash(table, "read", TABLE_BYTES,
				     model_initializer_read(text->model, row));
	table_figure(table, "faults", TABLE_NUMBER, row->count.faults);
	if (columns->lazy_binding)
		table_figure_or_dash(table, "lazy", TABLE_NUMBER, row->lazy_binding);
	table_figure(table, "major", TABLE_NUMBER, row->count.major);
	if (row->count.major > 0)
		table_alert(table);
	table_figure(table, "pages", TABLE_NUMBER, row->pages);
	table_figure(table, "code", TABLE_NUMBER, row->code_pages);
	table_figure(table, "only", TABLE_NUMBER, row->code_pages_only);
	if (row->count.faults > 0)
		table_figure(table, "at", TABLE_TIME, row->first_ns);
	else
		table_cell(table, "at", TABLE_RIGHT, "-");
	if (columns->object)
		table_cell(table, "object", TABLE_SHORT, text->labels[row->object]);
	table_cellf(table, "entry", TABLE_LEFT, "%s[%lu]", row->array, (unsigned long)row->index);
	if (row->label || row->function)
		table_cell(table, "function", TABLE_NAME, row->label ?: row->function);
	else
		table_cellf(table, "function", TABLE_NAME, "0x%llx",
			    (unsigned long long)row->vaddr);
	if (columns->source)
		table_cell(table, "source", TABLE_NAME, row->source ?: "-");
}

static struct columns find_columns(const struct text *text, const struct initrows *rows,
				   const struct total *all)
{
	const struct model *model = text->model;
	struct columns columns = { .lazy_binding = all->lazy_binding > 0 };

	for (size_t i = 0; i < rows->count; i++) {
		const struct model_initializer *row = &model->initializers[rows->rows[i]];

		columns.time |= initrows_time(row) > 0;
		columns.cpu |= row->cpu_ns > 0;
		columns.wait |= row->wait_ns > 0;
		columns.read |= model_initializer_read(model, row) > 0;
		columns.object |= row->object != model->initializers[rows->rows[0]].object;
		columns.source |= i < text->top && !names_source(row);
	}
	return columns;
}

static void print_table(struct text *text, const struct initrows *rows, const struct total *all)
{
	const struct model *model = text->model;
	const struct columns columns = find_columns(text, rows, all);
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	uint64_t cut_faults = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct model_initializer *row = &model->initializers[rows->rows[i]];

		if (i < text->top)
			print_row(text, table, row, &columns);
		else
			cut_faults += row->count.faults;
	}
	fputc('\n', text->out);
	table_keep_names(table, LEAST_NAME);
	table_print(table, text->out);
	if (rows->count > text->top)
		text_cut(text, "initializer", rows->count - text->top, cut_faults,
			 all->count.faults);
}

/** One line of what columns mean. */
static void print_meaning(const struct text *text, const char *column, const char *meaning)
{
	fprintf(text->out, "%s  %-7s %s%s\n", terminal_start(text->terminal, TERMINAL_DIM), column,
		meaning, terminal_end(text->terminal));
}

static void print_legend(struct text *text, const struct total *all)
{
	const char *time =
		all->cpu_ns > 0 && all->wait_ns > 0
			? "in its faults, computing (processor, by samples: one alone is "
			  "chance) and waiting (waited)"
		: all->cpu_ns > 0  ? "in its faults, and computing (processor), by "
				     "samples: one alone is chance"
		: all->wait_ns > 0 ? "in its faults, and waiting outside them (waited)"
				   : "in its faults";

	fputc('\n', text->out);
	print_meaning(text, "time", time);
	print_meaning(text, "faults", "inside the initializer, whatever they touched");
	if (text->model->storage && all->read > 0)
		print_meaning(text, "read", "by storage for it: by faults, read() and read-ahead");
	print_meaning(text, "pages",
		      "distinct pages that faulted; code: pages of code seen to run in it; "
		      "only: those of them seen to run nowhere else");
	print_meaning(text, "at", "time of its first fault, since recording started");
	if (all->lazy_binding > 0)
		print_meaning(text, "lazy",
			      "faults that bind a function at its first call; -z now moves them "
			      "to the start");
}

bool render_initializers_text(const struct model *model,
			      const struct render_initializers_options *options, FILE *out)
{
	struct text text = text_open(model, &options->terminal, options->top, out);

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
		print_legend(&text, &all);
	text_note_kinds(&text);
	return text_close(&text, out);
}
