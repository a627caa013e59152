// SPDX-License-Identifier: Apache-2.0
// Plain and tuned starts in turn.
#pragma once

#include "compare/tunedstart.h"
#include "record/record.h"

/**
 * Measure @sides, the plain command and the tuned one: their files are in memory, or leave it
 * before each start where the sides say so. @runs: of each; 0: until the verdict is clear.
 *
 * Returns: true and *@ret_measure, all but its texts; false: it was said why.
 */
bool tunemeasure(const struct record_options sides[BENCH_COMMANDS], size_t runs,
		 struct tunedstart_measure *ret_measure);
