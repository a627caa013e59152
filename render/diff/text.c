// SPDX-License-Identifier: Apache-2.0
// A comparison for a person.
#include "render/diff/diff.h"

#include "base/cleanup.h"
#include "render/table/fold.h"
#include "base/figure.h"
#include "render/diff/amounts.h"
#include "render/diff/files.h"
#include "render/diff/locality.h"
#include "render/diff/words.h"
#include "render/table/table.h"
#include "render/table/wrap.h"

#include <math.h>

enum { FIRST_DIFFERENCES = 10 };

/** One comparison being written. */
struct difftext {
	const struct comparison *comparison;
	const struct terminal *terminal;
	size_t top;
	bool full;
	size_t unlisted; // rows without a verdict
	FILE *out;
	struct arena arena;
};

static const char *safe(struct difftext *text, const char *name)
{
	return table_fit(&text->arena, text->terminal, name, SIZE_MAX);
}

static void print_side(struct difftext *text, enum compare_side side)
{
	const struct comparison *comparison = text->comparison;
	size_t first = side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE];
	const struct compare_run *run = &comparison->runs[first];
	size_t count = comparison->run_count[side];

	fprintf(text->out, "%s  %s  (%s", side == COMPARE_BEFORE ? "before" : "after ",
		safe(text, run->command), safe(text, run->path));
	if (count > 1)
		fprintf(text->out, " and %s more", figure_number(&text->arena, count - 1));
	fputs(")\n", text->out);
}

static void print_dim(struct difftext *text, const char *line)
{
	terminal_line(text->out, text->terminal, TERMINAL_DIM, "%s", safe(text, line));
}

static void print_finding(struct difftext *text, const struct compare_finding *finding)
{
	enum { TITLE_INDENT = 2, INDENT = 4 };

	fputs(terminal_start(text->terminal, TERMINAL_BOLD), text->out);
	wrap_print(text->out, text->terminal, TITLE_INDENT,
		   safe(text, diffwords_finding(&text->arena, text->comparison, finding)));
	fprintf(text->out, "%s\n", terminal_end(text->terminal));
	wrap_print(text->out, text->terminal, INDENT, safe(text, finding->evidence));
	fputc('\n', text->out);
	if (!finding->advice)
		return;
	wrap_print(text->out, text->terminal, INDENT, safe(text, finding->advice));
	fputc('\n', text->out);
}

/** Print the findings that accompany the differences. */
static void print_findings(struct difftext *text)
{
	const struct comparison *comparison = text->comparison;
	size_t count = diffwords_findings(comparison, text->top);

	if (count == 0)
		return;
	terminal_line(text->out, text->terminal, TERMINAL_BOLD, "\n%s",
		      diffwords_findings_heading(comparison));
	for (size_t i = 0; i < count; i++)
		print_finding(text, &comparison->findings[i]);
	if (count < comparison->finding_count)
		print_dim(text, arena_printf(&text->arena, "  %s more; --top 0 shows all",
					     figure_number(&text->arena,
							   comparison->finding_count - count)));
}

/** The medians of both sides, which are of bytes where @is_size. */
static const char *both_sides(struct difftext *text, const struct compare_figure *figure,
			      bool is_size)
{
	struct arena *arena = &text->arena;
	const double *median = figure->median;

	if (!is_size)
		return diffwords_counts(arena, figure);
	return diffwords_both(arena, figure,
			      figure_size(arena, figure_whole(median[COMPARE_BEFORE])),
			      figure_size(arena, figure_whole(median[COMPARE_AFTER])));
}

/**
 * Describe what else differs in a cause that waits for storage: it is there for its time, not its
 * faults.
 */
static const char *waits(struct difftext *text, const struct compare_row *row,
			 const struct compare_figure *shown)
{
	const struct compare_figure *major = &row->figures[COMPARE_MAJOR];
	double time_ns = row->figures[COMPARE_OWN].difference;
	struct arena *arena = &text->arena;
	const char *counts = "", *time = "";

	if (major->difference == 0)
		return "";
	if (major != shown)
		counts = arena_printf(arena, "; major %s", diffwords_counts(arena, major));
	if (time_ns != 0)
		time = arena_printf(arena, "; %s", diffwords_time(arena, text->terminal, time_ns));
	return arena_printf(arena, "%s%s", counts, time);
}

