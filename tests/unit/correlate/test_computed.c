// SPDX-License-Identifier: Apache-2.0
// Division of what a thread computed by causes: timelines written by hand, in a life and in a
// trace.
#include "tests/support/accounts.h"

#include "correlate/time/lives.h"

static struct life life;

static void see(enum model_initiator initiator, uint64_t computed_ns)
{
	const struct model_fault seen = { .initiator = (uint8_t)initiator };

	computed_see(&life, &seen, computed_ns);
}

static void sample(enum model_initiator initiator)
{
	computed_sample(&life, initiator, 100, false);
}

static uint64_t cpu_of(enum model_initiator initiator)
{
	return life.by_initiator[initiator].ns[MODEL_STATE_CPU];
}

/** All that it computed has a cause, or is told to be nobody's. */
static void assert_divided(uint64_t computed_ns)
{
	uint64_t sum = 0;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		sum += cpu_of(i) + life.by_initiator[i].ns[MODEL_STATE_FAULT];
	assert_int_equal(sum, computed_ns);
	assert_int_equal(model_times_sum(&life.times), computed_ns);
	computed_deinit(&life.computed);
}

static int forget(void **state)
{
	life = (struct life){ 0 };
	return answer_forget(state);
}

const struct tests_around tests_around = { .after_each = forget };

TEST(between_two_of_one_cause_it_is_that)
{
	see(MODEL_LOADER, 10);
	see(MODEL_LOADER, 40);
	see(MODEL_PROGRAM, 45);
	see(MODEL_PROGRAM, 1045);
	computed_divide(&life, 1050);
	assert_int_equal(cpu_of(MODEL_LOADER), 30);
	assert_int_equal(cpu_of(MODEL_PROGRAM), 1000);
	assert_int_equal(cpu_of(MODEL_INITIATOR_UNKNOWN), 10 + 5 + 5);
	assert_int_equal(life.bracketed_ns, 1030);
	assert_int_equal(life.unsampled_ns, 20);
	// Without samples up to a fifth may be others'.
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_PROGRAM]), 199, 200);
	assert_divided(1050);
}

TEST(samples_divide_only_where_they_were_taken)
{
	see(MODEL_PROGRAM, 0);
	sample(MODEL_PROGRAM);
	see(MODEL_PROGRAM, 5000);
	sample(MODEL_LOADER);
	sample(MODEL_EXEC);
	see(MODEL_LOADER, 6000);
	computed_divide(&life, 6000);
	// Of the 1000 a fifth as if half a sample more had shown both ends, the rest by two
	// samples.
	assert_int_equal(cpu_of(MODEL_PROGRAM), 5000 + 100);
	assert_int_equal(cpu_of(MODEL_LOADER), 100 + 400);
	assert_int_equal(cpu_of(MODEL_EXEC), 400);
	// Of the 1000 alone: 1.96 times the root of 1/2 * 1/2 / 4.
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_LOADER]), 489, 490);
	// A fifth of 5000 and, of 1000, 1.96 times the root of 1/4 * 3/4 / 4.
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_PROGRAM]), 1086, 1087);
	assert_int_equal(life.unsampled_ns, 0);
	assert_divided(6000);
}

TEST(many_samples_that_agree_leave_little_error)
{
	see(MODEL_PROGRAM, 0);
	for (size_t i = 0; i < 98; i++)
		sample(MODEL_PROGRAM);
	see(MODEL_PROGRAM, 10000);
	computed_divide(&life, 10000);
	assert_int_equal(cpu_of(MODEL_PROGRAM), 10000);
	// As if one of 100 had shown another: of 10000, 1.96 times the root of 0.99 * 0.01 / 100.
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_PROGRAM]), 195, 196);
	assert_divided(10000);
}

TEST(samples_of_another_cause_are_believed)
{
	see(MODEL_RELOCATION, 0);
	sample(MODEL_RELOCATION);
	sample(MODEL_RELOCATION);
	see(MODEL_RELOCATION, 3000);
	sample(MODEL_RELOCATION);
	sample(MODEL_SYMBOL_LOOKUP);
	see(MODEL_RELOCATION, 4000);
	computed_divide(&life, 4000);
	// A ninth as if half a sample more had shown relocation, the rest by four samples.
	assert_int_equal(cpu_of(MODEL_RELOCATION), 3111);
	assert_int_equal(cpu_of(MODEL_SYMBOL_LOOKUP), 889);
	// Of 4000, 1.96 times the root of 2/6 * 4/6 / 6.
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_SYMBOL_LOOKUP]), 1508, 1509);
	assert_divided(4000);
}

