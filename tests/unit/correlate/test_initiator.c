// SPDX-License-Identifier: Apache-2.0
// Causes on made-up stacks: main, exit, threads, and what surrounds a fault.
#include "model/moments.h"
#include "tests/support/ownstacks.h"

__attribute__((visibility("hidden"))) void _fini(void);

__attribute__((destructor, noinline)) static void destroy(void)
{
	ran = 2;
}

// As the entry point is called, but of this file alone.
static void start_over(void) __asm__("_start");
__attribute__((noinline, used)) static void start_over(void)
{
	ran = 5;
}

// As Go's is called.
void run_on_own_stack(void) __asm__("runtime.systemstack");
__attribute__((noinline, used)) void run_on_own_stack(void)
{
	ran = 6;
}
// As .symtab calls those of assembler; and a name that only begins so.
void run_on_own_stack_by_assembler(void) __asm__("runtime.mcall.abi0");
__attribute__((noinline, used)) void run_on_own_stack_by_assembler(void)
{
	ran = 7;
}
void run_nearly_on_own_stack(void) __asm__("runtime.mcall.other");
__attribute__((noinline, used)) void run_nearly_on_own_stack(void)
{
	ran = 8;
}

const struct tests_around tests_around = { .before_all = ownstacks_find,
					   .after_each = stacks_forget };

TEST(nothing_calls_the_entry_point)
{
	// Beyond it stands argc, or what seems to be a caller.
	WRITE(in(one), entry(), 0x1);
	answer();
	expect(0, MODEL_STARTUP, MODEL_STACK);
}

TEST(nor_is_a_local_function_the_entry_point_that_is_called_so)
{
	WRITE(in(one), in(start_over), in(main), libc_code, entry());
	answer();
	expect(0, MODEL_PROGRAM, MODEL_STACK);
}

TEST(fini_without_unwinding_data_is_static_fini)
{
	WRITE(in(main), libc_code, entry());
	WRITE(in(one), in(_fini));
	answer();
	expect(1, MODEL_STATIC_FINI, MODEL_STACK);
}

TEST(exit_and_what_it_calls_is_static_fini)
{
	uintptr_t leave = in(dlsym(RTLD_DEFAULT, "exit"));

	WRITE(in(destroy), linker_code, leave, in(main), libc_code, entry());
	WRITE(in(one), leave, in(main), libc_code, entry());
	WRITE(linker_code, leave, libc_code, entry());
	answer();
	expect(0, MODEL_STATIC_FINI, MODEL_STACK);
	expect(1, MODEL_STATIC_FINI, MODEL_STACK);
	expect(2, MODEL_STATIC_FINI, MODEL_STACK);
}

