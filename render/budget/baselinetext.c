// SPDX-License-Identifier: Apache-2.0
// Changes that storing a baseline makes, as text.
#include "render/budget/budget.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "render/budget/words.h"
#include "render/escape.h"

static const char *safe(struct arena *arena, const char *name)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	escape_terminal(&text, name);
	return arena_strdup(arena, strbuf_text(&text));
}

bool render_baseline_changes(const struct budget_measures *measures,
			     const struct budget_measures *before, const char *path, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t same = 0;

	fprintf(out, "%s %s: %zu value%s of %zu run%s of %s\n", before ? "Refreshed" : "Wrote",
		safe(&arena, path), measures->count, figure_plural(measures->count),
		measures->run_count, figure_plural(measures->run_count),
		safe(&arena, measures->command));
	array_foreach (is, measures->list, measures->count) {
		const struct budget_measure *was =
			before ? budget_measure_of(before, is->subject) : NULL;
		const char *value = budgetwords_value(&arena, is->metric, is->value);

		if (was && was->value == is->value)
			same++;
		else if (was)
			fprintf(out, "  %s: %s -> %s\n", safe(&arena, is->subject),
				budgetwords_value(&arena, was->metric, was->value), value);
		else
			fprintf(out, "  %s: %s\n", safe(&arena, is->subject), value);
	}
	for (size_t i = 0; before && i < before->count; i++)
		if (!budget_measure_of(measures, before->list[i].subject))
			fprintf(out, "  %s: removed, since no limit uses it\n",
				safe(&arena, before->list[i].subject));
	if (same > 0)
		fprintf(out, "  %zu %s\n", same,
			same == 1 ? "value is the same" : "values are the same");
	return fflush(out) == 0 && !ferror(out);
}
