// SPDX-License-Identifier: Apache-2.0
#include "bpf/clockrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 10000 };

static void samples_cost_a_small_part_of_the_time(void **state)
{
	assert_int_equal(clockrate_choose(3000, MOST), 3000);
	assert_int_equal(clockrate_choose(3600, MOST), 2500);
}

static void cheap_ones_are_as_many_as_are_wanted(void **state)
{
	assert_int_equal(clockrate_choose(900, MOST), MOST);
	assert_int_equal(clockrate_choose(1, MOST), MOST);
	assert_int_equal(clockrate_choose(900, 3000), 3000);
}

static void a_start_of_20_ms_has_50_however_dear_they_are(void **state)
{
	assert_int_equal(clockrate_choose(22000, MOST), 2500);
	assert_int_equal(clockrate_choose(UINT32_MAX, MOST), 2500);
	assert_int_equal(clockrate_choose(22000, 100), 100);
}

static void an_unknown_cost_is_a_high_one(void **state)
{
	assert_int_equal(clockrate_choose(0, MOST), 2500);
}

static void the_cost_is_the_gap_in_the_middle(void **state)
{
	uint64_t gaps[CLOCKRATE_GAPS];

	for (size_t i = 0; i < CLOCKRATE_GAPS; i++)
		gaps[i] = i < 3 ? 1000 : 5000;
	gaps[7] = 4000000; // another thread had the processor
	assert_int_equal(clockrate_cost(gaps, CLOCKRATE_GAPS), 5000);
}

static void few_gaps_tell_no_cost(void **state)
{
	uint64_t gaps[CLOCKRATE_GAPS];

	for (size_t i = 0; i < CLOCKRATE_GAPS; i++)
		gaps[i] = 5000;
	assert_int_equal(clockrate_cost(gaps, CLOCKRATE_GAPS / 2 - 1), 0);
	assert_int_equal(clockrate_cost(gaps, CLOCKRATE_GAPS / 2), 5000);
	assert_int_equal(clockrate_cost(gaps, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_cost_a_small_part_of_the_time),
		cmocka_unit_test(cheap_ones_are_as_many_as_are_wanted),
		cmocka_unit_test(a_start_of_20_ms_has_50_however_dear_they_are),
		cmocka_unit_test(an_unknown_cost_is_a_high_one),
		cmocka_unit_test(the_cost_is_the_gap_in_the_middle),
		cmocka_unit_test(few_gaps_tell_no_cost),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
