// SPDX-License-Identifier: Apache-2.0
// From the numbers of runs to figures and verdicts.
#pragma once

#include "compare/compare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Limits of noise (docs/diff.md): where the sides stand clearly apart, and where only the order of
 * their numbers shows a difference.
 */
#define JUDGE_ALPHA	 0.05
#define JUDGE_ALPHA_RANK 0.0001

/** Whether this many runs per side can show any difference. */
bool judge_can_tell(const size_t run_count[COMPARE_SIDES]);

/** A figure to fill from its numbers: first those of before, then those of after. */
struct judged {
	struct compare_figure *figure;
	const uint64_t *values;
	size_t stride; // from one number to the next
	double unit;   // the step in which the numbers go; 0: none
	bool scales;   // noise grows with the numbers, as it does with times of a run
};

/** To fill @figure from the times in @runs: the account knows none better than its steps. */
struct judged judge_of_time(struct compare_figure *figure, const uint64_t *runs);

/**
 * Fill figures which stand for each other's noise: the more of them vary, the clearer one must be
 * (Benjamini and Hochberg's procedure, over those that could come out as real at all), unless its
 * sides lie far apart.
 */
void judge(const struct judged *items, size_t count, const size_t run_count[COMPARE_SIDES]);

/**
 * Fill one figure that was asked for alone, and that no other stands beside: real as well where the
 * sides do not meet, however widely they scatter. On a busy machine starts do, and all of one kind
 * are faster than all of the other.
 */
void judge_alone(const struct judged *item, const size_t run_count[COMPARE_SIDES]);

/** Judge the figures of @rows: those of one metric together. */
void judge_rows(struct compare_row *rows, size_t count, const size_t run_count[COMPARE_SIDES]);

/** Up to this many numbers the test is exact; above, it is the normal approximation. */
enum { RANKTEST_EXACT_MAX = 20 };

/** The result of the test. */
struct ranktest {
	double p;     // of a difference in rank as large as this or larger, if there were none
	double least; // the smallest p that these numbers could have given, in any order
};

/**
 * Mann-Whitney's test of @before against @after, two-sided, ties by their mean rank. Exact (every
 * way to share the numbers out is counted) up to RANKTEST_EXACT_MAX, else by the normal
 * approximation with correction for ties and continuity. p and least are 1 where a side is empty or
 * all numbers are the same. O(n^4) in the exact case, else O(n log n).
 */
struct ranktest ranktest(const uint64_t *before, size_t before_count, const uint64_t *after,
			 size_t after_count);
