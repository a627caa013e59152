// SPDX-License-Identifier: Apache-2.0
// Faults, or operations of storage, counted by their words, for a person.
#include "render/pivot.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "render/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH_OF_FILES = 100, INDENT = 2, GAP = 2, NAMES_WIDTH = 24, SHOWN_PERCENT = 80 };

static const char other_label[] = "(others)";

/** A value as a person reads it: objects by file name, unless two share one; of which file it is
 * where others have one of its name. */
static const char *label_of(struct text *text, enum pivot_kind kind,
			    const struct pivot_value *value)
{
	if (!value->name)
		return "(none)";
	if (value->is_shared)
		return arena_printf(&text->arena, "%s (%s)", value->name,
				    text->labels[value->owner_object]);
	return kind == PIVOT_OBJECTS ? text->labels[value->key] : value->name;
}

/** The head of the answer up to the words; @counted, in bold, is what they count. */
static void begin_head(struct text *text, const struct pivot *pivot, const char *counted)
{
	const struct terminal *terminal = text->terminal;

	terminal_line(text->out, terminal, TERMINAL_BOLD, "%s", text_command_line(text));
	fprintf(text->out, "%s%s%s by ", terminal_start(terminal, TERMINAL_BOLD), counted,
		terminal_end(terminal));
	for (size_t i = 0; i < pivot->axis_count; i++)
		fprintf(text->out, "%s%s", i > 0 ? ", " : "", pivot->axes[i].word);
}

static void print_io_head(struct text *text, const struct pivot *pivot)
{
	const struct iosum *total = &pivot->io_total;

	begin_head(text, pivot, text_plural(text, total->operations, "operation", "operations"));
	fprintf(text->out, ": %s, %s read, %s waited\n",
		text_plural(text, total->requests, "request", "requests"),
		figure_size(&text->arena, total->bytes),
		table_time(&text->arena, text->terminal, total->wait_ns));
	if (text->model->filter)
		fprintf(text->out, "  filter     %s\n", text_safe(text, text->model->filter));
	text_incomplete(text);
}

static void print_head(struct text *text, const struct pivot *pivot)
{
	const struct model *model = text->model;
	struct arena *arena = &text->arena;

	begin_head(text, pivot, text_plural(text, pivot->total.faults, "fault", "faults"));
	fprintf(text->out, ": %s major, %s", figure_number(arena, pivot->total.major),
		text_plural(text, pivot->pages, "distinct page", "distinct pages"));
	if (pivot->total.own_ns > 0)
		fprintf(text->out, ", fault time %s",
			table_time(arena, text->terminal, pivot->total.own_ns));
	if (pivot->total.read_pages > 0)
		fprintf(text->out, ", %s read by faults",
			figure_size(arena, model_read_bytes(model, &pivot->total)));
	fputc('\n', text->out);
	if (model->filter)
		fprintf(text->out, "  filter     %s: %s of %s faults (%s)\n",
			text_safe(text, model->filter), figure_number(arena, pivot->total.faults),
			figure_number(arena, model->counts.recorded),
			figure_percent(arena, pivot->total.faults, model->counts.recorded));
	text_incomplete(text);
}

static enum table_align align_of(enum pivot_kind kind)
{
	return kind == PIVOT_NUMBERS			    ? TABLE_RIGHT
	       : kind == PIVOT_WORDS || kind == PIVOT_TRUTH ? TABLE_LEFT
							    : TABLE_NAME;
}

static void print_io_cells(struct table *table, const struct iosum *sum, const struct iosum *all)
{
	table_begin_row(table);
	table_figure_or_dash(table, "waited", TABLE_TIME, sum->wait_ns);
	table_figure(table, "latency", TABLE_TIME, sum->latency_ns);
	table_figure(table, "bytes", TABLE_BYTES, sum->bytes);
	table_share(table, "of all", sum->bytes, all->bytes);
	table_figure(table, "operations", TABLE_NUMBER, sum->operations);
}

