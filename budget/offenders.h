// SPDX-License-Identifier: Apache-2.0
// Who broke a limit, and what changed since the baseline.
#pragma once

#include "budget/budget.h"

/** Fill in the offenders and the changes of @verdict, whose value is too high or too low. */
void offenders_find(struct budget_answer *answer, struct budget_verdict *verdict, bool is_too_high);
