// SPDX-License-Identifier: Apache-2.0
// The program that the account is of: traces of wrappers, made by hand.
#include "tests/support/accounts.h"

#include "model/filter.h"
#include "model/waits.h"

#define META "elfault-trace-text 1\nmeta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n"

static const char *comm_of(uint32_t process)
{
	return process == MODEL_NONE ? "" : model->comms[model->account->processes[process].comm];
}

/** Its times are those of the row that it is of, and add up. */
static const struct model_subject *subject_of(const char *text)
{
	answer(text);
	const struct model_subject *subject = &account->subject;
	uint64_t by_initiator = 0;

	assert_true(subject->is_known);
	assert_memory_equal(&subject->times, &account->processes[subject->process].main,
			    sizeof(subject->times));
	assert_int_equal(model_times_sum(&subject->times), subject->wall_ns);
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		by_initiator += model_times_sum(&subject->by_initiator[i]);
	assert_int_equal(by_initiator, subject->wall_ns);
	return subject;
}

static void assert_subject(const struct model_subject *subject, const char *comm,
			   const char *starter, uint64_t wall_ns)
{
	assert_string_equal(comm_of(subject->process), comm);
	assert_string_equal(comm_of(subject->starter), starter);
	assert_int_equal(subject->wall_ns, wall_ns);
}

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(a_program_alone_is_its_own)
{
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=ls\n"
				"pause time=3000 pid=10 woken=3900 back=3901 call=61\n"
				"pause time=4000 pid=10 ends=thread\n"
				"summary end=9999\n");

	assert_subject(subject, "ls", "", 2000);
	assert_false(subject->is_other);
	assert_memory_equal(&subject->times, &model->account->main, sizeof(subject->times));
}

TEST(what_a_shell_waited_for_is)
{
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=sh\n"
				"fork time=3000 pid=11 parent_pid=10\n"
				"pause time=3200 pid=10 woken=8000 back=8050 call=61 waker_pid=11\n"
				"exec time=3300 pid=11 comm=cc1\n"
				"pause time=8100 pid=11 ends=thread\n"
				"pause time=9000 pid=10 ends=thread\n"
				"summary end=9999\n");

	assert_subject(subject, "cc1", "sh", 8100 - 3300);
	assert_true(subject->is_other);
	assert_false(subject->is_forked);
	// The command keeps its own.
	assert_int_equal(model->account->wall_ns, 7000);
	assert_int_equal(model->account->main.ns[MODEL_STATE_WAIT], 4800);
	assert_int_equal(model->account->waiting->main.awaited_count, 1);
	assert_int_equal(model->account->waiting->subject.awaited_count, 0);
}

TEST(a_program_is_its_own_from_its_exec)
{
	const struct model_subject *subject = subject_of(META "exec time=2000 pid=10 comm=env\n"
							      "exec time=2500 pid=10 comm=node\n"
							      "pause time=9000 pid=10 ends=thread\n"
							      "summary end=9999\n");

	assert_subject(subject, "node", "env", 6500);
	assert_true(subject->is_other);
	assert_int_equal(model->account->wall_ns, 7000);
}

/** timeout sleeps in rt_sigsuspend until its timer wakes it, and kills the server, which polls. */
#define TIMEOUT                                                                  \
	META "exec time=2000 pid=10 comm=timeout\n"                              \
	     "fork time=2500 pid=11 parent_pid=10\n"                             \
	     "pause time=2600 pid=10 woken=8000 back=8010 call=130 waker_pid=11" \
	     " woken_by=interrupt\n"

TEST(what_a_timeout_kills_is)
{
	const struct model_subject *subject = subject_of(
		TIMEOUT "exec time=2700 pid=11 comm=server\n"
			"pause time=4000 pid=11 woken=8100 back=8110 call=7 waker_pid=10\n"
			"pause time=8120 pid=10 woken=8200 back=8210 call=61"
			" waker_pid=11\n"
			"pause time=8205 pid=11 ends=thread\n"
			"pause time=9000 pid=10 ends=thread\n"
			"summary end=9999\n");
	const struct model_critical *critical = model->account->critical;

	assert_subject(subject, "server", "timeout", 8205 - 2700);
	assert_states(&subject->times, 5505 - 4110, 0, 0, 0, 4100, 10);
	// The wait on the path is the server's, and not for a signal.
	assert_string_equal(comm_of(critical->parts[0].process), "server");
	assert_int_equal(critical->parts[0].waits.wait_ns[MODEL_WAIT_POLL], 4000);
	for (size_t i = 0; i < critical->part_count; i++)
		assert_int_equal(critical->parts[i].waits.wait_ns[MODEL_WAIT_SIGNAL], 0);
}

