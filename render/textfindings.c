// SPDX-License-Identifier: Apache-2.0
// The findings, for a person: what it costs, what shows it, what to change.
#include "render/text.h"

#include "base/strbuf.h"
#include "render/escape.h"

#include <string.h>

/** Columns that @length bytes of @text take, as far as a character is one column. */
static size_t columns(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

/**
 * Print @line without its end, broken between words where the terminal ends; @indent goes before
 * each piece.
 */
static void print_wrapped(struct text *text, size_t indent, const char *line)
{
	size_t width = text->terminal->width, column = indent;
	bool is_first = true;

	fprintf(text->out, "%*s", (int)indent, "");
	while (*line) {
		size_t length = strcspn(line, " "), taken = columns(line, length);

		if (!is_first && width > 0 && column + 1 + taken > width) {
			fprintf(text->out, "\n%*s", (int)indent, "");
			column = indent;
			is_first = true;
		}
		if (!is_first) {
			fputc(' ', text->out);
			column++;
		}
		fwrite(line, 1, length, text->out);
		column += taken;
		is_first = false;
		line += length;
		line += strspn(line, " ");
	}
}

static const char *title_line(struct text *text, const struct model_finding *finding)
{
	struct arena *arena = &text->arena;
	struct strbuf buf = { 0 };

	strbuf_puts(&buf, finding->title);
	if (finding->object != MODEL_NONE)
		strbuf_printf(&buf, " (%s)", text->labels[finding->object]);
	strbuf_printf(&buf, ": %s, %s of %s", text_plural(text, finding->faults, "fault", "faults"),
		      table_percent(arena, finding->faults, text->model->total.faults),
		      text->model->filter ? "those shown" : "all");
	if (finding->duration_ns > 0)
		strbuf_printf(&buf, ", %s",
			      table_time(arena, text->terminal, finding->duration_ns));
	const char *line = text_safe(text, buf.text);
	strbuf_deinit(&buf);
	return line;
}

/** The same change for another file needs no second explanation. */
static bool is_repeated(const struct model *model, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(model->findings[i].id, model->findings[index].id) == 0)
			return true;
	return false;
}

static void print_finding(struct text *text, size_t index)
{
	enum { TITLE_INDENT = 2, INDENT = 4 };
	const struct model_finding *finding = &text->model->findings[index];
	const char *advice =
		is_repeated(text->model, index) ? "The same advice as above." : finding->advice;

	fputs(terminal_start(text->terminal, TERMINAL_BOLD), text->out);
	print_wrapped(text, TITLE_INDENT, title_line(text, finding));
	fprintf(text->out, "%s\n", terminal_end(text->terminal));
	print_wrapped(text, INDENT, text_safe(text, finding->evidence));
	fputc('\n', text->out);
	print_wrapped(text, INDENT,
		      text_safe(text, arena_printf(&text->arena, "%s Saves at most %s.", advice,
						   text_plural(text, finding->saves_faults, "fault",
							       "faults"))));
	fputc('\n', text->out);
}

void text_findings(struct text *text)
{
	const struct model *model = text->model;
	size_t count = model->finding_count < text->top ? model->finding_count : text->top;

	if (model->finding_count == 0)
		return;
	fprintf(text->out, "\n%sFindings%s%s\n", terminal_start(text->terminal, TERMINAL_BOLD),
		terminal_end(text->terminal),
		model->is_narrowed || model->filter ? ", of the faults shown" : "");
	for (size_t i = 0; i < count; i++)
		print_finding(text, i);
	if (count < model->finding_count)
		fprintf(text->out, "  %s%s %s; --top 0 shows all%s\n",
			terminal_start(text->terminal, TERMINAL_DIM),
			text->terminal->has_utf8 ? "\xe2\x80\xa6" : "...",
			text_plural(text, model->finding_count - count, "more finding",
				    "more findings"),
			terminal_end(text->terminal));
}
