// SPDX-License-Identifier: Apache-2.0
// `elfault map` for people: what loading will cost first, then the layout.
#include "render/map.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "render/table/fold.h"
#include "base/strbuf.h"
#include "render/escape.h"
#include "render/table/table.h"

#include <inttypes.h>

/** The page that the text goes to, and helpers to write it. */
struct page {
	const struct map_model *model;
	const struct terminal *terminal;
	FILE *out;
	struct arena arena; // of short texts
};

static const char *number(struct page *page, uint64_t value)
{
	return figure_number(&page->arena, value);
}

static const char *size(struct page *page, uint64_t value)
{
	return figure_size(&page->arena, value);
}

/** A fact of the head, left out where the file has none. */
static void print_fact(struct page *page, const char *label, const char *value)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	if (!value)
		return;
	escape_terminal(&text, value);
	fprintf(page->out, "  %-12s %s\n", label, strbuf_text(&text));
}

static void print_head(struct page *page)
{
	const struct map_model *model = page->model;
	struct strbuf path = { 0 };

	escape_terminal(&path, model->path);
	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "%s", strbuf_text(&path));
	strbuf_deinit(&path);
	fprintf(page->out, "  %-12s %s, %s%s, %s\n", "file", model->type, model->machine,
		model->is_static_pie ? ", static PIE" : "", size(page, model->size));
	print_fact(page, "soname", model->soname);
	print_fact(page, "interpreter", model->interpreter);
	print_fact(page, "build-id", model->build_id);
	fprintf(page->out, "  %-12s %s (%s)\n", "symbols", number(page, model->symbol_total),
		model->symbols_from);
}

static uint64_t relocation_total(const struct map_relocations *relocations)
{
	return relocations->relative + relocations->symbolic + relocations->irelative +
	       relocations->tls + relocations->copy + relocations->jump_slot;
}

static void print_relocation_class(struct page *page, const char *name, uint64_t count,
				   bool *is_first)
{
	if (!count)
		return;
	fprintf(page->out, "%s%s %s", *is_first ? "" : ", ", number(page, count), name);
	*is_first = false;
}

static void print_cost(struct page *page)
{
	const struct map_model *model = page->model;
	const struct map_relocations *relocations = &model->relocations;
	uint64_t total = relocation_total(relocations);
	bool is_first = true;

	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\nWhat loading it costs");
	fprintf(page->out, "  %-12s %s", "relocations", number(page, total));
	if (total) {
		fprintf(page->out, " (");
		print_relocation_class(page, "relative", relocations->relative, &is_first);
		print_relocation_class(page, "symbolic", relocations->symbolic, &is_first);
		print_relocation_class(page, "irelative", relocations->irelative, &is_first);
		print_relocation_class(page, "tls", relocations->tls, &is_first);
		print_relocation_class(page, "copy", relocations->copy, &is_first);
		print_relocation_class(page, "jump slot", relocations->jump_slot, &is_first);
		fprintf(page->out, ") from %s of tables, %s", size(page, relocations->table_bytes),
			relocations->encoding);
	}
	fprintf(page->out, "\n  %-12s %s page%s of %s (%s of memory no longer shared)\n", "written",
		number(page, model->pages_written_by_relocation),
		figure_plural(model->pages_written_by_relocation), size(page, model->page_size),
		size(page, model->pages_written_by_relocation * model->page_size));
	fprintf(page->out, "  %-12s %s initializer%s\n", "runs",
		number(page, model->initializer_count), figure_plural(model->initializer_count));
	fprintf(page->out, "  %-12s %s\n", "binding",
		model->bind_now ? "now: every symbol is looked up at load"
				: "lazy: functions are looked up at their first call");
	if (model->relro_bytes)
		fprintf(page->out, "  %-12s %s made read-only after relocation\n", "relro",
			size(page, model->relro_bytes));
}

static void cell_hex(struct table *table, const char *heading, bool is_there, uint64_t value)
{
	if (is_there)
		table_figure(table, heading, TABLE_HEX, value);
	else
		table_cell(table, heading, TABLE_RIGHT, "");
}

