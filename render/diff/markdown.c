// SPDX-License-Identifier: Apache-2.0
// A comparison as GitHub's Markdown. What quotes names stands in code spans: see markdown.h.
#include "render/diff/diff.h"

#include "base/figure.h"
#include "render/diff/amounts.h"
#include "render/diff/files.h"
#include "render/diff/locality.h"
#include "render/diff/words.h"
#include "render/markdown.h"

enum { FIRST_DIFFERENCES = 10 };

struct markdown {
	const struct comparison *comparison;
	const struct terminal *terminal;
	size_t top;
	bool full;
	size_t unlisted; // rows without a verdict
	FILE *out;
	struct arena arena;
};

static void print_row(struct markdown *markdown, enum compare_table table,
		      const struct compare_row *row)
{
	const struct compare_figure *faults = &row->figures[COMPARE_FAULTS];
	struct arena *arena = &markdown->arena;

	fprintf(markdown->out, "| %s | %s | %s | %s | %s | ",
		figure_median(arena, faults->median[COMPARE_BEFORE]),
		figure_median(arena, faults->median[COMPARE_AFTER]),
		diffwords_change(arena, faults->difference), diffwords_percent(arena, faults),
		diffwords_change(arena, row->figures[COMPARE_MAJOR].difference));
	if (diffwords_has_reads(markdown->comparison))
		fprintf(markdown->out, "%s | ",
			diffwords_bytes(arena, row->figures[COMPARE_READ].difference));
	if (markdown->comparison->can_tell)
		fprintf(markdown->out, "%s | ",
			compare_verdict_name(diffwords_figure(row)->verdict));
	markdown_code(markdown->out, diffwords_row(arena, markdown->comparison, table, row));
}

static void print_heading(struct markdown *markdown, const char *words, bool has_reason)
{
	bool can_tell = markdown->comparison->can_tell;
	bool has_reads = diffwords_has_reads(markdown->comparison);

	fprintf(markdown->out,
		"| before | after | faults | %% | major | %s%s%s "
		"|%s\n|---:|---:|---:|---:|---:|%s%s---|%s\n",
		has_reads ? "read | " : "", can_tell ? "verdict | " : "", words,
		has_reason ? " layout change |" : "", has_reads ? "---:|" : "",
		can_tell ? "---|" : "", has_reason ? "---|" : "");
}

static void print_first(struct markdown *markdown)
{
	const struct comparison *comparison = markdown->comparison;
	size_t count = 0;

	array_foreach (row, comparison->rows[COMPARE_BY_CAUSE],
		       comparison->row_count[COMPARE_BY_CAUSE]) {
		if (!diffwords_matters(row) || count == FIRST_DIFFERENCES)
			continue;
		if (count++ == 0)
			print_heading(markdown, "what", true);
		print_row(markdown, COMPARE_BY_CAUSE, row);
		fputs(" | ", markdown->out);
		const char *why = compare_explain(comparison, row, &markdown->arena);
		if (why)
			markdown_code(markdown->out, why);
		fputs(" |\n", markdown->out);
	}
	if (count == 0)
		fprintf(markdown->out, "%s\n", diffwords_no_cause(comparison));
}

/** A bullet for each, what supports it below. */
static void print_findings(struct markdown *markdown)
{
	const struct comparison *comparison = markdown->comparison;
	size_t count = diffwords_findings(comparison, markdown->top);

	if (count == 0)
		return;
	fprintf(markdown->out, "**%s**\n\n", diffwords_findings_heading(comparison));
	array_foreach (finding, comparison->findings, count) {
		fputs("- ", markdown->out);
		markdown_code(markdown->out,
			      diffwords_finding(&markdown->arena, comparison, finding));
		fputs("\n  - ", markdown->out);
		markdown_code(markdown->out, finding->evidence);
		if (finding->advice) {
			fputs("\n  - ", markdown->out);
			markdown_code(markdown->out, finding->advice);
		}
		fputc('\n', markdown->out);
	}
	if (count < comparison->finding_count)
		fprintf(markdown->out, "- %s more\n",
			figure_number(&markdown->arena, comparison->finding_count - count));
	fputc('\n', markdown->out);
}

static void print_table(struct markdown *markdown, enum compare_table table)
{
	const struct comparison *comparison = markdown->comparison;
	size_t shown = 0, left_out = 0;

	array_foreach (row, comparison->rows[table], comparison->row_count[table]) {
		if (!diffwords_is_listed(row, markdown->full)) {
			markdown->unlisted += diffwords_differs(row);
			continue;
		}
		if (shown == markdown->top) {
			left_out++;
			continue;
		}
		if (shown++ == 0) {
			fprintf(markdown->out, "\n<details><summary>by %s</summary>\n\n",
				compare_table_name(table));
			print_heading(markdown, compare_table_name(table), false);
		}
		print_row(markdown, table, row);
		fputs(" |\n", markdown->out);
	}
	if (left_out > 0)
		fprintf(markdown->out, "\n%s more rows differ.\n",
			figure_number(&markdown->arena, left_out));
	if (shown > 0)
		fputs("\n</details>\n", markdown->out);
}

