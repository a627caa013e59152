// SPDX-License-Identifier: Apache-2.0
// Limits on time and on bytes from storage, on runs drawn by hand.
#include "base/cleanup.h"
#include "budget/budget.h"
#include "tests/support/spending.h"
#include "tests/support/test.h"

enum { MIB = 1 << 20 };

static const struct spending spending = {
	.cpu_ms = 60,
	.fault_io_ms = 20,
	.runnable_ms = 8,
	.thread_ms = 5,
	.data_bytes = 3 * MIB,
	.text_bytes = MIB,
};

/** The first limit of @text, measured in @model, which is closed. */
static struct budget_measures *measured(const char *text, struct model *model)
{
	CLEANUP(budget_closep) struct budget *budget = NULL;
	struct err err = { 0 };

	if (!budget_parse("app.budget", text, strlen(text), &budget, &err))
		fail_msg("%s", err.message);
	CLEANUP(budget_meter_destroyp)
	struct budget_meter *meter = budget_meter_create(budget, false);

	budget_meter_add(meter, model);
	model_close(model);
	return budget_meter_finish(meter);
}

static double value_of(const char *text)
{
	CLEANUP(budget_measures_closep)
	struct budget_measures *measures = measured(text, spend(&spending));

	assert_null(measures->list[0].failure);
	assert_int_equal(measures->warnings.count, 0);
	return measures->list[0].value;
}

TEST(what_recording_added_is_no_wall_time)
{
	struct model *model = spend(&spending);
	struct model_account account = *model->account;

	account.main.ns[MODEL_STATE_RECORDING] = 7000000;
	account.wall_ns += 7000000;
	model->account = &account;
	CLEANUP(budget_measures_closep)
	struct budget_measures *measures = measured("wall <= 1 s", model);

	assert_true(measures->list[0].value == 88e6);
}

/** A run of a shell that waits for @comm, which computes for @ms. */
static struct model *wrapped(const char *comm, uint64_t ms)
{
	struct model *model = spend(&spending);
	struct model_account *account = arena_array(&model->arena, 1, sizeof(*account));
	struct model_process_times *processes = arena_array(&model->arena, 2, sizeof(*processes));
	const char **comms = arena_array(&model->arena, 2, sizeof(*comms));

	*account = *model->account;
	comms[0] = "sh";
	comms[1] = comm;
	processes[1].comm = 1;
	account->processes = processes;
	account->process_count = 2;
	account->subject = (struct model_subject){
		.is_known = true,
		.is_other = true,
		.process = 1,
		.wall_ns = (ms + 2) * 1000000,
	};
	spend_time(&account->subject.times, account->subject.by_initiator, MODEL_PROGRAM,
		   MODEL_STATE_CPU, ms);
	spend_time(&account->subject.times, account->subject.by_initiator, MODEL_INITIATOR_UNKNOWN,
		   MODEL_STATE_RECORDING, 2);
	model->comms = comms;
	model->comm_count = 2;
	model->account = account;
	return model;
}

TEST(the_wall_time_is_of_whom_the_command_waits_for)
{
	CLEANUP(budget_measures_closep)
	struct budget_measures *measures = measured("wall <= 1 s", wrapped("clang", 42));

	assert_true(measures->list[0].value == 42e6);
	assert_string_equal(measures->program, "clang");
	assert_true(measures->is_of_child);
	// Its parts, not those of the shell.
	assert_int_equal(measures->list[0].tables[0].row_count, 1);
}

TEST(the_wall_time_of_jobs_that_take_turns_is_the_commands)
{
	CLEANUP(budget_closep) struct budget *budget = NULL;
	struct err err = { 0 };

	assert_true(budget_parse("app.budget", "wall <= 1 s", 11, &budget, &err));
	CLEANUP(budget_meter_destroyp)
	struct budget_meter *meter = budget_meter_create(budget, false);

	for (size_t i = 0; i < 2; i++) {
		struct model *model = wrapped(i > 0 ? "git" : "clang", 42);

		budget_meter_add(meter, model);
		model_close(model);
	}
	CLEANUP(budget_measures_closep)
	struct budget_measures *measures = budget_meter_finish(meter);

	assert_true(measures->list[0].value == 88e6);
	assert_int_equal(measures->list[0].run_count, 2);
	assert_string_equal(measures->program, "sh");
	assert_false(measures->is_of_child);
	assert_int_equal(measures->notes.list.count, 1);
}

