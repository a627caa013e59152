// SPDX-License-Identifier: Apache-2.0
// First touches of an object's data, for a person.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/data.h"

#include <inttypes.h>

static void print_summary(struct text *text, const struct model_data *data)
{
	const uint64_t *pages = data->pages_of;
	const char *separator = "";

	fprintf(text->out, "\n  %sData%s: ", terminal_start(text->terminal, TERMINAL_BOLD),
		terminal_end(text->terminal));
	if (pages[MODEL_DATA_WRITTEN] > 0) {
		fprintf(text->out, "%s copied on write",
			text_plural(text, pages[MODEL_DATA_WRITTEN], "page", "pages"));
		separator = "; ";
	}
	if (data->bss_pages_touched > 0) {
		fprintf(text->out, "%s%s of %s of .bss touched", separator,
			figure_number(&text->arena, data->bss_pages_touched),
			text_plural(text, data->bss_pages, "page", "pages"));
		separator = "; ";
	}
	if (pages[MODEL_DATA_ZEROED_TAIL] > 0)
		fprintf(text->out, "%sthe page shared by .data and .bss copied to zero %s",
			separator, figure_size(&text->arena, data->tail_bytes));
	fputc('\n', text->out);
}

/** "counter (written), table (read) and 12 more": what was touched, and how much is beside it. */
static void describe_symbols(const struct model_data_page *page, struct strbuf *buf)
{
	size_t named = 0;

	strbuf_clear(buf);
	for (size_t i = 0; i < page->symbol_count && page->symbols[i].faults > 0; i++, named++)
		strbuf_printf(buf, "%s%s%s", named > 0 ? ", " : "", page->symbols[i].name,
			      page->symbols[i].writes > 0 ? " (written)" : " (read)");
	if (page->symbols_on_page > named)
		strbuf_printf(buf, "%s%zu %s", named > 0 ? "; next to " : "one of ",
			      page->symbols_on_page - named,
			      page->symbols_on_page - named == 1 ? "symbol" : "symbols");
}

static void print_pages(struct text *text, const struct model_data *data,
			const struct model_count *whole)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t shown = data->page_count < text->top ? data->page_count : text->top;
	uint64_t cut_faults = 0;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	if (shown > 0)
		fputc('\n', text->out);
	for (size_t i = 0; i < data->page_count; i++) {
		const struct model_data_page *page = &data->pages[i];

		if (i >= shown) {
			cut_faults += page->count.faults;
			continue;
		}
		describe_symbols(page, &buf);
		table_begin_row(table);
		table_figure(table, "faults", TABLE_NUMBER, page->count.faults);
		table_cellf(table, "page", TABLE_LEFT, "0x%" PRIx64, page->vaddr);
		table_cell(table, "section", TABLE_SHORT, page->section ?: "-");
		table_cell(table, "cause", TABLE_LEFT, model_data_cause_name(page->cause));
		table_cell(table, "what was touched", TABLE_NAME,
			   buf.length > 0 ? strbuf_text(&buf) : "-");
	}
	table_print(table, text->out);
	text_cut(text, "page", data->page_count - shown, cut_faults, whole->faults);
}

void text_data(struct text *text, const struct model_data *data, const struct model_count *whole)
{
	if (!data || data->pages_of[MODEL_DATA_WRITTEN] + data->bss_pages_touched +
				     data->pages_of[MODEL_DATA_ZEROED_TAIL] ==
			     0)
		return;
	print_summary(text, data);
	print_pages(text, data, whole);
}
