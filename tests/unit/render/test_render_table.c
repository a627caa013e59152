// SPDX-License-Identifier: Apache-2.0
// Tables fitted to a width, and numbers for people.
#include "base/cleanup.h"
#include "render/table/table.h"
#include "tests/support/test.h"

#include <locale.h>
#include <string.h>
#include <unistd.h>

static const struct terminal pipe_end = { 0 };
static const struct terminal narrow = { .is_terminal = true, .width = 30 };
static const struct terminal narrow_utf8 = { .is_terminal = true, .has_utf8 = true, .width = 30 };
static const struct terminal colored = { .is_terminal = true, .has_color = true, .width = 80 };

/** @table as text; free() it. */
static char *printed(struct table *table)
{
	return text_written((table_print(table, out), true));
}

/** Three rows, of which the second has a name of 34 columns. Free the result. */
static char *print(const struct terminal *terminal)
{
	static const char *const numbers[] = { "1,024", "7", "" };
	static const char *const objects[] = { "libc.so.6", "a", "" };
	static const char *const functions[] = { "main", "llvm::opt::parse(std::string, int)",
						 "two\nlines" };
	CLEANUP(table_destroyp) struct table *table = table_create(terminal);

	for (size_t i = 0; i < 3; i++) {
		table_begin_row(table);
		table_cell(table, "faults", TABLE_RIGHT, numbers[i]);
		if (i == 1)
			table_alert(table);
		table_cellf(table, "in", TABLE_LEFT, "%s", objects[i]);
		table_cell(table, "function", TABLE_NAME, functions[i]);
	}
	return printed(table);
}

const struct tests_around tests_around = { .locale = "C.UTF-8" };

TEST(a_pipe_gets_names_in_full)
{
	CLEANUP(freep) char *text = print(&pipe_end);

	assert_string_equal(text, "  faults  in         function\n"
				  "   1,024  libc.so.6  main\n"
				  "       7  a          llvm::opt::parse(std::string, int)\n"
				  "                     two\\x0alines\n");
}

TEST(a_name_too_long_for_the_terminal_is_cut_in_its_middle)
{
	CLEANUP(freep) char *ascii = print(&narrow);
	CLEANUP(freep) char *utf8 = print(&narrow_utf8);

	assert_string_equal(ascii, "  faults  in         function\n"
				   "   1,024  libc.so.6  main\n"
				   "       7  a          llv...nt)\n"
				   "                     two...nes\n");
	assert_string_equal(utf8, "  faults  in         function\n"
				  "   1,024  libc.so.6  main\n"
				  "       7  a          llvm\xe2\x80\xa6int)\n"
				  "                     two\\\xe2\x80\xa6ines\n");
}

TEST(colour_marks_headings_and_alerts_only)
{
	CLEANUP(freep) char *text = print(&colored);

	assert_non_null(strstr(text, "\033[1mfunction\033[0m"));
	assert_non_null(strstr(text, "\033[1;33m     7\033[0m"));
	assert_null(strstr(text, "\033[1;33m 1,024"));
}

TEST(a_table_without_rows_prints_nothing)
{
	CLEANUP(table_destroyp) struct table *table = table_create(&pipe_end);
	CLEANUP(freep) char *text = printed(table);

	assert_string_equal(text, "");
}

TEST(a_name_of_twelve_thousand_characters_fits_a_terminal)
{
	static char name[12001];
	CLEANUP(table_destroyp) struct table *table = table_create(&narrow);

	memset(name, 'n', sizeof(name) - 1);
	table_begin_row(table);
	table_cell(table, "name", TABLE_NAME, name);
	CLEANUP(freep) char *text = printed(table);

	assert_string_equal(text, "  name\n  nnnnnnnnnnnnn...nnnnnnnnnnnn\n");
}

TEST(a_short_column_leaves_room_for_the_name)
{
	const struct terminal terminal = { .is_terminal = true, .width = 60 };
	CLEANUP(table_destroyp) struct table *table = table_create(&terminal);

	table_begin_row(table);
	table_cell(table, "in", TABLE_SHORT, "libsomething-with-a-very-long-name.so.1.2.3");
	table_cell(table, "function", TABLE_NAME, "a_function_that_needs_all_of_32c");
	CLEANUP(freep) char *text = printed(table);

	assert_string_equal(text, "  in                        function\n"
				  "  libsomethin...e.so.1.2.3  a_function_that_needs_all_of_32c\n");
}