static void print_owner_counts(struct table *table, const struct map_owner *owner)
{
	table_figure(table, "RELOCATIONS", TABLE_NUMBER, owner->relocations);
	table_figure(table, "PAGES", TABLE_NUMBER, owner->pages);
	table_figure(table, "ALONE", TABLE_NUMBER, owner->pages_alone);
}

static void print_more(struct page *page, size_t count, size_t limit)
{
	if (count > limit)
		fprintf(page->out, "  %s more: --symbols all\n", number(page, count - limit));
}

static void print_owners(struct page *page, size_t limit)
{
	const struct map_owners *owners = &page->model->owners;
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);

	terminal_line(
		page->out, page->terminal, TERMINAL_BOLD,
		"\nOwners of relocations, and the pages that they write, alone or beside others");
	array_foreach (owner, owners->rows, owners->count < limit ? owners->count : limit) {
		table_begin_row(table);
		print_owner_counts(table, owner);
		table_cell(table, "SECTION", TABLE_LEFT, owner->section ?: "");
		if (owner->name)
			table_cell(table, "OWNER", TABLE_NAME, owner->name);
		else
			table_cellf(table, "OWNER", TABLE_NAME, "[%s]", owner->kind);
		table_cell(table, "SOURCE", TABLE_NAME, owner->source ?: "");
	}
	table_print(table, page->out);
	print_more(page, owners->count, limit);
}

/** Owners added up by what is called @column. */
static void print_sums(struct page *page, const char *heading, const char *column,
		       const struct map_owners *sums, size_t limit)
{
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);

	if (sums->count == 0)
		return;
	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\n%s", heading);
	array_foreach (sum, sums->rows, sums->count < limit ? sums->count : limit) {
		table_begin_row(table);
		print_owner_counts(table, sum);
		table_cell(table, column, TABLE_NAME, sum->name);
	}
	table_print(table, page->out);
	print_more(page, sums->count, limit);
}

static void print_mmaps(struct page *page)
{
	const struct map_model *model = page->model;
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);

	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\nMapped, in this order");
	array_foreach (mmap, model->mmaps, model->mmap_count) {
		table_begin_row(table);
		table_figure(table, "VADDR", TABLE_HEX, mmap->vaddr);
		table_figure(table, "SIZE", TABLE_BYTES, mmap->size);
		if (mmap->has_offset)
			table_figure(table, "FILE OFFSET", TABLE_HEX, mmap->offset);
		else
			table_cell(table, "FILE OFFSET", TABLE_RIGHT, "anonymous");
		table_cell(table, "PROTECTION", TABLE_LEFT, mmap->protection);
	}
	table_print(table, page->out);
}

static void print_initializers(struct page *page, size_t limit)
{
	const struct map_model *model = page->model;
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	size_t count = model->initializer_count < limit ? model->initializer_count : limit;

	if (!count)
		return;
	terminal_line(page->out, page->terminal, TERMINAL_BOLD,
		      "\nInitializers, in the order they run");
	array_foreach (initializer, model->initializers, count) {
		table_begin_row(table);
		table_cellf(table, "ENTRY", TABLE_LEFT, "%s[%" PRIu32 "]", initializer->array,
			    initializer->index);
		cell_hex(table, "OFFSET", initializer->has_offset, initializer->offset);
		table_cell(table, "SIZE", TABLE_RIGHT,
			   initializer->has_size ? size(page, initializer->size) : "");
		if (initializer->package || initializer->function)
			table_cell(table, "FUNCTION", TABLE_NAME,
				   initializer->package ?: initializer->function);
		else
			table_cellf(table, "FUNCTION", TABLE_NAME, "0x%" PRIx64,
				    initializer->vaddr);
		table_cell(table, "SOURCE", TABLE_NAME, initializer->source ?: "");
	}
	table_print(table, page->out);
	if (count < model->initializer_count)
		fprintf(page->out, "  %s more: --initializers all\n",
			number(page, model->initializer_count - count));
}

