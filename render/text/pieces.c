// SPDX-License-Identifier: Apache-2.0
// Pieces that all parts of the text are made of: names made safe, counts with their nouns, the
// columns that every table starts with.
#include "render/text/text.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "render/escape.h"
#include "render/table/fold.h"

#include <stdlib.h>
#include <string.h>

/** By name, and those of one name by their roots. */
ORDER_OF_POINTERS(compare_names, model_object,
		  strcmp(model_object_name(x), model_object_name(y))
			  ?: order_text(x->root, y->root))

/** Fill labels: file names are enough, except where two files share one. */
static void find_labels(struct text *text)
{
	const struct model *model = text->model;
	size_t count = model->object_count;
	const char **labels = arena_array(&text->arena, count, sizeof(*labels));
	const struct model_object **sorted = arena_array(&text->arena, count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &model->objects[i];
	if (count > 0)
		qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 0; i < count; i++) {
		bool shared = (i > 0 && compare_names(&sorted[i - 1], &sorted[i]) == 0) ||
			      (i + 1 < count && compare_names(&sorted[i], &sorted[i + 1]) == 0);

		const char *name = shared ? sorted[i]->path : model_object_name(sorted[i]);

		labels[sorted[i] - model->objects] =
			model_rooted_name(&text->arena, name, sorted[i]);
	}
	text->labels = labels;
}

struct text text_open(const struct model *model, const struct terminal *terminal, size_t top,
		      FILE *out)
{
	struct text text = {
		.model = model,
		.terminal = terminal,
		.out = fold_open(out, terminal),
		.top = top > 0 ? top : SIZE_MAX,
	};

	find_labels(&text);
	return text;
}

bool text_close(struct text *text, FILE *out)
{
	arena_deinit(&text->arena);
	return fold_close(text->out, out);
}

const char *text_raw_command_line(struct text *text)
{
	const struct model_trace *trace = &text->model->trace;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	for (size_t i = 0; i < trace->command_count; i++) {
		if (i > 0)
			strbuf_putc(&buf, ' ');
		strbuf_put_word(&buf, trace->command[i]);
	}
	return trace->command_count > 0 ? arena_strdup(&text->arena, strbuf_text(&buf))
	       : trace->process		? trace->process
					: "an unknown command";
}

const char *text_command_line(struct text *text)
{
	return text_safe(text, text_raw_command_line(text));
}

void text_alert(struct text *text, const char *line)
{
	size_t indent = strspn(line, " ");

	fprintf(text->out, "%*s", (int)indent, "");
	terminal_line(text->out, text->terminal, TERMINAL_ALERT, "%s", line + indent);
}

const char *text_safe(struct text *text, const char *name)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	escape_terminal(&buf, name);
	return arena_strdup(&text->arena, strbuf_text(&buf));
}

const char *text_joined(struct text *text, const char *line)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	for (const char *at = line; *at; at++) {
		if (*at != '\n') {
			strbuf_putc(&buf, *at);
			continue;
		}
		strbuf_putc(&buf, ' ');
		at += strspn(at + 1, " ");
	}
	return arena_strdup(&text->arena, strbuf_text(&buf));
}

const char *text_mechanism_name(unsigned mechanism)
{
	return model_mechanism_name((enum model_mechanism)mechanism);
}

const char *text_access_name(unsigned access)
{
	return model_access_name((enum model_access)access);
}

const char *text_shares(struct text *text, const uint64_t *counts, size_t count,
			const char *(*name)(unsigned value))
{
	uint64_t whole = 0;
	bool shown[MODEL_MECHANISMS] = { 0 }; // the longest list
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	const char *shares = NULL;

	for (size_t i = 0; i < count; i++)
		whole += counts[i];
	for (;;) {
		size_t best = count;

		for (size_t i = 0; i < count; i++)
			if (!shown[i] && counts[i] > 0 &&
			    (best == count || counts[i] > counts[best]))
				best = i;
		if (best == count)
			break;
		shown[best] = true;
		strbuf_printf(&buf, "%s%s %s (%s)", buf.length > 0 ? ", " : "",
			      name((unsigned)best), figure_number(&text->arena, counts[best]),
			      figure_percent(&text->arena, counts[best], whole));
	}
	if (buf.length > 0)
		shares = arena_strdup(&text->arena, buf.text);
	return shares;
}

const char *text_milliseconds(struct text *text, uint64_t ns)
{
	return table_milliseconds(&text->arena, ns);
}

const char *text_plural(struct text *text, uint64_t count, const char *one, const char *many)
{
	return arena_printf(&text->arena, "%s %s", figure_number(&text->arena, count),
			    count == 1 ? one : many);
}

void text_cut(struct text *text, const char *noun, size_t rows, uint64_t faults, uint64_t whole)
{
	if (rows == 0)
		return;
	terminal_line(text->out, text->terminal, TERMINAL_DIM,
		      "  %s %s more %s%s with %s (%s); --top 0 shows all",
		      terminal_ellipsis(text->terminal), figure_number(&text->arena, rows), noun,
		      figure_plural(rows), text_plural(text, faults, "fault", "faults"),
		      figure_percent(&text->arena, faults, whole));
}

void text_more(struct text *text, size_t count)
{
	if (count > text->top)
		fprintf(text->out, "  ... and %s (--top 0 shows all)\n",
			text_plural(text, count - text->top, "row", "rows"));
}

static void count_cells(struct text *text, struct table *table, const struct model_count *count,
			const struct model_count *whole, const char *read)
{
	table_figure(table, "faults", TABLE_NUMBER, count->faults);
	table_share(table, "%", count->faults, whole->faults);
	table_figure(table, "major", TABLE_NUMBER, count->major);
	if (count->major > 0)
		table_alert(table);
	if (whole->own_ns > 0)
		table_figure_or_dash(table, "time", TABLE_TIME, count->own_ns);
	if (whole->read_pages > 0)
		table_figure_or_dash(table, read, TABLE_BYTES,
				     model_read_bytes(text->model, count));
}

void text_count_cells(struct text *text, struct table *table, const struct model_count *count,
		      const struct model_count *whole)
{
	table_begin_row(table);
	count_cells(text, table, count, whole, "read");
}

void text_place_cells(struct text *text, struct table *table, const struct model_count *count,
		      const struct model_count *whole)
{
	table_begin_row(table);
	count_cells(text, table, count, whole, "triggered");
}

void text_notes(struct text *text)
{
	table_notes(text->out, text->terminal, &text->model->notes, "  - ");
}

const char *text_note_kind(struct text *text, const struct note_kind *kind)
{
	const char *line = text_safe(text, kind->text);

	return kind->notes == 1 ? line : arena_printf(&text->arena, "%s (--full)", line);
}

void text_note_kinds(struct text *text)
{
	size_t count;
	const struct note_kind *kinds = notes_kinds(&text->model->notes, &text->arena, &count);

	if (count > 0)
		terminal_line(text->out, text->terminal, TERMINAL_BOLD, "\nNotes");
	for (size_t i = 0; i < count; i++)
		fprintf(text->out, "  - %s\n", text_note_kind(text, &kinds[i]));
}