/** Guard against libsmartcols, which never comes to its end if the locale cannot read a cell. */
TEST(letters_outside_ascii_are_printed_in_any_locale)
{
	CLEANUP(table_destroyp) struct table *table = table_create(&pipe_end);

	setlocale(LC_CTYPE, "C");
	alarm(20);
	table_begin_row(table);
	table_cell(table, "limit", TABLE_LEFT, "40 \xc2\xb1 5 %");
	table_cell(table, "object", TABLE_NAME, "lib\xc3\xa9.so");
	CLEANUP(freep) char *text = printed(table);

	alarm(0);
	setlocale(LC_CTYPE, "C.UTF-8");
	assert_string_equal(text, "  limit     object\n"
				  "  40 \xc2\xb1 5 %  lib\xc3\xa9.so\n");
}

TEST(numbers_make_room_for_names_where_asked)
{
	for (size_t i = 0; i < 2; i++) {
		const struct terminal terminal = { .is_terminal = true, .width = 38 };
		CLEANUP(table_destroyp) struct table *table = table_create(&terminal);

		table_begin_row(table);
		table_cell(table, "time", TABLE_RIGHT, "1");
		table_cell(table, "faults", TABLE_RIGHT, "12");
		table_cell(table, "pages", TABLE_RIGHT, "123");
		table_cell(table, "function", TABLE_NAME, "parse_option_list");
		table_keep_names(table, i * 16);
		CLEANUP(freep) char *text = printed(table);

		if (i == 1)
			assert_string_equal(text, "  time  faults  function\n"
						  "     1      12  parse_option_list\n");
		else
			assert_non_null(strstr(text, "  time  faults  pages  function\n"));
	}
}

TEST(figures_have_a_unit_and_stand_to_the_right)
{
	static const uint64_t values[] = { 0, 4096 };
	CLEANUP(table_destroyp) struct table *table = table_create(&pipe_end);

	for (size_t i = 0; i < 2; i++) {
		table_begin_row(table);
		table_figure(table, "number", TABLE_NUMBER, values[i]);
		table_figure_or_dash(table, "bytes", TABLE_BYTES, values[i]);
		table_figure(table, "time", TABLE_TIME, values[i]);
		table_figure(table, "ms", TABLE_MILLISECONDS, values[i] * 1000);
		table_figure(table, "hex", TABLE_HEX, values[i]);
		table_share(table, "share", values[i], 8192);
	}
	CLEANUP(freep) char *text = printed(table);

	assert_string_equal(text, "  number    bytes    time       ms     hex  share\n"
				  "       0        -    0 ns  0.00 ms     0x0      -\n"
				  "   4,096  4.0 KiB  4.1 us  4.10 ms  0x1000  50.0%\n");
}

TEST(numbers_read_well)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(figure_number(&arena, 0), "0");
	assert_string_equal(figure_number(&arena, 999), "999");
	assert_string_equal(figure_number(&arena, 1000), "1,000");
	assert_string_equal(figure_number(&arena, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(figure_percent(&arena, 1, 3), "33.3%");
	assert_string_equal(figure_percent(&arena, 0, 3), "-");
	assert_string_equal(figure_percent(&arena, 0, 0), "-");
	assert_string_equal(figure_percent(&arena, 1, 100000), "<0.1%");
	assert_string_equal(figure_percent(&arena, 99999, 100000), "99.9%");
	assert_string_equal(figure_percent(&arena, 7, 7), "100.0%");
	assert_string_equal(table_time(&arena, &pipe_end, 999), "999 ns");
	assert_string_equal(table_time(&arena, &pipe_end, 1500), "1.5 us");
	assert_string_equal(table_time(&arena, &narrow_utf8, 1500), "1.5 \xc2\xb5s");
	assert_string_equal(table_time(&arena, &pipe_end, 999999), "1.0 ms");
	assert_string_equal(table_time(&arena, &pipe_end, 1234000000), "1.23 s");
	assert_string_equal(table_time(&arena, &pipe_end, 200000000000), "3 min 20 s");
	assert_string_equal(figure_size(&arena, 1023), "1023 B");
	assert_string_equal(figure_size(&arena, 4096), "4.0 KiB");
	assert_string_equal(figure_size(&arena, 110 * 1024 * 1024), "110.0 MiB");
	assert_string_equal(figure_size(&arena, 1024 * 1024 - 1), "1.0 MiB");
}
