// SPDX-License-Identifier: Apache-2.0
// Lives of threads, cut into states by hand. Times of the traces are in thousands, so that the time
// of an event that matters stands out.
#include "tests/support/accounts.h"

#include "model/account.h"

#define START                                                          \
	"elfault-trace-text 1\n"                                       \
	"meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n" \
	"exec time=2000 pid=10 comm=cmd\n"

#define START_USER_ONLY                                                              \
	"elfault-trace-text 1\n"                                                     \
	"meta root_pid=10 start=1000 pauses=yes samples=yes samples_user_only=yes\n" \
	"exec time=2000 pid=10 comm=cmd\n"

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(each_moment_is_in_one_state)
{
	answer(START "fault time=3000 addr=0x1000 duration=500\n"
		     "fault time=4000 addr=0x1000 duration=900 kind=major\n"
		     "pause time=4100 woken=4600 back=4700 in=fault for=storage\n"
		     "pause time=5000 woken=5300 back=5310 call=0 for=storage\n"
		     "pause time=6000 woken=6070 back=6077 call=202\n"
		     "pause time=7000 woken=7000 back=7003 left=preempted\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	assert_true(account->complete);
	assert_int_equal(account->wall_ns, 7000);
	assert_states(&account->main, 7000 - 500 - 900 - 310 - 77 - 3, 500 + 300, 500, 300, 70,
		      100 + 10 + 7 + 3);
	assert_int_equal(model_times_sum(&account->main), account->wall_ns);
	assert_int_equal(account->process_count, 1);
	assert_int_equal(account->processes[0].faults, 2);
	assert_int_equal(account->processes[0].start_ns, 1000);
	assert_int_equal(account->processes[0].end_ns, 8000);
	assert_string_equal(model->comms[account->processes[0].comm], "cmd");
}

TEST(a_lock_waited_for_in_a_fault_is_not_storage)
{
	answer(START "fault time=3000 addr=0x1000 duration=500\n"
		     "pause time=3100 woken=3200 back=3250 in=fault\n"
		     "pause time=4000 ends=thread\n"
		     "summary end=9999\n");
	assert_states(&account->main, 1500, 350, 0, 0, 100, 50);
}

static void assert_time(const struct model_fault *fault, uint64_t own_ns, uint64_t late_ns)
{
	assert_int_equal(model_fault_own(fault), own_ns);
	assert_int_equal(model_fault_late(fault), late_ns);
}

TEST(a_fault_knows_its_own_time_and_what_it_was_late)
{
	answer(START "fault time=3000 addr=0x1000 duration=500\n"
		     "fault time=4000 addr=0x1000 duration=900 kind=major\n"
		     "pause time=4100 woken=4600 back=4700 in=fault for=storage\n"
		     "pause time=4750 woken=4750 back=4800 left=preempted in=fault\n"
		     "fault time=5000 addr=0x1000 duration=400\n"
		     "pause time=5100 woken=5200 back=5230 in=fault\n"
		     "fault time=5350 addr=0x1000 duration=100\n"
		     "fault time=5360 addr=0x1000 duration=10\n"
		     "fault time=6900 addr=0x1000 duration=300\n"
		     "pause time=7000 ends=thread\n"
		     "fault time=8000 addr=0x1000 duration=70\n"
		     "summary end=9999\n");
	uint64_t own_ns = 0, late_ns = 0;

	assert_time(&model->faults[0], 500, 0);
	assert_time(&model->faults[1], 900 - 100 - 50, 100 + 50);
	assert_time(&model->faults[2], 400 - 130, 30); // 100 for a lock
	// Of what two faults have the first is told: the account has it once.
	assert_time(&model->faults[3], 50, 0);
	assert_time(&model->faults[4], 0, 0);
	assert_time(&model->faults[5], 100, 0); // its thread ended
	assert_time(&model->faults[6], 0, 0);	// of no thread
	for (size_t i = 0; i < model->fault_count; i++) {
		own_ns += model_fault_own(&model->faults[i]);
		late_ns += model_fault_late(&model->faults[i]);
	}
	assert_int_equal(own_ns, model_times_in_faults(&account->all));
	assert_int_equal(own_ns, model->total.own_ns);
	assert_int_equal(late_ns, account->all.ns[MODEL_STATE_RUNNABLE]);
}

TEST(a_thread_is_runnable_from_its_fork_until_it_runs)
{
	answer(START "fork time=3000 pid=11 parent_pid=10\n"
		     "pause time=3010 pid=11 woken=3010 back=3400 left=preempted\n"
		     "exec time=4000 pid=11 comm=child\n"
		     "fault time=4500 pid=11 addr=0x1000 duration=100\n"
		     "exit time=4900 pid=11\n"
		     "pause time=5000 pid=11 ends=thread runtime=1620 delay=399 call=231\n"
		     "pause time=6000 ends=thread\n"
		     "summary end=9999\n");
	assert_true(account->complete);
	assert_states(&account->main, 4000, 0, 0, 0, 0, 0);
	assert_states(&account->all, 4000 + 1500, 100, 0, 0, 0, 400);
	assert_int_equal(account->process_count, 3);
	assert_int_equal(account->processes[1].parent_pid, 10);
	assert_states(&account->processes[1].all, 600, 0, 0, 0, 0, 400);
	assert_int_equal(account->processes[2].parent_pid, 10);
	assert_states(&account->processes[2].main, 900, 100, 0, 0, 0, 0);
	assert_string_equal(model->comms[account->processes[2].comm], "child");
	// The command's first thread began before anything was recorded: it cannot be checked.
	assert_true(account->check.is_known);
	assert_int_equal(account->check.kernel_cpu_ns, 1620);
	assert_int_equal(account->check.account_cpu_ns, 1600);
	assert_int_equal(account->check.kernel_runnable_ns, 399);
	assert_int_equal(account->check.account_runnable_ns, 400);
}

TEST(the_command_is_counted_from_its_exec_on)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n"
	       "pause time=1100 woken=1200 back=1250 runtime=40 delay=5\n"
	       "pause time=1400 woken=1500 back=1510 runtime=190 delay=55\n"
	       "exec time=2000 pid=10 comm=cmd\n"
	       "pause time=3000 woken=3600 back=3700 runtime=1680 delay=65\n"
	       "pause time=4000 ends=thread runtime=1980 delay=165\n"
	       "summary end=9999\n");
	assert_states(&account->main, 1300, 0, 0, 0, 600, 100);
	assert_true(account->check.is_known);
	// It had run for 190, and for 490 more when it executed the program.
	assert_int_equal(account->check.kernel_cpu_ns, 1980 - 680);
	assert_int_equal(account->check.account_cpu_ns, 1300);
	assert_int_equal(account->check.kernel_runnable_ns, 100);
	assert_int_equal(account->check.account_runnable_ns, 100);
}

