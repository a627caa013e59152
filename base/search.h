// SPDX-License-Identifier: Apache-2.0
// Binary search in whatever is sorted: an array, or anything else that an index leads to.
#pragma once

#include <stddef.h>

/**
 * The first index below @count for which @is_past is true; @count if there is none. O(log @count).
 *
 * @i:       name of the index within @is_past
 * @is_past: an expression of @i, false up to some index and true from there on
 *
 * search_first(count, i, items[i].key >= key) is the lower bound of key in sorted items, and
 * search_first(count, i, items[i].key > key) - 1 the last item at or before it, where there is one.
 */
#define search_first(count, i, is_past)                                            \
	({                                                                         \
		size_t search_low_ = 0, search_high_ = (count);                    \
		while (search_low_ < search_high_) {                               \
			size_t i = search_low_ + (search_high_ - search_low_) / 2; \
			if (is_past)                                               \
				search_high_ = i;                                  \
			else                                                       \
				search_low_ = i + 1;                               \
		}                                                                  \
		search_low_;                                                       \
	})
