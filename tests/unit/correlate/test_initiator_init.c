// SPDX-License-Identifier: Apache-2.0
// Initializers on made-up stacks.
#include "tests/support/ownstacks.h"

__attribute__((visibility("hidden"))) void _init(void);

#if defined(__x86_64__)
// An initializer that ends by a jump, so that it is never on the stack of the other.
__attribute__((noinline, used)) static void jumped_to(void)
{
	ran = 3;
}
__attribute__((constructor, naked)) static void jump(void)
{
	__asm__ volatile("jmp jumped_to");
}

// Through the PLT and through a slot: functions of libc run in their place.
__attribute__((constructor, naked)) static void jump_by_plt(void)
{
	__asm__ volatile("jmp getpid@plt");
}
__attribute__((constructor, naked)) static void jump_by_slot(void)
{
	__asm__ volatile("jmp *getppid@GOTPCREL(%rip)");
}

// Two that jump to one function.
__attribute__((noinline, used)) static void jumped_to_twice(void)
{
	ran = 4;
}
__attribute__((constructor, naked)) static void jump_first(void)
{
	__asm__ volatile("jmp jumped_to_twice");
}
__attribute__((constructor, naked)) static void jump_second(void)
{
	__asm__ volatile("jmp jumped_to_twice");
}

// Parts, as compilers call them. Nobody is seen to call main's, nor does a loop call the other.
__attribute__((noinline, used)) static void seldom(void) __asm__("main.cold");
static void seldom(void)
{
	ran = 6;
}
// Others may define such a name for themselves: it is no part of theirs.
__attribute__((visibility("default"))) void not_a_part(void) __asm__("main.part.1");
__attribute__((noinline, used)) void not_a_part(void)
{
	ran = 8;
}
__attribute__((noinline, used)) static void part(void) __asm__("in_parts.part.0");
static void part(void)
{
	ran = 7;
}
// With a name as long as that of the next one, whose part it is.
__attribute__((constructor, naked)) static void also_in_(void)
{
	__asm__ volatile("jmp in_parts.part.0");
}
__attribute__((constructor, naked)) static void in_parts(void)
{
	__asm__ volatile("jmp in_parts.part.0");
}

// As glibc's own free() is called in its symbol table.
__attribute__((noinline, used)) static void release(void) __asm__("__GI_free");
static void release(void)
{
	ran = 5;
}
__attribute__((constructor, naked)) static void jump_to_free(void)
{
	__asm__ volatile("jmp __GI_free");
}

// Of this file alone, whatever its name.
__attribute__((noinline, used)) static void count_all(void) __asm__("calloc");
static void count_all(void)
{
	ran = 9;
}
__attribute__((constructor, naked)) static void jump_to_own(void)
{
	__asm__ volatile("jmp calloc");
}

#endif

const struct tests_around tests_around = { .before_all = ownstacks_find,
					   .after_each = stacks_forget };

TEST(an_initializer_is_one_when_the_dynamic_linker_calls_it)
{
	WRITE(in(one), in(construct), linker_code);
	WRITE(in(one), in(construct), in(main), libc_code, entry());
	answer();
	expect_initializer(0, "construct");
	expect(1, MODEL_PROGRAM, MODEL_STACK); // by hand
	assert_int_equal(model->faults[1].initializer, MODEL_NONE);
}

