// SPDX-License-Identifier: Apache-2.0
// One object of the answer, for a person.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "model/data.h"

#include <string.h>

enum { SPECK_OF = 1000 };

/** The pages that @section spans; 0: unknown. */
static uint64_t section_pages(const struct model *model, const struct model_section *section)
{
	uint64_t page = model->trace.page_size;

	if (section->size == 0 || page == 0)
		return 0;
	uint64_t pages = section->size / page + (section->size % page > 0);

	// A section that starts within a page reaches into one more.
	return pages > section->pages ? pages : section->pages;
}

/** Describe a wait in .bss, which has no bytes in the file. */
static void print_tail_waits(struct text *text, const struct model_data *data)
{
	uint64_t major = 0;

	for (size_t i = 0; data && i < data->page_count; i++)
		if (data->pages[i].cause == MODEL_DATA_ZEROED_TAIL && data->pages[i].section &&
		    strcmp(data->pages[i].section, ".bss") == 0)
			major += data->pages[i].count.major;
	if (major > 0)
		terminal_line(text->out, text->terminal, TERMINAL_DIM,
			      "  %s in .bss waited for the last page of .data, whose rest is "
			      "zeroed",
			      text_plural(text, major, "fault", "faults"));
}

static void print_sections(struct text *text, const struct model_object *object)
{
	const struct model *model = text->model;
	uint64_t cut_faults = 0;

	if (!object->is_elf || object->section_count == 0)
		return;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < object->section_count; i++) {
		const struct model_section *section = &model->sections[object->sections[i]];

		if (i >= text->top) {
			cut_faults += section->count.faults;
			continue;
		}
		text_place_cells(text, table, &section->count, &object->count);
		table_figure(table, "pages", TABLE_NUMBER, section->pages);
		table_figure_or_dash(table, "of", TABLE_NUMBER, section_pages(model, section));
		for (enum model_access a = 0; a < MODEL_ACCESSES; a++)
			if (object->by_access[a] > 0)
				table_figure_or_dash(table, model_access_name(a), TABLE_NUMBER,
						     text->section_access[object->sections[i]][a]);
		table_cell(table, "section", TABLE_NAME, section->name ?: "(unknown)");
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	if (object->section_count > text->top)
		text_cut(text, "section", object->section_count - text->top, cut_faults,
			 object->count.faults);
	print_tail_waits(text, object->data);
}

/**
 * Whether the row at @index, of @faults faults, is left out. Hundreds of symbols touched once each
 * say nothing by their names; the line that counts what was cut says it all.
 */
static bool is_cut(const struct text *text, const struct model_count *whole, size_t index,
		   uint64_t faults)
{
	return index >= text->top || (text->hide_specks && faults <= 1 && whole->faults > SPECK_OF);
}

static void print_symbols(struct text *text, const struct model_object *object)
{
	const struct model *model = text->model;
	uint64_t cut_rows = 0, cut_faults = 0;

	if (object->symbol_count == 0)
		return;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < object->symbol_count; i++) {
		const struct model_symbol *symbol = &model->symbols[object->symbols_touched[i]];
		const char *section = symbol->section == MODEL_NONE
					      ? NULL
					      : model->sections[symbol->section].name;

		if (is_cut(text, &object->count, i, symbol->count.faults)) {
			cut_rows++;
			cut_faults += symbol->count.faults;
			continue;
		}
		text_place_cells(text, table, &symbol->count, &object->count);
		table_figure_or_dash(table, "size", TABLE_BYTES, symbol->size);
		table_cell(table, "section", TABLE_SHORT, section ?: "(unknown)");
		table_cell(table, "what was touched", TABLE_NAME, symbol->name ?: "(no name)");
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	text_cut(text, "symbol", cut_rows, cut_faults, object->count.faults);
}

struct touchers {
	const char *heading;
	const struct model_toucher *rows;
	size_t count;
	const struct model_count *whole; // 100%
};

/** A table of functions. */
static void put_touchers(struct text *text, const struct touchers *touchers)
{
	const struct model *model = text->model;
	const struct model_count *whole = touchers->whole;
	uint64_t cut_rows = 0, cut_faults = 0;

	if (touchers->count == 0)
		return;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	for (size_t i = 0; i < touchers->count; i++) {
		const struct model_toucher *toucher = &touchers->rows[i];
		const struct model_function *function =
			toucher->function == MODEL_NONE ? NULL
							: &model->functions[toucher->function];

		if (is_cut(text, whole, i, toucher->count.faults)) {
			cut_rows++;
			cut_faults += toucher->count.faults;
			continue;
		}
		text_count_cells(text, table, &toucher->count, whole);
		table_cell(table, "in", TABLE_SHORT,
			   function && function->object != MODEL_NONE
				   ? text->labels[function->object]
				   : "-");
		table_cell(table, touchers->heading, TABLE_NAME,
			   function && function->name ? function->name : "(no name)");
	}
	fputc('\n', text->out);
	table_print(table, text->out);
	text_cut(text, "function", cut_rows, cut_faults, whole->faults);
}

