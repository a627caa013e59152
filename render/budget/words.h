// SPDX-License-Identifier: Apache-2.0
// How verdicts are written for people. The texts live in @arena and are not yet made safe for where
// they are shown: they quote names of files and symbols.
#pragma once

#include "budget/budget.h"
#include "render/terminal.h"

/** "1,234", "12.5", "1.2 ms", "7.4 MiB". */
const char *budgetwords_value(struct arena *arena, enum budget_metric metric, double value);

/** "app.budget: 2 of 5 limits are broken". */
const char *budgetwords_headline(struct arena *arena, const struct budget_answer *answer);

/** "./app --version, recorded by perf; medians of 5 runs": what was measured, and its noise. */
const char *budgetwords_runs(struct arena *arena, const struct budget_answer *answer);

/** "55, which is 13 above what may be: <= 40 ± 5 %", or why the limit could not be held. */
const char *budgetwords_verdict(struct arena *arena, const struct budget_verdict *verdict);

/** "+12" of a row with a baseline, else "12". */
const char *budgetwords_amount(struct arena *arena, const struct budget_verdict *verdict,
			       const struct budget_change *change);

/**
 * Describe the former value of a row: "new", "5 -> 8", "new, or at most 1 before"; "" without a
 * baseline.
 */
const char *budgetwords_before(struct arena *arena, const struct budget_verdict *verdict,
			       const struct budget_change *change);

/** "static-init in .text of libfoo.so". */
const char *budgetwords_row(struct arena *arena, const struct budget_change *change);

/** "grown since the baseline, by initiator and section", "most, by initializer". */
const char *budgetwords_heading(struct arena *arena, const struct budget_verdict *verdict,
				size_t table);

/** "12 more rows": what is left out where @top are shown; NULL: nothing. */
const char *budgetwords_rest(struct arena *arena, const struct budget_verdict *verdict,
			     size_t table, size_t top);

/** Return a command that shows more; NULL: none does. */
const char *budgetwords_hint(const struct budget_answer *answer);

/**
 * All of one verdict as lines of plain text, for where only text can stand. Made safe for a
 * terminal: no name begins a line.
 */
const char *budgetwords_block(struct arena *arena, const struct budget_verdict *verdict,
			      size_t top);
