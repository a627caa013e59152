// SPDX-License-Identifier: Apache-2.0
#include "base/rangeset.h"
#include "tests/support/test.h"

TEST(ranges_join_in_any_order)
{
	CLEANUP(rangeset_deinit) struct rangeset set = { 0 };

	rangeset_add(&set, 20, 10);
	rangeset_add(&set, 0, 5);
	rangeset_add(&set, 5, 5);
	rangeset_add(&set, 25, 10);
	rangeset_add(&set, 50, 0);
	rangeset_settle(&set);
	assert_int_equal(set.list.count, 2);
	assert_int_equal(rangeset_count(&set, (struct range){ 0, 100 }), 25);
	assert_int_equal(rangeset_count(&set, (struct range){ 9, 21 }), 2);
	assert_int_equal(rangeset_count(&set, (struct range){ 10, 20 }), 0);
}

TEST(the_end_of_all_numbers_is_an_end)
{
	CLEANUP(rangeset_deinit) struct rangeset set = { 0 };

	rangeset_add(&set, UINT64_MAX - 1, 4096);
	rangeset_settle(&set);
	assert_int_equal(rangeset_count(&set, (struct range){ 0, UINT64_MAX }), 1);
}

/** Thousands of pages in a mixed order, many twice: what counts is a byte per page. */
TEST(many_pages_are_those_of_an_array)
{
	enum { PAGES = 5000 };
	static unsigned char seen[2][PAGES];
	struct rangeset sets[2] = { { { 0 }, 0 }, { { 0 }, 0 } };
	uint64_t random = 1, count = 0, both = 0;

	for (size_t i = 0; i < 20000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		size_t page = (random >> 33) % PAGES, which = i % 2;

		rangeset_add(&sets[which], page * 4096, 4096);
		seen[which][page] = 1;
	}
	for (size_t i = 0; i < PAGES; i++) {
		count += seen[0][i] && i >= 100 && i < 4000;
		both += seen[0][i] && seen[1][i];
	}
	rangeset_settle(&sets[0]);
	rangeset_settle(&sets[1]);
	assert_int_equal(rangeset_count(&sets[0], (struct range){ 100 * 4096, 4000 * 4096 }),
			 count * 4096);
	assert_int_equal(rangeset_common(&sets[0], &sets[1]), both * 4096);
	rangeset_deinit(&sets[0]);
	rangeset_deinit(&sets[1]);
}