TEST(time_is_counted_by_state_and_initiator)
{
	assert_true(value_of("wall <= 1 s") == 88e6);
	assert_true(value_of("time <= 1 s") == 93e6);
	assert_true(value_of("time{state=cpu} <= 1 s") == 65e6);
	assert_true(value_of("time{state=cpu, initiator=program} <= 1 s") == 60e6);
	assert_true(value_of("time{initiator=program, state!=runnable|wait} <= 1 s") == 60e6);
	assert_true(value_of("time{initiator=reloc*} <= 1 s") == 20e6);
	assert_true(value_of("time{state=fault-io|file-io, initiator!=relocation} <= 1 s") == 0);
}

TEST(bytes_are_counted_by_initiator_object_and_section)
{
	// Those of other processes are not the command's.
	assert_true(value_of("read_bytes <= 1") == 4 * MIB);
	assert_true(value_of("read_bytes{initiator=program} <= 1") == 3 * MIB);
	assert_true(value_of("read_bytes{object=libx.so} <= 1") == MIB);
	assert_true(value_of("read_bytes{object=/data} <= 1") == 3 * MIB);
	assert_true(value_of("read_bytes{object=data, section=[file]} <= 1") == 3 * MIB);
	assert_true(value_of("read_bytes{section=.text, initiator=program} <= 1") == 0);
}

TEST(what_took_it_is_named)
{
	CLEANUP(budget_measures_closep)
	struct budget_measures *time = measured("wall <= 1 s", spend(&spending));
	CLEANUP(budget_measures_closep)
	struct budget_measures *bytes = measured("read_bytes <= 1", spend(&spending));
	const struct budget_row *row = &time->list[0].tables[0].rows[0];

	assert_string_equal(row->values[0], "program");
	assert_string_equal(row->values[1], "cpu");
	assert_true(row->value == 60e6);
	row = &bytes->list[0].tables[0].rows[1];
	assert_string_equal(row->values[0], "relocation");
	assert_string_equal(row->values[1], "libx.so");
	assert_string_equal(row->values[2], ".text");
	assert_true(row->value == MIB);
}

/** The limit cannot be measured for this reason. */
static void assert_untold(const char *text, struct model *model, const char *reason)
{
	CLEANUP(budget_measures_closep) struct budget_measures *measures = measured(text, model);

	assert_non_null(measures->list[0].failure);
	assert_non_null(strstr(measures->list[0].failure, reason));
}

TEST(what_a_trace_cannot_tell_is_no_pass)
{
	static const char *const texts[] = { "wall <= 1 s", "time{state=wait} <= 1 s" };

	for (size_t i = 0; i < 2; i++) {
		struct model *old = spend(&spending);

		old->account = NULL;
		assert_untold(texts[i], old, "no account of time");
	}
	struct model *model = spend(&spending);

	model->storage = NULL;
	assert_untold("read_bytes <= 1", model, "--no-storage");

	model = spend(&spending);
	((struct model_account *)model->account)->samples = 0;
	assert_untold("time{state=cpu, initiator=program} <= 1 s", model, "--cpu off");

	// Of perf the wall time is known, and how long it waited.
	model = spend(&spending);
	model->total.own_ns = 0;
	assert_untold("time{state=fault} <= 1 s", model, "--backend bpf");
	for (size_t i = 0; i < 2; i++) {
		model = spend(&spending);
		model->total.own_ns = 0;
		CLEANUP(budget_measures_closep)
		struct budget_measures *measures = measured(texts[i], model);

		assert_null(measures->list[0].failure);
	}
}