static void print_segments(struct page *page)
{
	const struct map_model *model = page->model;
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);

	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\nSegments");
	array_foreach (segment, model->segments, model->segment_count) {
		table_begin_row(table);
		table_cellf(table, "#", TABLE_RIGHT, "%" PRIu32, segment->index);
		table_cell(table, "TYPE", TABLE_LEFT, segment->type);
		table_cell(table, "FLAGS", TABLE_LEFT, segment->flags);
		table_figure(table, "OFFSET", TABLE_HEX, segment->offset);
		table_figure(table, "FILE SIZE", TABLE_BYTES, segment->file_size);
		table_figure(table, "VADDR", TABLE_HEX, segment->vaddr);
		table_figure(table, "MEMORY SIZE", TABLE_BYTES, segment->memory_size);
		table_figure(table, "ALIGN", TABLE_HEX, segment->align);
	}
	table_print(table, page->out);
}

static void print_sections(struct page *page)
{
	const struct map_model *model = page->model;
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);

	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\nSections");
	if (model->section_count == 0)
		fprintf(page->out, "  none: the file has no section headers\n");
	array_foreach (section, model->sections, model->section_count) {
		table_begin_row(table);
		table_cellf(table, "#", TABLE_RIGHT, "%" PRIu32, section->index);
		table_cell(table, "NAME", TABLE_NAME, section->name);
		if (section->has_segment)
			table_cellf(table, "SEGMENT", TABLE_RIGHT, "%" PRIu32, section->segment);
		else
			table_cell(table, "SEGMENT", TABLE_RIGHT, "");
		table_cell(table, "FLAGS", TABLE_LEFT, section->flags);
		cell_hex(table, "OFFSET", section->has_offset, section->offset);
		cell_hex(table, "VADDR", section->has_vaddr, section->vaddr);
		table_figure(table, "SIZE", TABLE_BYTES, section->size);
		table_cell(table, "PAGES", TABLE_RIGHT,
			   section->pages ? number(page, section->pages) : "");
	}
	table_print(table, page->out);
}

static void print_symbols(struct page *page)
{
	const struct map_model *model = page->model;
	CLEANUP(table_destroyp) struct table *table = table_create(page->terminal);
	bool has_all = model->symbol_count == model->symbol_total;

	if (!model->symbol_count)
		return;
	terminal_line(page->out, page->terminal, TERMINAL_BOLD, "\n%s",
		      has_all ? "Symbols" : "Largest symbols");
	array_foreach (symbol, model->symbols, model->symbol_count) {
		table_begin_row(table);
		table_figure(table, "SIZE", TABLE_BYTES, symbol->size);
		table_figure(table, "VADDR", TABLE_HEX, symbol->vaddr);
		cell_hex(table, "OFFSET", symbol->has_offset, symbol->offset);
		table_cell(table, "SECTION", TABLE_LEFT, symbol->section ?: "");
		table_cell(table, "NAME", TABLE_NAME, symbol->name);
	}
	table_print(table, page->out);
	if (!has_all)
		fprintf(page->out, "  %s more: --symbols all\n",
			number(page, model->symbol_total - model->symbol_count));
}

static void print_layout(struct page *page, const struct map_text_options *options)
{
	print_mmaps(page);
	print_initializers(page, options->initializer_limit);
	print_segments(page);
	print_sections(page);
	print_symbols(page);
}

bool render_map_text(const struct map_model *model, const struct map_text_options *options,
		     const struct terminal *terminal, FILE *out)
{
	struct page page = { .model = model,
			     .terminal = terminal,
			     .out = fold_open(out, terminal) };

	print_head(&page);
	print_cost(&page);
	if (model->has_owners) {
		print_owners(&page, options->symbol_limit);
		print_sums(&page, "By outermost namespace or class", "SCOPE", &model->scopes,
			   options->symbol_limit);
		print_sums(&page, "By the file that declares them", "SOURCE", &model->sources,
			   options->symbol_limit);
	} else {
		print_layout(&page, options);
	}
	table_notes(page.out, terminal, &model->notes, "  ");
	arena_deinit(&page.arena);
	return fold_close(page.out, out);
}
