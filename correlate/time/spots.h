// SPDX-License-Identifier: Apache-2.0
// Places in the code where threads computed and waited, outside faults.
#pragma once

#include "correlate/time/lives.h"
#include "correlate/replay/rows.h"
#include "correlate/why/blame.h"
#include "trace/trace.h"

/**
 * Fill in the spots of model.account, if there is one. @lives: those it was made of.
 * @with_lines: their source lines, too, of those that took most.
 * @chosen: by moment, what the conditions leave: what is not among them is marked. NULL: all.
 */
void spots_fill(struct rows *rows, const struct trace *trace, const struct all_moments *moments,
		const struct lives *lives, const struct blame *blame, const bool *chosen,
		bool with_lines);

/**
 * Mark the spots and moments that are neither in functions of the objects of @is_shown nor blamed
 * on them. @object_count: of @is_shown.
 */
void spots_narrow(struct rows *rows, const bool *is_shown, size_t object_count);
