// SPDX-License-Identifier: Apache-2.0
// Time that a hypervisor took from a thread, by the kernel's counts. Times are in ns; the thread
// runs from 1,000,000 on, where it had run for 400,000.
#include "tests/support/accounts.h"

#define START                                                                      \
	"elfault-trace-text 1\n"                                                   \
	"meta root_pid=10 start=1000 pauses=yes samples=yes backend=bpf arg=cmd\n" \
	"exec time=2000 pid=10 comm=cmd\n"                                         \
	"pause time=402000 woken=900000 back=1000000 runtime=400000 delay=100000\n"

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(it_is_where_nothing_was_seen_for_longest)
{
	answer(START "sample time=1300000 pid=10 period=400000 ip=0x1000\n"
		     "fault time=1600000 addr=0x1000 duration=200000\n"
		     "sample time=9000000 pid=10 period=400000 ip=0x1000\n"
		     "pause time=9200000 ends=thread runtime=2600000 delay=100000\n"
		     "summary end=9999999\n");
	// 8.2 ms passed, of which it ran 2.2.
	assert_states(&account->main, 400000 + 2000000, 200000, 0, 0, 498000, 100000 + 6000000);
	assert_true(account->complete);
	assert_int_equal(account->check.stolen_ns, 6000000);
	assert_int_equal(account->check.account_cpu_ns, account->check.kernel_cpu_ns);
	assert_int_equal(account->check.account_runnable_ns, account->check.kernel_runnable_ns);
	assert_int_equal(model_fault_own(&model->faults[0]), 200000);
}

TEST(a_fault_that_was_robbed_is_late)
{
	answer(START "fault time=1600000 addr=0x1000 duration=2000000\n"
		     "fault time=4000000 addr=0x1000 duration=100000\n"
		     "pause time=4200000 ends=thread runtime=1700000 delay=100000\n"
		     "summary end=9999999\n");
	assert_states(&account->main, 400000 + 1100000, 200000, 0, 0, 498000, 100000 + 1900000);
	assert_int_equal(model_fault_own(&model->faults[0]), 100000);
	assert_int_equal(model_fault_late(&model->faults[0]), 1900000);
	assert_int_equal(model_fault_own(&model->faults[1]), 100000);
}

TEST(more_than_one_gap_has_is_of_the_next)
{
	answer(START "map time=3000000 pid=10 addr=0x5000 size=0x1000 prot=r--p\n"
		     "map time=3100000 pid=10 addr=0x6000 size=0x1000 prot=r--p\n"
		     "pause time=4600000 ends=thread runtime=500000 delay=100000\n"
		     "summary end=9999999\n");
	// 3.6 ms passed, of which it ran 0.1: all of the first and the last.
	assert_states(&account->main, 400000 + 100000, 0, 0, 0, 498000, 100000 + 3500000);
	assert_int_equal(account->check.stolen_ns, 3500000);
}

TEST(what_the_clocks_differ_by_is_not_stolen)
{
	answer(START "pause time=3000000 ends=thread runtime=2301000 delay=100000\n"
		     "summary end=9999999\n");
	assert_int_equal(account->check.stolen_ns, 0);
	assert_states(&account->main, 400000 + 2000000, 0, 0, 0, 498000, 100000);
}

TEST(it_is_on_one_side_of_an_exit)
{
	answer(START "exit time=6000000 pid=10\n"
		     "pause time=9000000 ends=thread runtime=3400000 delay=100000\n"
		     "summary end=9999999\n");
	// Of 8 ms it ran 3, which are those of the exit.
	assert_states(&account->main, 400000 + 3000000, 0, 0, 0, 498000, 100000 + 5000000);
	assert_int_equal(account->exit_ns, 3000000);
}

TEST(a_lost_pause_is_not_stolen)
{
	answer(START "pause time=9000000 ends=thread runtime=2400000 delay=100000\n"
		     "summary end=9999999 pauses_lost=1\n");
	assert_int_equal(account->check.stolen_ns, 0);
	assert_states(&account->main, 400000 + 8000000, 0, 0, 0, 498000, 100000);
}

TEST(counts_that_cannot_be_steal_nothing)
{
	answer(START "pause time=2000000 woken=2500000 back=2500000 flags=0x1000\n"
		     "pause time=9000000 ends=thread runtime=18446744073709551615 "
		     "delay=100000\n"
		     "summary end=9999999\n");
	assert_states(&account->main, 400000 + 7500000, 0, 0, 0, 498000 + 500000, 100000);
	assert_int_equal(account->check.account_runnable_ns, 0);
}

TEST(without_the_kernels_counts_nothing_is_known)
{
	answer("elfault-trace-text 1\n"
	       "meta root_pid=10 start=1000 pauses=yes backend=perf arg=cmd\n"
	       "exec time=2000 pid=10 comm=cmd\n"
	       "pause time=402000 woken=900000 back=1000000\n"
	       "pause time=9000000 ends=thread\n"
	       "summary end=9999999\n");
	assert_states(&account->main, 400000 + 8000000, 0, 0, 0, 498000, 100000);
	assert_int_equal(account->check.stolen_ns, 0);
}
