// SPDX-License-Identifier: Apache-2.0
// Time and bytes from storage on two sides of runs drawn by hand, and the sentences on them.
#include "base/cleanup.h"
#include "compare/compare.h"
#include "model/marks.h"
#include "render/diff/amounts.h"
#include "tests/support/spending.h"
#include "tests/support/test.h"

enum { MIB = 1 << 20 };

/** Compare models, half of them before; they are closed. */
static struct comparison *compare_models(struct model **models, size_t count)
{
	const size_t counts[] = { count / 2, count / 2 };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(counts, NULL, 0);

	for (size_t i = 0; i < count; i++) {
		compare_add(compare, i < count / 2 ? COMPARE_BEFORE : COMPARE_AFTER, models[i]);
		model_close(models[i]);
	}
	return compare_finish(compare);
}

static struct comparison *compare_spendings(const struct spending *spendings, size_t count)
{
	struct model *models[16];

	for (size_t i = 0; i < count; i++)
		models[i] = spend(&spendings[i]);
	return compare_models(models, count);
}

static const struct compare_time *time_of(const struct comparison *comparison, bool is_main,
					  uint32_t initiator, uint32_t state)
{
	array_foreach (row, comparison->times, comparison->time_count)
		if (row->is_main == is_main && row->initiator == initiator && row->state == state)
			return row;
	return NULL;
}

/** The sentence on time, or on bytes. */
static void assert_sentence(const struct comparison *comparison, bool of_time, const char *expected)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct terminal terminal = { 0 };
	const char *text = of_time ? diffamounts_time(&arena, &terminal, comparison)
				   : diffamounts_bytes(&arena, comparison);

	assert_string_equal(text ? text : "", expected);
}

/** Five runs of each side: 60 to 62 ms of computing before, @more after, as noisy a wait. */
static struct comparison *compare_five(uint64_t more_ms, uint64_t more_bytes)
{
	static const uint64_t cpu[] = { 60, 62, 61, 60, 61 }, runnable[] = { 8, 1, 12, 3, 6 };
	struct spending spendings[10];

	for (size_t i = 0; i < 10; i++)
		spendings[i] = (struct spending){
			.cpu_ms = cpu[i % 5] + (i < 5 ? 0 : more_ms),
			.fault_io_ms = 20,
			.runnable_ms = runnable[i < 5 ? i : 9 - i],
			.data_bytes = MIB + (i < 5 ? 0 : more_bytes),
			.text_bytes = MIB,
		};
	return compare_spendings(spendings, 10);
}

TEST(more_computing_is_slower_and_nothing_else_is)
{
	CLEANUP(comparison_closep) struct comparison *comparison = compare_five(50, 0);
	const struct compare_time *cpu = time_of(comparison, true, MODEL_PROGRAM, MODEL_STATE_CPU);

	assert_int_equal(comparison->notes.list.count, 0);
	assert_int_equal(cpu->figure.verdict, COMPARE_REAL);
	assert_true(cpu->figure.difference == 50e6);
	assert_true(cpu->error_ns[COMPARE_AFTER] == 1e6);
	assert_int_equal(time_of(comparison, true, MODEL_NONE, MODEL_STATE_CPU)->figure.verdict,
			 COMPARE_REAL);
	array_foreach (row, comparison->times, comparison->time_count) {
		if (row->state != MODEL_STATE_CPU && row->state != MODEL_NONE &&
		    row->state != COMPARE_TIME_OWN)
			assert_int_not_equal(row->figure.verdict, COMPARE_REAL);
	}
	assert_sentence(comparison, true,
			"50.0 ms slower (+61.7%): own time 81.0 ms -> 131.0 ms; cpu in program "
			"+50.0 ms. Wall time 87.0 ms -> 136.0 ms; in it waiting for a processor "
			"6.0 ms, then 6.0 ms");
	assert_sentence(comparison, false, "Bytes from storage are the same: 2.0 MiB");
}

static enum compare_verdict verdict_of_computing(const uint64_t (*cpu_ms)[7])
{
	struct spending spendings[14];

	for (size_t i = 0; i < 14; i++)
		spendings[i] = (struct spending){ .cpu_ms = cpu_ms[i / 7][i % 7] };
	CLEANUP(comparison_closep)
	struct comparison *comparison = compare_spendings(spendings, 14);

	return time_of(comparison, true, MODEL_NONE, MODEL_NONE)->figure.verdict;
}

/** Wall times of ld.lld, as Debian links it and relinked. */
TEST(a_slow_side_may_scatter_by_more_than_a_fast_one_takes)
{
	static const uint64_t relinked[][7] = { { 18, 22, 33, 43, 23, 23, 24 },
						{ 4, 4, 4, 5, 7, 4, 4 } };
	// As scattered, and the fastest of one side hardly slower than the slowest of the other.
	static const uint64_t near[][7] = { { 10, 22, 33, 43, 23, 23, 24 },
					    { 4, 4, 4, 5, 9, 4, 4 } };

	assert_int_equal(verdict_of_computing(relinked), COMPARE_REAL);
	assert_int_equal(verdict_of_computing(near), COMPARE_NOISE);
}

