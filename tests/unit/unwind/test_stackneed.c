// SPDX-License-Identifier: Apache-2.0
// How much of the stacks that were cut would have had to be copied.
#include "unwind/stackneed.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { KIB = 1024, PID = 7, END = 64 << 20 };

static void add(struct stackneed *need, uint64_t depth, uint32_t size, uint64_t uses)
{
	struct raw_stack stack = { .pid = PID, .size = size, .reaches_bottom = depth == size };

	stack.registers[MACHINE_SP] = END - depth;
	stackneed_add(need, &stack, uses, depth != size);
}

TEST(the_ends_of_other_stacks_show_the_size)
{
	CLEANUP(stackneed_deinit) struct stackneed need = { 0 };
	uint64_t bytes;

	add(&need, 4 * KIB, 4 * KIB, 50);
	add(&need, 40 * KIB, 32 * KIB, 80);
	add(&need, 47 * KIB + 1, 32 * KIB, 16);
	add(&need, 900 * KIB, 32 * KIB, 4); // for 95% not needed
	assert_true(stackneed_find(&need, &bytes));
	assert_int_equal(bytes, 48 * KIB);
	assert_int_equal(need.cut_uses, 100);
	assert_int_equal(need.copied, 32 * KIB);
}

TEST(another_process_or_a_far_end_shows_nothing)
{
	CLEANUP(stackneed_deinit) struct stackneed need = { 0 };
	struct raw_stack stack = { .pid = PID + 1, .size = 4 * KIB, .reaches_bottom = true };
	uint64_t bytes;

	stack.registers[MACHINE_SP] = END;
	stackneed_add(&need, &stack, 1, false);
	add(&need, 40 * KIB, 32 * KIB, 1);
	assert_true(stackneed_find(&need, &bytes));
	assert_int_equal(bytes, 0);
}

TEST(a_few_cut_stacks_do_not_matter)
{
	CLEANUP(stackneed_deinit) struct stackneed need = { 0 };
	uint64_t bytes;

	add(&need, 4 * KIB, 4 * KIB, 95);
	add(&need, 40 * KIB, 32 * KIB, 5);
	assert_false(stackneed_find(&need, &bytes));
}

/** The note on stacks of which most need 40 KiB, or, where no end is known, more than was copied.
 */
static char *note_at(uint32_t limit, uint32_t most, bool knows_ends, bool lost_stacks)
{
	const struct stackneed_limits limits = { limit, most, lost_stacks };
	CLEANUP(stackneed_deinit) struct stackneed need = { 0 };
	CLEANUP(notes_deinit) struct notes notes = { 0 };
	char *text;

	if (knows_ends)
		add(&need, 4 * KIB, 4 * KIB, 50);
	add(&need, 40 * KIB, 16 * KIB, 80);
	stackneed_note(&need, &limits, &notes);
	assert_int_equal(notes.list.count, 1);
	text = strdup(notes.list.items[0].text);
	return text;
}

TEST(the_note_names_what_helps)
{
	const struct {
		uint32_t limit, most;
		bool knows_ends, lost_stacks;
		const char *end;
	} cases[] = {
		{ 16 * KIB, 64 * KIB, true, false, "; record with --stack-size=40K" },
		{ 64 * KIB, 64 * KIB, true, false,
		  ", for lack of room; record with a larger --ring-size" },
		{ 16 * KIB, 32 * KIB, true, false,
		  "; most need up to 40 KiB, more than --stack-size can copy (32K)" },
		{ 16 * KIB, 64 * KIB, false, false,
		  "; record with a larger --stack-size (at most 64K)" },
		{ 32 * KIB, 32 * KIB, false, false,
		  ", less than --stack-size allows: the kernel could copy no more" },
		{ 16 * KIB, 16 * KIB, false, false, ", the most that --stack-size can copy" },
		{ 16 * KIB, 64 * KIB, true, true,
		  "; as others were lost, a larger --stack-size would lose more" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *note = note_at(cases[i].limit, cases[i].most, cases[i].knows_ends,
				     cases[i].lost_stacks);
		char *end;

		assert_true(asprintf(&end,
				     "the call stacks of 80 faults are deeper than the 16 KiB "
				     "copied%s",
				     cases[i].end) > 0);
		assert_string_equal(note, end);
		free(end);
		free(note);
	}
}
