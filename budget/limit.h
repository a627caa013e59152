// SPDX-License-Identifier: Apache-2.0
// One limit: a line of a budget.
#pragma once

#include "budget/budget.h"
#include "budget/line.h"

/** Read the limit that @line is; texts go to @arena. Its filter, which may be NULL, is the
 * caller's. */
bool limit_read(struct line *line, struct arena *arena, struct budget_limit *ret_limit,
		struct err *err);
