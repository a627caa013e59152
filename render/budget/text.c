// SPDX-License-Identifier: Apache-2.0
// A budget's verdict for a person.
#include "render/budget/budget.h"

#include "base/cleanup.h"
#include "render/budget/words.h"
#include "render/table/table.h"
#include "render/table/fold.h"

/** One answer being written. */
struct budgettext {
	const struct budget_answer *answer;
	const struct terminal *terminal;
	size_t top;
	FILE *out;
	struct arena arena;
};

static const char *safe(struct budgettext *text, const char *name)
{
	return table_fit(&text->arena, text->terminal, name, SIZE_MAX);
}

static void cell_value(struct budgettext *text, struct table *table, const char *heading,
		       bool is_known, enum budget_metric metric, double value)
{
	table_cell(table, heading, TABLE_RIGHT,
		   is_known ? budgetwords_value(&text->arena, metric, value) : "-");
}

static void print_limits(struct budgettext *text)
{
	const struct budget_answer *answer = text->answer;
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	bool has_spread = answer->measures->run_count > 1;

	array_foreach (verdict, answer->verdicts, answer->count) {
		const struct budget_measure *measure = verdict->measure;
		enum budget_metric metric = measure->metric;
		bool is_known = !measure->failure;

		table_begin_row(table);
		table_cell(table, "state", TABLE_LEFT, budget_state_name(verdict->state));
		if (verdict->state != BUDGET_KEPT)
			table_alert(table);
		cell_value(text, table, "value", is_known, metric, measure->value);
		if (has_spread)
			cell_value(text, table, "spread", is_known, metric, measure->spread);
		if (answer->baseline)
			cell_value(text, table, "baseline", verdict->has_baseline, metric,
				   verdict->baseline);
		table_cell(table, "limit", TABLE_LEFT, safe(text, verdict->limit->bound));
		table_cell(table, "metric", TABLE_NAME, measure->subject);
	}
	fputc('\n', text->out);
	table_print(table, text->out);
}

static void print_offenders(struct budgettext *text, const struct budget_verdict *verdict,
			    size_t table)
{
	struct arena *arena = &text->arena;
	size_t count = verdict->offender_count[table];

	for (size_t i = 0; i < count && i < text->top; i++) {
		const struct budget_change *change = &verdict->offenders[table][i];
		const char *before = budgetwords_before(arena, verdict, change);

		if (i == 0)
			fprintf(text->out, "  %s\n", budgetwords_heading(arena, verdict, table));
		fprintf(text->out, "  %9s  %s%s%s%s\n", budgetwords_amount(arena, verdict, change),
			safe(text, budgetwords_row(arena, change)), *before ? "  (" : "",
			safe(text, before), *before ? ")" : "");
	}
	const char *rest = budgetwords_rest(arena, verdict, table, text->top);
	if (rest)
		fprintf(text->out, "  %9s  %s\n", "", rest);
}

static void print_verdict(struct budgettext *text, const struct budget_verdict *verdict)
{
	struct arena *arena = &text->arena;

	if (verdict->state == BUDGET_KEPT)
		return;
	fputc('\n', text->out);
	terminal_line(text->out, text->terminal, TERMINAL_BOLD, "%s:%u: %s",
		      safe(text, text->answer->budget->path), verdict->limit->line,
		      safe(text, verdict->limit->subject));
	fprintf(text->out, "  is %s: %s\n", budget_state_name(verdict->state),
		safe(text, budgetwords_verdict(arena, verdict)));
	for (size_t table = 0; table < BUDGET_TABLES; table++)
		print_offenders(text, verdict, table);
	for (size_t i = 0; i < verdict->change_count; i++)
		fprintf(text->out, "%s    %s\n", i == 0 ? "  changes in the files\n" : "",
			safe(text, verdict->changes[i]));
}

bool render_budget_text(const struct budget_answer *answer,
			const struct render_budget_options *options, FILE *out)
{
	struct budgettext text = {
		.answer = answer,
		.terminal = &options->terminal,
		.top = options->top > 0 ? options->top : SIZE_MAX,
		.out = fold_open(out, &options->terminal),
	};
	const struct notes *notes = &answer->measures->notes;
	const char *hint = budgetwords_hint(answer);

	terminal_line(text.out, text.terminal, TERMINAL_BOLD, "%s",
		      safe(&text, budgetwords_headline(&text.arena, answer)));
	fprintf(text.out, "%s\n", safe(&text, budgetwords_runs(&text.arena, answer)));
	print_limits(&text);
	for (size_t i = 0; i < answer->count; i++)
		print_verdict(&text, &answer->verdicts[i]);
	if (hint)
		fprintf(text.out, "\n%s\n", hint);
	for (size_t i = 0; i < answer->warning_count; i++) {
		const struct budget_warning *warning = &answer->warnings[i];

		fputs(i == 0 ? "\n" : "", text.out);
		if (warning->line > 0)
			fprintf(text.out, "warning: %s:%u: %s\n", safe(&text, answer->budget->path),
				warning->line, safe(&text, warning->text));
		else
			fprintf(text.out, "warning: %s\n", safe(&text, warning->text));
	}
	for (size_t i = 0; i < notes->list.count; i++)
		fprintf(text.out, "%snote: %s\n", i == 0 ? "\n" : "",
			safe(&text, notes->list.items[i].text));
	arena_deinit(&text.arena);
	return fold_close(text.out, out);
}
