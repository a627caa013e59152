// SPDX-License-Identifier: Apache-2.0
// Median and spread of numbers from repeated runs.
#pragma once

#include <stddef.h>
#include <stdint.h>

/** The median of @values; for an even count the mean of the middle two; 0 if empty. */
double median_of(const uint64_t *values, size_t count);

/** The value at @share, from 0 to 1, of @values once they are sorted, interpolated; 0 if empty. */
double median_quantile(const uint64_t *values, size_t count, double share);

/** Their interquartile range, with quartiles interpolated linearly (R's type 7). */
double median_spread(const uint64_t *values, size_t count);