TEST(an_exec_ends_the_other_threads)
{
	answer(START "fork time=3000 pid=10 tid=12 parent_pid=10\n"
		     "pause time=3500 pid=10 tid=12 woken=5000 back=5000\n"
		     "exec time=4000 pid=10 comm=other\n"
		     "pause time=7000 pid=10 ends=thread\n"
		     "summary end=9999\n");
	assert_int_equal(account->wall_ns, 5000);
	assert_int_equal(account->process_count, 2);
	assert_int_equal(account->processes[0].thread_count, 2);
	assert_int_equal(account->processes[0].end_ns, account->processes[1].start_ns + 1000);
	assert_int_equal(model_times_sum(&account->main), account->wall_ns);
	assert_int_equal(model_times_sum(&account->all), 5000 + 2000);
}

TEST(a_process_that_still_runs_is_counted_to_the_end)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes attached=yes\n"
	       "pause time=900 pid=10 tid=10 woken=2000 back=2100\n"
	       "fault time=3000 addr=0x1000 duration=200\n"
	       "pause time=4000 pid=10 woken=6000 back=6000 open=yes\n"
	       "pause time=950 pid=10 tid=11 woken=6001 back=6001 open=yes runtime=7\n"
	       "summary end=9000\n");
	assert_true(account->complete);
	assert_int_equal(account->wall_ns, 5000);
	assert_states(&account->main, 1700, 200, 0, 0, 3000, 100);
	assert_states(&account->all, 1700, 200, 0, 0, 8001, 100);
	assert_false(account->check.is_known);
}

TEST(what_is_missing_is_said)
{
	answer(START "fault time=2500 addr=0x1000 ip=0x2000 duration=100\n"
		     "fault time=3000 addr=0x1000 ip=0x2000\n"
		     "summary end=9000 pauses_lost=3\n");
	assert_false(account->complete);
	assert_false(account->faults_in_cpu);
	assert_int_equal(account->pauses_lost, 3);
	assert_int_equal(account->wall_ns, 7000);
	assert_states(&account->main, 6900, 100, 0, 0, 0, 0);
	assert_int_equal(model->notes.list.count, 3);
}