TEST(the_same_program_differs_within_noise)
{
	CLEANUP(comparison_closep) struct comparison *comparison = compare_five(0, 0);
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_sentence(comparison, true,
			"Own time is the same: 81.0 ms. Wall time 87.0 ms, then 86.0 ms; in it "
			"waiting for a processor 6.0 ms, then 6.0 ms");
	for (size_t i = 0; i < comparison->time_count; i++)
		assert_int_not_equal(comparison->times[i].figure.verdict, COMPARE_REAL);
	assert_int_equal(diffamounts_places(&arena, comparison, 10, true).row_count, 0);
}

/** Disk waits rise from 12 to 102 ms while a wait for a processor falls by more. */
TEST(waiting_for_a_processor_hides_no_wait_for_storage)
{
	struct spending spendings[10];

	for (size_t i = 0; i < 10; i++)
		spendings[i] = (struct spending){
			.cpu_ms = 20,
			.fault_io_ms = (i < 5 ? 12 : 102) + i % 5,
			.runnable_ms = (i < 5 ? 376 : 55) + 3 * (i % 5),
		};
	CLEANUP(comparison_closep) struct comparison *comparison = compare_spendings(spendings, 10);

	assert_int_equal(time_of(comparison, true, MODEL_NONE, COMPARE_TIME_OWN)->figure.verdict,
			 COMPARE_REAL);
	assert_sentence(
		comparison, true,
		"The processors were busy on both sides. "
		"90.0 ms slower (+264.7%): own time "
		"34.0 ms -> 124.0 ms; fault-io in relocation +90.0 ms. Wall time 416.0 ms -> "
		"185.0 ms; in it waiting for a processor 382.0 ms -> 61.0 ms");
}

/** A run of sh, 1 ms of its own, which waits for @program to compute for @cpu_ms. */
static struct model *wrapped(const char *program, uint64_t cpu_ms)
{
	static const struct model_process_times processes[] = { { .comm = 0 }, { .comm = 1 } };
	struct model *model = spend(&(struct spending){ .cpu_ms = 1 });
	struct model_account *account = (struct model_account *)model->account;
	const char **comms = arena_array(&model->arena, 2, sizeof(*comms));

	comms[0] = "sh";
	comms[1] = program;
	model->comms = comms;
	account->processes = processes;
	account->process_count = 2;
	account->subject = (struct model_subject){
		.is_known = true, .is_other = true, .process = 1, .command = 0
	};
	account->subject.by_initiator[MODEL_PROGRAM].ns[MODEL_STATE_CPU] = cpu_ms * 1000000;
	return model;
}

static void assert_compared(const char *third, const char *of, double difference_ns)
{
	struct model *models[] = { wrapped("clang", 20), wrapped("clang", 20), wrapped(third, 25),
				   wrapped("clang", 25) };
	CLEANUP(comparison_closep) struct comparison *comparison = compare_models(models, 4);

	for (size_t run = 0; run < 4; run++)
		assert_string_equal(comparison->runs[run].judged, of);
	assert_true(time_of(comparison, true, MODEL_NONE, COMPARE_TIME_OWN)->figure.difference ==
		    difference_ns);
}

TEST(the_program_that_a_wrapper_waits_for_is_compared)
{
	assert_compared("clang", "clang", 5e6);
	// Jobs that take turns are not each other's repeats.
	assert_compared("git", "sh", 0);
}

/** Own time that scatters by more than it differs. */
TEST(no_verdict_no_arrow)
{
	static const uint64_t cpu[] = { 60, 90, 75, 64, 82, 84, 66, 77, 61, 92 };
	struct spending spendings[10];

	for (size_t i = 0; i < 10; i++)
		spendings[i] = (struct spending){ .cpu_ms = cpu[i] };
	CLEANUP(comparison_closep) struct comparison *comparison = compare_spendings(spendings, 10);

	assert_sentence(comparison, true,
			"No difference in own time that the runs can show: 75.0 ms, then 77.0 ms. "
			"Wall time 75.0 ms, then 77.0 ms");
}

TEST(more_bytes_are_told_by_cause_initiator_and_file)
{
	CLEANUP(comparison_closep) struct comparison *comparison = compare_five(0, 20 * MIB);
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct difflocality table = diffamounts_places(&arena, comparison, 10, false);
	static const char *const expected[][2] = { { "all", "of the command" },
						   { "cause", "read" },
						   { "initiator", "program" },
						   { "file", "/data" } };

	assert_sentence(comparison, false,
			"20.0 MiB more from storage (x 11): 2.0 MiB -> 22.0 MiB");
	assert_int_equal(table.row_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(table.rows[i][2], "+20.0 MiB");
		assert_string_equal(table.rows[i][4], "real");
		assert_string_equal(table.rows[i][5], expected[i][0]);
		assert_string_equal(table.rows[i][6], expected[i][1]);
	}
}

