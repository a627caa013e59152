// SPDX-License-Identifier: Apache-2.0
// Wilcoxon's signed-rank test, turned round: which shifts the differences of pairs do not refute.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Two-sided, of each interval. Below 5 %, which is what is promised. */
#define SIGNEDRANK_ALPHA 0.04

struct signedrank {
	double center;	  // Hodges and Lehmann's: the median of the means of every two differences
	double low, high; // an interval for the shift; it lacks 0 where the test shows one
	bool has_limits;  // there are differences enough for such an interval
};

/**
 * Estimate by how much @differences are shifted. Nothing is supposed of their distribution but that
 * it is symmetric, as that of the differences between two starts of one program is. Exact up to 50
 * of them, above by the normal approximation. O(n^2 log n) in time, O(n^2) in memory.
 *
 * @block: so many in a row may depend on each other, as the two pairs of four starts do, whose
 * order one chance decides: where they go together, the interval is as much wider. 1: none do.
 */
struct signedrank signedrank(const double *differences, size_t count, size_t block);
