// SPDX-License-Identifier: Apache-2.0
// `elfault map BEFORE AFTER` for people: the difference in size, and what makes it.
#include "render/map.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "render/escape.h"
#include "render/table/fold.h"
#include "render/table/table.h"

#include <math.h>
#include <string.h>

/** The page that the text goes to, and helpers to write it. */
struct page {
	const struct mapdiff *diff;
	const struct map_text_options *options;
	const struct terminal *terminal;
	FILE *out;
	struct arena arena; // of short texts
};

static void print_side(struct page *page, enum mapdiff_side side)
{
	const struct map_model *file = page->diff->files[side];
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };

	escape_terminal(&path, file->path);
	fprintf(page->out, "%s  %s  (%s, %s, symbols: %s)\n",
		side == MAPDIFF_BEFORE ? "before" : "after ", strbuf_text(&path), file->type,
		file->machine, file->symbols_from);
}

/** "+1.2 KiB", "="; of numbers "+12". */
static const char *change(struct page *page, const uint64_t *sides, bool is_size)
{
	bool is_more = sides[MAPDIFF_AFTER] > sides[MAPDIFF_BEFORE];
	uint64_t by = is_more ? sides[MAPDIFF_AFTER] - sides[MAPDIFF_BEFORE]
			      : sides[MAPDIFF_BEFORE] - sides[MAPDIFF_AFTER];
	const char *text =
		is_size ? figure_size(&page->arena, by) : figure_number(&page->arena, by);

	return by == 0 ? "=" : arena_printf(&page->arena, "%c%s", is_more ? '+' : '-', text);
}

/** "-24.2%"; "new", "gone"; "" for no change, or what nobody can tell as a share. */
static const char *percent(struct page *page, const struct mapdiff_row *row, const uint64_t *sides)
{
	const double before = (double)sides[MAPDIFF_BEFORE], after = (double)sides[MAPDIFF_AFTER];

	if (row->count[MAPDIFF_BEFORE] == 0)
		return "new";
	if (row->count[MAPDIFF_AFTER] == 0)
		return "gone";
	if (before == after || before == 0)
		return "";
	return arena_printf(&page->arena, "%+.1f%%", (after - before) * 100 / before);
}

static void print_size(struct page *page)
{
	const uint64_t sizes[] = { page->diff->files[MAPDIFF_BEFORE]->size,
				   page->diff->files[MAPDIFF_AFTER]->size };
	const struct mapdiff_row whole = { .count = { 1, 1 } };
	bool is_more = sizes[MAPDIFF_AFTER] > sizes[MAPDIFF_BEFORE];

	if (sizes[MAPDIFF_BEFORE] == sizes[MAPDIFF_AFTER])
		terminal_line(page->out, page->terminal, TERMINAL_BOLD, "Both files have %s",
			      figure_size(&page->arena, sizes[MAPDIFF_AFTER]));
	else
		terminal_line(page->out, page->terminal, TERMINAL_BOLD, "%s %s (%s): %s -> %s",
			      change(page, sizes, true) + 1, is_more ? "larger" : "smaller",
			      percent(page, &whole, sizes),
			      figure_size(&page->arena, sizes[MAPDIFF_BEFORE]),
			      figure_size(&page->arena, sizes[MAPDIFF_AFTER]));
}

/** Say what no size tells: how many things of the name there are, and whether it was folded. */
static const char *remark(struct page *page, const struct mapdiff_row *row)
{
	const uint64_t *shared = row->shared, *count = row->count;

	if (count[MAPDIFF_BEFORE] > 0 && count[MAPDIFF_AFTER] > 0 &&
	    count[MAPDIFF_BEFORE] != count[MAPDIFF_AFTER])
		return arena_printf(&page->arena, "%s -> %s",
				    figure_number(&page->arena, count[MAPDIFF_BEFORE]),
				    figure_number(&page->arena, count[MAPDIFF_AFTER]));
	if (count[MAPDIFF_BEFORE] == 0 || count[MAPDIFF_AFTER] == 0 ||
	    shared[MAPDIFF_BEFORE] == shared[MAPDIFF_AFTER])
		return "";
	return shared[MAPDIFF_AFTER] > shared[MAPDIFF_BEFORE] ? "folded" : "unfolded";
}

