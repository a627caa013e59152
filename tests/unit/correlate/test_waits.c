// SPDX-License-Identifier: Apache-2.0
// Waits by reason, and the chain that the end of the command waited for, in lives made by hand.
#include "tests/support/accounts.h"

#include "model/waits.h"

#define START                                                          \
	"elfault-trace-text 1\n"                                       \
	"meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n" \
	"exec time=2000 pid=10 comm=sh\n"

/** Parts and steps each come to the wall time, and steps follow each other. */
static void assert_adds_up(const struct model_account *account)
{
	const struct model_critical *critical = account->critical;
	uint64_t parts = 0, steps = 0, states = 0;

	for (size_t i = 0; i < critical->part_count; i++) {
		parts += critical->parts[i].ns;
		states += model_times_sum(&critical->parts[i].times);
	}
	for (size_t i = 0; i < critical->step_count; i++) {
		const struct model_critical_part *step = &critical->steps[i];

		steps += step->ns;
		assert_int_equal(step->end_ns - step->start_ns, step->ns);
		if (i > 0)
			assert_int_equal(step->start_ns, critical->steps[i - 1].end_ns);
	}
	assert_int_equal(parts, account->wall_ns);
	assert_int_equal(states, account->wall_ns);
	assert_int_equal(steps, account->wall_ns);
}

static void assert_part(const struct model_critical_part *part, const char *comm, uint64_t ns)
{
	assert_string_equal(model->comms[model->account->processes[part->process].comm], comm);
	assert_int_equal(part->ns, ns);
}

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(the_system_call_says_what_a_wait_was_for)
{
	answer(START "pause time=3000 woken=3100 back=3101 call=202\n"
		     "pause time=3200 woken=3400 back=3401 call=7\n"
		     "pause time=3500 woken=3800 back=3801 call=230\n"
		     "pause time=4000 woken=4400 back=4401 call=0\n"
		     "pause time=4500 woken=4600 back=4601 call=0 for=storage\n"
		     "pause time=5000 woken=5010 back=5011 call=45\n"
		     "pause time=5020 woken=5022 back=5022 call=0 socket=yes\n"
		     "pause time=5030 woken=5034 back=5034 call=1 pipe=yes\n"
		     "pause time=5100 woken=5120 back=5121 call=0 in=fault\n"
		     "pause time=5200 woken=5230 back=5231 call=16\n"
		     "pause time=5250 woken=5255 back=5260 call=217 for=storage\n"
		     "pause time=5300 woken=5340 back=5341\n"
		     "pause time=5400 woken=5400 back=5441 call=0 left=preempted\n"
		     "pause time=6000 ends=thread\n"
		     "summary end=9999\n");
	const struct model_waits *waits = &account->waiting->main.kinds;
	uint64_t all = 0, storage = 0;

	assert_int_equal(waits->wait_ns[MODEL_WAIT_LOCK], 100);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_POLL], 200);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_SLEEP], 300);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_READ], 400);
	assert_int_equal(waits->file_io_ns[MODEL_WAIT_READ], 100);
	assert_int_equal(waits->count[MODEL_WAIT_READ], 2);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_PIPE], 4);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_SOCKET], 12);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_FAULT], 20);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_OTHER], 30);
	assert_int_equal(waits->file_io_ns[MODEL_WAIT_FILE], 5);
	assert_int_equal(waits->wait_ns[MODEL_WAIT_UNKNOWN], 40);
	for (size_t i = 0; i < MODEL_WAITS; i++) {
		all += waits->wait_ns[i];
		storage += waits->file_io_ns[i];
	}
	assert_int_equal(all, account->main.ns[MODEL_STATE_WAIT]);
	assert_int_equal(storage, account->main.ns[MODEL_STATE_FILE_IO]);
	assert_memory_equal(waits, &account->waiting->processes[0], sizeof(*waits));
	// What a call is that has no kind of its own; and that nobody is named who did not do it.
	assert_int_equal(account->waiting->main.awaited[0].ns, 400);
	array_foreach (row, account->waiting->main.awaited, account->waiting->main.awaited_count) {
		assert_int_equal(row->process, MODEL_NONE);
		if (row->wait == MODEL_WAIT_OTHER)
			assert_string_equal(row->call, "ioctl");
		else
			assert_null(row->call);
	}
	assert_adds_up(account);
}

