// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a baseline. What can be read is written, read and written again alike, and can
// be held against itself.
#include "budget/budget.h"
#include "render/budget/budget.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct budget_measures *measures, size_t *ret_size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);

	if (!out || !render_baseline_json(measures, out))
		abort();
	fclose(out);
	return text;
}

/** Hold it against itself: limits that break ask who grew. */
static void judge(const struct budget_measures *measures)
{
	static const char *const limits[] = { "faults <= 0", "size <= 0",
					      "initializers == baseline - 1", "duration < baseline",
					      "minor >= 1000000000" };
	const struct render_budget_options how = { .baseline = "b" };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct budget *budget = NULL;
		struct err err;
		size_t size;
		char *page = NULL;

		if (!budget_parse("b", limits[i], strlen(limits[i]), &budget, &err))
			abort();
		if (budget_measure_of(measures, budget->limits.items[0].subject)) {
			struct budget_answer *answer = budget_judge(budget, measures, measures);
			FILE *out = open_memstream(&page, &size);

			if (!out || !render_budget_text(answer, &how, out) ||
			    !render_budget_junit(answer, &how, out))
				abort();
			fclose(out);
			free(page);
			budget_answer_close(answer);
		}
		budget_close(budget);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget_measures *measures = NULL, *again = NULL;
	struct err err;
	size_t length, length_again;

	if (!budget_baseline_parse("b", (const char *)data, size, &measures, &err))
		return 0;
	char *text = written(measures, &length);
	if (!budget_baseline_parse("b", text, length, &again, &err))
		abort();
	char *text_again = written(again, &length_again);
	if (length != length_again || memcmp(text, text_again, length) != 0)
		abort();
	judge(measures);
	free(text);
	free(text_again);
	budget_measures_close(measures);
	budget_measures_close(again);
	return 0;
}
