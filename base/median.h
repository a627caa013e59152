// SPDX-License-Identifier: Apache-2.0
// The middle of numbers from repeated runs, and how far apart they lie.
#pragma once

#include <stddef.h>
#include <stdint.h>

/** The middle of @values; of an even number, the mean of the two in the middle; 0 of none. */
double median_of(const uint64_t *values, size_t count);

/** Their interquartile range, quartiles between two values by their share (R's type 7). */
double median_spread(const uint64_t *values, size_t count);
