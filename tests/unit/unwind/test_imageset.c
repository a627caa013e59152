// SPDX-License-Identifier: Apache-2.0
// Sets of modules that mappings come to, one for each view of a process.
#include "tests/support/ownmaps.h"

static void a_copy_of_code_at_its_own_address_leaves_the_file_there(void **state)
{
	(void)state;
	struct stackspool *spool = stackspool_create(1 << 20);
	struct images images = { 0 };
	struct imagesets sets = { 0 };
	struct raw_stack stack = { .pid = PID };

	maps_read();

	struct trace_mapping copy = own_code();

	copy.path = xstrdup("//anon");
	copy.protection = TRACE_PROTECTION_EXEC;
	copy.time_ns = 20;
	vec_push(&maps.list, copy);
	for (uint64_t time = 10; time <= 30; time += 20) {
		stack.time_ns = time;
		stack.registers[MACHINE_IP] = time;
		stackspool_add(spool, &stack);
	}

	struct unwind_input input = input_of(spool);

	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, &input);
	assert_int_equal(sets.stacks.count, 2);
	assert_int_equal(set_of(&sets, 1), set_of(&sets, 2));
	imagesets_deinit(&sets);
	images_deinit(&images);
	stackspool_destroy(spool);
}

static void a_file_mapped_over_another_begins_a_new_set(void **state)
{
	(void)state;
	struct stackspool *spool = stackspool_create(1 << 20);
	struct images images = { 0 };
	struct imagesets sets = { 0 };
	struct raw_stack stack = { .pid = PID };

	maps_read();

	struct trace_mapping over = own_code();

	// After the copy of the stack at 10: an anonymous mapping that is no code, then code.
	over.path = "//anon";
	over.protection = TRACE_PROTECTION_READ;
	over.time_ns = 20;
	vec_push(&maps.list, over);
	// Past the end of the file: no copy of its code.
	over.protection = TRACE_PROTECTION_EXEC;
	over.size += 64 << 20;
	over.time_ns = 40;
	over.path = xstrdup("//anon");
	maps.list.items[maps.list.count - 1].path = xstrdup("//anon");
	vec_push(&maps.list, over);
	for (uint64_t time = 10; time <= 50; time += 20) {
		stack.time_ns = time;
		stack.registers[MACHINE_IP] = time;
		assert_int_equal(stackspool_add(spool, &stack), time / 20 + 1);
	}

	struct unwind_input input = input_of(spool);

	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, &input);
	assert_int_equal(sets.stacks.count, 3);
	assert_int_equal(sets.sets.count, 2);

	assert_int_equal(set_of(&sets, 1), set_of(&sets, 2));
	assert_int_not_equal(set_of(&sets, 2), set_of(&sets, 3));
	const size_t first = set_of(&sets, 1), third = set_of(&sets, 3);

	assert_int_equal(sets.sets.items[third].module_count + 1,
			 sets.sets.items[first].module_count);
	imagesets_deinit(&sets);
	images_deinit(&images);
	stackspool_destroy(spool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_of_code_at_its_own_address_leaves_the_file_there),
		cmocka_unit_test(a_file_mapped_over_another_begins_a_new_set),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
