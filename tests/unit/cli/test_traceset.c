// SPDX-License-Identifier: Apache-2.0
// Traces that the words of a command line stand for.
#include "cli/answer/traceset.h"

#include "base/strbuf.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** An empty directory of its own for each test. */
static int enter(void **state)
{
	char *folder = xstrdup("/tmp/elfault-traceset.XXXXXX");

	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir("set", 0700) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	struct strbuf command = { 0 };

	strbuf_printf(&command, "cd / && rm -r '%s'", (char *)*state);
	int status = system(command.text);
	strbuf_deinit(&command);
	free(*state);
	return status;
}

static void put(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fclose(file);
}

/** @words stand for the paths of @expected, one a line; NULL: for nothing that may be read. */
static void assert_paths(const char *const *words, const char *expected)
{
	struct traceset set = { 0 };
	struct strbuf found = { 0 };
	bool done = true;

	for (; done && *words; words++)
		done = traceset_add(&set, *words);
	assert_int_equal(done, expected != NULL);
	vec_foreach (path, &set.paths)
		strbuf_printf(&found, "%s\n", *path);
	if (expected)
		assert_string_equal(strbuf_text(&found), expected);
	strbuf_deinit(&found);
	traceset_deinit(&set);
	traceset_deinit(&set); // empty, as at the start
}

const struct tests_around tests_around = { .before_each = enter, .after_each = leave };

TEST(a_file_is_one_trace_whatever_its_name)
{
	put("old.txt");
	assert_paths((const char *[]){ "old.txt", "none", NULL }, "old.txt\nnone\n");
}

TEST(a_directory_is_its_traces_in_the_order_of_their_numbers)
{
	for (int i = 12; i > 0; i--) {
		char path[32];

		snprintf(path, sizeof(path), "set/%d.trace", i);
		put(path);
	}
	assert_paths(
		(const char *[]){ "set", NULL },
		"set/1.trace\nset/2.trace\nset/3.trace\nset/4.trace\nset/5.trace\nset/6.trace\n"
		"set/7.trace\nset/8.trace\nset/9.trace\nset/10.trace\nset/11.trace\n"
		"set/12.trace\n");
}

TEST(other_files_of_a_directory_are_no_traces)
{
	put("set/.trace");
	put("set/.1.trace");
	put("set/1.trace.old");
	put("set/.1.trace.Ab12Cd");
	put("set/trace");
	put("set/notes.txt");
	put("set/a.trace");
	assert_paths((const char *[]){ "set/", NULL }, "set/a.trace\n");
}

TEST(a_link_to_a_directory_is_that_directory)
{
	put("set/1.trace");
	assert_int_equal(symlink("set", "link"), 0);
	assert_paths((const char *[]){ "link", NULL }, "link/1.trace\n");
}

TEST(files_and_directories_mix_in_their_order)
{
	put("set/2.trace");
	put("set/10.trace");
	put("z.trace");
	assert_paths((const char *[]){ "z.trace", "set", "z.trace", NULL },
		     "z.trace\nset/2.trace\nset/10.trace\nz.trace\n");
}

TEST(a_directory_without_traces_is_refused)
{
	assert_paths((const char *[]){ "set", NULL }, NULL);
	put("set/1.trace.old");
	assert_paths((const char *[]){ "set", NULL }, NULL);
}

TEST(only_a_directory_with_traces_is_refused_as_a_set)
{
	put("file.trace");
	assert_false(traceset_refuse("analyze", "file.trace"));
	assert_false(traceset_refuse("analyze", "none"));
	assert_false(traceset_refuse("analyze", "set"));
	put("set/1.trace");
	assert_true(traceset_refuse("analyze", "set"));
}
