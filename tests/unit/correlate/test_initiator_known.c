// SPDX-License-Identifier: Apache-2.0
// Causes on made-up stacks through programs of which each address is known.
#include "model/relocation.h"
#include "tests/support/knownstacks.h"

static const uint64_t LIBRARY_BIAS = 0x7ffff7000000;

static const void *data(void)
{
	return in_section("linked.elf", ".data", 0, 0);
}

/** Add a fault of the first thread that writes data below these frames. */
#define WRITE(...) ADD(10, data(), "write", __VA_ARGS__)

static void answer(void)
{
	answer_of_known("linked.elf", "linker.elf");
}

static uintptr_t in_jumps(const char *symbol)
{
	return in_known("jumps.elf", symbol, 0);
}

/** Answer for a function that one of two initializers is seen to jump to. */
static void answer_of_jump(const char *program)
{
	stacks_forget(NULL);
	ADD(10, (const void *)in_jumps("main"), "read", in_jumps("third"),
	    in_linker("run_initializers"), in_linker("first"));
	answer_of_known(program, "linker.elf");
}

const struct tests_around tests_around = { .after_each = stacks_forget };

TEST(an_initializer_without_a_symbol_that_returns_jumps_nowhere)
{
	answer_of_jump("jumps.elf");
	expect_initializer(0, "first_init");
}

TEST(an_initializer_without_a_symbol_may_jump_by_the_plt_or_a_pointer)
{
	static const char *const programs[] = { "jumps-plt.elf", "jumps-pointer.elf" };

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		answer_of_jump(programs[i]);
		expect(0, MODEL_STATIC_INIT, MODEL_STACK);
		assert_int_equal(model->faults[0].initializer, MODEL_NONE);
	}
}

TEST(an_initializer_with_a_symbol_may_jump_by_a_pointer)
{
	answer_of_jump("jumps-named.elf");
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	assert_int_equal(model->faults[0].initializer, MODEL_NONE);
}

