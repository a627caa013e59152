// SPDX-License-Identifier: Apache-2.0
// Names of files and initializers: each that an answer prints is taken.
#include "model/naming.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TEST(a_file_has_its_path_file_name_and_soname)
{
	const char *path = "/usr/lib/libfoo.so.1.2", *soname = "libfoo.so.1";

	assert_true(naming_is_file(path, soname, "/usr/lib/libfoo.so.1.2"));
	assert_true(naming_is_file(path, soname, "libfoo.so.1.2"));
	assert_true(naming_is_file(path, soname, "libfoo.so.1"));
	assert_false(naming_is_file(path, soname, "libfoo.so"));
	assert_false(naming_is_file(path, soname, "/opt/libfoo.so.1.2"));
	assert_false(naming_is_file(path, NULL, "libfoo.so.1"));
	assert_true(naming_is_file("[heap]", NULL, "[heap]"));
}

TEST(homes_may_be_shortened_on_either_side)
{
	assert_true(naming_is_file("/home/ada/a.so", NULL, "~/a.so"));
	assert_true(naming_is_file("~/a.so", NULL, "/home/ada/a.so"));
	assert_false(naming_is_file("~/a.so", NULL, "/srv/a.so"));
}

TEST(links_and_dots_are_resolved_in_a_path_of_this_machine)
{
	char folder[] = "/tmp/naming.XXXXXX", file[64], link[64], dotted[64];

	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/libfoo.so.1", folder);
	snprintf(link, sizeof(link), "%s/libfoo.so", folder);
	snprintf(dotted, sizeof(dotted), "%s/./libfoo.so.1", folder);
	fclose(fopen(file, "w"));
	assert_int_equal(symlink("libfoo.so.1", link), 0);
	assert_true(naming_is_file(file, NULL, link));
	assert_true(naming_is_file(file, NULL, dotted));
	// Of another machine: nothing here has the name.
	assert_false(naming_is_file(file, NULL, "/no/such/libfoo.so"));
	unlink(link);
	unlink(file);
	rmdir(folder);
}

TEST(an_initializer_has_each_name_that_is_printed)
{
	static const char *const names[] = { "ns::init()", "_ZN2ns4initEv", "globals of foo.cc",
					     ".init_array[3]", ".init_array" };
	const struct model_initializer initializer = {
		.array = ".init_array",
		.index = 3,
		.function = "ns::init()",
		.symbol = "_ZN2ns4initEv",
		.label = "globals of foo.cc",
	};
	struct naming naming;

	naming_of_initializer(&naming, &initializer);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(naming_has(&naming, names[i]));
	assert_false(naming_has(&naming, ".init_array[2]"));
	assert_true(naming_matches(&naming, "globals of *"));
	assert_false(naming_matches(&naming, "globals of ?"));
}

TEST(several_files_of_one_name_are_reported)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_null(naming_several(&arena, "a.so", 1, "/x/a.so"));
	assert_string_equal(naming_several(&arena, "a.so", 2, "/x/a.so"),
			    "a.so names 2 files; using /x/a.so (pass the path to use another)");
}
