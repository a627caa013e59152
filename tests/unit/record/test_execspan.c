// SPDX-License-Identifier: Apache-2.0
// When registers are of a program that has gone: asked for when other rings are ahead.
#include "record/perf/private.h"
#include "tests/support/test.h"

TEST(an_exec_lasts_until_the_first_instruction)
{
	CLEANUP(execspans_deinit) struct execspans spans = { 0 };

	assert_false(execspans_is_open(&spans, 7));
	assert_false(execspans_has(&spans, 7, 100));
	execspans_end(&spans, 7, 100);
	execspans_begin(&spans, 7, 100);
	execspans_begin(&spans, 8, 150);
	assert_true(execspans_is_open(&spans, 7));
	assert_false(execspans_has(&spans, 7, 99));
	assert_true(execspans_has(&spans, 7, 100));
	assert_true(execspans_has(&spans, 7, UINT64_MAX - 1));
	execspans_end(&spans, 7, 200);
	execspans_end(&spans, 7, 300);
	assert_false(execspans_is_open(&spans, 7));
	assert_true(execspans_is_open(&spans, 8));
	assert_true(execspans_has(&spans, 7, 199));
	assert_false(execspans_has(&spans, 7, 200));
}

TEST(the_last_exec_of_a_process_counts)
{
	CLEANUP(execspans_deinit) struct execspans spans = { 0 };

	execspans_begin(&spans, 7, 100);
	execspans_end(&spans, 7, 200);
	execspans_begin(&spans, 7, 500);
	assert_true(execspans_is_open(&spans, 7));
	assert_false(execspans_has(&spans, 7, 499));
	assert_true(execspans_has(&spans, 7, 500));
}
