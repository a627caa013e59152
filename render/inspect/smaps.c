// SPDX-License-Identifier: Apache-2.0
// `elfault smaps` for people: the sums first, then files, then sections.
#include "render/smaps.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "render/escape.h"
#include "render/table/fold.h"
#include "render/table/table.h"

#include <stdlib.h>
#include <string.h>

/** The page that the text goes to, and helpers to write it. */
struct page {
	const struct smaps_text_options *options;
	const struct terminal *terminal;
	FILE *out;
	struct arena arena; // of short texts
	enum smaps_key columns[SMAPS_KEYS];
	size_t column_count;
};

static const char *size(struct page *page, uint64_t bytes)
{
	return figure_size(&page->arena, bytes);
}

/** "PRIVATE DIRTY". */
static const char *heading_of(struct page *page, enum smaps_key key)
{
	char *heading = arena_strdup(&page->arena, smaps_key_word(key));

	for (char *at = heading; *at; at++)
		*at = *at == '_' ? ' ' : (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
	return heading;
}

/** The key asked for first; then what people look for, of which @amounts has something. */
static void choose_columns(struct page *page, const struct smaps_amounts *amounts)
{
	static const enum smaps_key usual[] = {
		SMAPS_PSS,   SMAPS_RSS,	 SMAPS_PRIVATE, SMAPS_SHARED, SMAPS_CLEAN,
		SMAPS_DIRTY, SMAPS_SWAP, SMAPS_HUGE,	SMAPS_SIZE,
	};

	page->columns[page->column_count++] = page->options->key;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		uint64_t bytes;

		smaps_amount(amounts, usual[i], &bytes);
		if (usual[i] != page->options->key && bytes > 0)
			page->columns[page->column_count++] = usual[i];
	}
}

/** Begin a row with @amounts. */
static void fill_amounts(struct page *page, struct table *table,
			 const struct smaps_amounts *amounts, const struct smaps_amounts *whole)
{
	table_begin_row(table);
	for (size_t i = 0; i < page->column_count; i++) {
		uint64_t bytes, all;
		bool is_known = smaps_amount(amounts, page->columns[i], &bytes);

		table_cell(table, heading_of(page, page->columns[i]), TABLE_RIGHT,
			   !is_known	? "?"
			   : bytes == 0 ? "-"
					: size(page, bytes));
		if (i > 0)
			continue;
		smaps_amount(whole, page->columns[0], &all);
		table_cell(table, "%", TABLE_RIGHT,
			   is_known ? figure_percent(&page->arena, bytes, all) : "?");
	}
}

static size_t limit(const struct page *page, size_t count)
{
	size_t top = page->options->top;

	return top != 0 && top < count ? top : count;
}

static void print_rest(struct page *page, size_t shown, size_t count)
{
	if (shown < count)
		fprintf(page->out, "  %s more: --top 0\n",
			figure_number(&page->arena, count - shown));
}

// ---- One answer -------------------------------------------------------------------------------

static void print_sums(struct page *page, const struct smaps_model *model)
{
	static const enum smaps_key keys[] = { SMAPS_PRIVATE, SMAPS_SHARED, SMAPS_CLEAN,
					       SMAPS_DIRTY };
	const char *sums[4];
	CLEANUP(strbuf_deinit) struct strbuf source = { 0 };
	const uint64_t *bytes = model->amounts.bytes;

	for (size_t i = 0; i < 4; i++) {
		uint64_t sum;

		smaps_amount(&model->amounts, keys[i], &sum);
		sums[i] = size(page, sum);
	}
	escape_terminal(&source, model->source);
	fprintf(page->out, "%s%s%s: %s process%s, %s mappings\n",
		terminal_start(page->terminal, TERMINAL_BOLD), strbuf_text(&source),
		terminal_end(page->terminal), figure_number(&page->arena, model->process_count),
		model->process_count == 1 ? "" : "es",
		figure_number(&page->arena, model->mapping_count));
	fprintf(page->out, "  Rss %s = %s private + %s shared = %s clean + %s dirty; Pss %s",
		size(page, bytes[SMAPS_RSS]), sums[0], sums[1], sums[2], sums[3],
		size(page, bytes[SMAPS_PSS]));
	fprintf(page->out, "; swap %s; huge pages %s\n", size(page, bytes[SMAPS_SWAP]),
		size(page, bytes[SMAPS_HUGE]));
}