TEST(init_without_unwinding_data_ends_a_stack)
{
	WRITE(in(one), in(_init));
	WRITE(in(one), in(construct));
	ADD_CUT(10, data, "write", in(one), in(_init));
	WRITE(in(one), in(_init), in(two));
	answer();
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	for (size_t i = 1; i < 4; i++)
		expect(i, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(libc_runs_initializers_before_main)
{
	WRITE(in(construct), libc_code, entry());
	// Reached by a jump from an initializer: the same call ran it.
	WRITE(in(one), libc_code, entry());
	answer();
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	expect(1, MODEL_STATIC_INIT, MODEL_STACK);
}

TEST(what_a_loop_over_an_array_calls_is_an_initializer)
{
	const uintptr_t leave = in_libc("exit");

	if (!libc_loop || !linker_loop)
		skip(); // another libc or machine
	WRITE(in(one), libc_loop, entry());
	WRITE(in(one), linker_loop, linker_code);
	// The dynamic linker's own function: nobody knows.
	WRITE(linker_code, linker_loop, entry());
	WRITE(in(one), in(main), libc_code, entry());
	// Loops of exit's, and of main's time.
	WRITE(in(one), libc_loop, leave, libc_code, entry());
	WRITE(in(one), linker_loop, leave, libc_code, entry());
	answer();
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[0].initializer, MODEL_NONE);
	// libc runs those of the program, which one() is of.
	assert_int_equal(model->faults[0].init_object, model->faults[0].by->object);
	expect(1, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_not_equal(model->faults[2].initiator, MODEL_STATIC_INIT);
	expect(4, MODEL_STATIC_FINI, MODEL_STACK);
	expect(5, MODEL_STATIC_FINI, MODEL_STACK);
}

#if defined(__x86_64__)
// As the loop of __libc_csu_init().
extern const char behind_own_loop[];
__asm__(".pushsection .text\n1: call *(%r15,%rbx,8)\nbehind_own_loop: add $1,%rbx\n"
	"cmp %rbx,%rbp\njne 1b\nret\n.popsection\n");

TEST(a_loop_of_the_program_s_that_libc_calls_before_main_runs_initializers)
{
	const uintptr_t loop = (uintptr_t)behind_own_loop;

	WRITE(in(one), loop, libc_code, entry());
	WRITE(in(one), loop, in(two), libc_code, entry());
	WRITE(in(one), loop, entry());
	WRITE(in(one), loop, in(main), libc_code + 8, entry());
	answer();
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	expect(1, MODEL_STARTUP, MODEL_STACK);
	expect(2, MODEL_STARTUP, MODEL_STACK);
	expect(3, MODEL_PROGRAM, MODEL_STACK);
}

TEST(an_initializer_may_end_with_a_jump)
{
	WRITE(in(jumped_to), linker_code);
	answer();
	expect_initializer(0, "jump");
}

TEST(so_it_may_with_one_to_a_local_function_called_as_libc_s)
{
	WRITE(in(one), in(count_all), linker_code);
	answer();
	expect_initializer(0, "jump_to_own");
}

TEST(a_jump_is_followed_to_another_file)
{
	WRITE(in(construct), linker_code);
	WRITE(in(dlsym(RTLD_DEFAULT, "getpid")), linker_code);
	WRITE(in(one), in(dlsym(RTLD_DEFAULT, "getppid")), linker_code);
	// Nobody jumps there.
	WRITE(in(dlsym(RTLD_DEFAULT, "getuid")), linker_code);
	answer();
	expect_initializer(0, "construct");
	expect_initializer(1, "jump_by_plt");
	expect_initializer(2, "jump_by_slot");
	expect(3, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[3].initializer, MODEL_NONE);
}

TEST(a_part_of_a_function_is_the_function)
{
	WRITE(in(one), in(part), libc_code, entry());
	WRITE(in(one), in(not_a_part), libc_code + 16, entry());
	WRITE(in(one), in(seldom), libc_code + 8, entry());
	answer();
	expect_initializer(0, "in_parts");
	expect(1, MODEL_STARTUP, MODEL_STACK);
	expect(2, MODEL_PROGRAM, MODEL_STACK);
}

TEST(of_two_initializers_that_jump_to_one_function_none_is_named)
{
	WRITE(in(jumped_to_twice), linker_code);
	answer();
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[0].initializer, MODEL_NONE);
}

TEST(of_several_initializers_the_order_in_which_they_run_leaves_one)
{
	WRITE(in(jumped_to_twice), linker_code);
	WRITE(in(one), in(jump_first), linker_code);
	WRITE(in(jumped_to_twice), linker_code);
	WRITE(in(one), in(jump_second), linker_code);
	WRITE(in(jumped_to_twice), linker_code);
	// No code leads there.
	WRITE(in(two), linker_code);
	WRITE(in(one), in(jump_second), linker_code);
	answer();
	expect_initializer(0, "jump_first");
	expect_initializer(1, "jump_first");
	expect(2, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[2].initializer, MODEL_NONE);
	for (size_t i = 3; i < 7; i++)
		expect_initializer(i, "jump_second");
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(model->faults[i].init_object, model->faults[0].by->object);
}

TEST(initializers_that_dlopen_runs_again_have_no_order)
{
	uintptr_t open = in_libc("dlopen");

	WRITE(in(one), in(jump_second), linker_code, open, in(main), libc_code, entry());
	WRITE(in(jumped_to_twice), linker_code, open, in(main), libc_code, entry());
	answer();
	expect(1, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[1].initializer, MODEL_NONE);
	assert_int_equal(model->faults[1].init_object, model->faults[0].init_object);
}

TEST(what_the_dynamic_linker_calls_itself_is_no_initializer_s_jump)
{
	uintptr_t leave = in_libc("exit"), unload = in_libc("dlclose");
	uintptr_t other_file = in_libc("getpid");

	// free(), another file's function, and finalizers that jump there: all of these may be so.
	WRITE(in(one), in(release), linker_code + 0x10);
	WRITE(in(one), other_file, linker_code + 0x20);
	WRITE(in(jumped_to), linker_code + 0x30, leave, libc_code, entry());
	WRITE(in(jumped_to), linker_code + 0x40, unload, in(main), libc_code, entry());
	WRITE(in(one), linker_code + 0x10);
	WRITE(in(one), linker_code + 0x20);
	WRITE(in(one), linker_code + 0x40);
	answer();
	assert_int_equal(model->fault_count, 7);
	for (size_t i = 0; i < model->fault_count; i++) {
		assert_int_not_equal(model->faults[i].initiator, MODEL_STATIC_INIT);
		assert_int_equal(model->faults[i].initializer, MODEL_NONE);
	}
	expect(2, MODEL_STATIC_FINI, MODEL_STACK);
}
#endif
