// SPDX-License-Identifier: Apache-2.0
#include "compare/signedrank.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_MAX = 50, SUMS_MAX = EXACT_MAX * (EXACT_MAX + 1) / 2 + 1 };

static const double normal_quantile = 2.053749; // of 1 - SIGNEDRANK_ALPHA / 2

/** How many sums of ranks, from 0 on, have together at most half of SIGNEDRANK_ALPHA. */
static size_t exact_tail(size_t count)
{
	double chance[SUMS_MAX] = { 1 }, sum = 0;
	size_t sums = count * (count + 1) / 2 + 1, tail = 0;

	// Each rank is in the sum or not, with equal chance.
	for (size_t rank = 1; rank <= count; rank++)
		for (size_t at = sums; at-- > 0;)
			chance[at] = (chance[at] + (at >= rank ? chance[at - rank] : 0)) / 2;
	while (tail < sums && sum + chance[tail] <= SIGNEDRANK_ALPHA / 2)
		sum += chance[tail++];
	return tail;
}

static size_t normal_tail(size_t count)
{
	double n = (double)count, mean = n * (n + 1) / 4;
	double sigma = sqrt(n * (n + 1) * (2 * n + 1) / 24);

	return (size_t)fmax(0, floor(mean - normal_quantile * sigma + 0.5));
}

/** A difference without its shift, in order of size. */
struct residual {
	double size;
	size_t at;
	bool is_positive;
};

ORDER_OF(compare_sizes, residual, ORDER(x->size, y->size) ?: ORDER(x->at, y->at))

/**
 * How many times the spread of the sum of signed ranks is what it were if all differences were
 * independent, at least 1: the sums of blocks are, since chance decides the sign of each as a whole
 * (Rosner, Glynn and Lee, Biometrics 62, 2006).
 */
static double widening(const double *differences, size_t count, size_t block, double shift)
{
	CLEANUP(freep) struct residual *residuals = xcalloc(count, sizeof(*residuals));
	CLEANUP(freep) double *sums = xcalloc(count / block + 1, sizeof(*sums));
	double independent = 0, observed = 0;

	for (size_t i = 0; i < count; i++)
		residuals[i] = (struct residual){ fabs(differences[i] - shift), i,
						  differences[i] > shift };
	qsort(residuals, count, sizeof(*residuals), compare_sizes);
	for (size_t i = 0; i < count; i++) {
		const double rank = (double)(i + 1);

		independent += rank * rank;
		sums[residuals[i].at / block] += residuals[i].is_positive ? rank : -rank;
	}
	for (size_t i = 0; i <= count / block; i++)
		observed += sums[i] * sums[i];
	return sqrt(fmax(1, observed / independent));
}

struct signedrank signedrank(const double *differences, size_t count, size_t block)
{
	size_t mean_count = count * (count + 1) / 2, at = 0;
	CLEANUP(freep) double *means = xcalloc(mean_count + 1, sizeof(*means));

	if (count == 0)
		return (struct signedrank){ 0 };
	for (size_t i = 0; i < count; i++)
		for (size_t k = i; k < count; k++)
			means[at++] = (differences[i] + differences[k]) / 2;
	qsort(means, mean_count, sizeof(*means), order_double);

	const double center = (means[(mean_count - 1) / 2] + means[mean_count / 2]) / 2;
	const double middle = (double)mean_count / 2;
	size_t tail = count <= EXACT_MAX ? exact_tail(count) : normal_tail(count);

	if (block > 1 && tail > 0)
		tail = (size_t)fmax(1,
				    middle - (middle - (double)tail) *
						     widening(differences, count, block, center));
	struct signedrank result = { .center = center, .has_limits = tail > 0 };

	// The sum of ranks of positive differences is the number of positive means: a shift is
	// refuted where at most so many of them lie on one side of it.
	if (tail > 0) {
		result.low = means[tail - 1];
		result.high = means[mean_count - tail];
	}
	return result;
}