static void print_processes(struct page *page, const struct smaps_model *model)
{
	if (model->process_count < 2)
		return;
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	size_t shown = limit(page, model->process_count);

	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\nBy process");
	array_foreach (process, model->processes, shown) {
		fill_amounts(page, table, &process->amounts, &model->amounts);
		table_cell(table, "PID", TABLE_RIGHT,
			   process->pid ? arena_printf(&page->arena, "%u", process->pid) : "?");
		table_cell(table, "PROGRAM", TABLE_NAME, process->name);
	}
	table_print(table, page->out);
	print_rest(page, shown, model->process_count);
}

static void print_objects(struct page *page, const struct smaps_model *model)
{
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	size_t shown = limit(page, model->object_count);

	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\nBy file");
	for (size_t i = 0; i < shown; i++) {
		fill_amounts(page, table, &model->objects[i].amounts, &model->amounts);
		table_cell(table, "FILE", TABLE_NAME, model->objects[i].path);
	}
	table_print(table, page->out);
	print_rest(page, shown, model->object_count);
}

/** A section and the file it is of. */
struct row {
	const struct smaps_section *section;
	const struct smaps_object *object;
};

static int compare_rows(const void *a, const void *b, void *key)
{
	const struct row *left = a, *right = b;
	uint64_t more, less;

	smaps_amount(&left->section->amounts, *(enum smaps_key *)key, &more);
	smaps_amount(&right->section->amounts, *(enum smaps_key *)key, &less);
	if (more == less) {
		more = left->section->amounts.bytes[SMAPS_RSS];
		less = right->section->amounts.bytes[SMAPS_RSS];
	}
	if (more != less)
		return more > less ? -1 : 1;

	int order = strcmp(left->object->path, right->object->path);

	return order ? order : strcmp(left->section->name, right->section->name);
}

static void print_grains(struct page *page, const struct smaps_model *model)
{
	size_t counts[SMAPS_GRAIN_SEGMENT + 1] = { 0 };

	for (size_t i = 0; i < model->object_count; i++)
		for (size_t j = 0; j < model->objects[i].section_count; j++)
			counts[model->objects[i].sections[j].grain]++;
	if (counts[SMAPS_GRAIN_SEGMENT] == 0)
		return;
	fprintf(page->out, "  %s row%s \"A to B\": %s sections share mappings, and %s\n",
		figure_number(&page->arena, counts[SMAPS_GRAIN_SEGMENT]),
		figure_plural(counts[SMAPS_GRAIN_SEGMENT]),
		counts[SMAPS_GRAIN_SEGMENT] == 1 ? "its" : "their",
		model->has_pages ? "the page table did not agree with smaps (the process went on)"
				 : "only the page table of a running process tells them apart");
}

static void print_sections(struct page *page, const struct smaps_model *model)
{
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	enum smaps_key key = page->options->key;
	size_t count = 0;

	for (size_t i = 0; i < model->object_count; i++)
		count += model->objects[i].section_count;

	struct row *rows = arena_array(&page->arena, count + 1, sizeof(*rows));
	size_t shown = limit(page, count), at = 0;

	for (size_t i = 0; i < model->object_count; i++)
		for (size_t j = 0; j < model->objects[i].section_count; j++)
			rows[at++] =
				(struct row){ &model->objects[i].sections[j], &model->objects[i] };
	qsort_r(rows, count, sizeof(*rows), compare_rows, &key);
	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\nBy section");
	for (size_t i = 0; i < shown; i++) {
		fill_amounts(page, table, &rows[i].section->amounts, &model->amounts);
		table_cell(table, "SECTION", TABLE_LEFT, rows[i].section->name);
		table_cell(table, "FILE", TABLE_NAME, rows[i].object->path);
	}
	table_print(table, page->out);
	print_rest(page, shown, count);
	print_grains(page, model);
}

