// SPDX-License-Identifier: Apache-2.0
#include "base/median.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *sorted(const uint64_t *values, size_t count)
{
	uint64_t *copy = xcalloc(count, sizeof(*copy));

	memcpy(copy, values, count * sizeof(*copy));
	qsort(copy, count, sizeof(*copy), order_u64);
	return copy;
}

/** The value at @share of the sorted @values. */
static double quantile(const uint64_t *values, size_t count, double share)
{
	double at = share * (double)(count - 1);
	size_t below = (size_t)at;
	double part = at - (double)below;

	if (below + 1 >= count)
		return (double)values[count - 1];
	return (double)values[below] * (1 - part) + (double)values[below + 1] * part;
}

double median_quantile(const uint64_t *values, size_t count, double share)
{
	if (count <= 1)
		return count ? (double)values[0] : 0;
	CLEANUP(freep) uint64_t *copy = sorted(values, count);

	return quantile(copy, count, share);
}

double median_of(const uint64_t *values, size_t count)
{
	return median_quantile(values, count, 0.5);
}

double median_spread(const uint64_t *values, size_t count)
{
	if (count <= 1)
		return 0;
	CLEANUP(freep) uint64_t *copy = sorted(values, count);

	return quantile(copy, count, 0.75) - quantile(copy, count, 0.25);
}
