// SPDX-License-Identifier: Apache-2.0
// Causes in static programs without symbols, on made-up stacks through fixtures/elf/nameless.S.
#include "tests/support/knownstacks.h"

/** Its functions, in order. */
enum function { START, MAIN, PLAIN, LEAVE, BUILDS_TLS, MAKES_THREADS, LOOPS, CLONES, WITHOUT_DATA };

/** Return where the call in a function returns to. */
static uintptr_t in(enum function function)
{
	enum { FUNCTIONS = 0x500000, FUNCTION_SIZE = 64, RETURN = 9 };

	return (uintptr_t)(FUNCTIONS + function * FUNCTION_SIZE + RETURN);
}

/** The same behind the calls of main and of what its result goes to. */
enum { MAIN_CALL = 2, LEAVE_CALL = 9 };

static const void *const heap = (const void *)0x606010;
static const void *const mapped = (const void *)0x7ffff7e00010;

/** Add a fault of the first thread that writes the heap below these frames. */
#define WRITE(...) ADD(10, heap, "write", __VA_ARGS__)

/** Answer for the events of the fixture @name. */
static void answer_of(const char *name)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	begin_known(&text);
	map_known(&text, name, 10, 0);
	strbuf_puts(&text,
		    "map pid=10 tid=10 time=2000 addr=0x606000 size=0x21000 prot=rw-p "
		    "path=\"[heap]\"\n"
		    "map pid=10 tid=10 time=2000 addr=0x7ffff7e00000 size=0x2000 prot=rw-p\n");
	strbuf_puts(&text, strbuf_text(&events));
	answer_text(strbuf_text(&text), NULL);
}

const struct tests_around tests_around = { .after_each = stacks_forget };

