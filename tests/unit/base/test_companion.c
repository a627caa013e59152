// SPDX-License-Identifier: Apache-2.0
// Programs that belong to the running one, where builds, packages and copies have them.
#include "base/companion.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/elfault-companion-XXXXXX";

static const char *in_root(struct arena *arena, const char *path)
{
	return arena_printf(arena, "%s/%s", root, path);
}

static void put(const char *path, mode_t mode)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(file_closep) FILE *file = fopen(in_root(&arena, path), "w");

	assert_non_null(file);
	assert_int_equal(chmod(in_root(&arena, path), mode), 0);
}

static int set_up(void **state)
{
	static const char *const folders[] = { "build",	  "build/cli", "build/helper", "usr",
					       "usr/bin", "other",     "two words",    "empty" };
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdir(in_root(&arena, folders[i]), 0755) != 0)
			return -1;
	put("build/helper/helper", 0755);
	put("usr/bin/helper", 0755);
	put("two words/helper", 0755);
	put("other/helper", 0644); // no program
	return symlink("usr/bin", in_root(&arena, "bin"));
}

static int tear_down(void **state)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	return system(arena_printf(&arena, "rm -r %s", root));
}

/** For a program at @self, with @first and @second in PATH. What is expected is below the root. */
static void expect(const char *self, const char *first, const char *second, const char *path,
		   const char *word)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct companion found = companion_find_from(
		&arena, "helper", "helper", self ? in_root(&arena, self) : NULL,
		arena_printf(&arena, "%s:%s", in_root(&arena, first), in_root(&arena, second)));

	if (!path) {
		assert_null(found.path);
		assert_null(found.word);
		return;
	}
	assert_string_equal(found.path, in_root(&arena, path));
	assert_string_equal(found.word, word);
}

const struct tests_around tests_around = { .before_all = set_up, .after_all = tear_down };

TEST(beside_the_program_or_in_a_folder_of_the_build)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	expect("build/cli/main", "empty", "other", "build/helper/helper",
	       in_root(&arena, "build/helper/helper"));
	expect("usr/bin/main", "empty", "other", "usr/bin/helper",
	       in_root(&arena, "usr/bin/helper"));
	expect("two words/main", "empty", "other", "two words/helper",
	       arena_printf(&arena, "'%s/two words/helper'", root));
}

TEST(the_name_is_enough_where_path_finds_the_same_file)
{
	expect("usr/bin/main", "other", "usr/bin", "usr/bin/helper", "helper");
	expect("usr/bin/main", "bin", "other", "bin/helper", "helper");
}

TEST(what_belongs_to_the_program_is_taken_before_what_is_in_path)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	expect("build/cli/main", "usr/bin", "other", "build/helper/helper",
	       in_root(&arena, "build/helper/helper"));
	expect("usr/bin/main", "two words", "usr/bin", "usr/bin/helper",
	       in_root(&arena, "usr/bin/helper"));
}

TEST(otherwise_path_has_it_or_nothing)
{
	expect("empty/main", "other", "usr/bin", "usr/bin/helper", "helper");
	expect(NULL, "usr/bin", "other", "usr/bin/helper", "helper");
	expect("empty/main", "other", "empty", NULL, NULL);
	expect("main", "other", "empty", NULL, NULL);
}

TEST(a_relative_folder_in_path_is_no_place)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_int_equal(chdir(in_root(&arena, "usr")), 0);
	assert_null(companion_find_from(&arena, "helper", "helper", NULL, "bin:").path);
	assert_null(companion_find_from(&arena, "helper", "helper", "main", NULL).path);
	assert_int_equal(chdir("/"), 0);
}

TEST(in_the_home_directory_it_is_named_by_a_tilde)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_int_equal(setenv("HOME", root, 1), 0);
	expect("build/cli/main", "empty", "other", "build/helper/helper", "~/build/helper/helper");
	expect("two words/main", "empty", "other", "two words/helper", "~/'two words/helper'");
}