static void print_locality(struct markdown *markdown, const char *title,
			   const struct difflocality *locality)
{
	markdown->unlisted += locality->unlisted;
	if (locality->row_count == 0)
		return;
	fprintf(markdown->out, "\n<details><summary>%s</summary>\n\n|", title);
	for (size_t i = 0; i < locality->column_count; i++)
		fprintf(markdown->out, " %s |", locality->headings[i]);
	fputs("\n|", markdown->out);
	for (size_t i = 0; i < locality->column_count; i++)
		fputs(i + locality->name_count < locality->column_count ? "---:|" : "---|",
		      markdown->out);
	fputc('\n', markdown->out);
	for (size_t row = 0; row < locality->row_count; row++) {
		fputc('|', markdown->out);
		for (size_t i = 0; i < locality->column_count; i++) {
			fputc(' ', markdown->out);
			if (i + locality->name_count < locality->column_count)
				fputs(locality->rows[row][i], markdown->out);
			else
				markdown_code(markdown->out, locality->rows[row][i]);
			fputs(" |", markdown->out);
		}
		fputc('\n', markdown->out);
	}
	if (locality->left_out > 0)
		fprintf(markdown->out, "\n%s more.\n",
			figure_number(&markdown->arena, locality->left_out));
	fputs("\n</details>\n", markdown->out);
}

static void print_localities(struct markdown *markdown)
{
	struct arena *arena = &markdown->arena;
	const struct comparison *comparison = markdown->comparison;
	const struct difflocality order =
		difflocality_order(arena, comparison, markdown->top, markdown->full);
	const struct difflocality moves = difflocality_moves(arena, comparison, markdown->top);
	const char *moved = difflocality_moved(arena, comparison);

	print_locality(markdown, "order in the file", &order);
	if (moved)
		print_locality(markdown, arena_printf(arena, "functions that moved: %s", moved),
			       &moves);
}

/** Print what changed in the files: before what that did. */
static void print_files(struct markdown *markdown)
{
	size_t count;
	const char *const *lines =
		difffiles(&markdown->arena, markdown->comparison, markdown->top, &count);

	for (size_t i = 0; i < count; i++) {
		markdown_code(markdown->out, lines[i]);
		fputs("\n\n", markdown->out);
	}
}

/** Print the differences in time and in bytes read: before any fault. */
static void print_amounts(struct markdown *markdown)
{
	const char *time =
		diffamounts_time(&markdown->arena, markdown->terminal, markdown->comparison);
	const char *whose = diffamounts_whose(&markdown->arena, markdown->comparison);
	const char *bytes = diffamounts_bytes(&markdown->arena, markdown->comparison);

	if (time && whose) {
		markdown_code(markdown->out, whose);
		fputs(": ", markdown->out);
	}
	if (time)
		fprintf(markdown->out, "**%s**\n\n", time);
	array_foreach (mark, markdown->comparison->marks, markdown->comparison->mark_count) {
		markdown_code(markdown->out, diffamounts_mark(&markdown->arena, markdown->terminal,
							      markdown->comparison, mark));
		fputs("\n\n", markdown->out);
	}
	if (bytes)
		fprintf(markdown->out, "**%s**\n\n", bytes);
}

static void print_amount_tables(struct markdown *markdown)
{
	struct arena *arena = &markdown->arena;
	const struct difflocality first = diffamounts_times(
		arena, markdown->terminal, markdown->comparison, true, markdown->full);
	const struct difflocality all = diffamounts_times(
		arena, markdown->terminal, markdown->comparison, false, markdown->full);
	const struct difflocality places =
		diffamounts_places(arena, markdown->comparison, markdown->top, markdown->full);

	print_locality(markdown, "time", &first);
	print_locality(markdown, "time of all threads", &all);
	print_locality(markdown, "storage", &places);
}

bool render_diff_markdown(const struct comparison *comparison,
			  const struct render_diff_options *options, FILE *out)
{
	struct markdown markdown = {
		.comparison = comparison,
		.terminal = &options->terminal,
		.top = options->top > 0 ? options->top : SIZE_MAX,
		.full = options->full,
		.out = out,
	};
	struct arena *arena = &markdown.arena;

	print_files(&markdown);
	print_amounts(&markdown);
	fprintf(out, "**Page faults: %s**\n\n%s\n\n",
		diffwords_total(arena, markdown.terminal, comparison),
		diffwords_noise(arena, comparison));
	print_findings(&markdown);
	print_first(&markdown);
	print_amount_tables(&markdown);
	for (int table = 0; table < COMPARE_BY_CAUSE; table++)
		print_table(&markdown, (enum compare_table)table);
	print_localities(&markdown);
	const char *unlisted = diffwords_unlisted(arena, comparison, markdown.unlisted);
	if (unlisted)
		fprintf(out, "\n%s.\n", unlisted);
	for (size_t i = 0; i < comparison->notes.list.count; i++) {
		fputs(i == 0 ? "\nNotes:\n\n- " : "- ", out);
		markdown_code(markdown.out, comparison->notes.list.items[i].text);
		fputc('\n', out);
	}
	arena_deinit(arena);
	return fflush(out) == 0 && !ferror(out);
}
