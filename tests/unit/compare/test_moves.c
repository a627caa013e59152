// SPDX-License-Identifier: Apache-2.0
// Functions that moved: of orders whose longest rising subsequence is known.
#include "base/cleanup.h"
#include "base/vec.h"
#include "compare/gather.h"
#include "tests/support/test.h"

#include <stdio.h>

enum { PAGE = 4096, MOST = 64 };

/** Functions by name, one page each, in this order from page @first on; NULL ends. */
static struct placed_side lay_out(struct placed *functions, const char *const *names,
				  uint64_t first)
{
	size_t count = 0;

	for (; names[count]; count++)
		functions[count] = (struct placed){
			.name = names[count],
			.section = ".text",
			.vaddr = (first + count) * PAGE,
			.size = PAGE,
			.first_use = (double)count + 1,
		};
	return (struct placed_side){ functions, count };
}

static struct compare_locality find(const char *const *before, const char *const *after,
				    struct arena *arena)
{
	struct placed functions[COMPARE_SIDES][MOST];
	struct compare_locality locality = { 0 };
	struct placed_side sides[] = { lay_out(functions[0], before, 1),
				       lay_out(functions[1], after, 5) };

	moves_find(&locality, sides, false, PAGE, arena);
	return locality;
}
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/** The names of those that moved, in their order. */
static const char *moved(const struct compare_locality *locality, struct arena *arena)
{
	const char *text = "";

	for (size_t i = 0; i < locality->move_count; i++) {
		assert_int_equal(locality->moves[i].is_moved, i < locality->moved_count);
		if (locality->moves[i].is_moved)
			text = arena_printf(arena, "%s%s%s", text, *text ? " " : "",
					    locality->moves[i].name);
	}
	return text;
}

TEST(a_shift_of_all_moves_none)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct compare_locality locality =
		find(NAMES("a", "b", "c"), NAMES("new", "a", "b", "c"), &arena);

	assert_int_equal(locality.move_count, 3);
	assert_int_equal(locality.moved_count, 0);
	assert_int_equal(locality.only[COMPARE_BEFORE], 0);
	assert_int_equal(locality.only[COMPARE_AFTER], 1);
}

TEST(one_that_went_ahead_is_the_one_that_moved)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct compare_locality locality =
		find(NAMES("a", "b", "c", "d", "e"), NAMES("e", "a", "b", "c", "d"), &arena);

	assert_string_equal(moved(&locality, &arena), "e");
	const struct compare_move *move = &locality.moves[0];
	assert_int_equal(move->place[COMPARE_BEFORE], 5);
	assert_int_equal(move->place[COMPARE_AFTER], 1);
	assert_int_equal(move->page[COMPARE_BEFORE], 5);
	assert_int_equal(move->page[COMPARE_AFTER], 5);
	assert_int_equal(move->vaddr[COMPARE_AFTER], 5 * PAGE);
	assert_true(move->first_use[COMPARE_BEFORE] == 5);
	assert_true(move->first_use[COMPARE_AFTER] == 1);
}

TEST(of_a_reversal_one_stays)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct compare_locality locality =
		find(NAMES("a", "b", "c", "d"), NAMES("d", "c", "b", "a"), &arena);

	assert_int_equal(locality.moved_count, 3);
}

/** The longest rising subsequence, by trying all. */
static size_t longest(const int *order, size_t count)
{
	size_t best = 0;

	for (unsigned set = 0; set < 1u << count; set++) {
		int last = -1;
		size_t length = 0;

		for (size_t i = 0; i < count; i++)
			if (set >> i & 1) {
				if (order[i] < last) {
					length = 0;
					break;
				}
				last = order[i];
				length++;
			}
		best = length > best ? length : best;
	}
	return best;
}

