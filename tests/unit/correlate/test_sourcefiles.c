// SPDX-License-Identifier: Apache-2.0
// Source files: their lines, and why there are none.
#include "correlate/answer/sourcefiles.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sourcefiles.XXXXXX";

static const char *write_file(struct arena *arena, const char *name, const char *text)
{
	const char *path = arena_printf(arena, "%s/%s", folder, name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	return path;
}

static const char *problem_of(struct sourcefiles *files, const char *path, time_t built)
{
	return sourcefile_problem(sourcefiles_get(files, path), built);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "a.c",    "empty.c", "new.c",   "id_rsa",
					     "fifo.c", "large.c", "binary.c" };

	if (chdir(folder) != 0)
		return 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	return rmdir(folder);
}

const struct tests_around tests_around = { .before_all = make_folder, .after_all = remove_folder };

TEST(lines_are_numbered_from_one)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(sourcefiles_destroyp) struct sourcefiles *files = sourcefiles_create(NULL);
	const struct sourcefile *file =
		sourcefiles_get(files, write_file(&arena, "a.c", "one\n\tif (x)\tb\r\n\nlast"));

	assert_null(sourcefile_problem(file, INT64_MAX));
	assert_null(sourcefile_line(file, 0, &arena));
	assert_string_equal(sourcefile_line(file, 1, &arena), "one");
	assert_string_equal(sourcefile_line(file, 2, &arena), "        if (x)  b");
	assert_string_equal(sourcefile_line(file, 3, &arena), "");
	assert_string_equal(sourcefile_line(file, 4, &arena), "last");
	assert_null(sourcefile_line(file, 5, &arena));
	assert_null(sourcefile_line(file, UINT32_MAX, &arena));
}

TEST(an_empty_file_has_no_lines)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(sourcefiles_destroyp) struct sourcefiles *files = sourcefiles_create(NULL);

	assert_null(sourcefile_line(sourcefiles_get(files, write_file(&arena, "empty.c", "")), 1,
				    &arena));
}

TEST(a_file_that_is_newer_than_the_program_is_in_doubt)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(sourcefiles_destroyp) struct sourcefiles *files = sourcefiles_create(NULL);
	const char *path = write_file(&arena, "new.c", "one\n");

	assert_null(problem_of(files, path, INT64_MAX));
	assert_non_null(strstr(problem_of(files, path, 1), "changed after the program was built"));
	assert_string_equal(sourcefile_line(sourcefiles_get(files, path), 1, &arena), "one");
}

TEST(what_is_not_called_like_source_is_not_opened)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(sourcefiles_destroyp) struct sourcefiles *files = sourcefiles_create(NULL);
	const char *secret = write_file(&arena, "id_rsa", "secret\n");
	const char *paths[] = {
		secret,
		arena_printf(&arena, "/usr/include/c++/../../..%s", secret),
		"/etc/shadow",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct sourcefile *file = sourcefiles_get(files, paths[i]);

		assert_string_equal(sourcefile_problem(file, INT64_MAX),
				    "not read: its name is not that of a source file");
		assert_null(sourcefile_line(file, 1, &arena));
	}
}

TEST(what_cannot_be_read_says_why)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(sourcefiles_destroyp) struct sourcefiles *files = sourcefiles_create(NULL);
	const char *fifo = arena_printf(&arena, "%s/fifo.c", folder);
	const char *large = write_file(&arena, "large.c", "");
	const char *binary = write_file(&arena, "binary.c", "");

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(truncate(large, 100 << 20), 0);
	assert_int_equal(truncate(binary, 10), 0);
	assert_string_equal(problem_of(files, "./a.c", 1),
			    "not looked for: DWARF has only a relative path");
	assert_string_equal(problem_of(files, arena_printf(&arena, "%s/gone.c", folder), 1),
			    "not here");
	assert_string_equal(problem_of(files, fifo, 1), "it cannot be read");
	assert_string_equal(problem_of(files, large, 1), "it is too large");
	assert_string_equal(problem_of(files, binary, 1), "it is no text, or cannot be read");
}
