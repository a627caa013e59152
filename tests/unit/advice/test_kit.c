// SPDX-License-Identifier: Apache-2.0
// Prose of a rule, as text and as Markdown.
#include "advice/kit.h"
#include "base/cleanup.h"
#include "tests/support/test.h"

TEST(values_are_put_in_place_and_backticks_removed)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct kit_value *values = KIT_VALUES({ "faults", "2 faults" }, { "none", "" });

	assert_string_equal(kit_fill(&arena, "{faults} in `.bss`{none}; {faults}", values),
			    "2 faults in .bss; 2 faults");
	assert_string_equal(kit_fill(&arena, "{fault} {", values), "{fault} {");
	assert_null(kit_fill(&arena, NULL, values));
}

TEST(a_value_is_taken_as_it_is)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct kit_value *values = KIT_VALUES({ "name", "f`{other}" }, { "other", "x" });

	values = kit_prepend(&arena, (struct kit_value){ "object", "{name}" }, values);
	assert_string_equal(kit_fill(&arena, "{object}: {name}", values), "{name}: f`{other}");
}

TEST(nouns_and_lists_are_written_out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(kit_plural(&arena, 1, "process"), "1 process");
	assert_string_equal(kit_plural(&arena, 0, "process"), "0 processes");
	assert_string_equal(kit_plural(&arena, 1234, "fault"), "1,234 faults");
	assert_string_equal(kit_append(&arena, NULL, ", ", "a"), "a");
	assert_string_equal(kit_append(&arena, "a", ", ", "b"), "a, b");
}

TEST(a_path_means_itself_in_a_condition)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(kit_escape(&arena, "/a b/x,|*?\"\\y"), "/a b/x\\,\\|\\*\\?\\\"\\\\y");
}

TEST(shares_are_met_at_the_threshold)
{
	assert_true(kit_is_share(1, 100, 1));
	assert_false(kit_is_share(1, 101, 1));
	assert_true(kit_is_per_mille(7, 7000, 1));
	assert_false(kit_is_per_mille(7, 7001, 1));
	assert_false(kit_is_share(0, 0, 1));
}
