// SPDX-License-Identifier: Apache-2.0
// Stacks that are put together from what changed and what the task's last one had further out.
#include "bpf/stackimages.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

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

const struct tests_around tests_around = { .before_each = begin, .after_each = end };

TEST(equal_frames_further_out_are_added)
{
	assert_memory_equal(put(*state, TASK, "innermain", 0), "innermain", 9);
	assert_memory_equal(put(*state, TASK, "deeper", 4), "deepermain", 10);
	assert_memory_equal(put(*state, TASK, "", 10), "deepermain", 10);
	assert_memory_equal(put(*state, TASK, "", 4), "main", 4);
}

TEST(each_task_has_its_own)
{
	put(*state, TASK, "one", 0);
	put(*state, OTHER, "two", 0);
	assert_memory_equal(put(*state, TASK, "a", 3), "aone", 4);
	assert_memory_equal(put(*state, OTHER, "b", 3), "btwo", 4);
}

TEST(a_stack_that_grows_keeps_its_outer_part)
{
	static char large[100000];

	memset(large, 'x', sizeof(large) - 1);
	put(*state, TASK, "main", 0);
	const uint8_t *bytes = put(*state, TASK, large, 4);
	assert_memory_equal(bytes, large, sizeof(large) - 1);
	assert_memory_equal(bytes + sizeof(large) - 1, "main", 4);
}

TEST(what_is_not_known_is_refused)
{
	assert_null(put(*state, TASK, "new", 4));
	put(*state, TASK, "main", 0);
	assert_null(put(*state, TASK, "more", 5));
	assert_null(stackimages_put(*state, TASK, TIME, END + 16, (const uint8_t *)"x", 1, 4));
	assert_memory_equal(put(*state, TASK, "f", 4), "fmain", 5);
}

TEST(tasks_that_have_ended_are_forgotten_and_their_places_used_again)
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

TEST(a_task_that_has_the_number_of_one_that_ended_keeps_its_stack)
{
	struct stackimages *images = *state;

	put(images, TASK, "main", 0);
	stackimages_end(images, TASK, TIME - 1); // the leader, whose thread executed a program
	stackimages_forget_ended(images);
	assert_memory_equal(put(images, TASK, "f", 4), "fmain", 5);
}
