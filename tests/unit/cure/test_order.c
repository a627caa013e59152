// SPDX-License-Identifier: Apache-2.0
#include "base/cleanup.h"
#include "cure/order.h"
#include "cure/ordermerge.h"
#include "tests/support/test.h"

#include <string.h>
#include <unistd.h>

static char *written(const struct order *order, enum order_format format, const char *comment)
{
	return text_written(order_write(order, format, comment, out));
}

/** A file with @size bytes of @text, whose name is put into @path. */
static void make_file(char *path, const char *text, size_t size)
{
	strcpy(path, "/tmp/elfault-order.XXXXXX");
	CLEANUP(fd_close) int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
}

TEST(each_name_is_there_once_where_it_was_first)
{
	CLEANUP(order_deinit) struct order order = { 0 };

	assert_true(order_add(&order, "main"));
	assert_true(order_add(&order, "foo@@V2"));
	assert_false(order_add(&order, "main"));
	assert_false(order_add(&order, "foo"));
	assert_false(order_add(&order, "foo@V1"));
	assert_false(order_add(&order, "foo.cold.0")); // split off by BOLT
	assert_false(order_add(&order, ""));
	assert_true(order_add(&order, "fo"));

	CLEANUP(freep) char *text = written(&order, ORDER_BOLT, "unseen");

	assert_string_equal(text, "main\nfoo\nfo\n");
}

/** Starts with the functions of each text, one a word. */
static void fill(struct order_start *starts, char (*texts)[16], const uint32_t *weights,
		 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		starts[i] = (struct order_start){ .weight = weights[i] };
		for (char *word = strtok(texts[i], " "); word; word = strtok(NULL, " "))
			order_add(&starts[i].order, word);
	}
}

TEST(what_most_starts_enter_comes_first)
{
	char texts[][16] = { "a b c d", "x b y d", "z x a" };
	static const uint32_t weights[] = { 1, 10, 2 };
	struct order_start starts[3];
	CLEANUP(order_deinit) struct order merged = { 0 }, all = { 0 };

	fill(starts, texts, weights, 3);
	order_add_starts(starts, 3, &all);
	order_merge(starts, 3, &merged);
	CLEANUP(freep) char *plain = written(&all, ORDER_BOLT, NULL);
	CLEANUP(freep) char *text = written(&merged, ORDER_BOLT, NULL);

	assert_string_equal(plain, "a\nb\nc\nd\nx\ny\nz\n");
	// x 12, b and d 11, y 10, a 3, z 2, c 1.
	assert_string_equal(text, "x\nb\nd\ny\na\nz\nc\n");
	for (size_t i = 0; i < 3; i++)
		order_deinit(&starts[i].order);
}

TEST(a_profile_has_a_trace_for_each_start)
{
	char texts[][16] = { "a b", "b a,c c" };
	static const uint32_t weights[] = { 3, 1 };
	struct order_start starts[2];

	fill(starts, texts, weights, 2);
	CLEANUP(freep) char *text = text_written(order_write_profile(starts, 2, out));
	// "a,c" would be two names.
	assert_string_equal(text,
			    ":ir\n:temporal_prof_traces\n# Num Temporal Profile Traces:\n2\n"
			    "# Temporal Profile Trace Stream Size:\n2\n"
			    "# Weight:\n3\na,b\n# Weight:\n1\nb,c\n"
			    "a\n# Func Hash:\n0\n# Num Counters:\n1\n# Counter Values:\n1\n\n"
			    "b\n# Func Hash:\n0\n# Num Counters:\n1\n# Counter Values:\n1\n\n"
			    "c\n# Func Hash:\n0\n# Num Counters:\n1\n# Counter Values:\n1\n\n");
	for (size_t i = 0; i < 2; i++)
		order_deinit(&starts[i].order);
}

TEST(what_no_line_can_hold_is_refused_and_counted)
{
	static const char *const names[] = {
		"evil\nmain", "\x1b[31mred", "a\x7f",  "a\xc2\x9b",
		"#comment",   " blank",	     "blank ", "\r",
	};
	enum { COUNT = sizeof(names) / sizeof(names[0]) };
	CLEANUP(order_deinit) struct order order = { 0 };

	for (size_t i = 0; i < 2 * COUNT; i++)
		assert_false(order_add(&order, names[i % COUNT]));
	assert_true(order_add(&order, "operator new"));
	assert_true(order_add(&order, "\xc3\xa9t\xc3\xa9"));
	assert_int_equal(order.refused.count, COUNT);

	CLEANUP(freep) char *text = written(&order, ORDER_BOLT, NULL);

	assert_string_equal(text, "operator new\n\xc3\xa9t\xc3\xa9\n");
}

TEST(lld_gets_comments_and_symbols_as_they_are)
{
	CLEANUP(order_deinit) struct order order = { 0 };

	order_add(&order, "_ZN3fooC1Ev");
	order_add(&order, "bar.part.0.cold");
	order_add(&order, "baz.llvm.1234");

	CLEANUP(freep) char *text = written(&order, ORDER_LLD, "two\nlines\n");

	assert_string_equal(text, "# elfault order\n# two\n# lines\n_ZN3fooC1Ev\n"
				  "bar.part.0.cold\nbaz.llvm.1234\n");
}