TEST(functions_of_go_are_known_with_their_calling_convention)
{
	WRITE(in(one), in(main), libc_code, entry());
	WRITE(in(one), in(run_on_own_stack_by_assembler));
	WRITE(in(one), in(run_nearly_on_own_stack));
	answer();
	expect(1, MODEL_PROGRAM, MODEL_STACK);
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(main_ends_what_is_startup)
{
	uintptr_t other_call = libc_code + 8;

	WRITE(in(one), other_call, entry());
	WRITE(in(one), in(main), libc_code, entry());
	// Whatever it is, the end would show exit.
	WRITE(in(one), other_call, entry());
	answer();
	expect(0, MODEL_STARTUP, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_STACK);
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(main_runs_on_when_it_has_left_by_a_jump)
{
	uintptr_t leave = in(dlsym(RTLD_DEFAULT, "exit"));

	// From where main is called, before and after it is seen there.
	WRITE(in(one), libc_code, entry());
	WRITE(in(one), in(main), libc_code, entry());
	WRITE(in(one), in(two), libc_code, entry());
	// An initializer called by hand is the caller's.
	WRITE(in(one), in(construct), in(two), libc_code, entry());
	WRITE(in(one), leave, in(two), libc_code, entry());
	answer();
	for (size_t i = 0; i < 4; i++)
		expect(i, MODEL_PROGRAM, MODEL_STACK);
	expect(4, MODEL_STATIC_FINI, MODEL_STACK);
}

TEST(libc_s_call_of_main_tells_without_its_callers)
{
	WRITE(in(one), in(main), libc_code, entry());
	ADD_CUT(10, data, "write", in(one), in(two), libc_code);
	answer();
	expect(1, MODEL_PROGRAM, MODEL_STACK);
}

TEST(what_libc_does_between_main_and_exit_is_the_end)
{
	enum { REACH = 7 }; // a move and a call

	WRITE(in(one), in(main), libc_code, entry());
	WRITE(in(one), libc_code + 2, entry());
	WRITE(libc_code + REACH, entry());
	WRITE(libc_code + REACH - 1, entry());
	answer();
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(3, MODEL_STATIC_FINI, MODEL_STACK);
}

TEST(what_has_many_callers_is_not_main)
{
	const uintptr_t two_s = in(two);

	WRITE(in(one), two_s, libc_code, two_s, two_s, two_s, two_s, two_s, entry());
	WRITE(in(one), two_s, libc_code, two_s, two_s, two_s, two_s, entry());
	WRITE(in(one), in(main), libc_code, entry());
	answer();
	expect(0, MODEL_STARTUP, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_STACK);
}

TEST(a_stack_of_its_own_is_of_main_s_time)
{
	WRITE(in(one), entry());
	WRITE(in(one), in(run_on_own_stack));
	WRITE(in(one), entry());
	WRITE(in(one), in(run_on_own_stack)); // main may run
	WRITE(in(one), in(main), libc_code, entry());
	WRITE(in(one), in(run_on_own_stack));
	WRITE(in(one));
	answer();
	expect(1, MODEL_STARTUP, MODEL_STACK);
	expect(3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(5, MODEL_PROGRAM, MODEL_STACK);
	expect(6, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

/** Map code of a library before the fault that is added next. */
static void map_code(void)
{
	strbuf_printf(&events,
		      "map pid=10 tid=10 time=%ld addr=0x10000000 size=0x1000 prot=r-xp "
		      "path=\"/no/library\"\n",
		      next_time());
}

TEST(what_surrounds_a_stack_tells_where_it_says_nothing)
{
	uintptr_t leave = in_libc("exit"), open = in_libc("dlopen");

	WRITE(in(one), in(construct), linker_code);
	WRITE(in(one));
	WRITE(in(one), in(construct), linker_code);
	WRITE(in(one)); // it may have returned
	WRITE(in(one), in(main), libc_code, entry());
	WRITE(in(one));
	WRITE(in(one), in(main), libc_code, entry());
	map_code();
	WRITE(in(one)); // of what dlopen loads, or not
	WRITE(linker_code, open, in(main), libc_code, entry());
	WRITE(in(one));
	WRITE(in(one), in(main), libc_code, entry());
	WRITE(in(one)); // main may have returned
	WRITE(in(one), leave, in(main), libc_code, entry());
	WRITE(in(one));
	answer();
	expect(1, MODEL_STATIC_INIT, MODEL_RULE);
	assert_int_equal(model->faults[1].initializer, model->faults[0].initializer);
	assert_int_equal(model->faults[1].init_object, model->faults[0].init_object);
	assert_int_equal(model->faults[1].dlopen, MODEL_DLOPEN_NO);
	expect(5, MODEL_PROGRAM, MODEL_RULE);
	expect(13, MODEL_STATIC_FINI, MODEL_RULE);
	for (size_t i = 3; i <= 11; i += i == 3 ? 4 : 2)
		expect(i, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(a_dlopen_that_maps_no_code_runs_no_initializers)
{
	uintptr_t open = in_libc("dlopen");

	WRITE(in(one), in(main), libc_code, entry());
	WRITE(in(one));
	WRITE(linker_code, open, in(main), libc_code, entry());
	WRITE(in(one));
	map_code();
	WRITE(in(one)); // it may be what is loaded now
	WRITE(in(one), in(main), libc_code, entry());
	answer();
	expect(1, MODEL_PROGRAM, MODEL_RULE);
	expect(3, MODEL_PROGRAM, MODEL_RULE);
	expect(4, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

// As Lisp's, which main is left for: it goes on to exit() in the end.
TEST(a_stack_that_goes_on_elsewhere_is_before_its_own_exit)
{
	uintptr_t leave = in_libc("exit");

	WRITE(in(one), in(main), libc_code, entry());
	ADD_ELSEWHERE(10, data, "write", in(one), in(run_on_own_stack));
	ADD_ELSEWHERE(10, data, "write", in(one), in(two)); // by exit, perhaps
	ADD_ELSEWHERE(10, data, "write", in(one), leave, in(run_on_own_stack));
	ADD_ELSEWHERE(10, data, "write", in(one), in(two));
	answer();
	expect(1, MODEL_PROGRAM, MODEL_RULE);
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(4, MODEL_STATIC_FINI, MODEL_RULE);
}

/** A stack cut behind the part [start, end), of which all was walked. */
#define ADD_SHOWN(start, end, ...)                                                            \
	ADD_ENDED(10, data, "write", " truncated=yes shown_start=" #start " shown_end=" #end, \
		  __VA_ARGS__)

TEST(main_runs_on_where_the_stack_outside_a_dlopen_is_shown_without_it)
{
	uintptr_t open = in_libc("dlopen");

	WRITE(in(one), in(main), libc_code, entry());
	map_code();
	ADD_SHOWN(0x8400, 0x9000, linker_code, open, in(two));
	ADD_SHOWN(0x7000, 0x8400, in(one)); // it may be called from there
	ADD_SHOWN(0x8500, 0x9100, in(one)); // outside the call
	ADD_SHOWN(0x6000, 0x6100, in(one)); // anywhere, but loading is over
	WRITE(in(one), in(main), libc_code, entry());
	answer();
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(3, MODEL_PROGRAM, MODEL_RULE);
	expect(4, MODEL_PROGRAM, MODEL_RULE);
}

TEST(main_runs_on_outside_a_dlopen_of_which_an_initializer_is_shown)
{
	uintptr_t open = in_libc("dlopen");

	WRITE(in(one), in(main), libc_code, entry());
	map_code();
	ADD_SHOWN(0x8400, 0x9000, in(construct), linker_code, open, in(two));
	ADD_SHOWN(0x8500, 0x9100, in(one));
	WRITE(in(one), in(main), libc_code, entry());
	answer();
	expect_initializer(1, "construct");
	expect(2, MODEL_PROGRAM, MODEL_RULE);
}

TEST(of_two_dlopens_that_may_be_within_each_other_none_is_over)
{
	uintptr_t open = in_libc("dlopen");

	WRITE(in(one), in(main), libc_code, entry());
	map_code();
	ADD_SHOWN(0x8400, 0x9000, linker_code, open, in(two));
	ADD_SHOWN(0x6400, 0x7000, linker_code, open, in(two)); // by an initializer
	ADD_SHOWN(0x6500, 0x7100, in(one));
	WRITE(in(one), in(main), libc_code, entry());
	answer();
	expect(3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(what_exit_is_called_from_is_before_it_where_it_is_shown_without_the_call)
{
	uintptr_t leave = in_libc("exit");

	WRITE(in(one), in(main), libc_code, entry());
	ADD_SHOWN(0x1000, 0x1800, in(one)); // any time before the next
	ADD_SHOWN(0x7000, 0x8500, in(one));
	ADD_SHOWN(0x7000, 0x8400, in(one)); // by exit, perhaps
	ADD_SHOWN(0x8400, 0x9000, in(one), leave, in(two));
	answer();
	expect(1, MODEL_PROGRAM, MODEL_RULE);
	expect(2, MODEL_PROGRAM, MODEL_RULE);
	expect(3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

/** Answer for faults of two processes below @outer, made before exit() and by it. */
static void answer_of_made(uintptr_t outer)
{
	uintptr_t leave = in_libc("exit");

	strbuf_puts(&events, "fork time=1500 pid=20 parent_pid=10\n");
	WRITE(in(one), leave, in(main), libc_code, entry());
	strbuf_puts(&events, "fork time=500000 pid=30 parent_pid=10\n");
	for (unsigned pid = 20; pid <= 30; pid += 10)
		strbuf_printf(&events,
			      "stack id=%u frames=0x%" PRIxPTR ",0x%" PRIxPTR " complete=yes\n"
			      "fault pid=%u time=%u addr=0x%" PRIxPTR " ip=0x%" PRIxPTR
			      " error=user stack=%u\n",
			      2000000 + pid, in(one), outer, pid, 600000 + pid, (uintptr_t)data,
			      in(one), 2000000 + pid);
	answer();
}

// As LeakSanitizer's tracer, made by a system call.
TEST(a_process_that_exit_makes_works_for_it)
{
	answer_of_made(in(two));
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(2, MODEL_STATIC_FINI, MODEL_RULE);
}

TEST(so_does_one_that_it_makes_by_clone)
{
	answer_of_made(in_libc("clone"));
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(2, MODEL_STATIC_FINI, MODEL_RULE);
}

/** Add a fault of process @pid on a whole stack: @inner, called by @outer. */
static void add_of_process(unsigned pid, uintptr_t inner, uintptr_t outer)
{
	const uintptr_t frames[] = { inner, outer };

	add_of(pid, pid, data, "write", frames, 2, " complete=yes");
}

/** Add a process that clone() makes before the fault that is added next, and its fault. */
static void add_clone(unsigned pid, unsigned parent, unsigned tid)
{
	add_process(pid, parent, tid);
	add_of_process(pid, in(one), in_libc("clone"));
}

#define ADD_IN_INITIALIZER() WRITE(in(one), in(construct), linker_code)
#define ADD_IN_MAIN()	     WRITE(in(one), in(main), libc_code, entry())

TEST(a_process_that_clone_makes_is_in_what_its_maker_is_in)
{
	ADD_IN_INITIALIZER();
	add_clone(20, 10, 10);
	ADD_IN_INITIALIZER();
	add_clone(30, 10, 10); // the next may be what made it
	strbuf_printf(&events, "exec pid=30 tid=30 time=%ld comm=\"other\"\n", next_time());
	ADD_IN_MAIN();
	add_clone(40, 10, 10);
	ADD_IN_MAIN();
	answer();
	expect(1, MODEL_STATIC_INIT, MODEL_RULE);
	assert_int_equal(model->faults[1].initializer, model->faults[0].initializer);
	assert_string_equal(model->initializers[model->faults[1].initializer].function,
			    "construct");
	expect(3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(5, MODEL_PROGRAM, MODEL_STACK);
}

TEST(so_is_one_that_such_a_process_makes)
{
	ADD_IN_INITIALIZER();
	add_clone(20, 10, 10);
	add_clone(21, 20, 20);
	ADD_IN_INITIALIZER();
	answer();
	expect(1, MODEL_STATIC_INIT, MODEL_RULE);
	expect(2, MODEL_STATIC_INIT, MODEL_RULE);
}

TEST(what_a_thread_s_process_does_is_the_program_s)
{
	ADD_IN_INITIALIZER();
	add_clone(20, 10, 11);
	ADD_IN_INITIALIZER();
	answer();
	expect(1, MODEL_PROGRAM, MODEL_STACK);
}

TEST(a_copy_of_its_maker_goes_on_from_the_initializer)
{
	ADD_IN_INITIALIZER();
	add_process(20, 10, 10);
	add_of_process(20, in(main), libc_code);
	// On a stack of its own, as a coroutine that main resumes.
	add_of_process(20, in(one), in_libc("clone"));
	ADD_IN_INITIALIZER();
	answer();
	expect(1, MODEL_PROGRAM, MODEL_STACK);
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(where_clone_begins_stacks_is_learned_from_processes_as_well)
{
	ADD_IN_INITIALIZER();
	add_process(20, 10, 10);
	add_of_process(20, in(one), in_libc("qsort"));
	ADD_IN_INITIALIZER();
	answer();
	expect(1, MODEL_STATIC_INIT, MODEL_RULE);
}

TEST(a_thread_of_the_kernel_works_for_the_program)
{
	for (unsigned time = 2000; time <= 9000; time += 7000) {
		strbuf_printf(&events,
			      "fault pid=10 tid=11 time=%u addr=0x%" PRIxPTR
			      " ip=0x0 mode=kernel error=write\n",
			      time, (uintptr_t)data);
		WRITE(in(one), in(main), libc_code, entry());
	}
	answer();
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	// Main may have ended by then, and an exit handler asked.
	expect(3, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	strbuf_printf(&events,
		      "stack id=1000000 frames=0x%" PRIxPTR ",0x%" PRIxPTR ",0x%" PRIxPTR
		      ",0x%" PRIxPTR "\nfault pid=10 tid=10 time=9500 addr=0x%" PRIxPTR
		      " ip=0x%" PRIxPTR " error=user stack=1000000\n",
		      in(one), in(main), libc_code, entry(), (uintptr_t)data, in(one));
	answer();
	expect(3, MODEL_PROGRAM, MODEL_RULE);
}

TEST(a_thread_begins_in_libc)
{
	ADD_COMPLETE(11, data, "read", in(one), libc_code);
	// It goes on, who knows where: no more than that threads run the program is known.
	ADD(11, data, "read", in(one));
	// As this one does: such a stack does not show where threads begin.
	ADD(11, data, "read", in(one), in(dlsym(RTLD_DEFAULT, "qsort")));
	answer();
	expect(0, MODEL_PROGRAM, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_RULE);
	expect(2, MODEL_PROGRAM, MODEL_RULE);
}

TEST(a_fault_without_an_ip_is_exec)
{
	strbuf_puts(&events, "fault pid=10 tid=10 time=3000 addr=0x7fffffffd000 mode=kernel\n");
	answer();
	expect(0, MODEL_EXEC, MODEL_RULE);
}

TEST(an_instruction_that_nobody_recorded_is_not_exec)
{
	strbuf_puts(&events, "fault pid=10 tid=10 time=3000 addr=0x7fffffffd000 mode=kernel "
			     "taker=unknown\n");
	answer();
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_int_equal(model->faults[0].dlopen, MODEL_DLOPEN_UNKNOWN);
}

TEST(stacks_that_lack_callers_are_shown_but_decide_nothing)
{
	WRITE(in(one), in(construct), linker_code);
	answer_of(" stacks_have_gaps=yes", NULL);
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	assert_int_equal(model->faults[0].initializer, MODEL_NONE);
	assert_int_equal(model->stacks[model->faults[0].stack].frame_count, 3);
}

/** Moments of threads outside their faults have stacks as well, of samples and of pauses. */
TEST(moments_whose_stacks_lack_callers_are_decided_without_them)
{
	const struct correlate_options options = { .needs = NEED_TABLES | NEED_SOURCES |
							    NEED_MOMENTS };

	strbuf_printf(&events,
		      "stack id=1 frames=%#" PRIxPTR ",%#" PRIxPTR ",%#" PRIxPTR "\n"
		      "sample pid=10 tid=10 time=3000 period=100 ip=%#" PRIxPTR " stack=1\n"
		      "pause pid=10 tid=10 time=4000 woken=5000 back=5000 call=202 stack=1\n"
		      "pause pid=10 tid=10 time=6000 ends=thread\n",
		      in(one), in(construct), linker_code, in(one));
	answer_of(" pauses=yes stacks_have_gaps=yes", &options);
	assert_int_equal(model->moments->count, 2);
	vec_foreach (moment, model->moments) {
		assert_int_not_equal(moment->initiator, MODEL_STATIC_INIT);
		assert_int_equal(model->stacks[moment->stack].frame_count, 3);
	}
}

TEST(moments_and_faults_are_asked_in_the_order_of_their_times)
{
	const struct correlate_options options = { .needs = NEED_TABLES | NEED_SOURCES |
							    NEED_MOMENTS };

	strbuf_printf(&events,
		      "stack id=1000 frames=%#" PRIxPTR ",%#" PRIxPTR ",%#" PRIxPTR "\n"
		      "sample pid=10 tid=10 time=2500 period=100 ip=%#" PRIxPTR " stack=1000\n",
		      in(one), libc_code + 8, entry(), in(one));
	WRITE(in(one), in(main), libc_code, entry());
	strbuf_printf(&events,
		      "sample pid=10 tid=10 time=5000 period=100 ip=%#" PRIxPTR " stack=1000\n"
		      "pause pid=10 tid=10 time=6000 ends=thread\n",
		      in(one));
	answer_of(" pauses=yes samples=yes", &options);
	assert_int_equal(model->moments->items[0].initiator, MODEL_STARTUP);
	assert_int_equal(model->moments->items[1].initiator, MODEL_INITIATOR_UNKNOWN);
}