/** The causes that differ most, each with what changed in the layout. */
static void print_first(struct difftext *text)
{
	const struct comparison *comparison = text->comparison;
	struct arena *arena = &text->arena;
	size_t count = 0;

	array_foreach (row, comparison->rows[COMPARE_BY_CAUSE],
		       comparison->row_count[COMPARE_BY_CAUSE]) {
		const struct compare_figure *figure = diffwords_figure(row);
		bool is_one = fabs(figure->difference) == 1;
		bool is_read = figure == &row->figures[COMPARE_READ];

		if (!diffwords_matters(row) || count == FIRST_DIFFERENCES)
			continue;
		if (count++ == 0)
			terminal_line(text->out, text->terminal, TERMINAL_BOLD,
				      "\nMost significant differences");
		fprintf(text->out, "  %8s %-6s  %s  (%s%s)\n",
			is_read ? diffwords_bytes(arena, figure->difference)
				: diffwords_change(arena, figure->difference),
			is_read					 ? "read"
			: figure == &row->figures[COMPARE_MAJOR] ? "major"
			: is_one				 ? "fault"
								 : "faults",
			safe(text, diffwords_row(arena, comparison, COMPARE_BY_CAUSE, row)),
			both_sides(text, figure, is_read), waits(text, row, figure));
		const char *why = compare_explain(comparison, row, arena);
		if (why)
			fprintf(text->out, "                   %s\n", safe(text, why));
	}
	if (count == 0)
		fprintf(text->out, "\n%s\n", diffwords_no_cause(comparison));
}

static void print_row(struct difftext *text, struct table *table, enum compare_table word,
		      const struct compare_row *row, bool has_size)
{
	const struct compare_figure *faults = &row->figures[COMPARE_FAULTS];
	struct arena *arena = &text->arena;

	table_begin_row(table);
	table_cell(table, "before", TABLE_RIGHT,
		   figure_median(arena, faults->median[COMPARE_BEFORE]));
	table_cell(table, "after", TABLE_RIGHT,
		   figure_median(arena, faults->median[COMPARE_AFTER]));
	table_cell(table, "faults", TABLE_RIGHT, diffwords_change(arena, faults->difference));
	table_cell(table, "%", TABLE_RIGHT, diffwords_percent(arena, faults));
	if (text->comparison->can_tell)
		table_cell(table, "verdict", TABLE_LEFT,
			   compare_verdict_name(diffwords_figure(row)->verdict));
	table_cell(table, "major", TABLE_RIGHT,
		   diffwords_change(arena, row->figures[COMPARE_MAJOR].difference));
	table_cell(table, "pages", TABLE_RIGHT,
		   diffwords_change(arena, row->figures[COMPARE_PAGES].difference));
	table_cell(table, "time", TABLE_RIGHT,
		   diffwords_time(arena, text->terminal, row->figures[COMPARE_OWN].difference));
	if (diffwords_has_reads(text->comparison))
		table_cell(table, "read", TABLE_RIGHT,
			   diffwords_bytes(arena, row->figures[COMPARE_READ].difference));
	if (has_size)
		table_cell(table, "size", TABLE_LEFT,
			   diffwords_size(arena, text->comparison, word, row));
	table_cell(table, compare_table_name(word), TABLE_NAME,
		   diffwords_row(arena, text->comparison, word, row));
	if (!diffwords_matters(row))
		table_dim(table);
}

/** Whether the size of any row of @word that is shown changed. */
static bool has_sizes(struct difftext *text, enum compare_table word)
{
	const struct comparison *comparison = text->comparison;
	size_t shown = 0;

	if (word != COMPARE_BY_SECTION && word != COMPARE_BY_OBJECT)
		return false;
	for (size_t i = 0; i < comparison->row_count[word] && shown < text->top; i++) {
		const struct compare_row *row = &comparison->rows[word][i];

		if (!diffwords_is_listed(row, text->full))
			continue;
		if (*diffwords_size(&text->arena, comparison, word, row) != '\0')
			return true;
		shown++;
	}
	return false;
}

static void print_table(struct difftext *text, enum compare_table word)
{
	const struct comparison *comparison = text->comparison;
	bool has_size = has_sizes(text, word);
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t shown = 0, left_out = 0;

	array_foreach (row, comparison->rows[word], comparison->row_count[word]) {
		if (!diffwords_is_listed(row, text->full)) {
			text->unlisted += diffwords_differs(row);
			continue;
		}
		if (shown == text->top) {
			left_out++;
			continue;
		}
		print_row(text, table, word, row, has_size);
		shown++;
	}
	if (shown == 0)
		return;
	fputc('\n', text->out);
	table_print(table, text->out);
	if (left_out > 0)
		print_dim(text,
			  arena_printf(&text->arena, "  %s more rows differ; --top 0 shows all",
				       figure_number(&text->arena, left_out)));
}

