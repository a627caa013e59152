// SPDX-License-Identifier: Apache-2.0
// Where in the code threads computed and waited, outside faults.
#pragma once

#include "correlate/lives.h"
#include "correlate/rows.h"
#include "trace/trace.h"

/**
 * Fill in the spots of model.account, if there is one. @lives: those it was made of.
 * @with_lines: their source lines, too, of those that took most.
 */
void spots_fill(struct rows *rows, const struct trace *trace, const struct all_moments *moments,
		const struct lives *lives, bool with_lines);