TEST(what_a_shell_in_a_timeout_runs_is)
{
	const struct model_subject *subject = subject_of(
		TIMEOUT "exec time=2700 pid=11 comm=sh\n"
			"fork time=3000 pid=12 parent_pid=11\n"
			"pause time=3100 pid=11 woken=8050 back=8060 call=61 waker_pid=10\n"
			"exec time=3200 pid=12 comm=server\n"
			"pause time=4000 pid=12 woken=8300 back=8310 call=7 waker_pid=10\n"
			"pause time=8120 pid=10 woken=8200 back=8210 call=61 waker_pid=11\n"
			"pause time=8205 pid=11 ends=thread\n"
			"pause time=8400 pid=12 ends=thread\n"
			"pause time=9000 pid=10 ends=thread\n"
			"summary end=9999\n");

	assert_subject(subject, "server", "sh", 8400 - 3200);
	assert_string_equal(comm_of(subject->command), "timeout");
}

TEST(a_timer_without_a_child_is_waited_for)
{
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=waits\n"
				"pause time=2600 pid=10 woken=8000 back=8010 call=130"
				" woken_by=interrupt\n"
				"pause time=9000 pid=10 ends=thread\n"
				"summary end=9999\n");

	assert_subject(subject, "waits", "", 7000);
	assert_int_equal(model->account->critical->parts[0].waits.wait_ns[MODEL_WAIT_SIGNAL], 5400);
}

TEST(of_a_pipeline_it_is_who_the_last_waited_for)
{
	// sh waits for head, and head for what log writes.
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=sh\n"
				"fork time=2100 pid=11 parent_pid=10\n"
				"exec time=2200 pid=11 comm=log\n"
				"fork time=2300 pid=12 parent_pid=10\n"
				"exec time=2400 pid=12 comm=head\n"
				"pause time=2600 pid=10 woken=8000 back=8010 call=61 waker_pid=12\n"
				"pause time=3000 pid=12 woken=7000 back=7010 call=0 waker_pid=11\n"
				"pause time=7200 pid=11 ends=thread\n"
				"pause time=8100 pid=12 ends=thread\n"
				"pause time=9000 pid=10 ends=thread\n"
				"summary end=9999\n");

	assert_subject(subject, "log", "sh", 7200 - 2200);
}

#define JOBS(first_end, second_end)                                                     \
	META "exec time=2000 pid=10 comm=make\n"                                        \
	     "fork time=2000 pid=11 parent_pid=10\n"                                    \
	     "fork time=2000 pid=12 parent_pid=10\n"                                    \
	     "exec time=2100 pid=11 comm=one\n"                                         \
	     "exec time=2100 pid=12 comm=two\n"                                         \
	     "pause time=2100 pid=10 woken=" #first_end " back=" #first_end             \
	     " call=61 waker_pid=11\n"                                                  \
	     "pause time=" #first_end " pid=11 ends=thread\n"                           \
	     "pause time=" #first_end " pid=10 woken=" #second_end " back=" #second_end \
	     " call=61 waker_pid=12\n"                                                  \
	     "pause time=" #second_end " pid=12 ends=thread\n"                          \
	     "pause time=9000 pid=10 ends=thread\n"                                     \
	     "summary end=9999\n"

TEST(of_two_jobs_it_is_the_one_that_ends_last)
{
	const struct model_subject *subject = subject_of(JOBS(5000, 8900));

	// All of its life is on the path, and what the other did beside it is not.
	assert_subject(subject, "two", "make", 8900 - 2100);
}

TEST(of_equals_it_is_the_one_that_began_first)
{
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=make\n"
				"fork time=2000 pid=11 parent_pid=10\n"
				"exec time=2000 pid=11 comm=one\n"
				"pause time=2000 pid=10 woken=5000 back=5000 call=61 waker_pid=11\n"
				"pause time=5000 pid=11 ends=thread\n"
				"fork time=5000 pid=12 parent_pid=10\n"
				"exec time=5000 pid=12 comm=two\n"
				"pause time=5000 pid=10 woken=8000 back=8000 call=61 waker_pid=12\n"
				"pause time=8000 pid=12 ends=thread\n"
				"pause time=8000 pid=10 ends=thread\n"
				"summary end=9999\n");

	assert_subject(subject, "one", "make", 3000);
}

TEST(without_wakers_it_is_the_child_that_ended)
{
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=sh\n"
				"fork time=3000 pid=11 parent_pid=10\n"
				"pause time=3200 pid=10 woken=8000 back=8000\n"
				"exec time=3300 pid=11 comm=cc1\n"
				"pause time=7000 pid=11 ends=thread\n"
				"pause time=9000 pid=10 ends=thread\n"
				"summary end=9999\n");
	const struct model_critical *critical = model->account->critical;

	assert_subject(subject, "cc1", "sh", 7000 - 3300);
	// From its end until sh went on nobody knows.
	assert_string_equal(comm_of(critical->parts[0].process), "cc1");
	assert_int_equal(critical->parts[1].waits.wait_ns[MODEL_WAIT_UNKNOWN], 1000);
}

