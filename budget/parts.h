// SPDX-License-Identifier: Apache-2.0
// A value broken down: the parts of each run, and the rows made from them.
#pragma once

#include "base/vec.h"
#include "budget/budget.h"

/** One run's part of one row; a row may have several. */
struct part {
	const char *values[BUDGET_WORDS_MAX];
	uint32_t run;
	uint64_t value;
};

/** Zero-initialise; whoever adds the first part sets the fields. */
struct parts {
	const char *words[BUDGET_WORDS_MAX];
	size_t word_count;
	VEC(struct part) list;
};

/** Two rows' values in the order that rows of the same number have; NULL last. */
int parts_compare_values(const char *const *a, const char *const *b);

/** The rows: medians over @run_count runs, at most @limit of them. Empties @parts. */
struct budget_table parts_table(struct parts *parts, size_t run_count, size_t limit,
				struct arena *arena);

void parts_deinit(struct parts *parts);
