// SPDX-License-Identifier: Apache-2.0
// Time that recording added, taken out of lives that are made up, with costs that are as well.
#include "tests/support/accounts.h"

#include "model/account.h"
#include "model/waits.h"
#include "trace/private.h"

#define COSTS                                                                                     \
	"costs=yes cost_fault=30 cost_fault_within=20 cost_sample=100 cost_call=7 cost_pause=11 " \
	"cost_mapping=13"
#define START                                                                    \
	"elfault-trace-text 1\n"                                                 \
	"meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd " COSTS "\n" \
	"exec time=2000 pid=10 comm=cmd\n"

static void assert_sums(const struct model_account *account)
{
	for (size_t state = 0; state < MODEL_STATES; state++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < MODEL_INITIATORS; i++)
			sum += account->main_by_initiator[i].ns[state];
		assert_int_equal(sum, account->main.ns[state]);
	}
	assert_int_equal(model_times_sum(&account->main), account->wall_ns);
}

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(each_event_costs_what_the_trace_says)
{
	answer(START "fault time=3000 addr=0x1000 duration=500\n"
		     "pause time=5000 woken=5300 back=5310 call=0 for=storage\n"
		     "call time=6000 call=1 count=3 duration=100\n"
		     "map time=6500 pid=10 addr=0x5000 size=0x1000 prot=r-x path=\"/x\"\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	assert_true(account->knows_recording);
	assert_states(&account->main, 7000 - 500 - 310 - 30 - 11 - 3 * 7 - 13, 480, 0, 300, 0, 10,
		      20 + 30 + 11 + 3 * 7 + 13);
	assert_int_equal(model_times_used(&account->main), 7000 - 10 - 95);
	assert_int_equal(model_fault_own(&model->faults[0]), 480);
	assert_int_equal(model->faults[0].duration_ns, 500);
	assert_sums(account);
}

TEST(it_belongs_to_no_cause)
{
	answer(START "fault time=3000 addr=0x1000 duration=500\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		assert_int_equal(account->main_by_initiator[i].ns[MODEL_STATE_RECORDING],
				 i == MODEL_INITIATOR_UNKNOWN ? 50 : 0);
}

TEST(nothing_falls_below_zero)
{
	answer(START "fault time=2000 addr=0x1000 duration=5\n"
		     "fault time=2005 addr=0x1000 duration=15\n"
		     "call time=2030 call=1 count=1000 duration=5\n"
		     "pause time=2040 ends=thread\n"
		     "summary end=9999\n");
	assert_states(&account->main, 0, 0, 0, 0, 0, 0, 40);
	assert_int_equal(model_fault_own(&model->faults[0]), 0);
	assert_int_equal(model_fault_own(&model->faults[1]), 0);
	assert_sums(account);
}

TEST(a_sample_in_a_fault_is_taken_from_that)
{
	answer(START "fault time=3000 addr=0x1000 duration=500\n"
		     "sample time=3200 pid=10 period=100 in=fault\n"
		     "sample time=5000 pid=10 period=100\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	assert_states(&account->main, 6500 - 30 - 100, 380, 0, 0, 0, 0, 250);
	assert_int_equal(model_fault_own(&model->faults[0]), 380);
	assert_sums(account);
	// What the samples stand for is not more than what is left.
	uint64_t spots_ns = 0;

	for (size_t i = 0; i < account->spot_count; i++)
		spots_ns += account->spots[i].ns;
	assert_int_equal(spots_ns, account->all.ns[MODEL_STATE_CPU]);
}

TEST(what_takes_the_recorder_longer_than_where_it_was_measured_costs_more)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd " COSTS
	       " cost_program=10 cost_sample_program=40\n"
	       "exec time=2000 pid=10 comm=cmd\n"
	       "fault time=3000 addr=0x1000 duration=500\n"
	       "fault time=4000 addr=0x2000 duration=500 program=25\n"
	       "fault time=5000 addr=0x3000 duration=500 program=5\n"
	       "sample time=6000 pid=10 period=100\n"
	       "sample time=6500 pid=10 period=100 program=70\n"
	       "pause time=9000 ends=thread\n"
	       "summary end=9999\n");
	// Faults by as much as it took longer or less, samples in step with it.
	const uint64_t outside = 30 + 45 + 25 + 100 + 175, within = 3 * 20;

	assert_states(&account->main, 7000 - 1500 - outside, 1500 - within, 0, 0, 0, 0,
		      outside + within);
	assert_int_equal(model_fault_own(&model->faults[1]), 480);
	assert_sums(account);
}

TEST(a_trace_without_costs_knows_none)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n"
	       "exec time=2000 pid=10 comm=cmd\n"
	       "fault time=3000 addr=0x1000 duration=500\n"
	       "pause time=9000 ends=thread\n"
	       "summary end=9999\n");
	assert_false(account->knows_recording);
	assert_states(&account->main, 6500, 500, 0, 0, 0, 0, 0);
}

