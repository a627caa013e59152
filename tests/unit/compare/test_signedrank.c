// SPDX-License-Identifier: Apache-2.0
// The interval of the signed-rank test against the test itself: every choice of signs is counted.
#include "base/cleanup.h"
#include "compare/signedrank.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void is_about(double value, double expected)
{
	if (fabs(value - expected) > 1e-9)
		fail_msg("%.9g is not %.9g", value, expected);
}

/** The two-sided p of @values less @shift, of which no two are alike without their signs. */
static double p_of(const double *values, size_t count, double shift)
{
	size_t rank[16], positive = 0, whole = count * (count + 1) / 2, far = 0;

	for (size_t i = 0; i < count; i++) {
		rank[i] = 1;
		for (size_t k = 0; k < count; k++)
			rank[i] += fabs(values[k] - shift) < fabs(values[i] - shift);
		positive += values[i] > shift ? rank[i] : 0;
	}
	size_t least = positive < whole - positive ? positive : whole - positive;

	for (unsigned signs = 0; signs < 1u << count; signs++) {
		size_t sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += signs >> i & 1 ? i + 1 : 0;
		far += sum <= least || whole - sum <= least;
	}
	return (double)far / (double)(1u << count);
}

TEST(the_interval_has_what_the_test_does_not_refute)
{
	unsigned seed = 1;

	for (size_t round = 0; round < 200; round++) {
		size_t count = 6 + round % 7;
		double values[16];

		for (size_t i = 0; i < count; i++)
			values[i] = (double)rand_r(&seed) / RAND_MAX - 0.3;
		const struct signedrank found = signedrank(values, count, 1);

		assert_true(found.has_limits);
		assert_true(found.low <= found.center && found.center <= found.high);
		if (p_of(values, count, found.low - 1e-6) > SIGNEDRANK_ALPHA ||
		    p_of(values, count, found.high + 1e-6) > SIGNEDRANK_ALPHA ||
		    p_of(values, count, found.low + 1e-6) <= SIGNEDRANK_ALPHA ||
		    p_of(values, count, found.high - 1e-6) <= SIGNEDRANK_ALPHA)
			fail_msg("round %zu: %g to %g", round, found.low, found.high);
	}
}

TEST(five_differences_refute_nothing)
{
	static const double values[] = { 1, 2, 3, 4, 5, 6 };

	assert_false(signedrank(values, 0, 1).has_limits);
	assert_false(signedrank(values, 5, 1).has_limits);
	assert_true(signedrank(values, 6, 1).has_limits);
	is_about(signedrank(values, 5, 1).center, 3);
	is_about(signedrank(values, 6, 1).low, 1);
	is_about(signedrank(values, 6, 1).high, 6);
}

/** Above 50 the approximation takes over; either side of it intervals are nearly alike. */
TEST(the_approximation_joins_on)
{
	double values[51];

	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (double)i;
	const struct signedrank exact = signedrank(values, 50, 1),
				about = signedrank(values, 51, 1);

	is_about(exact.center, 24.5);
	is_about(about.center, 25);
	assert_true(fabs((exact.high - exact.low) - (about.high - about.low)) < 1);
	is_about(exact.low + exact.high, 49);
	is_about(about.low + about.high, 50);
}

static double noise(unsigned *seed)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)rand_r(seed) / RAND_MAX;
	return sum - 6;
}

/**
 * Starts like the one before them, as on a busy machine, of which nothing differs: ABBA or BAAB, as
 * chance decides. Returns how often in 1,000 a difference is shown.
 */
static size_t false_alarms(size_t count, size_t block)
{
	unsigned seed = 7;
	size_t found = 0;

	for (size_t round = 0; round < 1000; round++) {
		double values[64], shock = noise(&seed), sign = 1;

		for (size_t i = 0; i < count; i++) {
			const double middle = noise(&seed), last = noise(&seed);
			const double first_start = shock + middle, second_start = middle + last;

			sign = i % 2 ? -sign : rand_r(&seed) & 1024 ? 1 : -1;
			values[i] = sign * (second_start - first_start);
			shock = last;
		}
		const struct signedrank ranks = signedrank(values, count, block);

		found += ranks.low > 0 || ranks.high < 0;
	}
	return found;
}

TEST(pairs_that_go_together_are_no_difference)
{
	// It is the case: supposed to be independent, they seem to differ too often.
	assert_true(false_alarms(64, 1) > 60);
	assert_true(false_alarms(64, 2) <= 50);
	assert_true(false_alarms(20, 1) > 60);
	assert_true(false_alarms(20, 2) <= 50);
}