TEST(a_recording_that_times_no_fault_misses_none)
{
	answer(START "fault time=3000 addr=0x1000 ip=0x2000\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9000\n");
	assert_true(account->complete);
	assert_true(account->faults_in_cpu);
	assert_string_equal(model_state_title(account, MODEL_STATE_CPU), "cpu, faults included");
	assert_string_equal(model_state_title(account, MODEL_STATE_WAIT), "wait");
	assert_int_equal(model->notes.list.count, 0);
}

TEST(a_recording_without_the_kernel_times_no_fault_even_where_none_was_seen)
{
	answer(START_USER_ONLY "pause time=9000 ends=thread\n"
			       "summary end=9000\n");
	assert_true(account->faults_in_cpu);
}

TEST(samples_divide_the_time_that_was_computed)
{
	// Without an instruction it is exec; one in a fault says nothing of the rest.
	answer(START "sample time=2100 period=100 mode=kernel\n"
		     "sample time=2200 period=100 mode=kernel\n"
		     "sample time=2300 period=100 mode=kernel\n"
		     "sample time=2400 period=100 ip=0x1000\n"
		     "fault time=3000 addr=0x1000 ip=0x1000 duration=500\n"
		     "sample time=3100 period=100 mode=kernel in=fault\n"
		     "sample time=3200 period=100 mode=kernel\n"
		     "pause time=4000 woken=4100 back=4200 call=59\n"
		     "pause time=5000 woken=5100 back=5300 call=202\n"
		     "pause time=7000 ends=thread\n"
		     "summary end=9999 samples_lost=1\n");
	const struct model_times *exec = &account->main_by_initiator[MODEL_EXEC];
	const struct model_times *unknown = &account->by_initiator[MODEL_INITIATOR_UNKNOWN];

	assert_states(&account->main, 4000, 500, 0, 0, 200, 300);
	assert_states(exec, 3000, 0, 0, 0, 100, 100);
	assert_states(unknown, 1000, 500, 0, 0, 100, 200);
	assert_int_equal(account->samples, 6);
	assert_int_equal(account->samples_lost, 1);
	// 1.96 times the root of 2/3 * 1/3 / 6, of 4000.
	assert_in_range(account->main_cpu_error_ns[MODEL_EXEC], 1508, 1510);
	assert_in_range(account->main_cpu_error_ns[MODEL_INITIATOR_UNKNOWN], 1508, 1510);
	assert_int_equal(account->main_cpu_error_ns[MODEL_PROGRAM], 0);
}

TEST(processes_have_what_they_executed)
{
	answer(START "argument time=2001 pid=10 index=0 word=\"cmd\"\n"
		     "fork time=2100 pid=20 tid=20 parent_pid=10 parent_tid=10\n"
		     "exec time=2200 pid=20 comm=one\n"
		     "argument time=2210 pid=20 index=0 word=\"one\"\n"
		     "argument time=2210 pid=20 index=1 word=\"--a=b\"\n"
		     "exec time=2300 pid=20 comm=two\n"
		     "argument time=2310 pid=20 index=0 word=\"two\"\n"
		     "argument time=2310 pid=20 index=1 word=\"x\" kept=cut\n"
		     // Of a process that is not in the account.
		     "argument time=2320 pid=30 index=0 word=\"three\"\n"
		     "exit time=2400 pid=20\n"
		     "pause time=2400 pid=20 ends=thread\n"
		     "pause time=5000 ends=thread\n"
		     "summary end=9999\n");
	static const char *const commands[][3] = {
		{ "cmd" }, { NULL }, { "one", "--a=\u2026" }, { "two", "\u2026" }
	};

	assert_int_equal(account->process_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct model_process_times *row = &account->processes[i];
		size_t count = 0;

		while (count < 3 && commands[i][count])
			count++;
		assert_int_equal(row->command_count, count);
		for (size_t k = 0; k < count; k++)
			assert_string_equal(row->command[k], commands[i][k]);
	}
}

TEST(samples_estimate_faults_of_unknown_duration)
{
	// The kernel works for an instruction that faults: before the fault is done and, recording
	// it, behind. A system call, and what the program runs itself, is no fault, nor is what
	// another thread does.
	answer(START "sample time=2100 period=100 ip=0x1000\n"
		     "sample time=2200 period=100 ip=0x5000\n"
		     "sample time=2300 period=100 ip=0x5000 mode=kernel\n"
		     "fault time=2350 addr=0x2000 ip=0x5000\n"
		     "sample time=2400 period=100 ip=0x5000 mode=kernel\n"
		     "sample time=2500 period=100 ip=0x6000 mode=kernel\n"
		     "fault time=2550 pid=11 addr=0x3000 ip=0x6000\n"
		     "fault time=2560 addr=0x3000 ip=0x6000 duration=0\n"
		     "sample time=2600 period=100 ip=0x6000 mode=kernel\n"
		     "pause time=5000 ends=thread\n"
		     "summary end=9999\n");

	assert_states(&account->main, 2000, 1000, 0, 0, 0, 0);
	assert_states(&account->by_initiator[MODEL_INITIATOR_UNKNOWN], 2000, 1000, 0, 0, 0, 0);
	assert_int_equal(account->samples, 6);
	assert_false(account->complete);
}

