// SPDX-License-Identifier: Apache-2.0
// Axes: places, breaks, round ticks; and how room is shared out.
#include "render/picture/scale.h"
#include "tests/support/test.h"
#include "base/cleanup.h"

TEST(values_lie_evenly_and_never_beside_the_axis)
{
	const struct scale scale = { .first = 100, .last = 300, .start = 10, .length = 50 };

	assert_float_equal(scale_place(&scale, 100), 10, 0);
	assert_float_equal(scale_place(&scale, 200), 35, 0);
	assert_float_equal(scale_place(&scale, 300), 60, 0);
	assert_float_equal(scale_place(&scale, 0), 10, 0);
	assert_float_equal(scale_place(&scale, UINT64_MAX), 60, 0);
}

TEST(an_axis_of_one_value_has_one_place)
{
	const struct scale scale = { .first = 7, .last = 7, .start = 10, .length = 50 };

	assert_float_equal(scale_place(&scale, 7), 10, 0);
	assert_float_equal(scale_place(&scale, 8), 10, 0);
}

TEST(a_gap_takes_the_room_of_a_break)
{
	static const struct scale_gap gaps[] = { { 200, 1000 } };
	const struct scale scale = {
		.first = 100,
		.last = 1100,
		.length = 220,
		.gaps = gaps,
		.gap_count = 1,
		.gap_length = 20,
	};

	assert_float_equal(scale_place(&scale, 150), 50, 1e-9);
	assert_float_equal(scale_place(&scale, 200), 100, 1e-9);
	assert_float_equal(scale_place(&scale, 600), 110, 1e-9);
	assert_float_equal(scale_place(&scale, 1000), 120, 1e-9);
	assert_float_equal(scale_place(&scale, 1050), 170, 1e-9);
	assert_float_equal(scale_place(&scale, 1100), 220, 1e-9);
}

TEST(places_never_go_back)
{
	static const struct scale_gap gaps[] = { { 10, 500 }, { 510, 900 } };
	const struct scale scale = { .first = 0,
				     .last = 1000,
				     .start = 3,
				     .length = 100,
				     .gaps = gaps,
				     .gap_count = 2,
				     .gap_length = 5 };
	double before = 0;

	for (uint64_t value = 0; value <= 1000; value++) {
		double place = scale_place(&scale, value);

		assert_true(place >= before);
		before = place;
	}
	assert_float_equal(before, 103, 1e-9);
}

TEST(only_long_silence_is_a_gap)
{
	struct range spans[100];
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	for (size_t i = 0; i < 100; i++)
		spans[i].start = spans[i].end =
			i * 10 + (i >= 50 ? 5000 : 0) + (i >= 80 ? 100000 : 0);
	const struct scale_gap *gaps = scale_find_gaps(&arena, spans, 100, 4, &count);

	assert_int_equal(count, 2);
	assert_int_equal(gaps[0].first, 490);
	assert_int_equal(gaps[0].last, 5500);
	assert_int_equal(gaps[1].first, 5790);
	assert_int_equal(gaps[1].last, 105800);

	gaps = scale_find_gaps(&arena, spans, 100, 1, &count);
	assert_int_equal(count, 1);
	assert_int_equal(gaps[0].first, 5790);
}

/** 30 faults of 10 ns; the 10th waits for 50000 ns, a second thread for 80000 from the 20th on. */
TEST(a_gap_runs_from_an_end_to_the_next_start)
{
	struct range spans[30];
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	for (size_t i = 0; i < 30; i++) {
		uint64_t start = i * 20 + (i > 10 ? 50000 : 0) + (i > 25 ? 200000 : 0);

		spans[i] = (struct range){ start, start + 10 };
	}
	spans[10].end = spans[10].start + 50000;
	spans[20].end = spans[20].start + 80000;
	const struct scale_gap *gaps = scale_find_gaps(&arena, spans, 30, 4, &count);

	assert_int_equal(count, 1);
	assert_int_equal(gaps[0].first, 50000 + 400 + 80000);
	assert_int_equal(gaps[0].last, 250000 + 520);
}

TEST(few_values_far_apart_are_no_gaps)
{
	static const struct range spans[] = {
		{ 0, 0 }, { 100, 100 }, { 250, 250 }, { 300, 300 }, { 450, 450 }
	};
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	scale_find_gaps(&arena, spans, 5, 4, &count);
	assert_int_equal(count, 0);
	scale_find_gaps(&arena, spans, 1, 4, &count);
	assert_int_equal(count, 0);
	scale_find_gaps(&arena, spans, 0, 4, &count);
	assert_int_equal(count, 0);
}

