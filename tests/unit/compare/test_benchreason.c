// SPDX-License-Identifier: Apache-2.0
// Reasons for a difference, of made-up comparisons: only what is real, goes the same way and is
// large.
#include "compare/bench.h"
#include "compare/compare.h"
#include "model/account.h"
#include "tests/support/test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MS = 1000000 };

static struct compare_figure figure_of(double before, double after, enum compare_verdict verdict)
{
	return (struct compare_figure){
		.median = { before, after },
		.difference = after - before,
		.verdict = verdict,
	};
}

static struct compare_time time_of(bool is_main, uint32_t state, uint32_t initiator,
				   double before_ms, double after_ms, enum compare_verdict verdict)
{
	return (struct compare_time){
		.is_main = is_main,
		.state = state,
		.initiator = initiator,
		.figure = figure_of(before_ms * MS, after_ms * MS, verdict),
	};
}

/** The second command takes 10 ms of the first's 20 ms less. */
static struct bench_reason explain(const struct comparison *comparison)
{
	static struct bench bench;

	bench_deinit(&bench);
	bench = (struct bench){ .command_count = 2 };
	bench.commands[0].summaries[BENCH_OWN].median = 20 * MS;
	bench.difference = (struct bench_difference){ .verdict = BENCH_FASTER, .change = -0.5 };
	bench_explain(&bench, comparison);
	return bench.reason;
}

TEST(the_largest_part_that_goes_the_same_way_is_the_reason)
{
	const struct compare_time times[] = {
		time_of(true, COMPARE_TIME_OWN, MODEL_NONE, 18, 8, COMPARE_REAL),
		time_of(true, MODEL_NONE, MODEL_NONE, 20, 10, COMPARE_REAL),
		time_of(true, MODEL_STATE_CPU, MODEL_NONE, 18, 8, COMPARE_REAL),
		time_of(true, MODEL_STATE_CPU, MODEL_PROGRAM, 3, 13, COMPARE_REAL),
		time_of(true, MODEL_STATE_CPU, MODEL_LOADER, 11, 2, COMPARE_NOISE),
		time_of(true, MODEL_STATE_CPU, MODEL_STATIC_INIT, 4, 1, COMPARE_REAL),
		time_of(true, MODEL_STATE_FAULT, MODEL_RELOCATION, 9, 1, COMPARE_REAL),
		time_of(true, MODEL_STATE_RUNNABLE, MODEL_NONE, 9, 0, COMPARE_REAL),
		time_of(false, MODEL_STATE_CPU, MODEL_PROGRAM, 40, 1, COMPARE_REAL),
	};
	const struct bench_reason reason =
		explain(&(struct comparison){ .times = times, .time_count = COUNT(times) });

	assert_true(reason.is_found && reason.has_time && reason.is_main);
	assert_int_equal(reason.state, MODEL_STATE_FAULT);
	assert_int_equal(reason.initiator, MODEL_RELOCATION);
	assert_true(reason.before_ns == 9 * MS && reason.after_ns == 1 * MS);
	assert_null(reason.finding);
}

TEST(what_is_small_is_no_reason)
{
	const struct compare_time times[] = {
		time_of(true, MODEL_STATE_CPU, MODEL_PROGRAM, 3, 1.1, COMPARE_REAL),
		time_of(true, MODEL_STATE_CPU, MODEL_EXEC, 9, 1, COMPARE_UNKNOWN),
	};

	assert_false(explain(&(struct comparison){ .times = times, .time_count = COUNT(times) })
			     .is_found);
	assert_false(explain(&(struct comparison){ 0 }).is_found);
}

/** A shell waits for the program that it runs; a sleeper for nobody. */
TEST(others_work_explains_waiting)
{
	const struct compare_time times[] = {
		time_of(true, MODEL_STATE_WAIT, MODEL_NONE, 15, 5, COMPARE_REAL),
		time_of(false, MODEL_STATE_CPU, MODEL_PROGRAM, 14, 5, COMPARE_REAL),
	};
	struct bench_reason reason =
		explain(&(struct comparison){ .times = times, .time_count = 2 });

	assert_true(reason.has_time && !reason.is_main);
	assert_int_equal(reason.initiator, MODEL_PROGRAM);
	reason = explain(&(struct comparison){ .times = times, .time_count = 1 });
	assert_true(reason.has_time && reason.is_main);
	assert_int_equal(reason.state, MODEL_STATE_WAIT);
	assert_int_equal(reason.initiator, MODEL_NONE);
}