TEST(a_plt_slot_of_a_program_at_its_address_may_be_bound_late)
{
	enum { RESERVED = 3 * sizeof(uintptr_t) };

	add_alone(10, in_section("linked.elf", ".got.plt", 0, RESERVED), "write",
		  in_linker("look_up"));
	answer();
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(what_start_calls_is_the_start_s_where_another_entry_point_jumps_to_it)
{
	ADD_COMPLETE(10, data(), "write", in_program("helper"), in_program("_start"));
	answer_of_known("linked-entered.elf", "linker.elf");
	expect(0, MODEL_STARTUP, MODEL_STACK);
}

TEST(a_name_that_a_resolver_binds_is_looked_up_in_no_dlopen)
{
	const void *names = in_section("linked.elf", ".dynsym", 0, 0);

	ADD_COMPLETE(10, names, "read", in_linker("look_up"), in_linker("relocate_all"),
		     in_linker("first"));
	ADD_COMPLETE(10, data(), "read", in_linker("look_up"), in_program("choose"),
		     in_linker("relocate_all"), in_linker("first"));
	ADD_COMPLETE(10, data(), "read", in_linker("open_library"), in_linker("malloc"),
		     in_program("main"), in_program("_start"));
	answer();
	assert_int_equal(model->faults[1].dlopen, MODEL_DLOPEN_NO);
	assert_int_equal(model->faults[2].dlopen, MODEL_DLOPEN_YES);
}

TEST(reading_the_head_of_a_hash_table_is_no_lookup)
{
	enum { HEAD = 16 };

	add_alone(10, in_section("linked.elf", ".gnu.hash", 0, HEAD - 1), "read",
		  in_linker("look_up"));
	add_alone(10, in_section("linked.elf", ".gnu.hash", 0, HEAD), "read", in_linker("look_up"));
	answer();
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(1, MODEL_SYMBOL_LOOKUP, MODEL_RULE);
}

TEST(once_the_program_has_run_a_lookup_may_be_for_binding)
{
	enum { HEAD = 16 };

	add_alone(10, data(), "read", in_program("helper"));
	add_alone(10, in_section("linked.elf", ".gnu.hash", 0, HEAD), "read", in_linker("look_up"));
	answer();
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(a_gap_hides_whether_the_start_still_runs)
{
	WRITE(in_program("helper"), GAP, in_program("_start"));
	WRITE(in_program("helper"), in_program("_start"));
	answer();
	expect(0, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(1, MODEL_STARTUP, MODEL_STACK);
}

TEST(all_that_main_and_initializers_and_exit_call_is_theirs_beyond_a_gap)
{
	WRITE(in_program("helper"), GAP, in_program("first_init"), in_linker("run_initializers"),
	      in_linker("first"));
	WRITE(in_program("helper"), GAP, in_program("main"), in_program("_start"));
	WRITE(in_program("helper"), GAP, in_linker("exit"), in_program("main"),
	      in_program("_start"));
	answer();
	expect(0, MODEL_STATIC_INIT, MODEL_RULE);
	expect(1, MODEL_PROGRAM, MODEL_RULE);
	expect(2, MODEL_STATIC_FINI, MODEL_RULE);
}

TEST(what_runs_amid_other_code_is_told_beyond_a_gap)
{
	WRITE(in_program("helper"), GAP, in_program("_GLOBAL__sub_I_second"),
	      in_linker("run_initializers"), in_linker("open_library"), in_linker("dlopen"),
	      in_program("first_init"), in_linker("run_initializers"), in_linker("first"));
	WRITE(in_program("helper"), GAP, in_program("last"), in_linker("first"),
	      in_linker("dlclose"), in_program("main"), in_program("_start"));
	answer();
	expect(0, MODEL_STATIC_INIT, MODEL_RULE);
	expect(1, MODEL_STATIC_FINI, MODEL_RULE);
}

TEST(a_finalizer_below_nameless_code_of_libc_runs_as_one)
{
	WRITE(in_program("helper"), in_program("last"), in_linker("malloc"));
	ADD_CUT(10, data(), "write", in_program("helper"), in_program("last"), in_linker("malloc"));
	WRITE(in_program("helper"), in_program("last"), in_linker("malloc"), in_program("helper"));
	answer_of_known("linked.elf", "linker-libc.elf");
	expect(0, MODEL_STATIC_FINI, MODEL_STACK);
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(2, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(threads_are_not_known_by_code_without_a_name)
{
	enum { BEHIND_ALL_FUNCTIONS = 48 };
	const uintptr_t last = in_known("linked-library.elf", "choose", LIBRARY_BIAS);

	map_known(&events, "linked-library.elf", 10, LIBRARY_BIAS);
	ADD_COMPLETE(11, data(), "write", in_program("worker"),
		     in_known("linked-library.elf", "helper", LIBRARY_BIAS));
	ADD_COMPLETE(11, data(), "write", in_program("worker"), last + BEHIND_ALL_FUNCTIONS);
	answer();
	expect(0, MODEL_PROGRAM, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_RULE);
}

TEST(a_program_that_reads_another_file_s_relocations_does_not_relocate)
{
	map_known(&events, "linked-library.elf", 10, LIBRARY_BIAS);
	ADD(10, in_section("linked-library.elf", ".rela.dyn", LIBRARY_BIAS, 0), "read",
	    in_program("helper"), in_program("_start"));
	ADD(10, data(), "read", in_program("helper"), in_program("_start"));
	answer();
	expect(0, MODEL_STARTUP, MODEL_STACK);
	expect(1, MODEL_STARTUP, MODEL_STACK);
}

TEST(between_initializers_of_two_files_anything_may_run)
{
	map_known(&events, "linked-library.elf", 10, LIBRARY_BIAS);
	ADD(10, data(), "write", in_known("linked-library.elf", "first_init", LIBRARY_BIAS),
	    in_linker("run_initializers"), in_linker("first"));
	ADD_CUT(10, data(), "write", in_program("helper"));
	WRITE(in_program("first_init"), in_linker("run_initializers"), in_linker("first"));
	ADD_CUT(10, data(), "write", in_program("helper"));
	WRITE(in_program("_GLOBAL__sub_I_second"), in_linker("run_initializers"),
	      in_linker("first"));
	answer();
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
	expect(3, MODEL_STATIC_INIT, MODEL_RULE); // one of the same file's
	assert_int_equal(model->faults[3].initializer, MODEL_NONE);
}

TEST(what_no_library_defines_has_a_library_s_slot)
{
	// Both only use what the dynamic linker would define; the library is libc by its name.
	begin_known(&events);
	map_known(&events, "linked.elf", 10, 0);
	map_known(&events, "linked-library.elf", 10, LIBRARY_BIAS);
	WRITE(in_program("helper"), in_known("linked-library.elf", "helper", LIBRARY_BIAS));
	ADD(10, in_section("linked-library.elf", ".data", LIBRARY_BIAS, 0), "write",
	    in_program("helper"));
	answer_text(strbuf_text(&events), NULL);
	assert_non_null(model->objects[0].relocation);
	assert_int_equal(model->objects[0].relocation->targets.slots[MODEL_TARGET_SYSTEM], 0);
	assert_int_not_equal(model->objects[0].relocation->targets.slots[MODEL_TARGET_LIBRARY], 0);
}

/** Answer for a cut stack amid those of an initializer that @opener opened a library of. */
static void answer_within(uintptr_t opener, uintptr_t inner)
{
	for (unsigned i = 0; i < 2; i++) {
		WRITE(in_program("helper"), inner, in_linker("run_initializers"),
		      in_linker("open_library"), in_linker("dlopen"), opener,
		      in_linker("run_initializers"), in_linker("first"));
		if (i == 0)
			ADD_CUT(10, data(), "write", in_program("helper"));
	}
	answer();
}

TEST(an_initializer_of_a_library_that_another_file_s_opens_is_a_stay)
{
	map_known(&events, "linked-library.elf", 10, LIBRARY_BIAS);
	answer_within(in_program("first_init"),
		      in_known("linked-library.elf", "first_init", LIBRARY_BIAS));
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	expect(1, MODEL_STATIC_INIT, MODEL_RULE);
	assert_int_equal(model->faults[1].initializer, model->faults[0].initializer);
}

TEST(an_initializer_of_a_file_that_its_own_opens_again_is_no_stay)
{
	answer_within(in_program("first_init"), in_program("_GLOBAL__sub_I_second"));
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	expect(1, MODEL_INITIATOR_UNKNOWN, MODEL_CERTAINTY_NONE);
}

TEST(what_prints_a_backtrace_works_for_who_asked_for_it)
{
	map_known(&events, "linked-library.elf", 10, LIBRARY_BIAS);
	ADD(10, data(), "read", in_program("helper"), in_program("_Unwind_Backtrace"),
	    in_program("main"), in_program("_start"));
	ADD(10, data(), "read", in_known("linked-library.elf", "helper", LIBRARY_BIAS),
	    in_program("_Unwind_Backtrace"), in_program("main"), in_program("_start"));
	ADD(10, data(), "read", in_known("linked-library.elf", "helper", LIBRARY_BIAS),
	    in_linker("_Unwind_RaiseException"), in_program("main"), in_program("_start"));
	answer();
	expect(0, MODEL_UNWIND, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_STACK);
	expect(2, MODEL_UNWIND, MODEL_STACK);
}

TEST(what_dlclose_calls_is_a_finalizer_s)
{
	enum { BEHIND_ALL_FUNCTIONS = 48 };
	const uintptr_t nameless = in_program("choose") + BEHIND_ALL_FUNCTIONS;
	static const char *const calls[] = { "dlclose", "dlsym", "dlopen" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		WRITE(nameless, in_linker("look_up"), in_linker(calls[i]), in_program("main"),
		      in_program("_start"));
	WRITE(in_linker("look_up"), in_linker("dlclose"), in_program("main"), in_program("_start"));
	answer();
	expect(0, MODEL_STATIC_FINI, MODEL_STACK);
	for (size_t i = 1; i < model->fault_count; i++)
		expect(i, MODEL_LOADER, MODEL_STACK);
}

TEST(a_finalizer_that_jumps_to_a_plt_entry_has_it_bound)
{
	ADD(10, data(), "read", in_linker("relocate_all"), in_linker("bind_late"),
	    in_program("helper"), in_program("main"), in_program("_start"));
	ADD(10, data(), "read", in_linker("relocate_all"), in_linker("bind_late"),
	    in_linker("first"), in_linker("exit"), in_program("main"), in_program("_start"));
	answer();
	expect(0, MODEL_LAZY_BINDING, MODEL_STACK);
	expect(1, MODEL_LAZY_BINDING, MODEL_STACK);
}

/** Return why @file's function @name calls another, and whether that is in a dlopen(). */
static enum model_initiator cause_in(const char *file, const char *name, enum model_dlopen *dlopen)
{
	const bool is_program = strncmp(file, "named-lib", 9) != 0;
	const char *program = is_program ? file : "named.elf";
	const uint64_t bias = is_program ? 0 : LIBRARY_BIAS;
	const uintptr_t start = in_known(program, "_start", 0);
	const uintptr_t called = in_known(program, "main", 0);
	const uintptr_t helper = in_known(file, "helper", bias);

	stacks_forget(NULL);
	if (!is_program)
		map_known(&events, file, 10, bias);
	// Here main is seen to hand a result to exit.
	ADD_COMPLETE(10, (const void *)helper, "read", helper, called, start);
	ADD_COMPLETE(10, (const void *)helper, "read", helper, in_known(file, name, bias), called,
		     start);
	answer_of_known(program, "linker.elf");
	assert_int_equal(model->fault_count, 2);
	expect(0, MODEL_PROGRAM, MODEL_STACK);
	assert_int_equal(model->faults[1].certainty, MODEL_STACK);
	*dlopen = model->faults[1].dlopen;
	return model->faults[1].initiator;
}

TEST(a_name_of_libc_s_counts_where_libc_may_have_it)
{
	enum { NAMES = 5 };
	static const char *const names[NAMES] = { "exit", "quick_exit", "dlopen", "dlclose",
						  "dlsym" };
	static const struct {
		const char *file;
		enum model_initiator of_exits, of_calls;
	} files[] = {
		{ "named.elf", MODEL_PROGRAM, MODEL_PROGRAM },
		{ "named-library.elf", MODEL_PROGRAM, MODEL_PROGRAM },
		{ "named-libc.elf", MODEL_STATIC_FINI, MODEL_LOADER },
		{ "named-libdl.elf", MODEL_STATIC_FINI, MODEL_LOADER },
		// An exit() takes the place of libc's; libc's others are weak.
		{ "named-static.elf", MODEL_STATIC_FINI, MODEL_PROGRAM },
		{ "named-static-weak.elf", MODEL_STATIC_FINI, MODEL_LOADER },
		{ "named-static-local.elf", MODEL_PROGRAM, MODEL_PROGRAM },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		for (size_t j = 0; j < NAMES; j++) {
			enum model_dlopen dlopen;
			const enum model_initiator cause =
				cause_in(files[i].file, names[j], &dlopen);
			const enum model_initiator wanted =
				strstr(names[j], "exit") ? files[i].of_exits : files[i].of_calls;

			if (cause != wanted)
				fail_msg("%s of %s: %s", names[j], files[i].file,
					 model_initiator_name(cause));
			assert_int_equal(dlopen,
					 wanted == MODEL_LOADER && strcmp(names[j], "dlopen") == 0
						 ? MODEL_DLOPEN_YES
						 : MODEL_DLOPEN_NO);
		}
}

TEST(threads_begin_in_libc_s_clone_and_in_no_other)
{
	const uintptr_t helper = in_known("named.elf", "helper", 0);

	map_known(&events, "named-libc.elf", 10, LIBRARY_BIAS);
	ADD_COMPLETE(11, (const void *)helper, "read", helper,
		     in_known("named-libc.elf", "clone", LIBRARY_BIAS));
	ADD_COMPLETE(11, (const void *)helper, "read", helper, in_known("named.elf", "clone", 0));
	answer_of_known("named.elf", "linker.elf");
	expect(0, MODEL_PROGRAM, MODEL_STACK);
	expect(1, MODEL_PROGRAM, MODEL_RULE); // as all else that threads do
}

TEST(a_process_with_musl_s_libc_alone_on_its_stack_is_its_maker_s)
{
	const uintptr_t alone[] = { in_linker("first") };

	ADD_COMPLETE(10, data(), "write", in_program("first_init"), in_linker("run_initializers"),
		     in_program("_start"));
	add_process(20, 10, 10);
	add_of(20, 20, data(), "write", alone, 1, " complete=yes");
	ADD_COMPLETE(10, data(), "write", in_program("first_init"), in_linker("run_initializers"),
		     in_program("_start"));
	answer_of_known("linked.elf", "linker-libc.elf");
	expect(0, MODEL_STATIC_INIT, MODEL_STACK);
	expect(1, MODEL_STATIC_INIT, MODEL_RULE);
	assert_int_equal(model->faults[1].initializer, model->faults[0].initializer);
}

TEST(a_process_that_ran_before_the_recording_is_the_program_s)
{
	const uintptr_t frames[] = { in_program("helper"),
				     in_known("named-libc.elf", "clone", LIBRARY_BIAS) };

	map_known(&events, "linked.elf", 50, 0);
	map_known(&events, "named-libc.elf", 50, LIBRARY_BIAS);
	add_of(50, 50, data(), "read", frames, 2, " complete=yes");
	answer();
	expect(0, MODEL_PROGRAM, MODEL_STACK);
}

/** Answer for a stack that ends in the entry point of a program without libc. */
static void answer_of_bare(const char *program)
{
	const uintptr_t works = in_known(program, "works", 0);

	stacks_forget(NULL);
	ADD_COMPLETE(10, (const void *)works, "read", works, in_known(program, "_start", 0));
	answer_of_known(program, "linker.elf");
}

TEST(without_libc_the_entry_point_calls_the_program)
{
	answer_of_bare("bare.elf");
	expect(0, MODEL_PROGRAM, MODEL_STACK);
	answer_of_bare("bare-tls.elf");
	expect(0, MODEL_STARTUP, MODEL_STACK);
}

static uintptr_t in_go(const char *symbol)
{
	return in_known("gotasks.elf", symbol, 0);
}

/** Add a fault of Go's runtime @inner amid initializers, on a stack of its own. */
static void add_on_go_stack(const char *inner)
{
	ADD_COMPLETE(10, (const void *)in_go("main.main"), "read", in_go(inner));
}

TEST(go_s_runtime_works_for_the_initializers_around_it)
{
	const void *page = (const void *)in_go("main.main");

	ADD_COMPLETE(10, page, "read", in_go("runtime.doInit"), in_go("runtime.main"));
	add_on_go_stack("runtime.morestack");
	ADD_COMPLETE(10, page, "read", in_go("main.init"), in_go("runtime.doInit"),
		     in_go("runtime.main"));
	add_on_go_stack("runtime.morestack");
	ADD_CUT(10, page, "read", in_go("main.init"), in_go("runtime.doInit"));
	ADD_COMPLETE(10, page, "read", in_go("runtime.main"));
	answer_of_known("gotasks.elf", "linker.elf");
	expect(1, MODEL_STATIC_INIT, MODEL_RULE);
	assert_int_equal(model->faults[1].initializer, MODEL_NONE);
	expect(3, MODEL_STATIC_INIT, MODEL_RULE);
	assert_int_equal(model->faults[3].initializer, model->faults[2].initializer);
	expect_initializer(2, "main.init");
}

TEST(a_goroutine_runs_on_the_first_thread_as_well)
{
	ADD_COMPLETE(10, (const void *)in_go("main.main"), "read", in_go("main.init"),
		     in_go("runtime.goexit"));
	answer_of_known("gotasks.elf", "linker.elf");
	expect(0, MODEL_PROGRAM, MODEL_STACK);
}

TEST(go_reads_the_clock_on_a_stack_of_its_own)
{
	const void *page = (const void *)in_go("main.main");

	ADD_COMPLETE(10, page, "read", in_go("runtime.rt0_go"));
	add_on_go_stack("runtime.nanotime1");
	ADD_COMPLETE(10, page, "read", in_go("runtime.rt0_go"));
	answer_of_known("gotasks.elf", "linker.elf");
	expect(1, MODEL_STARTUP, MODEL_STACK);
}

TEST(a_dynamic_linker_of_another_name_is_what_exec_maps_behind_the_program)
{
	ADD_COMPLETE(10, data(), "write", in_linker("first"));
	answer_of_known("linked-elsewhere.elf", "linker.elf");
	expect(0, MODEL_LOADER, MODEL_STACK);
}

TEST(a_dynamic_linker_whose_mapping_was_lost_is_not_asked_for)
{
	begin_known(&events);
	map_known(&events, "linked.elf", 10, 0);
	WRITE(in_program("helper"), in_program("main"));
	answer_text(strbuf_text(&events), NULL);
	expect(0, MODEL_PROGRAM, MODEL_STACK);
}
