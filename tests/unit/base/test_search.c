// SPDX-License-Identifier: Apache-2.0
// Binary search against a walk from the front.
#include "base/search.h"
#include "tests/support/test.h"

enum { ITEMS_MAX = 20 };

/** Keys 10, 10, 12, 12, 14, ...: each twice, with gaps between. */
static void fill(uint64_t keys[ITEMS_MAX])
{
	for (size_t i = 0; i < ITEMS_MAX; i++)
		keys[i] = 10 + i / 2 * 2;
}

TEST(nothing_is_found_among_nothing)
{
	assert_int_equal(search_first(0, i, i > 0), 0);
}

TEST(the_first_at_or_past_a_key_is_found)
{
	uint64_t keys[ITEMS_MAX];

	fill(keys);
	for (size_t count = 0; count <= ITEMS_MAX; count++)
		for (uint64_t key = 8; key < 34; key++) {
			size_t expected = 0;

			while (expected < count && keys[expected] < key)
				expected++;
			assert_int_equal(search_first(count, i, keys[i] >= key), expected);
			while (expected < count && keys[expected] == key)
				expected++;
			assert_int_equal(search_first(count, i, keys[i] > key), expected);
		}
}

TEST(a_search_may_be_within_another)
{
	uint64_t keys[ITEMS_MAX];

	fill(keys);
	// The first key that at least four keys come before.
	assert_int_equal(
		search_first(ITEMS_MAX, i, search_first(ITEMS_MAX, j, keys[j] >= keys[i]) >= 4), 4);
}

TEST(the_count_is_computed_once)
{
	size_t count = 7;

	assert_int_equal(search_first(count++, i, i >= 5), 5);
	assert_int_equal(count, 8);
}
