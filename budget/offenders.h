// SPDX-License-Identifier: Apache-2.0
// Top contributors to an exceeded limit, and changes since the baseline.
#pragma once

#include "budget/budget.h"

/** Fill in the top contributors and changes of @verdict, whose value is out of bounds. */
void offenders_find(struct budget_answer *answer, struct budget_verdict *verdict, bool is_too_high);