TEST(between_two_causes_it_is_half_of_each_until_samples_say_more)
{
	see(MODEL_RELOCATION, 0);
	see(MODEL_SYMBOL_LOOKUP, 3000);
	see(MODEL_RELOCATION, 4001);
	see(MODEL_LOADER, 8001);
	sample(MODEL_LOADER);
	see(MODEL_PROGRAM, 8001 + 3000);
	computed_divide(&life, 11001);
	// 4001 both ways together, 4000, and 3000, a third as if by half a sample more.
	assert_int_equal(cpu_of(MODEL_SYMBOL_LOOKUP), 2001);
	assert_int_equal(cpu_of(MODEL_RELOCATION), 2000 + 2000);
	assert_int_equal(cpu_of(MODEL_LOADER), 2000 + 500 + 2000);
	assert_int_equal(cpu_of(MODEL_PROGRAM), 500);
	assert_int_equal(cpu_of(MODEL_INITIATOR_UNKNOWN), 0);
	assert_int_equal(life.bracketed_ns, 0);
	// Of 4001, 1.96 times the root of 1/2 * 1/2 / 2.
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_SYMBOL_LOOKUP]), 2772, 2773);
	assert_divided(11001);
}

TEST(its_beginning_and_its_end_are_of_the_cause_beside_them)
{
	computed_begin(&life, MODEL_INITIATOR_UNKNOWN);
	see(MODEL_PROGRAM, 1000);
	sample(MODEL_PROGRAM);
	sample(MODEL_PROGRAM);
	see(MODEL_PROGRAM, 2000);
	computed_exit(&life, 4000);
	computed_divide(&life, 4500);
	assert_int_equal(cpu_of(MODEL_PROGRAM), 4000);
	assert_int_equal(life.bracketed_ns, 1000);
	assert_int_equal(life.exit_ns, 500);
	// Of 3000, 1.96 times the root of 1/2 * 1/2 / 2, and a fifth of 1000.
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_PROGRAM]), 2088, 2089);
	assert_divided(4500);
}

TEST(without_any_sample_of_the_thread_it_is_nobodys)
{
	see(MODEL_RELOCATION, 0);
	see(MODEL_SYMBOL_LOOKUP, 3000);
	computed_divide(&life, 3000);
	assert_int_equal(cpu_of(MODEL_INITIATOR_UNKNOWN), 3000);
	assert_int_equal(life.unsampled_ns, 3000);
	assert_divided(3000);
}

TEST(where_there_is_time_for_more_samples_divide_that_alone)
{
	life.sample_ns = 5000;
	see(MODEL_RELOCATION, 0);
	see(MODEL_RELOCATION, 16000);
	// A sample made it longer.
	sample(MODEL_RELOCATION);
	see(MODEL_RELOCATION, 16000 + 21000);
	see(MODEL_RELOCATION, 37000 + 16001);
	sample(MODEL_SYMBOL_LOOKUP);
	see(MODEL_RELOCATION, 53001 + 30000);
	computed_divide(&life, 83001);
	assert_int_equal(cpu_of(MODEL_RELOCATION), 37000 + 46001 / 3);
	assert_int_equal(cpu_of(MODEL_SYMBOL_LOOKUP), 46001 - 46001 / 3);
	assert_int_equal(life.bracketed_ns, 83001);
	assert_divided(83001);
}

/** Of each cause what the window's two sides have is what all has. */
TEST(what_is_between_two_causes_is_divided_in_windows_as_in_all)
{
	struct life_cut cuts[LIFE_EDGES] = { { .time_ns = 1777 }, { .time_ns = UINT64_MAX } };
	uint64_t before = 0;

	life.cuts = cuts;
	see(MODEL_RELOCATION, 0);
	see(MODEL_SYMBOL_LOOKUP, 1001);
	sample(MODEL_SYMBOL_LOOKUP);
	see(MODEL_RELOCATION, 3001);
	see(MODEL_LOADER, 4000);
	computed_divide(&life, 4000);
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		assert_int_equal(cuts[LIFE_UNTIL].by_initiator[i].ns[MODEL_STATE_CPU], cpu_of(i));
		assert_true(cuts[LIFE_FROM].by_initiator[i].ns[MODEL_STATE_CPU] <= cpu_of(i));
		before += cuts[LIFE_FROM].by_initiator[i].ns[MODEL_STATE_CPU];
	}
	assert_int_equal(before, 1777);
	assert_divided(4000);
}