#define CHILD                                                                      \
	START "fork time=3000 pid=11 parent_pid=10\n"                              \
	      "pause time=3000 pid=11 woken=3000 back=3100 left=preempted\n"       \
	      "pause time=3200 pid=10 woken=8000 back=8050 call=61 waker_pid=11\n" \
	      "exec time=3300 pid=11 comm=cc1\n"                                   \
	      "fault time=4000 pid=11 addr=0x1000 ip=0x1 duration=500\n"           \
	      "pause time=5000 pid=11 woken=5400 back=5500 call=0 for=storage\n"

TEST(a_child_is_waited_for_and_what_it_did_meanwhile)
{
	answer(CHILD "pause time=8100 pid=11 ends=thread\n"
		     "pause time=9000 pid=10 ends=thread\n"
		     "summary end=9999\n");
	const struct model_awaited *row = &account->waiting->main.awaited[0];

	assert_int_equal(account->waiting->main.awaited_count, 1);
	assert_int_equal(row->wait, MODEL_WAIT_CHILD);
	assert_int_equal(row->waker, MODEL_WAKER_THREAD);
	assert_int_equal(row->ns, 4800);
	assert_string_equal(model->comms[account->processes[row->process].comm], "cc1");
	// From 3200 to 8000, before and after its exec.
	assert_states(&row->meanwhile, 4800 - 500 - 500, 500, 0, 400, 0, 100);

	const struct model_critical *critical = account->critical;

	assert_adds_up(account);
	assert_int_equal(critical->part_count, 3);
	assert_part(&critical->parts[0], "cc1", 8000 - 3300);
	assert_states(&critical->parts[0].times, 4700 - 500 - 500, 500, 0, 400, 0, 100);
	assert_int_equal(critical->parts[0].waits.file_io_ns[MODEL_WAIT_READ], 400);
	// Until it forked, and since it was woken.
	assert_part(&critical->parts[1], "sh", 1000 + 1000);
	assert_states(&critical->parts[1].times, 1950, 0, 0, 0, 0, 50);
	// What was forked, until it executed.
	assert_part(&critical->parts[2], "sh", 300);
	assert_states(&critical->parts[2].times, 200, 0, 0, 0, 0, 100);
	assert_int_equal(critical->step_count, 4);
	assert_part(&critical->steps[0], "sh", 1000);
	assert_part(&critical->steps[2], "cc1", 4700);
	assert_part(&critical->steps[3], "sh", 1000);
}

TEST(what_an_interrupt_came_upon_did_not_end_the_wait)
{
	answer(START "fork time=3000 pid=11 parent_pid=10\n"
		     "exec time=3100 pid=11 comm=busy\n"
		     "pause time=4000 pid=10 woken=5000 back=5010 call=7 waker_pid=11"
		     " woken_by=interrupt\n"
		     "pause time=6000 pid=10 woken=7000 back=7010 call=35 waker_pid=11\n"
		     "pause time=7500 pid=10 woken=8000 back=8010 call=0 waker_pid=77\n"
		     "pause time=9000 pid=10 ends=thread\n"
		     "pause time=9500 pid=11 ends=thread\n"
		     "summary end=9999\n");
	const struct model_awaited *rows = account->waiting->main.awaited;

	assert_int_equal(account->waiting->main.awaited_count, 3);
	assert_int_equal(rows[0].waker, MODEL_WAKER_INTERRUPT);
	assert_int_equal(rows[1].waker, MODEL_WAKER_INTERRUPT);
	assert_int_equal(rows[2].waker, MODEL_WAKER_OUTSIDE);
	assert_adds_up(account);
	assert_int_equal(account->critical->part_count, 1);
	assert_part(&account->critical->parts[0], "sh", 7000);
	assert_int_equal(account->critical->parts[0].waits.wait_ns[MODEL_WAIT_POLL], 1000);
	assert_int_equal(account->critical->parts[0].waits.wait_ns[MODEL_WAIT_SLEEP], 1000);
	assert_int_equal(account->critical->parts[0].waits.wait_ns[MODEL_WAIT_READ], 500);
}

