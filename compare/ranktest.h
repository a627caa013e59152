// SPDX-License-Identifier: Apache-2.0
// Whether two sets of numbers from repeated runs differ: Mann-Whitney's U.
#pragma once

#include <stddef.h>
#include <stdint.h>

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