TEST(gold_gets_the_sections_that_a_symbol_may_be_in)
{
	CLEANUP(order_deinit) struct order order = { 0 };

	order_add(&order, "foo.isra.0");
	order_add(&order, "foo.isra.0.cold");
	order_add(&order, ".cold");

	CLEANUP(freep) char *text = written(&order, ORDER_GOLD, "unseen");

	assert_string_equal(text, ".text.foo.isra.0\n.text.hot.foo.isra.0\n"
				  ".text.startup.foo.isra.0\n.text.exit.foo.isra.0\n"
				  ".text.unlikely.foo.isra.0\n"
				  ".text.unlikely.foo.isra.0\n.text.split.foo.isra.0\n"
				  ".text..cold\n.text.hot..cold\n.text.startup..cold\n"
				  ".text.exit..cold\n.text.unlikely..cold\n");
}

/** The names of a file with @text. */
static char *names_of(const char *text)
{
	CLEANUP(order_deinit) struct order order = { 0 };
	char path[32];
	struct err err;

	make_file(path, text, strlen(text));
	assert_true(order_read(&order, path, &err));
	unlink(path);
	return written(&order, ORDER_BOLT, NULL);
}

TEST(each_form_that_is_written_gives_the_same_names)
{
	static const char names[] = "main\nfoo.cold\nfoo\nfoo.isra.0\nfoo.isra.0.cold\nbar.cold\n"
				    ".cold\nconstructor\nfoo.part.1\n";

	for (enum order_format format = ORDER_LLD; format <= ORDER_BOLT; format++) {
		CLEANUP(order_deinit) struct order order = { 0 };
		CLEANUP(freep) char *all = strdup(names);

		for (char *name = strtok(all, "\n"); name; name = strtok(NULL, "\n"))
			order_add(&order, name);

		CLEANUP(freep) char *text = written(&order, format, "comment");
		CLEANUP(freep) char *again = names_of(text);

		assert_string_equal(again, names);
	}
}

TEST(sections_and_names_of_other_tools_are_of_functions)
{
	// Of gold's lists that people write, and of BOLT's own, which number local functions.
	CLEANUP(freep)
	char *names = names_of(".text.unlikely.rare\n.text.startup.main\n"
			       ".text.exit.leave\n.text.split.main\n"
			       "local/1\nlocal/file.c/2\na/b\n/1\n"
			       ".text.unlikely.last");

	assert_string_equal(names, "rare\nmain\nleave\nmain.cold\nlocal\na/b\n/1\nlast\n");
}

TEST(files_are_merged_behind_each_other)
{
	CLEANUP(order_deinit) struct order order = { 0 };
	static const char one[] = "# elfault order\n# main of a\nmain\n\n  beta \r\n";
	static const char two[] = "beta\n.text.hot.alpha\n.text.unlikely.main\nlast";
	char path[32];
	struct err err;

	make_file(path, one, sizeof(one) - 1);
	assert_true(order_is_file(path));
	assert_true(order_read(&order, path, &err));
	unlink(path);
	make_file(path, two, sizeof(two) - 1);
	assert_false(order_is_file(path));
	assert_true(order_read(&order, path, &err));
	unlink(path);

	CLEANUP(freep) char *text = written(&order, ORDER_BOLT, NULL);

	assert_string_equal(text, "main\nbeta\nalpha\nlast\n");
}

TEST(a_file_with_nul_bytes_is_refused)
{
	CLEANUP(order_deinit) struct order order = { 0 };
	char path[32];
	struct err err;

	make_file(path, "main\nfo\0o\n", 10);
	assert_false(order_read(&order, path, &err));
	assert_int_equal(err.code, ERR_INPUT);
	assert_non_null(strstr(err.message, ": line 2 has a NUL byte: not an order file"));
	unlink(path);
	assert_false(order_read(&order, path, &err));
	assert_int_equal(err.code, ERR_OS);
	assert_false(order_is_file(path));
}

TEST(a_file_in_order_has_the_least_area)
{
	CLEANUP(order_deinit) struct order order = { 0 };
	static const struct order_place before[] = {
		{ "main", { 0x1000, 0x1c00 } },	  { "alpha", { 0x2000, 0x2c00 } },
		{ "never", { 0x3000, 0x3c00 } },  { "gamma", { 0x4000, 0x4c00 } },
		{ "gamma2", { 0x4000, 0x4c00 } }, // two names of one place
		{ "alpha", { 0x5000, 0x5400 } },  // another one, local
	};
	static const struct order_place after[] = {
		{ "gamma", { 0x1000, 0x1c00 } },
		{ "main", { 0x1c00, 0x2800 } },
		{ "alpha", { 0x2800, 0x3400 } },
	};
	struct order_check check;

	order_add(&order, "gamma");
	order_add(&order, "main");
	order_add(&order, "alpha");
	order_add(&order, "gone");
	order_verify(&order, before, 6, 0x1000, &check);
	assert_int_equal(check.found, 3);
	assert_int_equal(check.functions, 4);
	assert_int_equal(check.duplicates, 1);
	assert_int_equal(check.in_order, 3); // main, alpha, alpha
	assert_int_equal(check.area.code_pages, 4);
	assert_int_equal(check.area.area, 1 + 2 + 3 + 4);

	order_verify(&order, after, 3, 0x1000, &check);
	assert_int_equal(check.in_order, 3);
	assert_int_equal(check.duplicates, 0);
	assert_int_equal(check.area.area, 1 + 2 + 3);
	assert_int_equal(check.area.least_area, check.area.area);

	order_verify(&order, NULL, 0, 0x1000, &check);
	assert_int_equal(check.functions, 0);
	assert_int_equal(check.in_order, 0);
}
