// SPDX-License-Identifier: Apache-2.0
// Sums of each program of a run.
#include "base/cleanup.h"
#include "derive/programsums.h"
#include "model/account.h"
#include "tests/support/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SH, LS, SED, COMMS };

enum { LONG_ONE = 3, LONG_TWO = 6 }; // threads whose faults take long

static const char *const comms[COMMS] = { "sh", "ls", "sed" };

static void expect(const struct program_sum *sum, uint32_t comm, uint64_t runs, uint64_t faults)
{
	assert_int_equal(sum->comm, comm);
	assert_int_equal(sum->runs, runs);
	assert_int_equal(sum->faults, faults);
}

static struct model_fault fault(uint32_t thread, enum model_initiator initiator)
{
	return (struct model_fault){
		.thread = thread,
		.initiator = (uint8_t)initiator, // few
		.has_duration = true,
		.duration_ns = thread == LONG_ONE || thread == LONG_TWO ? 1000 : 10,
	};
}

// sh runs ls twice and sed once; between fork and exec each child faults as sh.
TEST(a_program_is_counted_by_its_execs)
{
	static const struct model_program programs[] = {
		{ 1, true }, { 2, false }, { 2, true }, { 3, false },
		{ 3, true }, { 4, false }, { 4, true }, { 5, false },
	};
	static const struct model_thread threads[] = {
		{ 0, 1, 1, SH },
		{ 1, 2, 2, SH },
		{ 2, 2, 2, SH },
		[LONG_ONE] = { 2, 2, 2, LS },
		{ 3, 3, 3, SH },
		{ 4, 3, 3, SH },
		[LONG_TWO] = { 4, 3, 3, LS },
		{ 5, 4, 4, SH },
		{ 6, 4, 4, SH },
		{ 6, 4, 4, SED },
		{ 7, 5, 5, SH },
	};
	// Before the exec is done, its faults have the name of the shell.
	const struct model_fault faults[] = {
		fault(0, MODEL_EXEC), fault(0, MODEL_PROGRAM), fault(1, MODEL_PROGRAM),
		fault(2, MODEL_EXEC), fault(3, MODEL_LOADER),  fault(4, MODEL_PROGRAM),
		fault(5, MODEL_EXEC), fault(6, MODEL_LOADER),  fault(7, MODEL_PROGRAM),
		fault(8, MODEL_EXEC), fault(9, MODEL_LOADER),  fault(10, MODEL_PROGRAM),
	};
	const struct model model = {
		.faults = faults,
		.fault_count = COUNT(faults),
		.programs = programs,
		.program_count = COUNT(programs),
		.threads = threads,
		.thread_count = COUNT(threads),
		.comms = comms,
		.comm_count = COMMS,
	};
	CLEANUP(vec_release) struct program_sums sums;

	programsums_init(&sums, &model);
	assert_false(sums.has_times);
	assert_int_equal(sums.list.count, 3);
	// Most time in faults first. Process 5 forked and stayed sh: it ran on its own.
	expect(&sums.list.items[0], LS, 2, 4);
	expect(&sums.list.items[1], SH, 2, 6);
	expect(&sums.list.items[2], SED, 1, 2);
	assert_int_equal(sums.list.items[0].fault_ns, 2 * (1000 + 10));
}

// The recorder does not see exec: the name that a process had last is that of its program.
TEST(without_execs_the_last_name_counts)
{
	static const struct model_program programs[] = { { 1, false }, { 2, false } };
	static const struct model_thread threads[] = {
		{ 0, 1, 1, SH },
		{ 1, 2, 2, SH },
		{ 1, 2, 2, LS },
		{ 1, 2, 7, SED }, // a thread, which has a name of its own
	};
	const struct model_fault faults[] = {
		fault(0, MODEL_PROGRAM),
		fault(1, MODEL_PROGRAM),
		fault(2, MODEL_LOADER),
		fault(3, MODEL_PROGRAM),
	};
	const struct model model = {
		.faults = faults,
		.fault_count = COUNT(faults),
		.programs = programs,
		.program_count = COUNT(programs),
		.threads = threads,
		.thread_count = COUNT(threads),
		.comms = comms,
		.comm_count = COMMS,
	};
	CLEANUP(vec_release) struct program_sums sums;

	programsums_init(&sums, &model);
	assert_int_equal(sums.list.count, 2);
	expect(&sums.list.items[0], LS, 1, 3);
	expect(&sums.list.items[1], SH, 1, 1);
}

