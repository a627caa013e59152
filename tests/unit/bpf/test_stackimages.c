// SPDX-License-Identifier: Apache-2.0
// Stacks that are put together from what changed and what the task's last one had further out.
#include "bpf/stackimages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TASK = 7, OTHER = 8, TIME = 1000, END = 0x7ffd00000000 };

static int begin(void **state)
{
	*state = calloc(1, sizeof(struct stackimages));
	return *state ? 0 : -1;
}

static int end(void **state)
{
	stackimages_deinit(*state);
	free(*state);
	return 0;
}

static const uint8_t *put(struct stackimages *images, uint32_t tid, const char *bytes,
			  uint32_t equal_size)
{
	return stackimages_put(images, tid, TIME, END, (const uint8_t *)bytes,
			       (uint32_t)strlen(bytes), equal_size);
}

static void equal_frames_further_out_are_added(void **state)
{
	assert_memory_equal(put(*state, TASK, "innermain", 0), "innermain", 9);
	assert_memory_equal(put(*state, TASK, "deeper", 4), "deepermain", 10);
	assert_memory_equal(put(*state, TASK, "", 10), "deepermain", 10);
	assert_memory_equal(put(*state, TASK, "", 4), "main", 4);
}

static void each_task_has_its_own(void **state)
{
	put(*state, TASK, "one", 0);
	put(*state, OTHER, "two", 0);
	assert_memory_equal(put(*state, TASK, "a", 3), "aone", 4);
	assert_memory_equal(put(*state, OTHER, "b", 3), "btwo", 4);
}

static void a_stack_that_grows_keeps_its_outer_part(void **state)
{
	static char large[100000];

	memset(large, 'x', sizeof(large) - 1);
	put(*state, TASK, "main", 0);
	const uint8_t *bytes = put(*state, TASK, large, 4);
	assert_memory_equal(bytes, large, sizeof(large) - 1);
	assert_memory_equal(bytes + sizeof(large) - 1, "main", 4);
}

static void what_is_not_known_is_refused(void **state)
{
	assert_null(put(*state, TASK, "new", 4));
	put(*state, TASK, "main", 0);
	assert_null(put(*state, TASK, "more", 5));
	assert_null(stackimages_put(*state, TASK, TIME, END + 16, (const uint8_t *)"x", 1, 4));
	assert_memory_equal(put(*state, TASK, "f", 4), "fmain", 5);
}

static void tasks_that_have_ended_are_forgotten_and_their_places_used_again(void **state)
{
	struct stackimages *images = *state;

	put(images, TASK, "main", 0);
	stackimages_end(images, TASK, TIME + 1);
	assert_memory_equal(put(images, TASK, "f", 4), "fmain", 5); // the ring still had it
	stackimages_forget_ended(images);
	assert_null(put(images, TASK, "f", 4));
	stackimages_end(images, TASK, TIME + 1);
	stackimages_end(images, OTHER, TIME + 1); // without a stack
	stackimages_forget_ended(images);
	for (uint32_t tid = 100; tid < 200; tid++) {
		put(images, tid, "main", 0);
		stackimages_end(images, tid, TIME + 1);
		stackimages_forget_ended(images);
	}
	assert_int_equal(images->list.count, 1);
}

static void a_task_that_has_the_number_of_one_that_ended_keeps_its_stack(void **state)
{
	struct stackimages *images = *state;

	put(images, TASK, "main", 0);
	stackimages_end(images, TASK, TIME - 1); // the leader, whose thread executed a program
	stackimages_forget_ended(images);
	assert_memory_equal(put(images, TASK, "f", 4), "fmain", 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_frames_further_out_are_added, begin, end),
		cmocka_unit_test_setup_teardown(each_task_has_its_own, begin, end),
		cmocka_unit_test_setup_teardown(a_stack_that_grows_keeps_its_outer_part, begin,
						end),
		cmocka_unit_test_setup_teardown(what_is_not_known_is_refused, begin, end),
		cmocka_unit_test_setup_teardown(
			tasks_that_have_ended_are_forgotten_and_their_places_used_again, begin,
			end),
		cmocka_unit_test_setup_teardown(
			a_task_that_has_the_number_of_one_that_ended_keeps_its_stack, begin, end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
