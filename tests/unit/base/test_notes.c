// SPDX-License-Identifier: Apache-2.0
// Notes of one run and of several, as they are shown.
#include "base/cleanup.h"
#include "base/runnotes.h"
#include "tests/support/test.h"

/** Add a run that has the note @text, @count times; 0: it has another one. */
static void add_run(struct runnotes *notes, const char *text, uint64_t count)
{
	CLEANUP(notes_deinit) struct notes run = { 0 };

	notes_add_counted(&run, count, "%s", text);
	if (count == 0)
		notes_add(&run, "another one");
	runnotes_add(notes, &run);
}

/** How the note @text is shown of runs that have it that often. */
static void shows(const char *text, const uint64_t *counts, size_t run_count, const char *expected)
{
	CLEANUP(runnotes_deinit) struct runnotes notes = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	for (size_t i = 0; i < run_count; i++)
		add_run(&notes, text, counts[i]);
	runnote_print(&notes, runnotes_find(&notes, text), &buf);
	assert_string_equal(strbuf_text(&buf), expected);
}
#define SHOWS(expected, ...)                                        \
	shows("a stack is lost", (const uint64_t[]){ __VA_ARGS__ }, \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), expected)

TEST(notes_of_one_run_say_how_often)
{
	SHOWS("a stack is lost", 1);
	SHOWS("a stack is lost (1,234 times)", 1234);
}

TEST(notes_of_runs_say_the_range_and_in_how_many)
{
	SHOWS("a stack is lost", 1, 1, 1);
	SHOWS("a stack is lost (in 2 of 3 runs)", 1, 0, 1);
	SHOWS("a stack is lost (10 times in each of 2 runs)", 10, 10);
	SHOWS("a stack is lost (10 to 1,400 times in each of 3 runs)", 12, 1400, 10);
	SHOWS("a stack is lost (1 to 14 times, in 5 of 7 runs)", 12, 0, 14, 1, 0, 3, 1);
	SHOWS("a stack is lost (4 times, in 1 of 2 runs)", 0, 4);
}

TEST(notes_of_runs_keep_their_order)
{
	CLEANUP(runnotes_deinit) struct runnotes notes = { 0 };

	add_run(&notes, "first", 0);
	add_run(&notes, "second", 2);
	add_run(&notes, "first", 0);
	assert_int_equal(notes.run_count, 3);
	assert_int_equal(notes.list.count, 2);
	assert_string_equal(notes.list.items[0].text, "another one");
	assert_int_equal(notes.list.items[0].runs, 2);
	assert_string_equal(notes.list.items[1].text, "second");
	assert_null(runnotes_find(&notes, "first"));
}

/** The lines of the kinds of @texts, each in a line of its own. */
static void kinds_are(const char *expected, const char *const *texts, size_t count)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf lines = { 0 };
	CLEANUP(notes_deinit) struct notes notes = { 0 };
	size_t kind_count;

	for (size_t i = 0; i < count; i++)
		notes_add_text(&notes, texts[i], 1);
	const struct note_kind *kinds = notes_kinds(&notes, &arena, &kind_count);

	for (size_t i = 0; i < kind_count; i++)
		strbuf_printf(&lines, "%s|%zu\n", kinds[i].text, kinds[i].notes);
	assert_string_equal(strbuf_text(&lines), expected);
}
#define KINDS_ARE(expected, ...)                                  \
	kinds_are(expected, (const char *const[]){ __VA_ARGS__ }, \
		  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

TEST(notes_of_files_are_one_kind_by_what_they_say)
{
	KINDS_ARE("stayed in memory: libc.so.6, b, c, 17 more|5\n",
		  "/lib/libc.so.6 stayed in memory: 1.7 MiB of 1.8 MiB, mapped by bash (12)",
		  "/lib/b stayed in memory: 4.0 KiB of 8.0 KiB", "/c stayed in memory: 1 B of 2 B",
		  "/d stayed in memory: 1 B of 2 B; its file system keeps files in memory",
		  "16 more files stayed in memory: 64.0 KiB");
	KINDS_ARE("cannot use its debug file: a, b|2\n", "/a: cannot use its debug file: too short",
		  "/b: cannot use its debug file: too long");
	KINDS_ARE("/a b.so: stripped|1\n/a: no table|1\n", "/a b.so: stripped", "/a: no table");
}

TEST(a_note_with_a_sum_speaks_for_its_kind)
{
	KINDS_ARE("NOT COLD: 44.0 MiB of 94.0 MiB stayed in memory: node|3\n",
		  "NOT COLD: 44.0 MiB of 94.0 MiB stayed in memory: node",
		  "/bin/node stayed in memory: 44.0 MiB of 93.9 MiB, mapped by node (1)",
		  "/lib/libz.so.1 stayed in memory: 4.0 KiB of 84.0 KiB");
}

TEST(what_changes_most_comes_first)
{
	KINDS_ARE("NOT COLD: 1 B of 2 B stayed in memory: a|1\n"
		  "a pause of a thread was lost: the time counts as cpu|1\n"
		  "cold: 1 file of the command was dropped|1\n"
		  "a fault came without the processor's error code: its access is inferred|1\n"
		  "a distinct call stack has no callers (2 times)|2\n",
		  NOTES_NO_CALLERS ": the code is in no mapped file",
		  "cold: 1 file of the command was dropped",
		  "a pause of a thread was lost: the time counts as cpu",
		  "NOT COLD: 1 B of 2 B stayed in memory: a",
		  "a fault came without the processor's error code: its access is inferred",
		  NOTES_NO_CALLERS ": no unwinding data at that address in x");
	CLEANUP(notes_deinit) struct notes notes = { 0 };

	notes_add(&notes, NOTES_NO_CALLERS);
	notes_add(&notes, "cold: 1 file");
	notes_add(&notes, "first");
	notes_add(&notes, "second");
	notes_sort(&notes);
	assert_string_equal(notes.list.items[0].text, "first");
	assert_string_equal(notes.list.items[1].text, "second");
	assert_string_equal(notes.list.items[2].text, "cold: 1 file");
	assert_string_equal(notes.list.items[3].text, NOTES_NO_CALLERS);
}

TEST(what_was_not_seen_is_no_note)
{
	CLEANUP(notes_deinit) struct notes notes = { 0 };

	notes_add_counted(&notes, 0, "nothing");
	notes_add_counted(&notes, 2, "seen by %s", "two");
	notes_add_counted(&notes, 3, "seen by %s", "two");
	assert_int_equal(notes.list.count, 1);
	assert_int_equal(notes.list.items[0].count, 5);
}
