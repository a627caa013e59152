// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a budget. What can be read says the same again when it is written out.
#include "base/strbuf.h"
#include "budget/budget.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Is the limit that its own words make the same? */
static void check_again(const struct budget_limit *limit)
{
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };
	CLEANUP(budget_closep) struct budget *again = NULL;
	struct err err;

	strbuf_printf(&line, "%s %s", limit->subject, limit->bound);
	if (!budget_parse("b", line.text, line.length, &again, &err))
		abort();
	const struct budget_limit *same = again->limits.items;
	if (again->limits.count != 1 || strcmp(same->subject, limit->subject) != 0 ||
	    strcmp(same->bound, limit->bound) != 0 || same->metric != limit->metric ||
	    same->comparator != limit->comparator || same->value != limit->value ||
	    same->offset.number != limit->offset.number ||
	    same->tolerance.number != limit->tolerance.number)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(budget_closep) struct budget *budget = NULL;
	struct err err;

	if (!budget_parse("b", (const char *)data, size, &budget, &err))
		return 0;
	vec_foreach (limit, &budget->limits)
		check_again(limit);
	return 0;
}