/** Thread 11 faults while the first thread waits for it; then that ends. */
#define WAITS_FOR_OTHER                                              \
	"fork time=2500 pid=10 tid=11 parent_pid=10 parent_tid=10\n" \
	"pause time=2600 pid=10 tid=11 woken=2600 back=2600 left=preempted\n"

TEST(who_waits_for_a_thread_waits_for_its_recording)
{
	answer(START WAITS_FOR_OTHER
	       "fault time=2700 tid=11 addr=0x1000 duration=100\n"
	       "pause time=3000 woken=5000 back=5010 call=202 waker_pid=10 waker_tid=11\n"
	       "fault time=3100 tid=11 addr=0x2000 duration=100\n"
	       "fault time=3300 tid=11 addr=0x3000 duration=100\n"
	       "pause time=5100 tid=11 ends=thread\n"
	       "pause time=9000 ends=thread\n"
	       "summary end=9999\n");
	// Of the wait, two faults of the other's; the pause itself costs the thread something.
	assert_int_equal(account->main.ns[MODEL_STATE_WAIT], 2000 - 2 * 50);
	assert_int_equal(account->main.ns[MODEL_STATE_RECORDING], 2 * 50 + 11);
	assert_int_equal(account->waiting->main.kinds.wait_ns[MODEL_WAIT_LOCK], 2000 - 2 * 50);
	assert_int_equal(account->waiting->main.awaited[0].ns, 2000 - 2 * 50);
	assert_sums(account);
}

TEST(it_passes_from_one_wait_to_the_next)
{
	answer(START WAITS_FOR_OTHER
	       "fork time=2650 pid=10 tid=12 parent_pid=10 parent_tid=10\n"
	       "pause time=2660 pid=10 tid=12 woken=2660 back=2660 left=preempted\n"
	       "pause time=3000 woken=5000 back=5010 call=202 waker_pid=10 waker_tid=11\n"
	       "pause time=3050 tid=11 woken=4000 back=4010 call=202 waker_pid=10 waker_tid=12\n"
	       "fault time=3100 tid=12 addr=0x2000 duration=100\n"
	       "pause time=5100 tid=11 ends=thread\n"
	       "pause time=5200 tid=12 ends=thread\n"
	       "pause time=9000 ends=thread\n"
	       "summary end=9999\n");
	assert_int_equal(account->main.ns[MODEL_STATE_WAIT], 2000 - 50 - 11);
	assert_sums(account);
}

TEST(no_wait_is_shorter_than_nothing)
{
	answer(START WAITS_FOR_OTHER
	       "pause time=3000 woken=3110 back=3120 call=202 waker_pid=10 waker_tid=11\n"
	       "fault time=3010 tid=11 addr=0x2000 duration=10\n"
	       "fault time=3030 tid=11 addr=0x2000 duration=10\n"
	       "fault time=3050 tid=11 addr=0x2000 duration=10\n"
	       "fault time=3070 tid=11 addr=0x2000 duration=10\n"
	       "pause time=5100 tid=11 ends=thread\n"
	       "pause time=9000 ends=thread\n"
	       "summary end=9999\n");
	assert_int_equal(account->main.ns[MODEL_STATE_WAIT], 0);
	assert_sums(account);
}

TEST(a_timer_and_another_program_are_as_late)
{
	answer(START WAITS_FOR_OTHER
	       "pause time=3000 woken=5000 back=5010 call=35 woken_by=interrupt "
	       "waker_pid=10 waker_tid=11\n"
	       "fault time=3100 tid=11 addr=0x2000 duration=100\n"
	       "pause time=5100 tid=11 ends=thread\n"
	       "pause time=6000 woken=6500 back=6510 call=0 waker_pid=77\n"
	       "pause time=9000 ends=thread\n"
	       "summary end=9999\n");
	assert_int_equal(account->main.ns[MODEL_STATE_WAIT], 2000 + 500);
	assert_sums(account);
}

TEST(waiting_for_the_recorders_processor_is_recording)
{
	answer(START "pause time=3000 left=preempted back=3400 recorder=250\n"
		     "pause time=5000 woken=5300 back=5400 call=202 recorder=100\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	assert_states(&account->main, 7000 - 400 - 400 - 2 * 11, 0, 0, 0, 300, 150,
		      250 + 100 + 2 * 11);
	assert_int_equal(account->waiting->main.kinds.wait_ns[MODEL_WAIT_LOCK], 300);
	assert_sums(account);
}

