// SPDX-License-Identifier: Apache-2.0
#include "render/budget/words.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "render/escape.h"
#include "render/table/table.h"

#include <math.h>
#include <string.h>

const char *budgetwords_value(struct arena *arena, enum budget_metric metric, double value)
{
	static const struct terminal plain;

	switch (budget_metric_unit(metric)) {
	case BUDGET_TIME:
		return table_time(arena, &plain, (uint64_t)fmax(value, 0));
	case BUDGET_BYTES:
		return figure_size(arena, (uint64_t)fmax(value, 0));
	case BUDGET_COUNT:
		break;
	}
	// Bounds are any share of a number, medians end in a half at most.
	if (value != floor(value * 2) / 2)
		return arena_printf(arena, "%.1f", value);
	return figure_median(arena, value);
}

const char *budgetwords_headline(struct arena *arena, const struct budget_answer *answer)
{
	const size_t *counts = answer->counts;
	size_t rest = counts[BUDGET_UNSURE] + counts[BUDGET_UNMEASURED];
	const char *path = answer->budget->path;
	const char *noun = answer->count == 1 ? "limit" : "limits";

	if (counts[BUDGET_BROKEN] > 0 && rest > 0)
		return arena_printf(arena, "%s: %zu of %zu %s broken, %zu undetermined", path,
				    counts[BUDGET_BROKEN], answer->count, noun, rest);
	if (counts[BUDGET_BROKEN] > 0)
		return arena_printf(arena, "%s: %zu of %zu %s broken", path, counts[BUDGET_BROKEN],
				    answer->count, noun);
	if (rest > 0)
		return arena_printf(arena, "%s: %zu of %zu %s undetermined", path, rest,
				    answer->count, noun);
	return answer->count == 1
		       ? arena_printf(arena, "%s: its limit is met", path)
		       : arena_printf(arena, "%s: all %zu limits are met", path, answer->count);
}

const char *budgetwords_runs(struct arena *arena, const struct budget_answer *answer)
{
	const struct budget_measures *measures = answer->measures, *baseline = answer->baseline;
	const char *whose = measures->program && measures->is_of_child
				    ? arena_printf(arena, "; wall is that of %s", measures->program)
				    : "";
	const char *text =
		measures->run_count == 1
			? arena_printf(arena,
				       "%s, recorded by %s%s; one run: noise unknown; elfault "
				       "record --repeat 5 records more",
				       measures->command, measures->backend, whose)
			: arena_printf(arena, "%s, recorded by %s%s; medians of %zu runs",
				       measures->command, measures->backend, whose,
				       measures->run_count);

	if (baseline && strcmp(baseline->kernel, measures->kernel) != 0)
		text = arena_printf(arena, "%s; on Linux %s, baseline on %s", text,
				    measures->kernel, baseline->kernel);
	return text;
}

const char *budgetwords_verdict(struct arena *arena, const struct budget_verdict *verdict)
{
	const struct budget_limit *limit = verdict->limit;
	enum budget_metric metric = limit->metric;
	const char *value = budgetwords_value(arena, metric, verdict->measure->value);
	bool is_above = verdict->has_high && verdict->measure->value >= verdict->high;

	if (verdict->state == BUDGET_UNMEASURED)
		return verdict->reason;
	if (verdict->state == BUDGET_UNSURE)
		return arena_printf(arena, "%s; %s: %s", value, limit->bound, verdict->reason);
	if (verdict->state == BUDGET_KEPT)
		return arena_printf(arena, "%s; %s", value, limit->bound);
	const char *bound =
		budgetwords_value(arena, metric, is_above ? verdict->high : verdict->low);
	return arena_printf(
		arena, "%s, %s %s %s (%s)", value,
		verdict->beyond < 0.01 ? "not" : budgetwords_value(arena, metric, verdict->beyond),
		is_above ? (verdict->beyond < 0.01 ? "below" : "above")
			 : (verdict->beyond < 0.01 ? "above" : "below"),
		bound, limit->bound);
}

const char *budgetwords_amount(struct arena *arena, const struct budget_verdict *verdict,
			       const struct budget_change *change)
{
	enum budget_metric metric = verdict->limit->metric;
	double before = fmax(change->before, change->at_most);

	if (!change->has_before)
		return budgetwords_value(arena, metric, change->value);
	return arena_printf(arena, "%c%s", change->value < before ? '-' : '+',
			    budgetwords_value(arena, metric, fabs(change->value - before)));
}

