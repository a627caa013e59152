// SPDX-License-Identifier: Apache-2.0
// The cost of relocating an object, as text.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/relocation.h"

enum { NAMES_SHOWN = 4 };

static uint64_t slot_count(const struct model_relocation *relocation)
{
	uint64_t count = 0;

	for (enum model_relocation_class i = 0; i < MODEL_RELOCATION_CLASSES; i++)
		count += relocation->counts[i];
	return count;
}

static void print_written(struct text *text, const struct model_relocation *relocation)
{
	struct arena *arena = &text->arena;

	fprintf(text->out, "\n  %sRelocation%s wrote %s of the %s that hold its %s; %s",
		terminal_start(text->terminal, TERMINAL_BOLD), terminal_end(text->terminal),
		figure_number(arena, relocation->pages_written),
		text_plural(text, relocation->pages_holding, "page", "pages"),
		text_plural(text, slot_count(relocation), "slot", "slots"),
		text_plural(text, relocation->relocation.faults, "fault", "faults"));
	if (relocation->relocation.own_ns > 0)
		fprintf(text->out, ", %s",
			table_time(arena, text->terminal, relocation->relocation.own_ns));
	fputc('\n', text->out);
	if (relocation->relro_pages > 0)
		fprintf(text->out, "    RELRO    %s of %s written\n",
			figure_number(arena, relocation->relro_pages_written),
			text_plural(text, relocation->relro_pages, "page", "pages"));
}

/** The tables of one kind together: bytes, pages, and what came into memory for which faults. */
static void print_tables(struct text *text, const struct model_relocation *relocation,
			 bool is_lookup, const char *heading)
{
	uint64_t size = 0, pages = 0, mapped = 0, faults = 0;
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };

	array_foreach (table, relocation->tables, relocation->table_count) {
		if (table->is_lookup != is_lookup)
			continue;
		size += table->size;
		pages += table->pages;
		mapped += table->pages_mapped;
		faults += table->faults;
		strbuf_printf(&names, "%s%s", names.length > 0 ? ", " : "", table->name);
	}
	if (pages > 0)
		fprintf(text->out, "    %s%s on %s, %s mapped by %s (%s)\n", heading,
			figure_size(&text->arena, size), text_plural(text, pages, "page", "pages"),
			figure_number(&text->arena, mapped),
			text_plural(text, faults, "fault", "faults"),
			text_safe(text, strbuf_text(&names)));
}

static void print_names(struct text *text, const struct model_relocation *relocation)
{
	// Most were looked up once when a fault happened: a few are enough to see what they are.
	size_t shown = text->top == SIZE_MAX || relocation->lookup_count < NAMES_SHOWN
			       ? relocation->lookup_count
			       : NAMES_SHOWN;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	uint64_t cut_faults = 0;

	for (size_t i = 0; i < relocation->lookup_count; i++) {
		const struct model_lookup *lookup = &relocation->lookups[i];

		if (i >= shown) {
			cut_faults += lookup->faults;
			continue;
		}
		table_begin_row(table);
		table_figure(table, "faults", TABLE_NUMBER, lookup->faults);
		table_cell(table, "name looked up", TABLE_NAME, lookup->name);
	}
	if (shown > 0)
		fputc('\n', text->out);
	table_print(table, text->out);
	text_cut(text, "name", relocation->lookup_count - shown, cut_faults,
		 relocation->lookup.faults);
}

static void print_sections(struct text *text, const struct model_relocation *relocation)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t shown =
		relocation->section_count < text->top ? relocation->section_count : text->top;

	if (shown > 0)
		fputc('\n', text->out);
	array_foreach (section, relocation->sections, shown) {
		table_begin_row(table);
		table_figure(table, "written", TABLE_NUMBER, section->pages_written);
		table_figure(table, "of pages", TABLE_NUMBER, section->pages_holding);
		table_figure(table, "relocations", TABLE_NUMBER, section->relocations);
		table_cell(table, "relocated section", TABLE_NAME, section->name);
	}
	table_print(table, text->out);
}

/** Whether linking this way would save faults. */
static bool is_gain(const struct model_relink *relink)
{
	return relink->applies &&
	       (relink->table_pages < 0 || relink->written_pages < 0 || relink->lookups < 0);
}

static void print_gain(struct text *text, int64_t change, const char *one, const char *many,
		       const char **separator)
{
	if (change >= 0)
		return;
	// The magnitude of the smallest number does not fit its type.
	uint64_t saved = -(uint64_t)change;
	fprintf(text->out, "%s%s fewer %s", *separator, figure_number(&text->arena, saved),
		saved == 1 ? one : many);
	*separator = ", ";
}

static void print_relinks(struct text *text, const struct model_relocation *relocation)
{
	array_foreach (relink, relocation->relinks, relocation->relink_count) {
		const char *separator = "";

		if (!is_gain(relink))
			continue;
		fprintf(text->out, "    with %s: ", text_safe(text, relink->option));
		if (relink->table_bytes < 0) {
			uint64_t saved = -(uint64_t)relink->table_bytes;

			fprintf(text->out, "tables of %s instead of %s",
				figure_size(&text->arena, saved < relocation->table_bytes
								  ? relocation->table_bytes - saved
								  : 0),
				figure_size(&text->arena, relocation->table_bytes));
			separator = ", ";
		}
		print_gain(text, relink->table_pages, "page of tables", "pages of tables",
			   &separator);
		print_gain(text, relink->written_pages, "page written", "pages written",
			   &separator);
		print_gain(text, relink->lookups, "lookup", "lookups", &separator);
		fputc('\n', text->out);
	}
}

void text_relocation(struct text *text, const struct model_relocation *relocation)
{
	if (!relocation || relocation->relocation.faults + relocation->lookup.faults == 0)
		return;
	print_written(text, relocation);
	print_tables(text, relocation, false, "tables   ");
	print_tables(text, relocation, true, "symbols  ");
	if (relocation->lookups_at_load > 0)
		fprintf(text->out, "    names    %s looked up at load\n",
			figure_number(&text->arena, relocation->lookups_at_load));
	print_relinks(text, relocation);
	print_sections(text, relocation);
	print_names(text, relocation);
}
