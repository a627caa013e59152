// SPDX-License-Identifier: Apache-2.0
// A budget's verdict as a JUnit report: the elements and attributes that Jenkins' xUnit plugin
// describes (junit-10.xsd), and `file` of a test case, which GitLab reads
// (docs.gitlab.com/ci/testing/unit_test_reports).
#include "render/budget/budget.h"

#include "base/strbuf.h"
#include "render/budget/words.h"
#include "render/escape.h"

#include <string.h>

struct budgetjunit {
	const struct budget_answer *answer;
	size_t top;
	struct strbuf out;
	struct arena arena;
};

static void add_attribute(struct strbuf *out, const char *name, const char *text)
{
	strbuf_printf(out, " %s=\"", name);
	escape_xml(out, text);
	strbuf_putc(out, '"');
}

/** A case is known by its name: of two alike GitLab takes the first alone. */
static const char *name_of(struct budgetjunit *junit, size_t index)
{
	const struct budget_verdict *verdicts = junit->answer->verdicts;
	const struct budget_limit *limit = verdicts[index].limit;

	for (size_t i = 0; i < junit->answer->count; i++)
		if (i != index && strcmp(verdicts[i].limit->subject, limit->subject) == 0 &&
		    strcmp(verdicts[i].limit->bound, limit->bound) == 0)
			return arena_printf(&junit->arena, "%s %s (line %u)", limit->subject,
					    limit->bound, limit->line);
	return arena_printf(&junit->arena, "%s %s", limit->subject, limit->bound);
}

/** @text with its lines, which escaping would take for control characters. */
static void add_lines(struct budgetjunit *junit, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, "\n");

		escape_xml(&junit->out, arena_strndup(&junit->arena, text, length));
		if (!text[length])
			return;
		strbuf_putc(&junit->out, '\n');
		text += length + 1;
	}
}

static void add_element(struct budgetjunit *junit, const char *element,
			const struct budget_verdict *verdict)
{
	struct strbuf *out = &junit->out;

	strbuf_printf(out, "      <%s", element);
	add_attribute(out, "type", budget_state_name(verdict->state));
	add_attribute(out, "message", budgetwords_verdict(&junit->arena, verdict));
	strbuf_putc(out, '>');
	add_lines(junit, budgetwords_block(&junit->arena, verdict, junit->top));
	strbuf_printf(out, "</%s>\n", element);
}

static void add_warnings(struct budgetjunit *junit, const struct budget_limit *limit)
{
	const struct budget_answer *answer = junit->answer;
	bool is_open = false;

	for (size_t i = 0; i < answer->warning_count; i++) {
		if (answer->warnings[i].line != limit->line)
			continue;
		strbuf_puts(&junit->out, is_open ? "\n" : "      <system-out>");
		strbuf_puts(&junit->out, "warning: ");
		escape_xml(&junit->out, answer->warnings[i].text);
		is_open = true;
	}
	if (is_open)
		strbuf_puts(&junit->out, "</system-out>\n");
}

static void add_case(struct budgetjunit *junit, size_t index)
{
	const struct budget_verdict *verdict = &junit->answer->verdicts[index];
	struct strbuf *out = &junit->out;

	strbuf_puts(out, "    <testcase");
	add_attribute(out, "classname", junit->answer->budget->path);
	add_attribute(out, "name", name_of(junit, index));
	add_attribute(out, "file", junit->answer->budget->path);
	strbuf_puts(out, " time=\"0\">\n");
	if (verdict->state == BUDGET_BROKEN)
		add_element(junit, "failure", verdict);
	else if (verdict->state != BUDGET_KEPT)
		add_element(junit, "error", verdict);
	add_warnings(junit, verdict->limit);
	strbuf_puts(out, "    </testcase>\n");
}

bool render_budget_junit(const struct budget_answer *answer,
			 const struct render_budget_options *options, FILE *out)
{
	struct budgetjunit junit = {
		.answer = answer,
		.top = options->top > 0 ? options->top : SIZE_MAX,
	};
	size_t errors = answer->counts[BUDGET_UNSURE] + answer->counts[BUDGET_UNMEASURED];

	strbuf_puts(&junit.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
				"  <testsuite name=\"elfault check\"");
	strbuf_printf(&junit.out,
		      " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\">\n",
		      answer->count, answer->counts[BUDGET_BROKEN], errors);
	for (size_t i = 0; i < answer->count; i++)
		add_case(&junit, i);
	strbuf_puts(&junit.out, "  </testsuite>\n</testsuites>\n");
	fwrite(junit.out.text, 1, junit.out.length, out);
	strbuf_deinit(&junit.out);
	arena_deinit(&junit.arena);
	return fflush(out) == 0 && !ferror(out);
}
