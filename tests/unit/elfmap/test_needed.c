// SPDX-License-Identifier: Apache-2.0
// Names of the libraries that a file asks for.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

enum { SONAME = 1, IMPORTED = 17, EXPORTED = 26 }; // names in .dynstr of the fixture

/** Entry @index of the fixture's .dynamic becomes DT_NEEDED with the name at @name. */
static void need(const struct elffile *file, size_t index, uint64_t name)
{
	Elf64_Dyn *entries =
		(Elf64_Dyn *)(file->bytes + elffile_section_named(file, ".dynamic")->sh_offset);

	entries[index] = (Elf64_Dyn){ .d_tag = DT_NEEDED, .d_un.d_val = name };
}

static struct elfmap *opened(struct elffile *file)
{
	struct elfmap *map = NULL;
	struct err err = { 0 };

	if (!elffile_open(file, &map, &err))
		fail_msg("%s", err.message);
	elffile_deinit(file);
	return map;
}

TEST(names_come_in_the_order_of_the_file)
{
	struct elffile file = elffile_fixture("le64-dyn");
	size_t count;

	need(&file, 0, EXPORTED); // instead of DT_SONAME
	need(&file, 6, IMPORTED); // instead of DT_FLAGS
	need(&file, 7, EXPORTED); // instead of DT_INIT: a name may come twice
	CLEANUP(elfmap_closep) struct elfmap *map = opened(&file);
	const char *const *names = elfmap_needed(map, &count);

	assert_int_equal(count, 3);
	assert_string_equal(names[0], "exported");
	assert_string_equal(names[1], "imported");
	assert_string_equal(names[2], "exported");
	assert_ptr_equal(elfmap_needed(map, &count), names);
}

TEST(a_file_that_needs_nothing_has_no_names)
{
	static const char *const files[] = { "le64-dyn", "le32-dyn", "be32-exec", "no-sections" };
	size_t count = 1;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture(files[i]);

		elfmap_needed(map, &count);
		assert_int_equal(count, 0);
		assert_false(elffile_has_note(map, "DT_NEEDED"));
	}
}

TEST(a_name_outside_the_string_table_is_left_out_and_noted)
{
	struct elffile file = elffile_fixture("le64-dyn");
	size_t count;

	need(&file, 0, UINT64_MAX);
	need(&file, 6, IMPORTED);
	need(&file, 7, 50); // DT_STRSZ
	CLEANUP(elfmap_closep) struct elfmap *map = opened(&file);
	const char *const *names = elfmap_needed(map, &count);

	assert_int_equal(count, 1);
	assert_string_equal(names[0], "imported");
	assert_true(elffile_has_note(map, "DT_NEEDED: 2 names past the end of .dynstr"));
}

TEST(entries_behind_the_end_do_not_count)
{
	struct elffile file = elffile_fixture("le64-dyn");
	size_t count;

	need(&file, 0, SONAME);
	need(&file, 8, IMPORTED); // instead of DT_NULL: the section ends without one
	CLEANUP(elfmap_closep) struct elfmap *map = opened(&file);

	elfmap_needed(map, &count);
	assert_int_equal(count, 2);
	assert_true(elffile_has_note(map, "does not end with DT_NULL"));
}