static bool finish(struct page *page, FILE *out)
{
	arena_deinit(&page->arena);
	return fold_close(page->out, out);
}

bool render_smaps_text(const struct smaps_model *model, const struct smaps_text_options *options,
		       const struct terminal *terminal, FILE *out)
{
	struct page page = { .options = options,
			     .terminal = terminal,
			     .out = fold_open(out, terminal) };

	choose_columns(&page, &model->amounts);
	print_sums(&page, model);
	print_processes(&page, model);
	print_objects(&page, model);
	print_sections(&page, model);
	table_notes(page.out, terminal, &model->notes, "  ");
	return finish(&page, out);
}

// ---- Comparison -------------------------------------------------------------------------------

static const char *signed_size(struct page *page, int64_t change)
{
	const char *text = size(page, (uint64_t)llabs(change));

	return change == 0 ? "=" : arena_printf(&page->arena, "%c%s", change > 0 ? '+' : '-', text);
}

static void fill_side(struct page *page, struct table *table, const char *heading,
		      const struct smaps_amounts *amounts)
{
	uint64_t bytes = 0;

	if (!amounts)
		table_cell(table, heading, TABLE_RIGHT, "");
	else if (!smaps_amount(amounts, page->options->key, &bytes))
		table_cell(table, heading, TABLE_RIGHT, "?");
	else
		table_figure_or_dash(table, heading, TABLE_BYTES, bytes);
}

static void fill_pair(struct page *page, struct table *table, const struct smaps_pair *pair)
{
	table_begin_row(table);
	fill_side(page, table, "BEFORE", pair->before);
	fill_side(page, table, "AFTER", pair->after);
	for (size_t i = 0; i < page->column_count; i++) {
		int64_t change;
		bool is_known = smaps_pair_change(pair, page->columns[i], &change);

		table_cell(table, heading_of(page, page->columns[i]), TABLE_RIGHT,
			   is_known ? signed_size(page, change) : "?");
	}
	if (pair->section)
		table_cell(table, "SECTION", TABLE_LEFT, pair->section);
	table_cell(table, "FILE", TABLE_NAME, pair->object);
}

static void print_pairs(struct page *page, const char *heading, const struct smaps_pair *pairs,
			size_t count)
{
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	size_t shown = limit(page, count);

	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\n%s", heading);
	for (size_t i = 0; i < shown; i++)
		fill_pair(page, table, &pairs[i]);
	table_print(table, page->out);
	print_rest(page, shown, count);
}

static void print_diff_head(struct page *page, const struct smaps_comparison *comparison)
{
	const struct smaps_pair whole = {
		.object = "all",
		.before = &comparison->before->amounts,
		.after = &comparison->after->amounts,
	};
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	CLEANUP(strbuf_deinit) struct strbuf before = { 0 }, after = { 0 };

	escape_terminal(&before, comparison->before->source);
	escape_terminal(&after, comparison->after->source);
	fprintf(page->out, "%sfrom %s to %s%s: %s before and after, and how much more of each\n",
		terminal_start(page->terminal, TERMINAL_BOLD), strbuf_text(&before),
		strbuf_text(&after), terminal_end(page->terminal),
		smaps_key_word(page->options->key));
	fill_pair(page, table, &whole);
	table_print(table, page->out);
}

bool render_smaps_diff_text(const struct smaps_comparison *comparison,
			    const struct smaps_text_options *options,
			    const struct terminal *terminal, FILE *out)
{
	struct page page = { .options = options,
			     .terminal = terminal,
			     .out = fold_open(out, terminal) };
	struct smaps_amounts both = comparison->before->amounts;

	smaps_amounts_add(&both, &comparison->after->amounts);
	choose_columns(&page, &both);
	print_diff_head(&page, comparison);
	print_pairs(&page, "By file, what changed most first", comparison->objects,
		    comparison->object_count);
	print_pairs(&page, "By section, what changed most first", comparison->sections,
		    comparison->section_count);
	table_notes(page.out, terminal, &comparison->before->notes, "  ");
	table_notes(page.out, terminal, &comparison->after->notes, "  ");
	return finish(&page, out);
}
