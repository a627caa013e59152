// SPDX-License-Identifier: Apache-2.0
// System calls by process: counted, timed, and what of that was waited, in lives made by hand.
#include "tests/support/accounts.h"

#include "model/calls.h"
#include "model/storage.h"

#include <string.h>

#define START                                                                                \
	"elfault-trace-text 1\n"                                                             \
	"meta root_pid=10 start=1000 pauses=yes storage=yes calls=yes backend=bpf arg=cmd\n" \
	"exec time=2000 pid=10 comm=sh\n"

static const struct model_calls *calls_of(const char *text)
{
	answer(text);
	return model->calls;
}

static void assert_call(const struct model_call *row, const char *name, uint64_t count, uint64_t ns)
{
	assert_string_equal(row->name, name);
	assert_int_equal(row->count, count);
	assert_int_equal(row->ns, ns);
}

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(one_alone_and_several_together_add_up)
{
	const struct model_calls *calls =
		calls_of(START "call time=3000 call=0 duration=500 told=alone\n"
			       "call time=9000 call=0 count=7 duration=90\n"
			       "call time=9000 call=257 count=2 duration=60\n"
			       "call time=9000 call=4294967295 count=3 duration=5\n"
			       "pause time=9100 ends=thread\n"
			       "summary end=9999\n");

	assert_int_equal(calls->count, 13);
	assert_int_equal(calls->ns, 655);
	assert_int_equal(calls->all_count, 3);
	assert_call(&calls->all[0], "read", 8, 590);
	assert_call(&calls->all[1], "openat", 2, 60);
	assert_null(calls->all[2].name);
	assert_int_equal(calls->by_process_count, 3);
}

TEST(what_a_thread_waited_in_a_call_is_the_call_s)
{
	const struct model_calls *calls = calls_of(
		START "pause time=3100 woken=3300 back=3350 call=0 within=call\n"
		      "pause time=3500 woken=3900 back=3910 call=0 within=call for=storage\n"
		      "pause time=4000 woken=4000 back=4030 call=0 within=call left=preempted\n"
		      "pause time=4040 woken=4040 back=4060 call=0 left=preempted\n"
		      "pause time=4100 woken=4900 back=4950\n"
		      "pause time=5000 woken=5900 back=5950 call=35 within=call\n"
		      "call time=9000 call=0 count=3 duration=900\n"
		      "pause time=9100 ends=thread\n"
		      "summary end=9999\n");

	// That of a call that was not timed is nowhere, nor what came when one had returned.
	assert_int_equal(calls->all_count, 1);
	assert_int_equal(calls->all[0].wait_ns, 200);
	assert_int_equal(calls->all[0].file_io_ns, 400);
	assert_int_equal(calls->all[0].runnable_ns, 50 + 10 + 30);
	assert_states(&model->account->main, 4590, 0, 0, 400, 1900, 210);
}

TEST(each_program_of_a_process_has_its_own)
{
	const struct model_calls *calls =
		calls_of(START "fork time=3000 pid=11 tid=11 parent_pid=10 parent_tid=10\n"
			       "call time=3400 pid=11 call=59 count=0 duration=90 told=alone\n"
			       "call time=3490 pid=11 call=3 count=4 duration=40\n"
			       "exec time=3500 pid=11 comm=cat\n"
			       "call time=3495 pid=11 call=59 duration=100 told=alone\n"
			       "request time=3600 pid=11 device=7:0 size=4096 call=0 flags=call\n"
			       "call time=3590 pid=11 call=0 duration=200 told=alone\n"
			       "call time=4000 pid=11 call=231 duration=300 told=alone until=end\n"
			       "call time=3995 pid=11 call=3 duration=10\n"
			       "pause time=4300 pid=11 ends=thread\n"
			       "pause time=9100 ends=thread\n"
			       "summary end=9999\n");
	const struct model_process_times *processes = model->account->processes;
	uint64_t cat = 0;

	assert_call(&calls->all[0], "exit_group", 1, 300);
	assert_call(&calls->all[1], "read", 1, 200);
	assert_int_equal(calls->all[1].bytes, 4096);
	assert_call(&calls->all[2], "execve", 1, 190);
	assert_call(&calls->all[3], "close", 5, 50);
	array_foreach (row, calls->by_process, calls->by_process_count) {
		const char *comm = model->comms[processes[row->process].comm];

		assert_int_equal(processes[row->process].pid, 11);
		if (strcmp(comm, "cat") == 0)
			cat += row->ns;
		else
			assert_string_equal(comm, "sh");
		if (strcmp(row->name, "execve") == 0)
			assert_int_equal(row->count, strcmp(comm, "cat") == 0);
	}
	assert_int_equal(cat, 100 + 200 + 300 + 10);
}

TEST(a_call_counts_for_the_file_that_it_read)
{
	answer(START
	       "path device=7:0 inode=12 size=8192 path=/a\n"
	       "read time=3010 device=7:0 inode=12 offset=0 size=4096 call=0 flags=call,file\n"
	       "request time=3020 device=7:0 file_device=7:0 inode=12 size=4096 call=0 "
	       "flags=call,file\n"
	       "call time=3000 call=0 duration=500 told=alone\n"
	       "call time=3600 call=0 duration=70 told=alone\n"
	       "pause time=9100 ends=thread\n"
	       "summary end=9999\n");
	assert_int_equal(model->storage->file_count, 1);
	assert_int_equal(model->storage->files[0].calls, 1);
	assert_int_equal(model->storage->files[0].call_ns, 500);
}

TEST(what_io_uring_s_workers_read_is_the_program_s)
{
	answer(START "comm time=2500 pid=10 tid=11 comm=iou-wrk-10\n"
		     "comm time=2500 pid=10 tid=12 comm=worker\n"
		     "request time=3000 tid=11 device=7:0 size=4096 call=426 flags=call\n"
		     "summary end=9999\n");
	// Nothing has shown main to run.
	assert_int_equal(model->storage->by_initiator[MODEL_INITIATOR_UNKNOWN], 4096);
}

TEST(none_are_told_where_none_were_recorded)
{
	assert_null(calls_of("elfault-trace-text 1\n"
			     "meta root_pid=10 start=1000 pauses=yes arg=cmd\n"
			     "exec time=2000 pid=10 comm=sh\n"
			     "summary end=9999\n"));
}