TEST(what_the_unsampled_kernel_did_has_no_initiator)
{
	// Without an instruction it is exec.
	answer(START_USER_ONLY "sample time=2100 period=100\n"
			       "sample time=2900 period=100\n"
			       "sample time=3000 period=300\n"
			       "pause time=4000 ends=thread\n"
			       "summary end=9999\n");

	assert_states(&account->main, 2000, 0, 0, 0, 0, 0);
	assert_int_equal(account->by_initiator[MODEL_EXEC].ns[MODEL_STATE_CPU], 500);
	assert_int_equal(account->by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_CPU], 1500);
	// 1.96 times the root of 4/14 * 10/14 / 14, of 2000.
	assert_in_range(account->main_cpu_error_ns[MODEL_EXEC], 472, 474);
	assert_in_range(account->main_cpu_error_ns[MODEL_INITIATOR_UNKNOWN], 472, 474);
}

TEST(samples_of_the_program_stand_for_no_more_than_it_ran)
{
	answer(START_USER_ONLY "sample time=2100 period=3000\n"
			       "pause time=4000 ends=thread\n"
			       "summary end=9999\n");
	assert_int_equal(account->by_initiator[MODEL_EXEC].ns[MODEL_STATE_CPU], 2000);
}

TEST(a_trace_without_pauses_has_no_account)
{
	assert_null(answer("elfault-trace-text 1\nmeta root_pid=10\nsummary\n"));
}

TEST(times_that_contradict_each_other_add_up_all_the_same)
{
	answer(START "fault time=2500 addr=0x1000 duration=9000\n"
		     "fault time=2600 addr=0x1000 duration=100\n"
		     "pause time=2400 woken=2100 back=2700\n"
		     "pause time=2600 woken=99999 back=2800\n"
		     "fault time=2900 addr=0x1000 duration=18446744073709551615\n"
		     "pause time=3000 woken=2 back=1\n"
		     "pause time=4000 ends=thread\n"
		     "pause time=5000 woken=6000 back=7000\n"
		     "summary end=9000\n");
	uint64_t own_ns = 0;

	assert_int_equal(account->wall_ns, 2000);
	assert_int_equal(model_times_sum(&account->main), 2000);
	for (size_t i = 0; i < MODEL_STATES; i++)
		assert_true(account->main.ns[i] <= 2000);
	for (size_t i = 0; i < model->fault_count; i++)
		own_ns += model_fault_own(&model->faults[i]);
	assert_int_equal(own_ns, model_times_in_faults(&account->main));
}

/** Such faults are in no recording; what waits in the first is taken from it, though others follow.
 */
TEST(a_pause_is_taken_from_the_fault_that_it_is_in)
{
	answer(START "fault time=3000 addr=0x1000 duration=2000\n"
		     "fault time=4000 addr=0x1000 duration=1500\n"
		     "fault time=4050 addr=0x1000 duration=1480\n"
		     "pause time=4100 woken=4800 back=4900 in=fault\n"
		     "pause time=4950 woken=5520 back=5520 in=fault\n"
		     "pause time=7000 ends=thread\n"
		     "summary end=9999\n");
	assert_time(&model->faults[0], 2000 - 800 - 50, 0);
	assert_time(&model->faults[1], 0, 0);
	assert_time(&model->faults[2], 10, 100);
	assert_int_equal(model_times_sum(&account->main), account->wall_ns);
	assert_int_equal(model_times_in_faults(&account->main), 1150 + 10);
}

TEST(it_does_not_end_before_its_last_fault)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n"
	       "exec time=2000 pid=10 comm=cmd\n"
	       "fault time=8000 addr=0x1000 duration=100\n"
	       "fault time=9000 addr=0x2000 duration=500\n"
	       "summary end=5000\n");
	assert_states(&account->main, 6900, 100, 0, 0, 0, 0);
	assert_int_equal(account->wall_ns, 7000);
}