static void print_rows(struct text *text, const struct pivot *pivot)
{
	uint64_t cut_faults = 0;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < pivot->row_count; i++) {
		const struct pivot_row *row = &pivot->rows[i];

		if (i >= text->top) {
			cut_faults += row->count.faults;
			continue;
		}
		if (pivot->is_of_io) {
			print_io_cells(table, &row->io, &pivot->io_total);
		} else {
			text_count_cells(text, table, &row->count, &pivot->total);
			table_figure(table, "pages", TABLE_NUMBER, row->pages);
		}
		for (size_t a = 0; a < pivot->axis_count; a++) {
			const struct pivot_axis *axis = &pivot->axes[a];

			table_cell(table, axis->word, align_of(axis->kind),
				   label_of(text, axis->kind, &axis->values[row->values[a]]));
		}
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	if (pivot->is_of_io)
		text_more(text, pivot->row_count);
	else if (pivot->row_count > text->top)
		text_cut(text, "row", pivot->row_count - text->top, cut_faults,
			 pivot->total.faults);
}

// ---- One word against the other -------------------------------------------------------------

ORDER_OF_INDEXES(compare_values, pivot_value,
		 ORDER(y->count.faults, x->count.faults) ?: order_text_or_none(x->name, y->name))

/** The values of an axis, most faults first. */
static const uint32_t *sorted_values(struct text *text, const struct pivot_axis *axis)
{
	uint32_t *order = arena_array(&text->arena, axis->value_count, sizeof(*order));

	for (uint32_t i = 0; i < axis->value_count; i++)
		order[i] = i;
	if (axis->value_count > 0)
		qsort_r(order, axis->value_count, sizeof(*order), compare_values,
			(void *)axis->values);
	return order;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/** One word's values, a row each, against another's, a column each. */
struct cross {
	const struct pivot_axis *rows, *columns;
	const uint32_t *row_order, *column_order; // values, most faults first
	size_t shown;				  // columns; the others are summed in one more
	uint64_t shown_faults;
	size_t down; // the axis of the rows
};

/** Columns of the screen that a column of numbers takes. */
static size_t width_of(struct text *text, const char *label, uint64_t faults)
{
	return GAP + larger(strlen(label), strlen(figure_number(&text->arena, faults)));
}

/** How many columns of @cross fit into @limit columns of the screen. */
static void fit_columns(struct text *text, uint64_t whole, size_t limit, struct cross *cross)
{
	const struct pivot_axis *rows = cross->rows, *columns = cross->columns;
	size_t names = strlen(rows->word), used = INDENT;
	size_t other = width_of(text, other_label, whole);

	for (size_t i = 0; i < rows->value_count; i++)
		names = larger(names, strlen(label_of(text, rows->kind, &rows->values[i])));
	// Long names are cut to what is left, as long as that is enough for them.
	used += width_of(text, "faults", whole) + (names < NAMES_WIDTH ? names : NAMES_WIDTH);
	cross->shown = 0;
	cross->shown_faults = 0;
	while (cross->shown < columns->value_count) {
		const struct pivot_value *value =
			&columns->values[cross->column_order[cross->shown]];
		bool is_last = cross->shown + 1 == columns->value_count;

		used += width_of(text, label_of(text, columns->kind, value), value->count.faults);
		if (used + (is_last ? 0 : other) > limit)
			break;
		cross->shown++;
		cross->shown_faults += value->count.faults;
	}
}

/** Faults by row, then column, the last of which is that of the columns not shown. */
static const uint64_t *count_cells(struct text *text, const struct pivot *pivot,
				   const struct cross *cross)
{
	size_t width = cross->shown + 1;
	uint64_t *cells =
		arena_array(&text->arena, cross->rows->value_count * width, sizeof(*cells));
	size_t *places = arena_array(&text->arena, cross->columns->value_count, sizeof(*places));

	for (size_t i = 0; i < cross->columns->value_count; i++)
		places[cross->column_order[i]] = i < cross->shown ? i : cross->shown;
	array_foreach (row, pivot->rows, pivot->row_count) {
		cells[row->values[cross->down] * width + places[row->values[!cross->down]]] +=
			row->count.faults;
	}
	return cells;
}

static void print_cross_row(struct text *text, struct table *table, const struct cross *cross,
			    const char *label, uint64_t faults, const uint64_t *cells)
{
	const struct pivot_axis *columns = cross->columns;

	table_begin_row(table);
	table_figure(table, "faults", TABLE_NUMBER, faults);
	for (size_t c = 0; c < cross->shown; c++) {
		const struct pivot_value *value = &columns->values[cross->column_order[c]];

		table_figure_or_dash(table, text_safe(text, label_of(text, columns->kind, value)),
				     TABLE_NUMBER, cells[c]);
	}
	if (cross->shown < columns->value_count)
		table_figure_or_dash(table, other_label, TABLE_NUMBER, cells[cross->shown]);
	table_cell(table, cross->rows->word, TABLE_NAME, label);
}

static void print_cross(struct text *text, const struct pivot *pivot, const struct cross *cross)
{
	const struct pivot_axis *rows = cross->rows, *columns = cross->columns;
	const uint64_t *cells = count_cells(text, pivot, cross);
	uint64_t *sums = arena_array(&text->arena, cross->shown + 1, sizeof(*sums));
	uint64_t cut_faults = 0;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t r = 0; r < rows->value_count; r++) {
		const struct pivot_value *value = &rows->values[cross->row_order[r]];
		const uint64_t *row = cells + cross->row_order[r] * (cross->shown + 1);

		if (r >= text->top) {
			cut_faults += value->count.faults;
			continue;
		}
		print_cross_row(text, table, cross, label_of(text, rows->kind, value),
				value->count.faults, row);
	}
	for (size_t c = 0; c < cross->shown; c++)
		sums[c] = columns->values[cross->column_order[c]].count.faults;
	sums[cross->shown] = pivot->total.faults - cross->shown_faults;
	print_cross_row(text, table, cross, "(all)", pivot->total.faults, sums);
	fputc('\n', text->out);
	table_print(table, text->out);
	if (rows->value_count > text->top)
		text_cut(text, "row", rows->value_count - text->top, cut_faults,
			 pivot->total.faults);
}

