// SPDX-License-Identifier: Apache-2.0
// The conditions of a limit, in braces: as in --where, each with its column.
#pragma once

#include "base/strbuf.h"
#include "budget/budget.h"
#include "budget/line.h"

/**
 * Read "{...}" where @line is; nothing where no brace is. *@ret_filter is then NULL, as for empty
 * braces. The conditions are appended to @subject with no blanks between them. *@ret_states has the
 * states of time that count, which only BUDGET_SPENT has conditions on.
 */
bool conditions_read(struct line *line, enum budget_metric metric, struct strbuf *subject,
		     struct filter **ret_filter, unsigned *ret_states, struct err *err);