TEST(as_many_stay_as_can_in_any_order)
{
	enum { COUNT = 9 };
	static const char *const all[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", NULL };

	for (unsigned seed = 1; seed <= 100; seed++) {
		CLEANUP(arena_deinit) struct arena arena = { 0 };
		const char *shuffled[COUNT + 1] = { NULL };
		int order[COUNT];

		srand(seed);
		for (int i = 0; i < COUNT; i++)
			order[i] = i;
		for (int i = COUNT - 1; i > 0; i--) {
			int with = rand() % (i + 1), kept = order[i];

			order[i] = order[with];
			order[with] = kept;
		}
		for (int i = 0; i < COUNT; i++)
			shuffled[i] = all[order[i]];
		const struct compare_locality locality = find(all, shuffled, &arena);
		if (COUNT - locality.moved_count != longest(order, COUNT))
			fail_msg("seed %u", seed);
		// Those that stayed rise on both sides.
		for (size_t i = locality.moved_count; i < COUNT; i++)
			for (size_t k = locality.moved_count; k < COUNT; k++) {
				const struct compare_move *x = &locality.moves[i];
				const struct compare_move *y = &locality.moves[k];

				assert_int_equal(x->place[0] < y->place[0],
						 x->place[1] < y->place[1]);
			}
	}
}

TEST(names_match_whole_before_what_compilers_append_is_left_out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct compare_locality locality =
		find(NAMES("foo", "foo.cold", "bar.part.0", "gone", "twice", "twice", "fn@0x1000"),
		     NAMES("bar.constprop.1", "foo", "foo.cold", "twice", "fn@0x1000"), &arena);

	assert_int_equal(locality.move_count, 3);
	assert_string_equal(moved(&locality, &arena), "bar");
	assert_int_equal(locality.only[COMPARE_BEFORE], 1);
	assert_int_equal(locality.only[COMPARE_AFTER], 0);
	assert_int_equal(locality.unclear[COMPARE_BEFORE], 3);
	assert_int_equal(locality.unclear[COMPARE_AFTER], 2);
}

TEST(another_section_is_a_move_and_faults_go_first)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct placed before[MOST], after[MOST];
	struct compare_locality locality = { 0 };
	struct placed_side sides[] = {
		lay_out(before, NAMES("a", "b", "far", "c", "d", "e", "cold"), 0),
		lay_out(after, NAMES("far", "b", "a", "c", "d", "e", "cold"), 0),
	};

	before[6].section = ".text";
	after[6].section = ".text.unlikely";
	before[0].faults = 2;
	before[1].faults = after[1].faults = 7;
	moves_find(&locality, sides, true, PAGE, &arena);
	// Of a, b and far one stays. The difference in faults goes first, not their number.
	assert_string_equal(moved(&locality, &arena), "a b cold");
	assert_string_equal(locality.moves[2].section[COMPARE_AFTER], ".text.unlikely");
}

TEST(functions_folded_into_one_are_in_no_order)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct placed before[MOST], after[MOST];
	struct compare_locality locality = { 0 };
	struct placed_side sides[] = { lay_out(before, NAMES("a", "b", "c"), 0),
				       lay_out(after, NAMES("a", "b", "c"), 0) };

	for (int i = 0; i < 3; i++)
		after[i].vaddr = PAGE;
	moves_find(&locality, sides, true, PAGE, &arena);
	assert_int_equal(locality.moved_count, 0);
}

TEST(the_area_of_both_leaves_out_what_one_side_shows)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct placed before[MOST], after[MOST];
	struct compare_locality locality = { 0 };
	struct placed_side sides[] = { lay_out(before, NAMES("a", "gone", "b", "c"), 0),
				       lay_out(after, NAMES("c", "b", "a"), 0) };

	// After, all three lie on the one page of 4 KiB: 1 KiB each.
	for (uint64_t i = 0; i < 3; i++) {
		after[i].vaddr = PAGE + i * 1024;
		after[i].size = 1024;
	}
	// Before, b runs first and lies on two pages: 2, then 3, then 4.
	before[2].first_use = 0.5;
	before[2].size = 2 * PAGE;
	before[3].vaddr += PAGE;
	moves_find(&locality, sides, true, PAGE, &arena);
	assert_int_equal(locality.common[COMPARE_BEFORE].code_pages, 4);
	assert_int_equal(locality.common[COMPARE_BEFORE].code_bytes, 4 * PAGE);
	assert_int_equal(locality.common[COMPARE_BEFORE].area, 2 + 3 + 4);
	assert_int_equal(locality.common[COMPARE_BEFORE].least_area, 2 + 3 + 4);
	assert_int_equal(locality.common[COMPARE_AFTER].code_pages, 1);
	assert_int_equal(locality.common[COMPARE_AFTER].area, 3);
	assert_int_equal(locality.only[COMPARE_BEFORE], 1);
}