TEST(the_recorder_has_no_more_than_was_waited_for_a_processor)
{
	answer(START "pause time=5000 woken=5300 back=5310 call=202 recorder=4000000000\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	assert_states(&account->main, 7000 - 310 - 11, 0, 0, 0, 300, 0, 10 + 11);
	assert_sums(account);
}

TEST(a_fault_is_late_without_what_the_recorder_had)
{
	answer(START "fault time=3000 addr=0x1000 duration=500\n"
		     "pause time=3100 left=preempted in=fault back=3400 recorder=200\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	assert_int_equal(model_fault_late(&model->faults[0]), 100);
	assert_int_equal(model_fault_own(&model->faults[0]), 500 - 300 - 20);
	assert_states(&account->main, 6500 - 30 - 11, 180, 0, 0, 0, 100, 200 + 20 + 30 + 11);
	assert_sums(account);
}

/** The kernel counts it as time for which the thread was runnable. */
TEST(what_the_recorder_had_agrees_with_the_kernels_count)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd " COSTS "\n"
	       "pause time=1500 woken=1900 back=1900 delay=0\n"
	       "exec time=2000 pid=10 comm=cmd\n"
	       "pause time=3000 left=preempted back=3400 recorder=250\n"
	       "pause time=9000 ends=thread runtime=6700 delay=400\n"
	       "summary end=9999\n");
	assert_int_equal(account->check.kernel_runnable_ns, 400);
	assert_int_equal(account->check.account_runnable_ns, 400);
}

TEST(who_waits_for_a_thread_waits_for_the_recorder_as_well)
{
	answer(START WAITS_FOR_OTHER
	       "pause time=3000 woken=5000 back=5010 call=202 waker_pid=10 waker_tid=11\n"
	       "pause time=3500 tid=11 left=preempted back=4500 recorder=700\n"
	       "pause time=5100 tid=11 ends=thread\n"
	       "pause time=9000 ends=thread\n"
	       "summary end=9999\n");
	// The other's pause costs something as well.
	assert_int_equal(account->main.ns[MODEL_STATE_WAIT], 2000 - 700 - 11);
	assert_int_equal(account->all.ns[MODEL_STATE_RUNNABLE], 10 + 100 + 300);
	assert_sums(account);
}

TEST(the_critical_path_has_it_as_recording)
{
	answer(START "fork time=2500 pid=11 tid=11 parent_pid=10 parent_tid=10\n"
		     "pause time=2500 pid=11 left=preempted back=3000 recorder=200\n"
		     "pause time=2600 woken=8000 back=8010 call=61 waker_pid=11 waker_tid=11\n"
		     "pause time=4000 pid=11 left=preempted back=5000 recorder=700\n"
		     "pause time=8100 pid=11 ends=thread\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n");
	uint64_t recording = 0, runnable = 0, all = 0;

	array_foreach (part, account->critical->parts, account->critical->part_count) {
		recording += part->times.ns[MODEL_STATE_RECORDING];
		runnable += part->times.ns[MODEL_STATE_RUNNABLE];
		all += model_times_sum(&part->times);
	}
	assert_int_equal(recording, 200 + 700);
	assert_int_equal(runnable, 300 + 300 + 10);
	assert_int_equal(all, account->wall_ns);
}

TEST(windows_divide_it_evenly_and_add_up)
{
	static const char text[] =
		START "fault time=2900 addr=0x1000 duration=700\n"
		      "pause time=3000 woken=3100 in=fault back=3401 recorder=250\n"
		      "pause time=9000 ends=thread\n"
		      "summary end=9999\n";
	CLEANUP(model_closep) struct model *whole = correlate_text(text, NULL);
	static const char *const edges[] = { "2100ns", "2200ns", "2301ns" };

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		const struct correlate_options before = { .until = edges[i] },
					       after = { .from = edges[i] };
		CLEANUP(model_closep) struct model *first = correlate_text(text, &before);
		CLEANUP(model_closep) struct model *second = correlate_text(text, &after);

		for (enum model_state j = 0; j < MODEL_STATES; j++)
			assert_int_equal(first->account->main.ns[j] + second->account->main.ns[j],
					 whole->account->main.ns[j]);
		assert_int_equal(model_times_sum(&first->account->main), first->account->wall_ns);
	}
	const struct correlate_options half = { .until = "2250ns" };
	CLEANUP(model_closep) struct model *first = correlate_text(text, &half);

	assert_int_equal(first->account->main.ns[MODEL_STATE_RUNNABLE], 150 - 250 * 150 / 301);
}

TEST(a_trace_that_ends_within_keeps_a_part_of_it)
{
	CLEANUP(trace_closep)
	struct trace *trace =
		read_text(START "fork time=2100 pid=10 tid=11 parent_pid=10 parent_tid=10\n"
				"fork time=2200 pid=10 tid=12 parent_pid=10 parent_tid=10\n"
				"pause time=3000 woken=3100 back=3500 recorder=200\n"
				"pause time=3050 tid=11 woken=3350 back=3500 recorder=50\n"
				"pause time=3400 tid=12 left=preempted back=3500 recorder=9\n"
				"mark time=3300 name=\"end\" recording=ends\n"
				"summary end=9999\n");

	trace_cut_at_end(trace);
	assert_int_equal(trace->pauses.count, 3);
	assert_int_equal(trace->pauses.items[0].back_ns, 3300);
	vec_foreach (pause, &trace->pauses)
		assert_int_equal(pause->recorder_ns, pause->tid == 10 ? 100 : 0);
}
