// SPDX-License-Identifier: Apache-2.0
// The time of a command goes on after its last fault, and begins before its first.
#include "base/cleanup.h"
#include "derive/lifetime.h"
#include "derive/phases.h"
#include "model/account.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

/** Faults of one process from 20 to 55 ns. */
static struct model *fault(void)
{
	struct model *model = pictures_model(3);
	struct model_fault last = pictures_at(50, 0, MODEL_PROGRAM);

	last.has_duration = true;
	last.duration_ns = 5;
	pictures_add(model, pictures_at(20, 0, MODEL_LOADER));
	pictures_add(model, pictures_at(30, 0, MODEL_RELOCATION));
	pictures_add(model, last);
	model->trace.duration_ns = 200;
	return model;
}

static void expect(struct range time, uint64_t start, uint64_t end)
{
	assert_int_equal(time.start, start);
	assert_int_equal(time.end, end);
}

TEST(it_is_that_of_the_first_process)
{
	static const struct model_process_times processes[] = {
		{ .pid = 0, .start_ns = 10, .end_ns = 40 }, // runs two programs in turn
		{ .pid = 1, .start_ns = 15, .end_ns = 190 },
		{ .pid = 0, .start_ns = 40, .end_ns = 120 },
	};
	const struct model_account account = { .wall_ns = 110,
					       .processes = processes,
					       .process_count = 3 };
	CLEANUP(model_closep) struct model *model = fault();

	model->account = &account;
	expect(lifetime_of_command(model), 10, 120);
}

TEST(faults_that_outlive_it_are_in_it)
{
	static const struct model_process_times processes[] = {
		{ .pid = 0, .start_ns = 10, .end_ns = 40 },
	};
	const struct model_account account = { .wall_ns = 30,
					       .processes = processes,
					       .process_count = 1 };
	CLEANUP(model_closep) struct model *model = fault();

	model->account = &account;
	expect(lifetime_of_command(model), 10, 55);
}

TEST(without_an_account_it_ends_with_the_recording)
{
	CLEANUP(model_closep) struct model *model = fault();
	CLEANUP(model_closep) struct model *order = fault();
	CLEANUP(model_closep) struct model *nothing = pictures_model(0);

	expect(lifetime_of_command(model), 20, 200);
	order->trace.duration_ns = 0; // its times are only an order
	expect(lifetime_of_command(order), 20, 55);
	expect(lifetime_of_command(nothing), 0, 0);
}

TEST(programs_are_found_by_process_and_time)
{
	static const struct model_process_times processes[] = {
		{ .pid = 7, .start_ns = 10, .end_ns = 40 },
		{ .pid = 3, .start_ns = 15, .end_ns = 190 },
		{ .pid = 7, .start_ns = 40, .end_ns = 120 },
	};
	const struct model_account account = { .processes = processes, .process_count = 3 };
	CLEANUP(model_closep) struct model *model = pictures_model(0);
	CLEANUP(lifetimes_deinit) struct lifetimes lifetimes;

	model->account = &account;
	lifetimes_init(&lifetimes, model);
	expect(lifetimes_at(&lifetimes, 7, 39)->time, 10, 40);
	expect(lifetimes_at(&lifetimes, 7, 40)->time, 40, 120);
	expect(lifetimes_at(&lifetimes, 3, 100)->time, 15, 190);
	assert_null(lifetimes_at(&lifetimes, 3, 14));
	assert_null(lifetimes_at(&lifetimes, 5, 100));
}

TEST(phases_divide_all_of_it)
{
	static const struct model_process_times processes[] = {
		{ .pid = 0, .start_ns = 10, .end_ns = 120 },
	};
	const struct model_account account = { .wall_ns = 110,
					       .processes = processes,
					       .process_count = 1 };
	CLEANUP(model_closep) struct model *model = fault();
	struct phases phases;

	phases_find(model, 0, &phases);
	assert_int_equal(phases.spans[PHASE_LOAD].first_ns, 20);
	assert_int_equal(phases.spans[PHASE_MAIN].end_ns, 200);
	model->account = &account;
	phases_find(model, 0, &phases);
	assert_int_equal(phases.spans[PHASE_LOAD].first_ns, 10);
	assert_int_equal(phases.spans[PHASE_RELOCATE].first_ns, 30);
	assert_int_equal(phases.spans[PHASE_MAIN].first_ns, 50);
	assert_int_equal(phases.spans[PHASE_MAIN].end_ns, 120);
}