TEST(what_follows_its_exit_is_nobodys)
{
	see(MODEL_PROGRAM, 0);
	see(MODEL_STATIC_FINI, 1000);
	sample(MODEL_STATIC_FINI);
	computed_exit(&life, 1300);
	sample(MODEL_STATIC_FINI);
	see(MODEL_STATIC_FINI, 2300);
	see(MODEL_STATIC_FINI, 3300);
	computed_divide(&life, 4300);
	assert_int_equal(cpu_of(MODEL_PROGRAM), 500);
	assert_int_equal(cpu_of(MODEL_STATIC_FINI), 500 + 300);
	assert_int_equal(cpu_of(MODEL_INITIATOR_UNKNOWN), 3000);
	assert_int_equal(life.unsampled_ns, 3000);
	assert_int_equal(life.exit_ns, 3000);
	assert_divided(4300);
}

TEST(without_samples_nobody_sees_what_else_is_there)
{
	see(MODEL_RELOCATION, 0);
	see(MODEL_RELOCATION, 1000);
	computed_divide(&life, 1500);
	assert_int_equal(cpu_of(MODEL_RELOCATION), 1000);
	assert_int_equal(cpu_of(MODEL_INITIATOR_UNKNOWN), 500);
	assert_in_range(model_error_ns(life.cpu_variance[MODEL_RELOCATION]), 199, 200);
	assert_divided(1500);
}

TEST(what_is_forgotten_or_unknown_says_nothing)
{
	const struct model_fault in_dlopen = { .initiator = MODEL_LOADER,
					       .dlopen = MODEL_DLOPEN_YES };

	see(MODEL_PROGRAM, 0);
	computed_forget(&life);
	see(MODEL_PROGRAM, 100);
	see(MODEL_INITIATOR_UNKNOWN, 200);
	see(MODEL_INITIATOR_UNKNOWN, 300);
	see(MODEL_LOADER, 400);
	computed_see(&life, &in_dlopen, 500);
	computed_divide(&life, 500);
	assert_int_equal(cpu_of(MODEL_INITIATOR_UNKNOWN), 500);
	assert_int_equal(life.bracketed_ns, 0);
	assert_divided(500);
}

TEST(periods_beyond_all_measure_divide_all_the_same)
{
	see(MODEL_LOADER, 0);
	computed_sample(&life, MODEL_PROGRAM, UINT64_MAX, false);
	computed_sample(&life, MODEL_PROGRAM, UINT64_MAX, false);
	see(MODEL_LOADER, 100);
	// One that stands for nothing divides nothing.
	see(MODEL_EXEC, 100);
	computed_sample(&life, MODEL_PROGRAM, 0, false);
	see(MODEL_EXEC, 110);
	computed_divide(&life, 110);
	assert_int_equal(cpu_of(MODEL_PROGRAM), 80);
	assert_int_equal(cpu_of(MODEL_LOADER), 20);
	assert_int_equal(cpu_of(MODEL_EXEC), 10);
	assert_divided(110);
}

// ---- In a trace -----------------------------------------------------------------------------

#define START                                                                      \
	"elfault-trace-text 1\n"                                                   \
	"meta root_pid=10 start=1000 pauses=yes samples=yes backend=bpf arg=cmd\n" \
	"exec time=2000 pid=10 comm=cmd\n"
// A fault without an instruction is of exec.
#define FROM "fault time=3000 addr=0x1000 duration=500\n"
#define TO                                         \
	"fault time=6000 addr=0x1000 duration=0\n" \
	"pause time=7000 ends=thread\n"            \
	"summary end=9999\n"

TEST(faults_and_what_is_between_them_are_left_out)
{
	answer(START FROM "pause time=4000 woken=4300 back=4400 call=202\n"
			  "pause time=5000 woken=5000 back=5100 left=preempted\n" TO);
	// It begins in exec.
	assert_states(&account->by_initiator[MODEL_EXEC], 1000 + 2000, 500, 0, 0, 0, 0, 0);
	assert_int_equal(account->bracketed_ns, 3000);
	assert_int_equal(account->cpu_error_ns[MODEL_EXEC], 600);
	// Behind the last.
	assert_int_equal(account->by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_CPU], 1000);
	assert_true(model_account_knows_causes(account));
}

TEST(what_may_be_of_another_cause_ends_it)
{
	static const char *const between[] = {
		START FROM "map time=4000 addr=0x5000 size=0x1000 prot=r-x inode=7 path=/x\n" TO,
		START FROM "fault time=4000 addr=0x1000\n" TO,
		START FROM "fault time=4000 addr=0x1000 ip=0x2000 duration=1\n" TO,
		START FROM "exit time=4000 pid=10\n" TO,
		START FROM "pause time=4000 woken=4000 back=4001 call=59\n" TO,
	};

	for (size_t i = 0; i < sizeof(between) / sizeof(*between); i++)
		assert_int_equal(answer(between[i])->bracketed_ns, 1000);
	assert_int_equal(answer(START FROM "map time=4000 addr=0x5000 size=0x1000 prot=rw- "
					   "inode=7 path=/x\n" TO)
				 ->bracketed_ns,
			 3500);
}
