// SPDX-License-Identifier: Apache-2.0
// How much each range of a row adds to those before it.
#pragma once

#include "base/range.h"

#include <stddef.h>

/**
 * Fill @ret_gains: the numbers in ranges[i] that none of ranges[0..i) has. Ranges may overlap and
 * be of any size; time O(n log n) whatever they say.
 */
void cover_gains(const struct range *ranges, size_t count, uint64_t *ret_gains);
