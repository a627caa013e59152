// SPDX-License-Identifier: Apache-2.0
// A budget's verdict as workflow commands of GitHub Actions, which make annotations at the lines of
// the budget. Escaped as GitHub's own toolkit does (actions/toolkit, packages/core/src/command.ts):
// a name that could end a command could begin another.
#include "render/budget/budget.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/budget/words.h"
#include "render/escape.h"

/** Append @text; of a property a colon and a comma mean something, too. */
static void escape(struct strbuf *out, const char *text, bool is_property)
{
	for (const char *c = text; *c; c++) {
		if (*c == '%' || *c == '\r' || *c == '\n' ||
		    (is_property && (*c == ':' || *c == ',')))
			strbuf_printf(out, "%%%02X", (unsigned char)*c);
		else
			strbuf_putc(out, *c);
	}
}

/** @text on one line, its control characters shown. */
static const char *safe(struct arena *arena, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	escape_terminal(&line, text);
	return arena_strdup(arena, strbuf_text(&line));
}

static void add_command(struct strbuf *out, const char *command, const char *path, unsigned line,
			const char *title, const char *message)
{
	strbuf_printf(out, "::%s ", command);
	if (line > 0) {
		strbuf_puts(out, "file=");
		escape(out, path, true);
		strbuf_printf(out, ",line=%u,", line);
	}
	strbuf_puts(out, "title=");
	escape(out, title, true);
	strbuf_puts(out, "::");
	escape(out, message, false);
	strbuf_putc(out, '\n');
}

bool render_budget_github(const struct budget_answer *answer,
			  const struct render_budget_options *options, FILE *out)
{
	size_t top = options->top > 0 ? options->top : SIZE_MAX;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *path = safe(&arena, answer->budget->path);

	array_foreach (verdict, answer->verdicts, answer->count) {
		if (verdict->state != BUDGET_KEPT)
			add_command(&text, "error", path, verdict->limit->line,
				    verdict->state == BUDGET_BROKEN
					    ? "Page fault budget broken"
					    : "Page fault budget undetermined",
				    budgetwords_block(&arena, verdict, top));
	}
	for (size_t i = 0; i < answer->warning_count; i++)
		add_command(&text, "warning", path, answer->warnings[i].line, "Page fault budget",
			    safe(&arena, answer->warnings[i].text));
	add_command(&text, "notice", path, 0, "Page fault budget",
		    arena_printf(&arena, "%s\n%s",
				 safe(&arena, budgetwords_headline(&arena, answer)),
				 safe(&arena, budgetwords_runs(&arena, answer))));
	fwrite(text.text, 1, text.length, out);
	return fflush(out) == 0 && !ferror(out);
}
