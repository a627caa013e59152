// SPDX-License-Identifier: Apache-2.0
#include "compare/judge.h"

#include "base/cleanup.h"
#include "base/arena.h"
#include "base/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
	uint64_t value;
	bool is_before;
	unsigned rank; // doubled, so that the mean of two ranks is a whole number
};

ORDER_OF(compare_ranked, ranked, order_u64(&x->value, &y->value))

/** Rank all numbers; returns the sum over ties of t^3 - t. */
static double rank(struct ranked *all, size_t count)
{
	double ties = 0;

	qsort(all, count, sizeof(*all), compare_ranked);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && all[end].value == all[i].value; end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].rank = (unsigned)(i + 1 + end);
		double t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

/** The largest distance from its mean that the sum of @chosen ranks can have; all doubled. */
static unsigned farthest(const struct ranked *all, size_t count, size_t chosen)
{
	unsigned low = 0, high = 0, mean = (unsigned)(chosen * (count + 1));

	for (size_t i = 0; i < chosen; i++) {
		low += all[i].rank;
		high += all[count - 1 - i].rank;
	}
	return mean - low > high - mean ? mean - low : high - mean;
}

/** Count every way to choose: the share of those at least @distance, or @limit, from the mean. */
static struct ranktest exact(const struct ranked *all, size_t count, size_t chosen,
			     unsigned distance, unsigned limit)
{
	enum { SUMS = RANKTEST_EXACT_MAX * (RANKTEST_EXACT_MAX + 1) + 1 };
	double ways[RANKTEST_EXACT_MAX + 1][SUMS];
	unsigned mean = (unsigned)(chosen * (count + 1));
	unsigned sums = (unsigned)(count * (count + 1) + 1); // all ranks, doubled, and none
	double whole = 0, far = 0, farther = 0;

	for (size_t taken = 0; taken <= chosen; taken++)
		memset(ways[taken], 0, sums * sizeof(ways[taken][0]));
	ways[0][0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t taken = i + 1 < chosen ? i + 1 : chosen; taken > 0; taken--)
			for (size_t sum = all[i].rank; sum < sums; sum++)
				ways[taken][sum] += ways[taken - 1][sum - all[i].rank];
	for (unsigned sum = 0; sum < sums; sum++) {
		unsigned from_mean = sum > mean ? sum - mean : mean - sum;

		whole += ways[chosen][sum];
		far += from_mean >= distance ? ways[chosen][sum] : 0;
		farther += from_mean >= limit ? ways[chosen][sum] : 0;
	}
	return (struct ranktest){ .p = far / whole, .least = farther / whole };
}

/** The chance to be @distance (doubled ranks) or more from the mean, whose deviation is @sigma. */
static double normal(unsigned distance, double sigma)
{
	double z = (distance / 2.0 - 0.5) / sigma;

	return z <= 0 ? 1 : erfc(z / sqrt(2));
}

struct ranktest ranktest(const uint64_t *before, size_t before_count, const uint64_t *after,
			 size_t after_count)
{
	size_t count = before_count + after_count;
	CLEANUP(freep) struct ranked *all = xcalloc(count + 1, sizeof(*all));
	unsigned sum = 0, mean = (unsigned)(before_count * (count + 1));

	for (size_t i = 0; i < before_count; i++)
		all[i] = (struct ranked){ .value = before[i], .is_before = true };
	for (size_t i = 0; i < after_count; i++)
		all[before_count + i].value = after[i];
	double ties = rank(all, count);
	if (before_count == 0 || after_count == 0 || all[0].value == all[count - 1].value)
		return (struct ranktest){ .p = 1, .least = 1 };

	for (size_t i = 0; i < count; i++)
		sum += all[i].is_before ? all[i].rank : 0;
	unsigned distance = sum > mean ? sum - mean : mean - sum;
	unsigned limit = farthest(all, count, before_count);
	if (count <= RANKTEST_EXACT_MAX)
		return exact(all, count, before_count, distance, limit);

	double n = (double)count;
	double sigma = sqrt((double)before_count * (double)after_count / 12 *
			    (n + 1 - ties / (n * (n - 1))));
	return (struct ranktest){ .p = normal(distance, sigma), .least = normal(limit, sigma) };
}
