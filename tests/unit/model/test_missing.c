// SPDX-License-Identifier: Apache-2.0
// Faults missing from a trace, by the counts that it has.
#include "model/missing.h"
#include "tests/support/test.h"

/** As the BPF backend records: the kernel counted 106. */
static struct model_counts by_task(void)
{
	return (struct model_counts){
		.recorded = 100,
		.before_exec = 2,
		.has_rusage = true,
		.rusage_minor = 106,
		.has_unsampled = true,
		.unsampled = 4,
		.has_unrecorded = true,
		.exec_unsampled = 4,
	};
}

/** As the perf backend does: at most six of the kernel's 106 raised no event in exec. */
static struct model_counts by_rusage(void)
{
	return (struct model_counts){
		.recorded = 98,
		.before_exec = 2,
		.has_rusage = true,
		.rusage_minor = 106,
		.has_unrecorded = true,
		.exec_unsampled = 6,
	};
}

static uint64_t total(struct model_counts counts)
{
	return model_missing(&counts).total;
}

TEST(what_exec_takes_without_an_event_is_not_missing)
{
	struct model_counts exact = by_task(), most = by_rusage();

	assert_int_equal(total(exact), 0);
	assert_int_equal(total(most), 0);
	exact.exec_unsampled = 1;
	assert_int_equal(model_missing(&exact).eventless, 3);
	assert_int_equal(total(exact), 3);
	most.rusage_minor++;
	assert_int_equal(model_missing(&most).eventless, 1);
	assert_int_equal(total(most), 1);
	most.rusage_minor -= 3;
	assert_int_equal(total(most), 0);
}

TEST(what_another_call_took_is_not_missing)
{
	struct model_counts counts = by_task();

	counts.unsampled = 5709;
	counts.exec_unsampled = 1;
	counts.rusage_minor = 100 + 2 + 5709;
	assert_int_equal(total(counts), 5708);
	counts.call_unsampled = 5708;
	assert_int_equal(total(counts), 0);
}

TEST(faults_of_a_program_that_may_not_be_traced_are_missing)
{
	struct model_counts counts = by_task();

	counts.unsampled = 65;
	counts.rusage_minor = 100 + 2 + 65;
	counts.hidden = 61;
	struct missing missing = model_missing(&counts);
	assert_int_equal(missing.hidden, 61);
	assert_int_equal(missing.eventless, 0);
	assert_int_equal(missing.total, 61);
}

TEST(an_unseen_program_is_missing_even_where_nobody_counted)
{
	struct model_counts counts = by_rusage();

	counts.unseen_programs = 2;
	assert_int_equal(total(counts), 2);
	counts.rusage_minor += 50;
	assert_int_equal(total(counts), 50);
	counts.has_rusage = false;
	assert_int_equal(total(counts), 2);
}

TEST(lost_faults_and_those_that_only_the_kernel_has_are_missing)
{
	struct model_counts counts = by_task();

	counts.lost = 7;
	counts.rusage_minor += 7 + 11;
	struct missing missing = model_missing(&counts);
	assert_int_equal(missing.lost, 7);
	assert_int_equal(missing.uncounted, 11);
	assert_int_equal(missing.total, 18);
	// Recorded, but of processes that nobody waited for.
	counts.living = 3;
	assert_int_equal(total(counts), 21);
	counts.rusage_minor = 50;
	assert_int_equal(total(counts), 7);
}

TEST(an_older_trace_lacks_what_was_lost_or_not_counted)
{
	struct model_counts exact = by_task(), most = by_rusage();

	exact.has_unrecorded = most.has_unrecorded = false;
	exact.exec_unsampled = most.exec_unsampled = 0;
	exact.unsampled = 61;
	exact.rusage_minor = 100 + 2 + 61;
	most.rusage_minor = 5000;
	assert_int_equal(total(exact), 0);
	assert_int_equal(total(most), 0);
	exact.rusage_minor++;
	most.lost = 5;
	assert_int_equal(total(exact), 1);
	assert_int_equal(total(most), 5);
}

TEST(absurd_counts_do_not_add_up_to_nothing)
{
	struct model_counts counts = by_task();

	counts.lost = UINT64_MAX - 3;
	counts.hidden = 4;
	assert_true(total(counts) == UINT64_MAX);
}

TEST(a_trace_is_complete_where_nothing_is_missing)
{
	struct model model = { .trace.complete = true, .counts = by_task() };

	assert_true(model_is_complete(&model));
	model.counts.lost_other = 1;
	assert_false(model_is_complete(&model));
	model.counts.lost_other = 0;
	model.counts.hidden = 1;
	assert_false(model_is_complete(&model));
	model.counts.hidden = 0;
	model.trace.complete = false;
	assert_false(model_is_complete(&model));
}

TEST(the_text_names_each_reason)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct missing missing = { 0 };

	assert_null(model_missing_text(&missing, &arena));
	missing = (struct missing){ 1, 2000, 1, 3, 4, 2008 };
	assert_string_equal(
		model_missing_text(&missing, &arena),
		"1 fault lost; 2,000 faults of a program that the user may not trace (setuid or "
		"unreadable); 1 program not seen (setuid or unreadable); 3 faults without an "
		"event, beyond what exec and fork take; 4 faults only in the kernel's count");
	missing = (struct missing){ .unseen_programs = 2, .total = 2 };
	assert_string_equal(model_missing_text(&missing, &arena),
			    "2 programs not seen (setuid or unreadable)");
}
