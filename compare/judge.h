// SPDX-License-Identifier: Apache-2.0
// From the numbers of runs to figures, and to what can be said of them.
#pragma once

#include "compare/compare.h"

#include <stdbool.h>

/** Above this share of false alarms no difference is called real (docs/diff.md). */
#define JUDGE_ALPHA 0.05

/** Can any difference be shown by so many runs of each side? */
bool judge_can_tell(const size_t run_count[COMPARE_SIDES]);

/**
 * Fill the figures of @rows, which stand for each other's noise: the more of them vary, the clearer
 * one must be (Benjamini and Hochberg's procedure, over those that could come out as real at all).
 */
void judge_rows(struct compare_row *rows, size_t count, const size_t run_count[COMPARE_SIDES]);