TEST(the_account_has_their_time)
{
	enum { MS = 1000000 };
	const struct model_process_times processes[] = {
		{ .pid = 1,
		  .comm = SH,
		  .end_ns = 100 * MS,
		  .main.ns = { [MODEL_STATE_CPU] = 20 * MS, [MODEL_STATE_WAIT] = 80 * MS },
		  .all.ns = { [MODEL_STATE_CPU] = 20 * MS, [MODEL_STATE_WAIT] = 80 * MS },
		  .faults = 10 },
		// Between fork and exec.
		{ .pid = 2,
		  .parent_pid = 1,
		  .comm = SH,
		  .start_ns = 10 * MS,
		  .end_ns = 11 * MS,
		  .main.ns = { [MODEL_STATE_CPU] = MS },
		  .all.ns = { [MODEL_STATE_CPU] = MS },
		  .faults = 2 },
		{ .pid = 2,
		  .parent_pid = 1,
		  .comm = LS,
		  .start_ns = 11 * MS,
		  .end_ns = 41 * MS,
		  .main.ns = { [MODEL_STATE_FAULT] = 10 * MS,
			       [MODEL_STATE_FAULT_IO] = 15 * MS,
			       [MODEL_STATE_RUNNABLE] = 5 * MS },
		  .all.ns = { [MODEL_STATE_CPU] = 40 * MS,
			      [MODEL_STATE_FAULT] = 10 * MS,
			      [MODEL_STATE_FAULT_IO] = 15 * MS,
			      [MODEL_STATE_RUNNABLE] = 5 * MS },
		  .faults = 30 },
		// It forked and stayed what it was.
		{ .pid = 3,
		  .parent_pid = 1,
		  .comm = SH,
		  .start_ns = 50 * MS,
		  .end_ns = 60 * MS,
		  .faults = 5 },
		// A program that executes another one, which was not the shell's before.
		{ .pid = 4, .parent_pid = 1, .comm = SED, .start_ns = 60 * MS, .end_ns = 61 * MS },
		{ .pid = 4, .parent_pid = 1, .comm = LS, .start_ns = 61 * MS, .end_ns = 62 * MS },
	};
	const struct model_account account = { .processes = processes,
					       .process_count = COUNT(processes) };
	const struct model model = { .comms = comms, .comm_count = COMMS, .account = &account };
	CLEANUP(vec_release) struct program_sums sums;

	programsums_init(&sums, &model);
	assert_true(sums.has_times);
	assert_int_equal(sums.list.count, 3);
	expect(&sums.list.items[0], SH, 2, 17);
	assert_int_equal(sums.list.items[0].wall_ns, 100 * MS);
	assert_int_equal(sums.list.items[0].cpu_ns, 21 * MS);
	assert_int_equal(sums.list.items[0].wait_ns, 80 * MS);
	expect(&sums.list.items[1], LS, 2, 30);
	assert_int_equal(sums.list.items[1].wall_ns, 31 * MS);
	assert_int_equal(sums.list.items[1].cpu_ns, 50 * MS);
	assert_int_equal(sums.list.items[1].wait_ns, 15 * MS);
	assert_int_equal(sums.list.items[1].fault_ns, 25 * MS);
	assert_int_equal(sums.list.items[1].own_ns, 25 * MS); // not what it waited for a processor
	expect(&sums.list.items[2], SED, 1, 0);
}