TEST(the_path_goes_through_a_pipe_and_threads)
{
	// sh waits for tail, tail for what a thread of seq writes.
	answer(START "fork time=2100 pid=11 parent_pid=10\n"
		     "exec time=2200 pid=11 comm=seq\n"
		     "fork time=2300 pid=12 parent_pid=10\n"
		     "exec time=2400 pid=12 comm=tail\n"
		     "fork time=2500 pid=11 tid=13 parent_pid=11\n"
		     "comm time=2510 pid=11 tid=13 comm=writer\n"
		     "pause time=2600 pid=10 woken=8000 back=8010 call=61 waker_pid=12\n"
		     "pause time=3000 pid=12 woken=7000 back=7010 call=0 waker_pid=11"
		     " waker_tid=13\n"
		     "pause time=7100 pid=11 tid=13 ends=thread\n"
		     "pause time=7200 pid=11 ends=thread\n"
		     "pause time=8100 pid=12 ends=thread\n"
		     "pause time=9000 pid=10 ends=thread\n"
		     "summary end=9999\n");
	const struct model_critical *critical = account->critical;

	assert_adds_up(account);
	assert_part(&critical->parts[0], "seq", 7000 - 2500);
	assert_string_equal(critical->parts[0].thread, "writer");
	assert_int_equal(critical->parts[0].tid, 13);
	assert_part(&critical->parts[1], "sh", 100 + 1000);
	assert_null(critical->parts[1].thread);
	assert_part(&critical->parts[2], "tail", 1000);
	assert_part(&critical->parts[3], "seq", 300);
	assert_null(critical->parts[3].thread);
	assert_part(&critical->parts[4], "sh", 100);
	assert_int_equal(critical->part_count, 5);
}

TEST(short_steps_are_one_with_the_longest_name)
{
	char text[40000];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s",
				       START "fork time=2500 pid=11 parent_pid=10\n"
					     "exec time=2600 pid=11 comm=pong\n");

	// Two that wake each other, 100 times; the wall time is a million.
	for (unsigned i = 0; i < 100; i++) {
		unsigned at = 10000 + i * 1000;

		used += (size_t)snprintf(
			text + used, sizeof(text) - used,
			"pause time=%u pid=10 woken=%u back=%u call=0 waker_pid=11\n"
			"pause time=%u pid=11 woken=%u back=%u call=0 waker_pid=10\n",
			at, at + 600, at + 601, at + 610, at + 990, at + 991);
	}
	snprintf(text + used, sizeof(text) - used,
		 "pause time=1002000 pid=10 ends=thread\npause time=1003000 pid=11 ends=thread\n"
		 "summary end=1009999\n");

	answer(text);
	const struct model_critical *critical = account->critical;

	assert_int_equal(account->wall_ns, 1000000);
	assert_adds_up(account);
	assert_in_range(critical->step_count, 3, 20);
	assert_part(&critical->steps[critical->step_count - 1], "sh",
		    1002000 - (10000 + 99 * 1000 + 600));
	assert_true(critical->steps[1].stays > 10);
	assert_int_equal(critical->part_count, 3);
}

TEST(the_path_begins_with_what_an_attached_process_did)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes attached=yes backend=bpf\n"
	       "pause time=900 pid=10 woken=6000 back=6100 call=202 waker_pid=10"
	       " waker_tid=11\n"
	       "pause time=2000 pid=10 tid=11 woken=3000 back=3100 call=35\n"
	       "pause time=8000 pid=10 woken=9000 back=9000 open=yes call=202\n"
	       "pause time=9000 pid=10 tid=11 woken=9000 back=9000 left=preempted open=yes\n"
	       "summary end=9000\n");
	const struct model_critical *critical = account->critical;

	assert_int_equal(account->wall_ns, 8000);
	assert_adds_up(account);
	assert_int_equal(critical->part_count, 2);
	assert_string_equal(critical->parts[0].thread, "");
	assert_states(&critical->parts[0].times, 3900, 0, 0, 0, 1000, 100);
	// It still waits at the end: nothing ended that.
	assert_states(&critical->parts[1].times, 1900, 0, 0, 0, 1000, 100);
	assert_int_equal(account->waiting->main.awaited[1].waker, MODEL_WAKER_UNKNOWN);
}

TEST(times_that_contradict_each_other_lead_to_an_end)
{
	answer(START "fork time=2000 pid=11 parent_pid=12\n"
		     "fork time=2000 pid=12 parent_pid=11\n"
		     "fault time=2500 pid=12 addr=0x1000 ip=0x1 duration=9000\n"
		     "fault time=2600 pid=12 addr=0x1000 ip=0x1 duration=10\n"
		     "pause time=2600 pid=12 woken=2700 back=2700 call=0 waker_pid=11\n"
		     "pause time=2600 pid=11 woken=2700 back=2700 call=0 waker_pid=12\n"
		     "pause time=2700 pid=10 woken=2700 back=9000 call=0 waker_pid=12\n"
		     "pause time=3000 pid=10 woken=9000 back=3100 call=0 waker_pid=12\n"
		     "pause time=3200 pid=10 woken=3300 back=9500 call=61 waker_pid=12\n"
		     "pause time=9600 pid=10 ends=thread\n"
		     "summary end=9999\n");
	assert_adds_up(account);
}
