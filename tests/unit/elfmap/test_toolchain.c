// SPDX-License-Identifier: Apache-2.0
// Tools that compiled and linked a file, by .comment.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

/** The fixture, whose .comment is 16 bytes, with these there. */
static struct elfmap *opened(const char *comment)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");

	memcpy(file.bytes + elffile_section_named(&file, ".comment")->sh_offset, comment, 16);
	return elffile_map(&file);
}

TEST(each_tool_is_named_once_and_in_order)
{
	CLEANUP(elfmap_closep) struct elfmap *map = opened("\0ld 2\0gcc\0ld 2\0\0");

	assert_string_equal(elfmap_toolchain(map), "gcc, ld 2");
}

TEST(a_name_without_its_end_stops_with_the_section)
{
	CLEANUP(elfmap_closep) struct elfmap *map = opened("0123456789abcdef");

	assert_string_equal(elfmap_toolchain(map), "0123456789abcdef");
}

TEST(a_file_may_name_nobody)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct err err = { 0 };

	CLEANUP(elfmap_closep) struct elfmap *empty = opened("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
	assert_null(elfmap_toolchain(empty));
	assert_true(elfmap_open(elffile_path("no-sections"), NULL, &map, &err));
	assert_null(elfmap_toolchain(map));
}