void text_blame(struct text *text, const struct model_toucher *rows, size_t count,
		const struct model_count *whole)
{
	uint64_t blamed = 0;

	// Without stacks it says nothing that the table of functions does not.
	if (!text->model->trace.has_stacks || count == 0)
		return;
	put_touchers(text, &(struct touchers){ "blame: first outside libc and the like", rows,
					       count, whole });
	for (size_t i = 0; i < count; i++)
		blamed += rows[i].count.faults;
	if (blamed < whole->faults)
		terminal_line(text->out, text->terminal, TERMINAL_DIM,
			      "  %s (%s) %s no caller to blame: no frame outside libc and the like",
			      text_plural(text, whole->faults - blamed, "fault", "faults"),
			      figure_percent(&text->arena, whole->faults - blamed, whole->faults),
			      whole->faults - blamed == 1 ? "has" : "have");
}

static void print_facts(struct text *text, const struct model_object *object)
{
	FILE *out = text->out;
	const struct terminal *terminal = text->terminal;

	fprintf(out, "  %s (%s): %s minor, %s major",
		text_plural(text, object->count.faults, "fault", "faults"),
		figure_percent(&text->arena, object->count.faults, text->model->counts.recorded),
		figure_number(&text->arena, object->count.faults - object->count.major),
		figure_number(&text->arena, object->count.major));
	if (object->count.own_ns > 0)
		fprintf(out, "; %s", table_time(&text->arena, terminal, object->count.own_ns));
	if (object->count.read_pages > 0)
		fprintf(out, "; %s read",
			figure_size(&text->arena, model_read_bytes(text->model, &object->count)));
	fputc('\n', out);
	if (object->is_elf) {
		fputs("  ", out);
		if (object->size > 0)
			fprintf(out, "%s, ", figure_size(&text->arena, object->size));
		fprintf(out, "build-id %s, ",
			object->build_id ? text_safe(text, object->build_id) : "none");
		fprintf(out, "names from %s", object->symbols);
		if (object->source_of_symbols)
			fprintf(out, " %s", text_safe(text, object->source_of_symbols));
		fputc('\n', out);
	}
	if (object->is_elf && !object->was_read)
		text_alert(text, "  the file could not be read; sections and names unavailable");
	if (object->is_forced)
		text_alert(text, "  --force: this is not the recorded build; names may be wrong");
}

/** How close together lies what ran; one function alone is in no order. */
static void print_order(struct text *text, const struct model_object *object)
{
	struct model_order order = { 0 };

	size_t at = (size_t)(object - text->model->objects);

	if (text->localities)
		order = locality_order(&text->localities->objects[at]);
	else if (text->model->orders)
		order = text->model->orders[at];
	if (order.function_count < 2 || order.area == 0)
		return;
	fprintf(text->out,
		"  order      %s functions seen to run on %s, area %s, packing %.2f; %s\n",
		figure_number(&text->arena, order.function_count),
		text_plural(text, order.code_pages, "code page", "code pages"),
		figure_number(&text->arena, order.area),
		(double)order.least_area / (double)order.area,
		text_plural(text, order.random_steps, "random step", "random steps"));
}

static void print_breakdown(struct text *text, const struct model_object *object)
{
	const char *mechanisms =
		text_shares(text, object->by_mechanism, MODEL_MECHANISMS, text_mechanism_name);
	const char *accesses =
		text_shares(text, object->by_access, MODEL_ACCESSES, text_access_name);

	if (mechanisms)
		fprintf(text->out, "  mechanism  %s\n", mechanisms);
	if (accesses)
		fprintf(text->out, "  access     %s\n", accesses);
	print_order(text, object);
	if (object->initializer_count > 0)
		fprintf(text->out, "  %s before main\n",
			text_plural(text, object->initializer_count, "function runs",
				    "functions run"));
}

void text_object(struct text *text, const struct model_object *object)
{
	const struct terminal *terminal = text->terminal;
	const char *label = text->labels[object - text->model->objects];

	fprintf(text->out, "\n%s%s%s", terminal_start(terminal, TERMINAL_BOLD),
		text_safe(text, label), terminal_end(terminal));
	if (label != object->path)
		fprintf(text->out, "  %s%s%s", terminal_start(terminal, TERMINAL_DIM),
			text_safe(text, object->path), terminal_end(terminal));
	fputc('\n', text->out);
	print_facts(text, object);
	print_breakdown(text, object);
	text_object_initiators(text, object);
	print_sections(text, object);
	put_touchers(text, &(struct touchers){ "who touched it", object->touchers,
					       object->toucher_count, &object->count });
	text_blame(text, object->blamed, object->blamed_count, &object->count);
	print_symbols(text, object);
	text_relocation(text, object->relocation);
	text_data(text, object->data, &object->count);
}
