// SPDX-License-Identifier: Apache-2.0
#include "bpf/clockrate.h"
#include "tests/support/test.h"

enum { MOST = 10000 };

TEST(samples_cost_a_small_part_of_the_time)
{
	assert_int_equal(clockrate_choose(3000, MOST), 3000);
	assert_int_equal(clockrate_choose(3600, MOST), 2500);
}

TEST(cheap_ones_are_as_many_as_are_wanted)
{
	assert_int_equal(clockrate_choose(900, MOST), MOST);
	assert_int_equal(clockrate_choose(1, MOST), MOST);
	assert_int_equal(clockrate_choose(900, 3000), 3000);
}

TEST(a_start_of_20_ms_has_50_however_dear_they_are)
{
	assert_int_equal(clockrate_choose(22000, MOST), 2500);
	assert_int_equal(clockrate_choose(UINT32_MAX, MOST), 2500);
	assert_int_equal(clockrate_choose(22000, 100), 100);
}

TEST(an_unknown_cost_is_a_high_one)
{
	assert_int_equal(clockrate_choose(0, MOST), 2500);
}

TEST(the_cost_is_the_gap_in_the_middle)
{
	uint64_t gaps[CLOCKRATE_GAPS];

	for (size_t i = 0; i < CLOCKRATE_GAPS; i++)
		gaps[i] = i < 3 ? 1000 : 5000;
	gaps[7] = 4000000; // another thread had the processor
	assert_int_equal(clockrate_cost(gaps, CLOCKRATE_GAPS), 5000);
}

TEST(few_gaps_tell_no_cost)
{
	uint64_t gaps[CLOCKRATE_GAPS];

	for (size_t i = 0; i < CLOCKRATE_GAPS; i++)
		gaps[i] = 5000;
	assert_int_equal(clockrate_cost(gaps, CLOCKRATE_GAPS / 2 - 1), 0);
	assert_int_equal(clockrate_cost(gaps, CLOCKRATE_GAPS / 2), 5000);
	assert_int_equal(clockrate_cost(gaps, 0), 0);
}