TEST(without_wakers_threads_of_one_process_are_not_told_apart)
{
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=gui\n"
				"fork time=2100 pid=10 tid=12 parent_pid=10\n"
				"fork time=3000 pid=11 parent_pid=10\n"
				"pause time=3200 pid=10 woken=8000 back=8000\n"
				"exec time=3300 pid=11 comm=helper\n"
				"pause time=7000 pid=11 ends=thread\n"
				"pause time=9000 pid=10 tid=12 ends=thread\n"
				"pause time=9000 pid=10 ends=thread\n"
				"summary end=9999\n");

	assert_subject(subject, "gui", "", 7000);
}

TEST(another_program_can_be_asked_for)
{
	static const char *const comms[] = { "one", "two", "11", "12" };

	for (size_t i = 0; i < 4; i++) {
		answer_text(JOBS(5000, 8900),
			    &(struct correlate_options){ .program = comms[i], .needs = ~0u });
		const struct model_subject *subject = &model->account->subject;

		assert_subject(subject, i % 2 ? "two" : "one", "make",
			       (i % 2 ? 8900 : 5000) - 2100);
		assert_true(subject->is_chosen);
		answer_forget(NULL);
	}
	struct filter *filter = filter_create();

	assert_true(filter_add(filter, "pid=11", NULL));
	answer_text(JOBS(5000, 8900),
		    &(struct correlate_options){ .filter = filter, .needs = ~0u });
	assert_subject(&model->account->subject, "one", "make", 5000 - 2100);
	answer_forget(NULL);
	filter_destroy(filter);
	assert_false(answer(JOBS(5000, 8900))->subject.is_chosen);
}

TEST(a_program_that_is_not_there_is_refused)
{
	CLEANUP(trace_closep) struct trace *trace = read_text(JOBS(5000, 8900));
	struct model *nothing = NULL;
	struct err err = { 0 };

	assert_false(correlate(trace, &(struct correlate_options){ .program = "three" }, &nothing,
			       &err));
	assert_int_equal(err.code, ERR_INPUT);
	assert_string_equal(err.message,
			    "three: no program of that name or process id in the trace; it has "
			    "make 10, make 11, make 12, one 11, two 12");
}

TEST(a_copy_of_its_parent_is_forked)
{
	const struct model_subject *subject =
		subject_of(META "exec time=2000 pid=10 comm=zygote\n"
				"fork time=2500 pid=11 parent_pid=10\n"
				"comm time=2600 pid=11 comm=renderer\n"
				"pause time=2600 pid=10 woken=8000 back=8010 call=61 waker_pid=11\n"
				"pause time=8000 pid=11 ends=thread\n"
				"pause time=8100 pid=10 ends=thread\n"
				"summary end=9999\n");

	assert_subject(subject, "renderer", "zygote", 8000 - 2500);
	assert_true(subject->is_forked);
}

TEST(an_attached_process_was_chosen)
{
	const struct model_subject *subject =
		subject_of("elfault-trace-text 1\n"
			   "meta root_pid=10 start=1000 pauses=yes attached=yes backend=bpf\n"
			   "comm time=1000 pid=10 comm=master\n"
			   "fork time=2000 pid=11 parent_pid=10\n"
			   "exec time=2000 pid=11 comm=worker\n"
			   "pause time=2100 pid=10 woken=8000 back=8010 call=61 waker_pid=11\n"
			   "pause time=8100 pid=11 ends=thread\n"
			   "pause time=8500 pid=10 woken=9000 back=9000 open=yes call=130\n"
			   "summary end=9000\n");

	assert_subject(subject, "master", "", 8000);
	assert_false(subject->is_other);
}

TEST(without_the_command_it_is_not_known)
{
	answer(META "exec time=2000 pid=77 comm=else\n"
		    "pause time=3000 pid=77 ends=thread\n"
		    "summary end=9999\n");
	assert_false(account->subject.is_known);
	assert_false(account->subject.is_other);
}

TEST(parents_in_a_circle_lead_to_an_end)
{
	answer(TIMEOUT "fork time=2500 pid=12 parent_pid=11\n"
		       "fork time=2550 pid=11 parent_pid=12\n"
		       "pause time=2600 pid=11 woken=8800 back=8810 call=61\n"
		       "pause time=2600 pid=12 woken=8800 back=8810 call=61\n"
		       "pause time=9000 pid=10 ends=thread\n"
		       "summary end=9999\n");
}