static void fill_row(struct page *page, struct table *table, enum mapdiff_by by,
		     const struct mapdiff_row *row, const char *name)
{
	const bool counts = by == MAPDIFF_BY_RELOCATION;
	const uint64_t *sides = counts ? row->count : row->size;

	table_begin_row(table);
	for (int side = 0; side < MAPDIFF_SIDES; side++)
		table_cell(table, side == MAPDIFF_BEFORE ? "BEFORE" : "AFTER", TABLE_RIGHT,
			   counts ? figure_number(&page->arena, sides[side])
				  : figure_size(&page->arena, sides[side]));
	table_cell(table, "CHANGE", TABLE_RIGHT, change(page, sides, !counts));
	table_cell(table, "%", TABLE_RIGHT, percent(page, row, sides));
	if (by == MAPDIFF_BY_SECTION)
		table_cell(table, "IN MEMORY", TABLE_RIGHT, change(page, row->memory, true));
	if (by == MAPDIFF_BY_SYMBOL) {
		table_cell(table, "", TABLE_LEFT, remark(page, row));
		table_cell(table, "SECTION", TABLE_LEFT, row->section ?: "");
	} else if (!counts) {
		table_cell(table, "", TABLE_LEFT, remark(page, row));
	}
	table_cell(table, "NAME", TABLE_NAME, name);
}

static size_t limit_of(const struct page *page, enum mapdiff_by by)
{
	return by == MAPDIFF_BY_INITIALIZER			  ? page->options->initializer_limit
	       : by == MAPDIFF_BY_SYMBOL || by == MAPDIFF_BY_UNIT ? page->options->symbol_limit
								  : SIZE_MAX;
}

static void print_table(struct page *page, enum mapdiff_by by, const char *heading)
{
	const struct mapdiff_table *rows = &page->diff->tables[by];
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	size_t limit = limit_of(page, by);
	size_t shown = rows->row_count < limit ? rows->row_count : limit;

	if (rows->row_count == 0)
		return;
	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\n%s", heading);
	array_foreach (row, rows->rows, shown)
		fill_row(page, table, by, row, row->name);
	fill_row(page, table, by, &rows->total, "total, with what does not differ");
	table_print(table, page->out);
	if (shown < rows->row_count)
		fprintf(page->out, "  %s more: --%s all\n",
			figure_number(&page->arena, rows->row_count - shown),
			by == MAPDIFF_BY_INITIALIZER ? "initializers" : "symbols");
}

static bool differs(const struct mapdiff *diff)
{
	for (int by = 0; by < MAPDIFF_TABLES; by++)
		if (diff->tables[by].row_count > 0)
			return true;
	return false;
}

/** Relocation tables' form and binding: words, not rows. */
static void print_linking(struct page *page)
{
	const struct map_model *before = page->diff->files[MAPDIFF_BEFORE];
	const struct map_model *after = page->diff->files[MAPDIFF_AFTER];
	const char *was = before->relocations.encoding ?: "none";
	const char *is = after->relocations.encoding ?: "none";

	if (strcmp(was, is) != 0)
		fprintf(page->out, "relocations are encoded as %s, %s before\n", is, was);
	if (before->pages_written_by_relocation != after->pages_written_by_relocation)
		fprintf(page->out, "relocation writes %s -> %s pages\n",
			figure_number(&page->arena, before->pages_written_by_relocation),
			figure_number(&page->arena, after->pages_written_by_relocation));
	if (before->bind_now != after->bind_now)
		fprintf(page->out, "names are bound %s\n",
			after->bind_now ? "at load (-z now), at their first call before"
					: "at their first call, at load (-z now) before");
}

bool render_mapdiff_text(const struct mapdiff *diff, const struct map_text_options *options,
			 const struct terminal *terminal, FILE *out)
{
	struct page page = { .diff = diff,
			     .options = options,
			     .terminal = terminal,
			     .out = fold_open(out, terminal) };

	print_side(&page, MAPDIFF_BEFORE);
	print_side(&page, MAPDIFF_AFTER);
	print_size(&page);
	print_linking(&page);
	if (!differs(diff))
		fprintf(page.out, "No differences in sections, compile units, symbols, "
				  "relocations or initializers.\n");
	print_table(&page, MAPDIFF_BY_SECTION, "Sections");
	print_table(&page, MAPDIFF_BY_UNIT, "Code by compile unit");
	print_table(&page, MAPDIFF_BY_SYMBOL, "Symbols");
	print_table(&page, MAPDIFF_BY_RELOCATION, "Relocations");
	print_table(&page, MAPDIFF_BY_INITIALIZER, "Initializers");
	table_notes(page.out, terminal, &diff->files[MAPDIFF_BEFORE]->notes, "  ");
	table_notes(page.out, terminal, &diff->files[MAPDIFF_AFTER]->notes, "  ");
	arena_deinit(&page.arena);
	return fold_close(page.out, out);
}
