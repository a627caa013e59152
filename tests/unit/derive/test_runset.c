// SPDX-License-Identifier: Apache-2.0
// Of the runs of a set the one nearest to the median is shown; traces of others are no set.
#include "base/cleanup.h"
#include "derive/runset.h"
#include "model/account.h"
#include "tests/support/test.h"

static const char *const words[] = { "app", "--version" };

/** A run of @own_ns, 4 of them in faults, which waited 50 for a processor and was recorded for 7.
 */
static struct model *run_of(const char *file, uint64_t own_ns, uint64_t faults)
{
	struct model *model = xcalloc(1, sizeof(*model));
	struct model_account *account = arena_alloc(&model->arena, sizeof(*account));
	struct model_times *times = &account->subject.times;

	times->ns[MODEL_STATE_CPU] = own_ns - 4;
	times->ns[MODEL_STATE_FAULT] = 4;
	times->ns[MODEL_STATE_RUNNABLE] = 50;
	times->ns[MODEL_STATE_RECORDING] = 7;
	account->main = account->all = *times;
	model->account = account;
	model->trace = (struct model_trace){
		.path = file, .command = words, .command_count = 2, .complete = true
	};
	model->counts.recorded = model->counts.attributed = faults;
	return model;
}

static void add(struct runset *set, struct model *model)
{
	struct err err;

	assert_true(runset_add(set, model, &err));
	model_close(model);
}

TEST(the_run_nearest_to_the_median_is_shown)
{
	CLEANUP(runset_destroyp) struct runset *set = runset_create("runs");
	CLEANUP(model_closep) struct model *shown = run_of("runs/3.trace", 30, 11);

	add(set, run_of("runs/1.trace", 90, 12));
	add(set, run_of("runs/2.trace", 24, 10));
	add(set, run_of("runs/3.trace", 30, 11));
	assert_int_equal(runset_nearest(set), 2);
	runset_tell(set, shown);

	const struct model_set *sums = shown->set;

	assert_string_equal(sums->path, "runs");
	assert_string_equal(sums->shown, "runs/3.trace");
	assert_int_equal(sums->count, 3);
	assert_int_equal(sums->incomplete, 0);
	assert_true(sums->has_times);
	assert_int_equal(sums->figures[MODEL_SET_OWN].least, 24);
	assert_int_equal(sums->figures[MODEL_SET_OWN].median, 30);
	assert_int_equal(sums->figures[MODEL_SET_OWN].most, 90);
	assert_int_equal(sums->figures[MODEL_SET_CPU].median, 26);
	assert_int_equal(sums->figures[MODEL_SET_LATE].median, 50);
	assert_int_equal(sums->figures[MODEL_SET_RECORDING].median, 7);
	assert_int_equal(sums->figures[MODEL_SET_WALL].median, 80);
	assert_int_equal(sums->figures[MODEL_SET_PROCESSOR].median, 30);
	assert_int_equal(sums->figures[MODEL_SET_FAULTS].median, 11);
	assert_int_equal(sums->plain.count, 0);
	assert_int_equal(sums->mixed_count, 0);
}

TEST(without_times_faults_decide)
{
	CLEANUP(runset_destroyp) struct runset *set = runset_create("runs");
	struct model *timeless = run_of("runs/2.trace", 10, 20);

	timeless->account = NULL;
	add(set, run_of("runs/1.trace", 15, 30));
	add(set, timeless);
	add(set, run_of("runs/3.trace", 11, 40));
	assert_int_equal(runset_nearest(set), 0);
}

TEST(plain_runs_have_their_own_median)
{
	static const struct model_plain plain[] = { { 100, 60, 10, 5, 1 }, { 300, 80, 30, 7, 1 } };
	CLEANUP(runset_destroyp) struct runset *set = runset_create("runs");
	CLEANUP(model_closep) struct model *shown = run_of("runs/1.trace", 30, 11);

	for (size_t i = 0; i < 2; i++) {
		struct model *run = run_of("runs/1.trace", 30, 11);

		run->trace.plain = &plain[i];
		add(set, run);
	}
	runset_tell(set, shown);
	assert_int_equal(shown->set->plain.count, 2);
	assert_int_equal(shown->set->plain.wall_ns, 200);
	assert_int_equal(shown->set->plain.processor_ns, 90);
	assert_int_equal(shown->set->plain.faults, 7);
}

TEST(samples_of_all_runs_divide_what_was_computed)
{
	CLEANUP(runset_destroyp) struct runset *set = runset_create("runs");
	CLEANUP(model_closep) struct model *shown = run_of("runs/1.trace", 1004, 11);
	struct model_account *account = (struct model_account *)shown->account;
	uint64_t error_ns;

	for (size_t i = 0; i < 4; i++) {
		struct model *run = run_of("runs/1.trace", 1004, 11);
		struct model_account *of_run = (struct model_account *)run->account;

		of_run->samples = 10;
		of_run->by_initiator[MODEL_RELOCATION].ns[MODEL_STATE_CPU] = 100 * i;
		of_run->cpu_error_ns[MODEL_RELOCATION] = 200;
		add(set, run);
	}
	account->samples = 10;
	account->by_initiator[MODEL_RELOCATION].ns[MODEL_STATE_CPU] = 300;
	account->cpu_error_ns[MODEL_RELOCATION] = 200;
	assert_int_equal(model_computing(shown, MODEL_RELOCATION, &error_ns), 300);
	assert_int_equal(error_ns, 200);
	runset_tell(set, shown);
	assert_int_equal(model_computing(shown, MODEL_RELOCATION, &error_ns), 150);
	assert_int_equal(error_ns, 100);
	assert_int_equal(model_computing_samples(shown), 40);
}

TEST(several_builds_of_a_file_are_named)
{
	static const struct model_object builds[] = {
		{ .path = "/lib/liba.so", .is_file = true, .build_id = "aa" },
		{ .path = "/lib/liba.so", .is_file = true, .build_id = "bb" },
		{ .path = "/lib/libb.so", .is_file = true, .build_id = "aa" },
	};
	CLEANUP(runset_destroyp) struct runset *set = runset_create("runs");
	CLEANUP(model_closep) struct model *shown = run_of("runs/1.trace", 30, 11);

	for (size_t i = 0; i < 3; i++) {
		struct model *run = run_of("runs/1.trace", 30, 11);

		run->objects = &builds[i];
		run->object_count = 1;
		add(set, run);
	}
	runset_tell(set, shown);
	assert_int_equal(shown->set->mixed_count, 1);
	assert_string_equal(shown->set->mixed[0], "/lib/liba.so");
}

TEST(runs_of_another_command_are_refused)
{
	static const char *const others[] = { "app", "--help" };
	CLEANUP(runset_destroyp) struct runset *set = runset_create("runs");
	CLEANUP(model_closep) struct model *other = run_of("runs/2.trace", 30, 11);
	CLEANUP(model_closep) struct model *hidden = run_of("runs/3.trace", 30, 11);
	struct model *first = run_of("runs/1.trace", 30, 11);
	struct err err;

	first->trace.arguments_hash = 5;
	hidden->trace.arguments_hash = 6;
	other->trace.command = others;
	add(set, first);
	assert_false(runset_add(set, other, &err));
	assert_string_equal(err.message,
			    "runs: not a set of one command: runs/1.trace is of 'app --version', "
			    "runs/2.trace of 'app --help'; name one trace");
	assert_false(runset_add(set, hidden, &err));
	assert_string_equal(err.message,
			    "runs: not a set of one command: the arguments of 'app --version' "
			    "differ in runs/1.trace and runs/3.trace (--arguments shows them); "
			    "name one trace");
}