TEST(ticks_are_round_and_share_a_unit)
{
	const struct scale scale = { .first = 3000000, .last = 212000000, .length = 800 };
	static const char *const labels[] = { "50 ms", "100 ms", "150 ms", "200 ms" };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	const struct scale_tick *ticks = scale_time_ticks(&arena, &scale, "us", 9, &count);

	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(ticks[i].label, labels[i]);
		assert_float_equal(ticks[i].place, scale_place(&scale, ticks[i].value), 0);
	}
}

TEST(ticks_have_the_decimals_they_need)
{
	const struct scale time = { .first = 1200000000, .last = 1600000000, .length = 800 };
	const struct scale size = { .last = 3 << 20, .length = 800 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	const struct scale_tick *ticks = scale_time_ticks(&arena, &time, "us", 5, &count);

	assert_int_equal(count, 5);
	assert_string_equal(ticks[0].label, "1.2 s");
	assert_string_equal(ticks[4].label, "1.6 s");
	ticks = scale_size_ticks(&arena, &size, 8, &count);
	assert_int_equal(count, 7);
	assert_string_equal(ticks[0].label, "0");
	assert_string_equal(ticks[1].label, "0.5 MiB");
	assert_string_equal(ticks[6].label, "3.0 MiB");
}

TEST(ticks_lie_beside_gaps)
{
	static const struct scale_gap gaps[] = { { 12000000, 49000000 }, { 51000000, 98000000 } };
	const struct scale scale = {
		.last = 100000000, .length = 600, .gaps = gaps, .gap_count = 2, .gap_length = 20
	};
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	const struct scale_tick *ticks = scale_time_ticks(&arena, &scale, "us", 6, &count);

	assert_in_range(count, 3, 6);
	for (size_t i = 0; i < count; i++) {
		assert_true(ticks[i].value <= 12000000 || ticks[i].value >= 98000000 ||
			    (ticks[i].value >= 49000000 && ticks[i].value <= 51000000));
		assert_true(i == 0 || ticks[i].place - ticks[i - 1].place >= 600.0 / 14);
	}
}

TEST(ticks_of_hostile_axes_end)
{
	static const struct scale_gap gaps[] = { { 10, UINT64_MAX - 10 } };
	const struct scale all = { .last = UINT64_MAX, .length = 100 };
	const struct scale one = { .first = UINT64_MAX, .last = UINT64_MAX, .length = 100 };
	const struct scale broken = {
		.last = UINT64_MAX, .length = 100, .gaps = gaps, .gap_count = 1, .gap_length = 10
	};
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t count;

	scale_time_ticks(&arena, &all, "us", 10, &count);
	assert_true(count <= 10);
	scale_size_ticks(&arena, &all, 10, &count);
	assert_true(count <= 10);
	scale_time_ticks(&arena, &one, "us", 10, &count);
	assert_true(count <= 1);
	const struct scale_tick *ticks = scale_time_ticks(&arena, &broken, "us", 10, &count);

	assert_in_range(count, 1, 10);
	for (size_t i = 0; i < count; i++)
		assert_true(ticks[i].value <= 10 || ticks[i].value >= UINT64_MAX - 10);
}

TEST(shares_add_up_and_keep_their_minima)
{
	static const double weights[] = { 0, 1, 3, 0 };
	static const unsigned minima[] = { 5, 5, 0, 2 };
	unsigned shares[4];

	scale_share(weights, minima, 4, 100, shares);
	assert_int_equal(shares[0], 5);
	assert_int_equal(shares[1], 5 + 22);
	assert_int_equal(shares[2], 66);
	assert_int_equal(shares[3], 2);
}

TEST(minima_shrink_where_there_is_no_room)
{
	static const double weights[] = { 1, 1, 8 };
	static const unsigned minima[] = { 10, 10, 20 };
	unsigned shares[3];

	scale_share(weights, minima, 3, 30, shares); // 20 by minima, 10 by weight
	assert_int_equal(shares[0], 5 + 1);
	assert_int_equal(shares[1], 5 + 1);
	assert_int_equal(shares[2], 10 + 8);
	scale_share(weights, minima, 3, 0, shares);
	assert_int_equal(shares[0] + shares[1] + shares[2], 0);
}