TEST(a_finding_goes_with_the_time_of_its_initiator)
{
	const struct compare_time times[] = {
		time_of(true, MODEL_STATE_FAULT, MODEL_RELOCATION, 9, 1, COMPARE_REAL),
	};
	const struct compare_object objects[] = { { .label = "libfoo.so" } };
	const struct compare_finding findings[] = {
		{ .id = "more-memory",
		  .object = MODEL_NONE,
		  .where = "section=[anon]",
		  .figure = figure_of(900, 300, COMPARE_REAL) },
		{ .id = "fewer-lookups",
		  .object = MODEL_NONE,
		  .where = "initiator=symbol-lookup",
		  .figure = figure_of(500, 300, COMPARE_REAL) },
		{ .id = "relr-lost",
		  .object = 0,
		  .where = "object=x,initiator=loader|relocation",
		  .figure = figure_of(20, 300, COMPARE_REAL) },
		{ .id = "relr-introduced",
		  .title = "RELR saved 90 faults",
		  .object = 0,
		  .where = "object=libfoo.so,initiator=loader|relocation,section=.rela.dyn",
		  .figure = figure_of(100, 10, COMPARE_REAL) },
	};
	const struct bench_reason reason = explain(&(struct comparison){
		.times = times,
		.time_count = COUNT(times),
		.objects = objects,
		.object_count = COUNT(objects),
		.findings = findings,
		.finding_count = COUNT(findings),
	});

	assert_true(reason.is_found && reason.has_time);
	assert_string_equal(reason.finding, "relr-introduced");
	assert_string_equal(reason.title, "libfoo.so: RELR saved 90 faults");
}

TEST(alone_a_finding_has_to_be_a_cause_and_faults_to_take_the_time)
{
	struct compare_finding finding = {
		.id = "same-files",
		.title = "The page cache had less",
		.object = MODEL_NONE,
		.figure = figure_of(900, 300, COMPARE_REAL),
		.is_cause = true,
	};
	struct comparison comparison = { .findings = &finding, .finding_count = 1 };
	struct compare_figure *own = &comparison.total.figures[COMPARE_OWN];

	assert_false(explain(&comparison).is_found);
	*own = figure_of(9 * MS, 1 * MS, COMPARE_NOISE);
	assert_false(explain(&comparison).is_found);
	own->verdict = COMPARE_REAL;
	assert_true(explain(&comparison).is_found);
	assert_string_equal(explain(&comparison).title, "The page cache had less");
	finding.is_cause = false;
	assert_false(explain(&comparison).is_found);
}

TEST(a_start_is_divided_by_initiator)
{
	struct model_account account = { 0 };
	CLEANUP(bench_deinit) struct bench bench = { 0 };

	account.main_by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_CPU] = 5;
	account.main_by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_WAIT] = 9;
	account.main_by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_RUNNABLE] = 90;
	account.main_by_initiator[MODEL_RELOCATION].ns[MODEL_STATE_FAULT] = 3;
	account.main_by_initiator[MODEL_RELOCATION].ns[MODEL_STATE_FAULT_IO] = 4;
	account.main_by_initiator[MODEL_RELOCATION].ns[MODEL_STATE_RECORDING] = 80;
	bench_divide(&bench, &account);
	assert_int_equal(bench.part_count, 3);
	assert_int_equal(bench.parts[0].initiator, MODEL_NONE);
	assert_int_equal(bench.parts[0].ns, 9);
	assert_int_equal(bench.parts[1].initiator, MODEL_RELOCATION);
	assert_int_equal(bench.parts[1].ns, 7);
	assert_int_equal(bench.parts[2].initiator, MODEL_PROGRAM);
	assert_int_equal(bench.parts[2].ns, 5);
}