const char *budgetwords_before(struct arena *arena, const struct budget_verdict *verdict,
			       const struct budget_change *change)
{
	enum budget_metric metric = verdict->limit->metric;

	if (!change->has_before)
		return "";
	if (change->at_most > 0)
		return arena_printf(arena, "at most %s -> %s",
				    budgetwords_value(arena, metric, change->at_most),
				    budgetwords_value(arena, metric, change->value));
	if (change->before == 0)
		return "new";
	return change->value == 0 ? "gone"
				  : arena_printf(arena, "%s -> %s",
						 budgetwords_value(arena, metric, change->before),
						 budgetwords_value(arena, metric, change->value));
}

const char *budgetwords_row(struct arena *arena, const struct budget_change *change)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	const char *before = NULL; // what the word before was

	for (size_t i = 0; i < change->word_count; i++) {
		const char *word = change->words[i];
		// Memory outside files is its own section.
		bool is_same = i > 0 && change->values[i] && change->values[i - 1] &&
			       strcmp(change->values[i], change->values[i - 1]) == 0;
		bool is_file = strstr(word, "object") && i + 1 < change->word_count;

		if (is_same || is_file)
			continue;
		strbuf_printf(&text, "%s%s", before ? " in " : "",
			      change->values[i]			 ? change->values[i]
			      : strcmp(word, "initializer") == 0 ? "(unknown)"
								 : "(no name)");
		before = word;
	}
	// Files follow what is in them.
	for (size_t i = 0; i + 1 < change->word_count; i++)
		if (strstr(change->words[i], "object")) {
			bool is_same = change->values[i] && change->values[i + 1] &&
				       strcmp(change->values[i], change->values[i + 1]) == 0;

			strbuf_printf(&text, "%s%s",
				      !before	? ""
				      : is_same ? " in "
						: " of ",
				      change->values[i] ? change->values[i] : "no file");
		}
	return arena_strdup(arena, strbuf_text(&text));
}

const char *budgetwords_heading(struct arena *arena, const struct budget_verdict *verdict,
				size_t table)
{
	const struct budget_change *first = verdict->offenders[table];
	bool is_above = verdict->has_high && verdict->measure->value >= verdict->high;
	const char *words = !first->has_before ? "most"
			    : is_above	       ? "grown since the baseline"
					       : "shrunk since the baseline";

	for (size_t i = 0; i < first->word_count; i++)
		words = arena_printf(arena, "%s%s%s", words,
				     i == 0			 ? ", by "
				     : i + 1 < first->word_count ? ", "
								 : " and ",
				     first->words[i]);
	return words;
}

const char *budgetwords_rest(struct arena *arena, const struct budget_verdict *verdict,
			     size_t table, size_t top)
{
	size_t count = verdict->offender_count[table];
	bool is_cut = verdict->measure->tables[table].least > 0;

	if (count > top)
		return arena_printf(arena, "%s more row%s%s", figure_number(arena, count - top),
				    figure_plural(count - top), is_cut ? ", and smaller ones" : "");
	return is_cut && count > 0 ? "and smaller ones" : NULL;
}

const char *budgetwords_hint(const struct budget_answer *answer)
{
	if (answer->counts[BUDGET_BROKEN] == 0 || answer->baseline)
		return NULL;
	return "With a baseline this shows what changed; create one with elfault check --update "
	       "from a run that meets the limits.";
}

const char *budgetwords_block(struct arena *arena, const struct budget_verdict *verdict, size_t top)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	escape_terminal(&text, verdict->limit->subject);
	strbuf_puts(&text, ": ");
	escape_terminal(&text, budgetwords_verdict(arena, verdict));
	for (size_t table = 0; table < BUDGET_TABLES; table++)
		for (size_t i = 0; i < verdict->offender_count[table] && i < top; i++) {
			const struct budget_change *change = &verdict->offenders[table][i];
			const char *before = budgetwords_before(arena, verdict, change);

			if (i == 0)
				strbuf_printf(&text,
					      "\n%s:", budgetwords_heading(arena, verdict, table));
			strbuf_printf(&text, "\n  %s  ",
				      budgetwords_amount(arena, verdict, change));
			escape_terminal(&text, budgetwords_row(arena, change));
			if (*before)
				strbuf_printf(&text, "  (%s)", before);
		}
	for (size_t i = 0; i < verdict->change_count; i++) {
		strbuf_puts(&text, i == 0 ? "\nchanges in the files:\n  " : "\n  ");
		escape_terminal(&text, verdict->changes[i]);
	}
	return arena_strdup(arena, strbuf_text(&text));
}