static void print_locality(struct difftext *text, const char *title,
			   const struct difflocality *locality)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	text->unlisted += locality->unlisted;
	if (locality->row_count == 0)
		return;
	terminal_line(text->out, text->terminal, TERMINAL_BOLD, "\n%s", title);
	for (size_t row = 0; row < locality->row_count; row++) {
		table_begin_row(table);
		for (size_t i = 0; i < locality->column_count; i++)
			table_cell(table, locality->headings[i],
				   i + locality->name_count < locality->column_count ? TABLE_RIGHT
				   : i + 1 < locality->column_count		     ? TABLE_LEFT
										     : TABLE_NAME,
				   locality->rows[row][i]);
	}
	table_print(table, text->out);
	if (locality->left_out > 0)
		print_dim(text, arena_printf(&text->arena, "  %s more; --top 0 shows all",
					     figure_number(&text->arena, locality->left_out)));
}

/** Print what changed in the files: before what that did. */
static void print_files(struct difftext *text)
{
	size_t count;
	const char *const *lines = difffiles(&text->arena, text->comparison, text->top, &count);

	for (size_t i = 0; i < count; i++)
		terminal_line(text->out, text->terminal, TERMINAL_BOLD, "%s", safe(text, lines[i]));
}

/** Print the differences in time and in bytes read: before any fault. */
static void print_amounts(struct difftext *text)
{
	const char *time = diffamounts_time(&text->arena, text->terminal, text->comparison);
	const char *whose = diffamounts_whose(&text->arena, text->comparison);
	const char *bytes = diffamounts_bytes(&text->arena, text->comparison);

	if (time)
		terminal_line(text->out, text->terminal, TERMINAL_BOLD, "%s%s%s",
			      whose ? safe(text, whose) : "", whose ? ": " : "", time);
	array_foreach (mark, text->comparison->marks, text->comparison->mark_count)
		fprintf(text->out, "%s\n",
			safe(text, diffamounts_mark(&text->arena, text->terminal, text->comparison,
						    mark)));
	if (bytes)
		fprintf(text->out, "%s\n", bytes);
}

static void print_amount_tables(struct difftext *text)
{
	struct arena *arena = &text->arena;
	const struct difflocality first =
		diffamounts_times(arena, text->terminal, text->comparison, true, text->full);
	const struct difflocality all =
		diffamounts_times(arena, text->terminal, text->comparison, false, text->full);
	const struct difflocality places =
		diffamounts_places(arena, text->comparison, text->top, text->full);

	print_locality(text, "Time", &first);
	print_locality(text, "Time of all threads", &all);
	print_locality(text, "Storage", &places);
}

/** In what order code and faults lie in the files, and which functions lie elsewhere. */
static void print_localities(struct difftext *text)
{
	struct arena *arena = &text->arena;
	const struct difflocality order =
		difflocality_order(arena, text->comparison, text->top, text->full);
	const struct difflocality moves = difflocality_moves(arena, text->comparison, text->top);
	const char *moved = difflocality_moved(arena, text->comparison);

	print_locality(text, "Order in the file", &order);
	if (moved)
		print_locality(text, arena_printf(arena, "Functions that moved: %s", moved),
			       &moves);
}

bool render_diff_text(const struct comparison *comparison,
		      const struct render_diff_options *options, FILE *out)
{
	struct difftext text = {
		.comparison = comparison,
		.terminal = &options->terminal,
		.top = options->top > 0 ? options->top : SIZE_MAX,
		.full = options->full,
		.out = fold_open(out, &options->terminal),
	};

	print_side(&text, COMPARE_BEFORE);
	print_side(&text, COMPARE_AFTER);
	print_files(&text);
	print_amounts(&text);
	fprintf(text.out, "%s\n", diffwords_total(&text.arena, text.terminal, comparison));
	print_dim(&text, diffwords_noise(&text.arena, comparison));
	print_findings(&text);
	print_amount_tables(&text);
	print_first(&text);
	for (int table = 0; table < COMPARE_BY_CAUSE; table++)
		print_table(&text, (enum compare_table)table);
	print_localities(&text);
	const char *unlisted = diffwords_unlisted(&text.arena, comparison, text.unlisted);
	if (unlisted) {
		fputc('\n', text.out);
		print_dim(&text, unlisted);
	}
	for (size_t i = 0; i < comparison->notes.list.count; i++)
		fprintf(text.out, "%snote: %s\n", i == 0 ? "\n" : "",
			safe(&text, comparison->notes.list.items[i].text));
	arena_deinit(&text.arena);
	return fold_close(text.out, out);
}
