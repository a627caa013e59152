// SPDX-License-Identifier: Apache-2.0
// Prose of a rule, as text and as Markdown.
#include "advice/kit.h"
#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void values_are_put_in_place_and_backticks_removed(void **state)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct kit_value *values = KIT_VALUES({ "faults", "2 faults" }, { "none", "" });

	assert_string_equal(kit_fill(&arena, "{faults} in `.bss`{none}; {faults}", values),
			    "2 faults in .bss; 2 faults");
	assert_string_equal(kit_fill(&arena, "{fault} {", values), "{fault} {");
	assert_null(kit_fill(&arena, NULL, values));
}

static void a_value_is_taken_as_it_is(void **state)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct kit_value *values = KIT_VALUES({ "name", "f`{other}" }, { "other", "x" });

	values = kit_prepend(&arena, (struct kit_value){ "object", "{name}" }, values);
	assert_string_equal(kit_fill(&arena, "{object}: {name}", values), "{name}: f`{other}");
}

static void nouns_and_lists_are_written_out(void **state)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(kit_plural(&arena, 1, "process"), "1 process");
	assert_string_equal(kit_plural(&arena, 0, "process"), "0 processes");
	assert_string_equal(kit_plural(&arena, 1234, "fault"), "1,234 faults");
	assert_string_equal(kit_append(&arena, NULL, ", ", "a"), "a");
	assert_string_equal(kit_append(&arena, "a", ", ", "b"), "a, b");
}

static void a_path_means_itself_in_a_condition(void **state)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(kit_escape(&arena, "/a b/x,|*?\"\\y"), "/a b/x\\,\\|\\*\\?\\\"\\\\y");
}

static void shares_are_met_at_the_threshold(void **state)
{
	assert_true(kit_is_share(1, 100, 1));
	assert_false(kit_is_share(1, 101, 1));
	assert_true(kit_is_per_mille(7, 7000, 1));
	assert_false(kit_is_per_mille(7, 7001, 1));
	assert_false(kit_is_share(0, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_put_in_place_and_backticks_removed),
		cmocka_unit_test(a_value_is_taken_as_it_is),
		cmocka_unit_test(nouns_and_lists_are_written_out),
		cmocka_unit_test(a_path_means_itself_in_a_condition),
		cmocka_unit_test(shares_are_met_at_the_threshold),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
