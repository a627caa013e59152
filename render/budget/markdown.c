// SPDX-License-Identifier: Apache-2.0
// A budget's verdict as GitHub's Markdown. What quotes names stands in code spans: see markdown.h.
#include "render/budget/budget.h"

#include "render/budget/words.h"
#include "render/markdown.h"

struct budgetmarkdown {
	const struct budget_answer *answer;
	size_t top;
	FILE *out;
	struct arena arena;
};

static const char *mark_of(enum budget_state state)
{
	static const char *const marks[] = { "kept", "**broken**", "**unsure**", "**unmeasured**" };

	return marks[state];
}

static void print_limits(struct budgetmarkdown *markdown)
{
	const struct budget_answer *answer = markdown->answer;
	struct arena *arena = &markdown->arena;
	bool has_baseline = answer->baseline, has_spread = answer->measures->run_count > 1;
	FILE *out = markdown->out;

	fprintf(out, "| | value |%s%s limit | metric |\n|---|---:|%s%s---|---|\n",
		has_spread ? " spread |" : "", has_baseline ? " baseline |" : "",
		has_spread ? "---:|" : "", has_baseline ? "---:|" : "");
	array_foreach (verdict, answer->verdicts, answer->count) {
		const struct budget_measure *measure = verdict->measure;
		enum budget_metric metric = measure->metric;
		bool is_known = !measure->failure;

		fprintf(out, "| %s | %s |", mark_of(verdict->state),
			is_known ? budgetwords_value(arena, metric, measure->value) : "-");
		if (has_spread)
			fprintf(out, " %s |",
				is_known ? budgetwords_value(arena, metric, measure->spread) : "-");
		if (has_baseline)
			fprintf(out, " %s |",
				verdict->has_baseline
					? budgetwords_value(arena, metric, verdict->baseline)
					: "-");
		fputc(' ', out);
		markdown_code(out, verdict->limit->bound);
		fputs(" | ", out);
		markdown_code(out, measure->subject);
		fputs(" |\n", out);
	}
}

static void print_offenders(struct budgetmarkdown *markdown, const struct budget_verdict *verdict,
			    size_t table)
{
	struct arena *arena = &markdown->arena;
	size_t count = verdict->offender_count[table];
	bool has_before = false;

	if (count > markdown->top)
		count = markdown->top;
	for (size_t i = 0; i < count; i++)
		has_before |= verdict->offenders[table][i].has_before;
	for (size_t i = 0; i < count; i++) {
		const struct budget_change *change = &verdict->offenders[table][i];

		if (i == 0)
			fprintf(markdown->out, "\n| | %s |%s\n|---:|---|%s\n",
				budgetwords_heading(arena, verdict, table),
				has_before ? " was -> is |" : "", has_before ? "---|" : "");
		fprintf(markdown->out, "| %s | ", budgetwords_amount(arena, verdict, change));
		markdown_code(markdown->out, budgetwords_row(arena, change));
		if (has_before)
			fprintf(markdown->out, " | %s", budgetwords_before(arena, verdict, change));
		fputs(" |\n", markdown->out);
	}
	const char *rest = budgetwords_rest(arena, verdict, table, markdown->top);
	if (rest)
		fprintf(markdown->out, "\n%s\n", rest);
}

static void print_verdict(struct budgetmarkdown *markdown, const struct budget_verdict *verdict)
{
	struct arena *arena = &markdown->arena;
	FILE *out = markdown->out;

	if (verdict->state == BUDGET_KEPT)
		return;
	fputs("\n**", out);
	markdown_code(out, verdict->limit->subject);
	fprintf(out, "** is %s: ", budget_state_name(verdict->state));
	markdown_code(out, budgetwords_verdict(arena, verdict));
	fputc('\n', out);
	for (size_t table = 0; table < BUDGET_TABLES; table++)
		print_offenders(markdown, verdict, table);
	for (size_t i = 0; i < verdict->change_count; i++) {
		fputs(i == 0 ? "\nChanges in the files:\n\n- " : "- ", out);
		markdown_code(out, verdict->changes[i]);
		fputc('\n', out);
	}
}

bool render_budget_markdown(const struct budget_answer *answer,
			    const struct render_budget_options *options, FILE *out)
{
	struct budgetmarkdown markdown = {
		.answer = answer,
		.top = options->top > 0 ? options->top : SIZE_MAX,
		.out = out,
	};
	const struct notes *notes = &answer->measures->notes;
	const char *hint = budgetwords_hint(answer);

	fputs("**Page faults: ", out);
	markdown_code(out, budgetwords_headline(&markdown.arena, answer));
	fputs("**\n\n", out);
	markdown_code(out, budgetwords_runs(&markdown.arena, answer));
	fputs("\n\n", out);
	print_limits(&markdown);
	for (size_t i = 0; i < answer->count; i++)
		print_verdict(&markdown, &answer->verdicts[i]);
	if (hint)
		fprintf(out, "\n%s\n", hint);
	for (size_t i = 0; i < answer->warning_count; i++) {
		fputs(i == 0 ? "\nWarnings:\n\n- " : "- ", out);
		markdown_code(out, answer->warnings[i].text);
		fputc('\n', out);
	}
	for (size_t i = 0; i < notes->list.count; i++) {
		fputs(i == 0 ? "\nNotes:\n\n- " : "- ", out);
		markdown_code(out, notes->list.items[i].text);
		fputc('\n', out);
	}
	arena_deinit(&markdown.arena);
	return fflush(out) == 0 && !ferror(out);
}
