// SPDX-License-Identifier: Apache-2.0
// The findings, for a person: what it costs, what shows it, what to change.
#include "render/text/text.h"

#include "base/strbuf.h"
#include "render/escape.h"
#include "render/text/wrap.h"

#include <string.h>

/** Findings were looked for in the faults shown alone. */
static bool is_of_shown(const struct text *text)
{
	const struct model *model = text->model;

	return (model->is_narrowed || model->filter) && !model->findings_are_whole;
}

static const char *title_line(struct text *text, const struct model_finding *finding)
{
	struct arena *arena = &text->arena;
	struct strbuf buf = { 0 };

	strbuf_puts(&buf, finding->title);
	if (finding->object != MODEL_NONE)
		strbuf_printf(&buf, " (%s)", text->labels[finding->object]);
	strbuf_printf(&buf, ": %s, %s of %s", text_plural(text, finding->faults, "fault", "faults"),
		      table_percent(arena, finding->faults,
				    is_of_shown(text) ? text->model->total.faults
						      : text->model->counts.recorded),
		      is_of_shown(text) ? "those shown" : "all");
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
		is_repeated(text->model, index) ? "Same advice as above." : finding->advice;

	fputs(terminal_start(text->terminal, TERMINAL_BOLD), text->out);
	wrap_print(text->out, text->terminal, TITLE_INDENT, title_line(text, finding));
	fprintf(text->out, "%s\n", terminal_end(text->terminal));
	wrap_print(text->out, text->terminal, INDENT, text_safe(text, finding->evidence));
	fputc('\n', text->out);
	wrap_print(text->out, text->terminal, INDENT,
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
		terminal_end(text->terminal), is_of_shown(text) ? ", of the faults shown" : "");
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
