// SPDX-License-Identifier: Apache-2.0
// Places in the code where threads computed and waited, outside faults.
#pragma once

#include "correlate/time/lives.h"
#include "correlate/replay/rows.h"
#include "trace/trace.h"

/** Moments that are shown; without either all are. */
struct spots_shown {
	const bool *moments; // by moment: what the conditions leave
	const bool *objects; // by object: moments of their functions, or blamed on them
	size_t object_count; // of objects
};

/**
 * Whether one is shown: @moment, an index (SIZE_MAX: where it was is unknown), in @function, blamed
 * on @blame, both MODEL_NONE where there is none.
 */
bool spots_is_shown(const struct spots_shown *shown, const struct rows *rows, size_t moment,
		    uint32_t function, uint32_t blame);

/**
 * Fill in the spots of model.account, if there is one. @lives: those it was made of.
 * @with_lines: their source lines, too, of those that took most. What is not shown is marked.
 */
void spots_fill(struct rows *rows, const struct trace *trace, const struct all_moments *moments,
		const struct lives *lives, const struct spots_shown *shown, bool with_lines);
