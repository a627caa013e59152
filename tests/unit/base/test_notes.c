// SPDX-License-Identifier: Apache-2.0
// Notes of one run and of several, as they are shown.
#include "base/cleanup.h"
#include "base/runnotes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/** Add a run that has the note @text, @count times; 0: it has another one. */
static void add_run(struct runnotes *notes, const char *text, uint64_t count)
{
	struct notes run = { 0 };

	notes_add_counted(&run, count, "%s", text);
	if (count == 0)
		notes_add(&run, "another one");
	runnotes_add(notes, &run);
	notes_deinit(&run);
}

/** How the note @text is shown of runs that have it that often. */
static void shows(const char *text, const uint64_t *counts, size_t run_count, const char *expected)
{
	struct runnotes notes = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	for (size_t i = 0; i < run_count; i++)
		add_run(&notes, text, counts[i]);
	runnote_print(&notes, runnotes_find(&notes, text), &buf);
	assert_string_equal(strbuf_text(&buf), expected);
	runnotes_deinit(&notes);
}
#define SHOWS(expected, ...)                                        \
	shows("a stack is lost", (const uint64_t[]){ __VA_ARGS__ }, \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), expected)

static void notes_of_one_run_say_how_often(void **state)
{
	(void)state;
	SHOWS("a stack is lost", 1);
	SHOWS("a stack is lost (1,234 times)", 1234);
}

static void notes_of_runs_say_the_range_and_in_how_many(void **state)
{
	(void)state;
	SHOWS("a stack is lost", 1, 1, 1);
	SHOWS("a stack is lost (in 2 of 3 runs)", 1, 0, 1);
	SHOWS("a stack is lost (10 times in each of 2 runs)", 10, 10);
	SHOWS("a stack is lost (10 to 1,400 times in each of 3 runs)", 12, 1400, 10);
	SHOWS("a stack is lost (1 to 14 times, in 5 of 7 runs)", 12, 0, 14, 1, 0, 3, 1);
	SHOWS("a stack is lost (4 times, in 1 of 2 runs)", 0, 4);
}

static void notes_of_runs_keep_their_order(void **state)
{
	(void)state;
	struct runnotes notes = { 0 };

	add_run(&notes, "first", 0);
	add_run(&notes, "second", 2);
	add_run(&notes, "first", 0);
	assert_int_equal(notes.run_count, 3);
	assert_int_equal(notes.list.count, 2);
	assert_string_equal(notes.list.items[0].text, "another one");
	assert_int_equal(notes.list.items[0].runs, 2);
	assert_string_equal(notes.list.items[1].text, "second");
	assert_null(runnotes_find(&notes, "first"));
	runnotes_deinit(&notes);
}

static void what_was_not_seen_is_no_note(void **state)
{
	(void)state;
	struct notes notes = { 0 };

	notes_add_counted(&notes, 0, "nothing");
	notes_add_counted(&notes, 2, "seen by %s", "two");
	notes_add_counted(&notes, 3, "seen by %s", "two");
	assert_int_equal(notes.list.count, 1);
	assert_int_equal(notes.list.items[0].count, 5);
	notes_deinit(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_of_one_run_say_how_often),
		cmocka_unit_test(notes_of_runs_say_the_range_and_in_how_many),
		cmocka_unit_test(notes_of_runs_keep_their_order),
		cmocka_unit_test(what_was_not_seen_is_no_note),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
