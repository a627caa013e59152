// SPDX-License-Identifier: Apache-2.0
// Median, spread and Mann-Whitney's U against numbers worked out by hand.
#include "base/median.h"
#include "compare/judge.h"
#include "tests/support/test.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void is_about(double value, double expected, double tolerance)
{
	if (fabs(value - expected) > tolerance)
		fail_msg("%.9g is not %.9g", value, expected);
}

/**
 * p where @size numbers of each side have U: 1 … 2n ranks, before the first ones but for its last,
 * which lies @u further up.
 */
static double p_of_u(size_t size, size_t u)
{
	uint64_t before[32], after[32];
	size_t b = 0, a = 0;

	for (size_t i = 0; i < 2 * size; i++)
		if (i < size - 1 || i == size - 1 + u)
			before[b++] = i;
		else
			after[a++] = i;
	return ranktest(before, b, after, a).p;
}

TEST(p_is_the_share_of_arrangements)
{
	// Of C(n, n/2) arrangements as many have U or less as there are partitions of 0 … U.
	is_about(p_of_u(2, 0), 2.0 / 6, 1e-12);
	is_about(p_of_u(3, 0), 2.0 / 20, 1e-12);
	is_about(p_of_u(4, 0), 2.0 / 70, 1e-12);
	is_about(p_of_u(4, 1), 4.0 / 70, 1e-12);
	is_about(p_of_u(5, 0), 2.0 / 252, 1e-12);
	is_about(p_of_u(5, 1), 4.0 / 252, 1e-12);
	is_about(p_of_u(5, 2), 8.0 / 252, 1e-12);
	is_about(p_of_u(5, 3), 14.0 / 252, 1e-12);
	is_about(p_of_u(6, 5), 38.0 / 924, 1e-12);
}

/** The critical values of U for two sides and 0.05, as the tables have them. */
TEST(it_turns_where_the_tables_do)
{
	static const struct {
		size_t size, u;
	} critical[] = { { 4, 0 }, { 5, 2 }, { 6, 5 } };

	for (size_t i = 0; i < COUNT(critical); i++) {
		assert_true(p_of_u(critical[i].size, critical[i].u) <= 0.05);
		assert_true(p_of_u(critical[i].size, critical[i].u + 1) > 0.05);
	}
	assert_true(p_of_u(3, 0) > 0.05);
}

TEST(ties_share_their_ranks)
{
	static const uint64_t threes[] = { 3, 3, 3, 3, 3 }, fours[] = { 4, 4, 4, 4, 4 };
	static const uint64_t one[] = { 3, 3, 3, 3, 4 };

	is_about(ranktest(threes, 5, fours, 5).p, 2.0 / 252, 1e-12);
	// The 4 stands in either side equally often.
	is_about(ranktest(threes, 5, one, 5).p, 1, 1e-12);
	is_about(ranktest(threes, 5, one, 5).least, 1, 1e-12);
	// {1, 2} and {2, 3}: ranks 1, 2.5 against 2.5, 4; of six ways four are as far or farther.
	static const uint64_t low[] = { 1, 2 }, high[] = { 2, 3 };
	is_about(ranktest(low, 2, high, 2).p, 4.0 / 6, 1e-12);
	is_about(ranktest(low, 2, high, 2).least, 4.0 / 6, 1e-12);
}

TEST(nothing_shows_nothing)
{
	static const uint64_t same[] = { 7, 7, 7 };

	is_about(ranktest(same, 3, same, 3).p, 1, 0);
	is_about(ranktest(same, 3, same, 3).least, 1, 0);
	is_about(ranktest(same, 0, same, 3).p, 1, 0);
	is_about(ranktest(same, 1, same, 0).p, 1, 0);
}

TEST(sides_may_be_exchanged)
{
	static const uint64_t a[] = { 1, 5, 9, 2 }, b[] = { 3, 8, 8, 10, 11, 2 };

	is_about(ranktest(a, 4, b, 6).p, ranktest(b, 6, a, 4).p, 1e-12);
}

TEST(many_numbers_are_tested_by_the_normal_approximation)
{
	// 10 against 10 is still exact, 11 against 11 is not: U = 0 for both. z = (60.5 - 0.5) /
	// sqrt(121 / 12 * 23) = 3.93990, erfc(z / sqrt(2)) = 8.1515e-05.
	is_about(p_of_u(10, 0), 2.0 / 184756, 1e-12);
	is_about(p_of_u(11, 0), 8.15154e-05, 1e-9);
}

TEST(medians_and_spreads)
{
	static const uint64_t odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 2 },
			      five[] = { 50, 10, 20, 40, 30 };

	is_about(median_of(odd, 3), 5, 0);
	is_about(median_of(even, 4), 2.5, 0);
	is_about(median_of(odd, 1), 9, 0);
	is_about(median_of(odd, 0), 0, 0);
	is_about(median_spread(five, 5), 20, 1e-12);
	is_about(median_spread(even, 4), 1.5, 1e-12);
	is_about(median_spread(odd, 1), 0, 0);
}