TEST(one_run_of_each_side_may_be_noise_and_samples_have_an_error)
{
	static const struct spending spendings[] = {
		{ .cpu_ms = 60, .fault_io_ms = 20, .thread_ms = 5, .text_bytes = MIB },
		{ .cpu_ms = 40, .fault_io_ms = 20, .thread_ms = 7 },
	};
	CLEANUP(comparison_closep) struct comparison *comparison = compare_spendings(spendings, 2);
	const struct compare_time *thread =
		time_of(comparison, false, MODEL_STATIC_INIT, MODEL_STATE_CPU);

	assert_sentence(comparison, true,
			"20.0 ms faster (-25.0%), which may be noise: own time 80.0 ms, then 60.0 "
			"ms; cpu in program -20.0 ms +- 1.4 ms. Wall time 80.0 ms, then 60.0 ms");
	assert_sentence(comparison, false,
			"1.0 MiB less from storage, which may be noise: 1.0 MiB, then 0 B");
	assert_true(thread->figure.difference == 2e6);
	assert_null(time_of(comparison, true, MODEL_STATIC_INIT, MODEL_STATE_CPU));
	// For a processor nobody's code waits.
	assert_null(time_of(comparison, true, MODEL_PROGRAM, MODEL_STATE_RUNNABLE));
}

TEST(a_side_without_an_account_is_not_compared)
{
	static const struct spending spending = { .cpu_ms = 60, .text_bytes = MIB };
	static const char *const expected[] = { "no account of it", "how long faults took" };

	for (size_t i = 0; i < 2; i++) {
		struct model *models[] = { spend(&spending), spend(&spending) };

		// An older trace; one of perf.
		if (i == 0)
			models[1]->account = NULL;
		else
			models[1]->total.own_ns = 0;
		models[1]->storage = NULL;
		CLEANUP(comparison_closep)
		struct comparison *comparison = compare_models(models, 2);

		assert_int_equal(comparison->time_count, 0);
		assert_int_equal(comparison->bytes_count, 0);
		assert_int_equal(comparison->notes.list.count, 2);
		assert_non_null(strstr(comparison->notes.list.items[0].text, expected[i]));
		assert_non_null(
			strstr(comparison->notes.list.items[1].text, "bytes from storage are not"));
		assert_sentence(comparison, true, "");
		assert_sentence(comparison, false, "");
	}
}

TEST(a_file_that_one_side_maps_and_the_other_reads_is_one_row)
{
	static const struct spending spending = { .text_bytes = MIB };
	struct model *models[] = { spend(&spending), spend(&spending) };
	struct model_storage_part *part =
		(struct model_storage_part *)&models[1]->storage->parts[0];

	part->object = MODEL_NONE;
	CLEANUP(comparison_closep) struct comparison *comparison = compare_models(models, 2);
	size_t files = 0;

	array_foreach (row, comparison->bytes, comparison->bytes_count) {
		assert_true(row->figure.difference == 0);
		files += row->by == COMPARE_BYTES_BY_FILE;
	}
	assert_int_equal(files, 1);
}

/** Run @run of ten has these marks; "ready" once never held after, and "window" was not watched
 * before. */
static void add_marks(struct model *model, size_t run, uint64_t more_ms)
{
	static const uint64_t at_ms[] = { 80, 82, 81, 80, 81 };
	struct model_mark *marks = arena_array(&model->arena, 4, sizeof(*marks));
	const bool is_after = run >= 5;

	marks[0] = (struct model_mark){ .name = "main", .held = true, .since_ns = 3000000 };
	marks[1] = (struct model_mark){
		.name = "listen",
		.held = true,
		.since_ns = (at_ms[run % 5] + (is_after ? more_ms : 0)) * 1000000,
	};
	marks[2] = (struct model_mark){ .name = "ready", .held = run != 7, .since_ns = 90000000 };
	marks[3] = (struct model_mark){ .name = "window" };
	model->marks = marks;
	model->mark_count = 3 + is_after;
}

static void assert_marks(uint64_t more_ms, const char *listen)
{
	static const struct spending spending = { .cpu_ms = 60 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct terminal terminal = { 0 };
	const char *expected[] = { "main is the same: 3.0 ms", listen,
				   "ready: held before, held in 4 of 5 runs after",
				   "window: not watched before, never held after" };
	struct model *models[10];

	for (size_t i = 0; i < 10; i++) {
		models[i] = spend(&spending);
		add_marks(models[i], i, more_ms);
	}
	CLEANUP(comparison_closep) struct comparison *comparison = compare_models(models, 10);

	assert_int_equal(comparison->mark_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(
			diffamounts_mark(&arena, &terminal, comparison, &comparison->marks[i]),
			expected[i]);
}

TEST(marks_are_judged_as_times_where_every_run_has_them)
{
	assert_marks(50, "listen 50.0 ms later (+61.7%): 81.0 ms -> 131.0 ms");
	assert_marks(1, "listen: no difference that the runs can show: 81.0 ms, then 82.0 ms");
}
