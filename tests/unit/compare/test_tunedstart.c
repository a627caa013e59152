// SPDX-License-Identifier: Apache-2.0
// When a tuned start is taken for no slower than a plain one.
#include "compare/tunedstart.h"
#include "tests/support/test.h"

static struct bench_difference of(enum bench_verdict verdict, double low, double high)
{
	return (struct bench_difference){
		.pairs = 20, .verdict = verdict, .has_limits = true, .low = low, .high = high
	};
}

static bool is_harmless(struct bench_difference own, struct bench_difference processor)
{
	const struct tunedstart_measure measure = { .own = own, .processor = processor };

	return tunedstart_is_harmless(&measure);
}

TEST(a_loss_has_to_be_excluded)
{
	const struct bench_difference vague = of(BENCH_NO_DIFFERENCE, -0.02, 0.18);
	const struct bench_difference close = of(BENCH_NO_DIFFERENCE, -0.02, 0.03);

	assert_false(is_harmless(vague, vague));
	assert_true(is_harmless(vague, close));
	assert_true(is_harmless(close, vague));
	assert_true(is_harmless(of(BENCH_FASTER, -0.4, -0.1), vague));
	assert_false(is_harmless(of(BENCH_SLOWER, 0.001, 0.02), close));
	// The processor's time where the own time tells nothing, and only there.
	assert_true(is_harmless(close, of(BENCH_SLOWER, 0.001, 0.02)));
	assert_false(is_harmless(vague, of(BENCH_SLOWER, 0.001, 0.02)));
}

TEST(too_few_starts_show_nothing)
{
	const struct bench_difference none = { .verdict = BENCH_TOO_FEW };

	assert_false(is_harmless(none, none));
}