TEST(a_start_that_touches_memory_may_be_building_tls)
{
	WRITE(in(PLAIN), in(START));
	ADD(10, mapped, "write", in(PLAIN), in(START));
	answer_of("nameless.elf");
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(a_start_that_touches_its_file_is_startup)
{
	ADD(10, (const void *)in(PLAIN), "read", in(PLAIN), in(START));
	answer_of("nameless.elf");
	expect(0, MODEL_STARTUP, MODEL_STACK);
}

TEST(tls_is_built_once)
{
	WRITE(in(PLAIN), in(BUILDS_TLS), in(START));
	WRITE(in(PLAIN), in(START));
	answer_of("nameless.elf");
	expect(0, MODEL_TLS_SETUP, MODEL_STACK);
	expect(1, MODEL_STARTUP, MODEL_STACK);
}

TEST(a_loop_of_the_start_may_run_initializers)
{
	ADD(10, (const void *)in(PLAIN), "read", in(PLAIN), in(LOOPS), in(START));
	answer_of("nameless.elf");
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(a_start_with_names_is_startup)
{
	static const char *const named[] = { "nameless-named.elf", "linked-stripped.elf" };

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		stacks_forget(NULL);
		WRITE(in(PLAIN), in(START));
		answer_of(named[i]);
		expect(0, MODEL_STARTUP, MODEL_STACK);
	}
}

TEST(main_is_what_its_result_leaves_by)
{
	WRITE(in(PLAIN), in(MAIN), in(START) + MAIN_CALL);
	WRITE(in(PLAIN), in(LEAVE), in(START) + LEAVE_CALL);
	answer_of("nameless.elf");
	expect(0, MODEL_PROGRAM, MODEL_STACK);
	expect(1, MODEL_STATIC_FINI, MODEL_STACK);
}

TEST(what_main_s_result_goes_to_need_not_have_unwinding_data)
{
	WRITE(in(PLAIN), in(MAIN), in(START) + MAIN_CALL);
	WRITE(in(WITHOUT_DATA), in(START) + LEAVE_CALL);
	answer_of("nameless.elf");
	expect(1, MODEL_STATIC_FINI, MODEL_STACK);
}

TEST(what_begins_behind_the_call_of_exit_is_another_function)
{
	ADD(10, (const void *)in(PLAIN), "read", in(START) + LEAVE_CALL, in(START));
	ADD(10, (const void *)in(PLAIN), "read", in(START) + MAIN_CALL, in(START));
	answer_of("nameless.elf");
	expect(0, MODEL_STARTUP, MODEL_STACK);
	expect(1, MODEL_STATIC_FINI, MODEL_STACK);
}

TEST(a_result_that_goes_to_a_call_need_not_be_main_s)
{
	WRITE(in(WITHOUT_DATA), in(START) + LEAVE_CALL);
	answer_of("nameless.elf");
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(making_a_thread_may_be_the_program_s_or_tls)
{
	WRITE(in(PLAIN), in(MAKES_THREADS), in(MAIN), in(START) + MAIN_CALL);
	WRITE(in(MAKES_THREADS), in(MAIN), in(START) + MAIN_CALL);
	answer_of("nameless.elf");
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(1, MODEL_PROGRAM, MODEL_STACK);
}

TEST(main_is_not_known_by_what_is_no_exit)
{
	WRITE(in(PLAIN), in(LOOPS), in(START) + MAIN_CALL);
	answer_of("nameless-exit.elf");
	expect(0, MODEL_PROGRAM, MODEL_STACK);
	answer_of("nameless-named.elf");
	expect(0, MODEL_STARTUP, MODEL_STACK);
}

/** Answer for the program at no fixed address. */
static void answer_of_pie(void)
{
	answer_of("nameless-pie.elf");
}

static const void *slot(void)
{
	return in_section("nameless-pie.elf", ".data", 0, 0);
}

static const void *code(void)
{
	return (const void *)in(PLAIN);
}

TEST(a_static_program_relocates_itself_where_it_writes_slots)
{
	ADD(10, code(), "read", in(PLAIN), in(LEAVE), in(START));
	ADD(10, slot(), "write", in(LEAVE), in(START));
	add_alone(10, slot(), "write", in(LEAVE));
	add_alone(10, slot(), "write", in(PLAIN));
	add_alone(10, slot(), "read", in(LEAVE));
	add_alone(10, in_section("nameless-pie.elf", ".rela.dyn", 0, 0), "read", in(MAKES_THREADS));
	answer_of_pie();
	expect(0, MODEL_RELOCATION, MODEL_STACK); // known by the next
	expect(1, MODEL_RELOCATION, MODEL_STACK);
	expect(2, MODEL_RELOCATION, MODEL_RULE);
	expect(3, MODEL_RELOCATION, MODEL_RULE);
	expect(4, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(5, MODEL_RELOCATION, MODEL_RULE);
}

TEST(what_code_without_a_known_start_does_says_nothing_of_the_rest)
{
	ADD(10, slot(), "write", in(WITHOUT_DATA), in(START));
	ADD(10, code(), "read", in(WITHOUT_DATA), in(START));
	add_alone(10, slot(), "write", in(WITHOUT_DATA));
	answer_of_pie();
	expect(0, MODEL_RELOCATION, MODEL_STACK);
	expect(1, MODEL_STARTUP, MODEL_STACK);
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(a_start_that_calls_main_as_well_relocates_where_it_writes_only)
{
	ADD(10, slot(), "write", in(PLAIN), in(START));
	ADD(10, code(), "read", in(PLAIN), in(START));
	ADD(10, code(), "read", in(PLAIN), in(MAIN), in(START) + MAIN_CALL);
	ADD(10, slot(), "write", in(PLAIN), in(MAIN), in(START) + MAIN_CALL);
	answer_of_pie();
	expect(0, MODEL_RELOCATION, MODEL_STACK);
	expect(1, MODEL_STARTUP, MODEL_STACK);
	expect(2, MODEL_PROGRAM, MODEL_STACK);
	expect(3, MODEL_PROGRAM, MODEL_STACK);
}

TEST(a_static_program_s_libc_is_known_by_names_unless_main_calls_them)
{
	WRITE(in(PLAIN), in(MAKES_THREADS), in(MAIN), in(START) + MAIN_CALL);
	WRITE(in(PLAIN), in(MAIN), in(START) + MAIN_CALL);
	answer_of("nameless-tls.elf");
	expect(0, MODEL_TLS_SETUP, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_STACK);
}

TEST(a_function_of_the_start_s_is_the_program_s_where_main_calls_it)
{
	WRITE(in(PLAIN), in(START));
	WRITE(in(PLAIN), in(MAIN), in(START) + MAIN_CALL);
	answer_of("nameless-setup.elf");
	expect(0, MODEL_TLS_SETUP, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_STACK);
}
