// SPDX-License-Identifier: Apache-2.0
// Additions of each range to those before it, against an array of bytes.
#include "derive/locality.h"
#include "tests/support/test.h"

#include <stdlib.h>

TEST(a_range_adds_what_none_before_it_has)
{
	static const struct range ranges[] = {
		{ 10, 20 }, { 15, 25 }, { 0, 30 }, { 12, 18 }, { 30, 30 }, { 40, 41 },
	};
	static const uint64_t expected[] = { 10, 5, 15, 0, 0, 1 };
	uint64_t gains[6];

	cover_gains(ranges, 6, gains);
	assert_memory_equal(gains, expected, sizeof(expected));
	cover_gains(NULL, 0, NULL);
}

TEST(ranges_may_be_as_large_as_numbers_are)
{
	static const struct range ranges[] = { { 1, UINT64_MAX }, { 0, UINT64_MAX } };
	uint64_t gains[2];

	cover_gains(ranges, 2, gains);
	assert_true(gains[0] == UINT64_MAX - 1);
	assert_true(gains[1] == 1);
}

TEST(random_ranges_add_what_bytes_tell)
{
	enum { BYTES = 200, RANGES = 30 };

	for (unsigned seed = 1; seed <= 500; seed++) {
		bool is_taken[BYTES] = { false };
		struct range ranges[RANGES];
		uint64_t gains[RANGES];

		srand(seed);
		size_t count = (size_t)rand() % RANGES + 1;
		for (size_t i = 0; i < count; i++) {
			ranges[i].start = (uint64_t)rand() % BYTES;
			ranges[i].end =
				ranges[i].start + (uint64_t)rand() % (BYTES - ranges[i].start + 1);
		}
		cover_gains(ranges, count, gains);
		for (size_t i = 0; i < count; i++) {
			uint64_t gain = 0;

			for (uint64_t at = ranges[i].start; at < ranges[i].end; at++) {
				gain += !is_taken[at];
				is_taken[at] = true;
			}
			if (gains[i] != gain)
				fail_msg("seed %u: range %zu", seed, i);
		}
	}
}