/**
 * Of two words the list above has one order; a table of one against the other has two. The second
 * word goes across, or else the first: whichever has few values that most faults have.
 */
static void print_cross_if_fit(struct text *text, const struct pivot *pivot)
{
	size_t limit = text->terminal->width > 0 ? text->terminal->width : WIDTH_OF_FILES;

	if (pivot->axis_count != 2 || pivot->axes[0].value_count < 2 ||
	    pivot->axes[1].value_count < 2)
		return;
	for (size_t down = 0; down < 2; down++) {
		struct cross cross = {
			.rows = &pivot->axes[down],
			.columns = &pivot->axes[!down],
			.row_order = sorted_values(text, &pivot->axes[down]),
			.column_order = sorted_values(text, &pivot->axes[!down]),
			.down = down,
		};

		fit_columns(text, pivot->total.faults, limit, &cross);
		if (cross.shown >= 2 &&
		    cross.shown_faults * 100 >= pivot->total.faults * SHOWN_PERCENT) {
			print_cross(text, pivot, &cross);
			return;
		}
	}
}

bool render_pivot_text(const struct model *model, const struct pivot *pivot,
		       const struct render_text_options *options, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = pivot->is_of_io ? model_io_view(model, &arena) : *model;
	struct text text = text_open(&view, &options->terminal, options->top, out);

	if (pivot->is_of_io)
		print_io_head(&text, pivot);
	else
		print_head(&text, pivot);
	print_rows(&text, pivot);
	if (!pivot->is_of_io)
		print_cross_if_fit(&text, pivot);
	text_note_kinds(&text);
	return text_close(&text, out);
}
