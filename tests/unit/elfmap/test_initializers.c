// SPDX-License-Identifier: Apache-2.0
// Initializers in the order they run, whatever way their addresses are stored.
#include "elfmap/dwarf/filesymbol.h"
#include "elfmap/dwarf/sourcelist.h"

#include "tests/support/elffile.h"

struct expected_initializer {
	const char *array;
	uint32_t index;
	uint64_t slot_vaddr, vaddr, offset;
	const char *function; // or NULL
};

static void check(struct elfmap *map, const struct expected_initializer *expected,
		  size_t expected_count)
{
	size_t count;
	const struct elfmap_initializer *initializers = elfmap_initializers(map, &count);

	assert_int_equal(count, expected_count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(initializers[i].array, expected[i].array);
		assert_int_equal(initializers[i].index, expected[i].index);
		assert_int_equal(initializers[i].slot_vaddr, expected[i].slot_vaddr);
		assert_int_equal(initializers[i].vaddr, expected[i].vaddr);
		assert_true(initializers[i].has_offset);
		assert_int_equal(initializers[i].offset, expected[i].offset);
		assert_null(initializers[i].source);
		if (!expected[i].function) {
			assert_null(initializers[i].symbol);
			continue;
		}
		assert_non_null(initializers[i].symbol);
		assert_string_equal(initializers[i].symbol->name, expected[i].function);
	}
}
#define CHECK(map, expected) check(map, expected, sizeof(expected) / sizeof(expected[0]))

TEST(arrays_run_in_order_and_ctors_backwards)
{
	static const struct expected_initializer expected[] = {
		{ ".preinit_array", 0, 0x3008, 0x1010, 0x1010, "start_early" },
		{ ".init", 0, 0x1000, 0x1000, 0x1000, NULL },
		{ ".init_array", 0, 0x3010, 0x1020, 0x1020, "start" },
		{ ".init_array", 1, 0x3018, 0x1030, 0x1030, "exported" }, // exported + 8
		{ ".ctors", 2, 0x3048, 0x1038, 0x1038, NULL },
		{ ".ctors", 1, 0x3040, 0x1030, 0x1030, "exported" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK(map, expected);
	assert_int_equal(elfmap_notes(map)->list.count, 0);
}

TEST(what_marks_the_ends_of_dtors_is_no_finalizer)
{
	static const char ctors[] = "\0.ctors";
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	size_t count;

	// -1, two functions, 0: as in .dtors.
	char *name = memmem(file.bytes, file.size, ctors, sizeof(ctors));

	assert_non_null(name);
	memcpy(name + 1, ".dtors", sizeof(".dtors"));
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	const uint64_t *finalizers = elfmap_finalizers(map, &count);

	assert_int_equal(count, 2);
	assert_int_equal(finalizers[0], 0x1030);
	assert_int_equal(finalizers[1], 0x1038);
}

TEST(a_static_program_has_them_by_section)
{
	static const struct expected_initializer expected[] = {
		{ ".init_array", 0, 0x1002000, 0x1000330, 0x330, "constructor" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("static-irelative");

	CHECK(map, expected);
}

TEST(an_entry_bound_to_another_file_is_kept_with_a_note)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	size_t count;

	((Elf64_Rela *)(file.bytes + 0x320))[3].r_info = ELF64_R_INFO(1, R_X86_64_64);
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	const struct elfmap_initializer *initializers = elfmap_initializers(map, &count);
	assert_int_equal(count, 6);
	assert_int_equal(initializers[3].vaddr, 0);
	assert_null(initializers[3].symbol);
	assert_true(elffile_has_note(map, ".init_array: 1 entries whose function cannot be "
					  "determined"));
}

TEST(an_array_outside_the_file_is_left_out_with_a_note)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	size_t count;

	Elf64_Dyn *entry =
		(Elf64_Dyn *)(file.bytes + elffile_section_named(&file, ".dynamic")->sh_offset);
	while (entry->d_tag != DT_INIT_ARRAYSZ)
		entry++;
	entry->d_un.d_val = UINT64_MAX;
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	elfmap_initializers(map, &count);
	assert_int_equal(count, 4);
	assert_true(elffile_has_note(map, ".init_array: 18446744073709551615 bytes"));
}

/** A package of Go, and its functions. */
struct expected_package {
	const char *name, *functions[2];
};

static void check_packages(const char *fixture, const struct expected_package *expected,
			   size_t expected_count)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture(fixture);
	size_t count;
	const struct elfmap_initializer *initializers = elfmap_initializers(map, &count);

	assert_int_equal(count, expected_count);
	for (size_t i = 0; i < count; i++) {
		const struct elfmap_initializer *package = &initializers[i];

		assert_string_equal(package->package, expected[i].name);
		assert_string_equal(package->array, "inittasks");
		assert_int_equal(package->index, i);
		assert_int_equal(package->vaddr, package->functions[0]);
		assert_int_equal(package->function_count, expected[i].functions[1] ? 2 : 1);
		for (size_t j = 0; j < package->function_count; j++) {
			struct elfmap_role role = elfmap_role_at(map, package->functions[j]);

			assert_string_equal(elfmap_symbol_at(map, package->functions[j])->name,
					    expected[i].functions[j]);
			assert_true(role.bits & ELFMAP_ROLE_INITIALIZER);
			assert_int_equal(role.initializer, i);
		}
	}
	assert_int_equal(elfmap_notes(map)->list.count, 0);
}

static const struct expected_package packages[] = {
	{ "runtime", { "runtime.init", "runtime.init.0" } },
	{ "example.com/x.y/alpha", { "example.com/x.y/alpha.init" } },
	{ "beta", { "beta.init.0", "beta.init.1" } },
	{ "main", { "main.init" } },
};

TEST(packages_of_go_run_as_its_lists_say)
{
	check_packages("gotasks", packages, 4);
	check_packages("gotasks-library", packages, 4);
}

TEST(packages_of_an_older_go_run_after_those_that_they_import)
{
	check_packages("gotasks-old", packages, 3);
	check_packages("gotasks-old-library", packages, 3);
}

static int constructed;

static __attribute__((constructor)) void construct(void)
{
	constructed++;
}

/** The source of construct() above, as this program's own file has it. */
static const char *own_source(const struct elfmap_initializer *initializers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (initializers[i].symbol && !strcmp(initializers[i].symbol->name, "construct"))
			return initializers[i].source;
	return NULL;
}

TEST(sources_are_read_only_when_they_are_wanted)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct err err = { 0 };
	size_t without, with;

	assert_int_equal(constructed, 1);
	assert_true(elfmap_open("/proc/self/exe", NULL, &map, &err));
	const struct elfmap_initializer *initializers =
		elfmap_initializers_without_source(map, &without);
	assert_true(without > 0);
	assert_null(own_source(initializers, without));

	initializers = elfmap_initializers(map, &with);
	assert_int_equal(with, without);
	const char *source = own_source(initializers, with);
	if (!elfmap_section_named(map, ".symtab")) { // stripped
		assert_null(source);
		return;
	}
	assert_non_null(source);
	assert_non_null(strstr(source, "test_initializers.c"));
}

TEST(a_name_tells_its_file_only_where_it_holds_one)
{
	static const struct {
		const char *name, *file; // NULL: none
	} names[] = {
		{ "_GLOBAL__sub_I_foo.cpp", "foo.cpp" },
		{ "_GLOBAL__sub_I_a.b.cc", "a.b.cc" },
		{ "_GLOBAL__sub_I_foo.cc.lto_priv.0", "foo.cc" },
		{ "_GLOBAL__sub_I_foo.cc.llvm.1234567890", "foo.cc" },
		{ "_GLOBAL__sub_I_foo.cpp.12", "foo.cpp" },
		{ "_GLOBAL__sub_I_foo.cc.cold", "foo.cc" },
		{ "_GLOBAL__sub_I_foo.cc.constprop.0.cold", "foo.cc" },
		{ "_GLOBAL__sub_I.00101_foo.cc", "foo.cc" },
		{ "_GLOBAL__sub_I_00101_foo.cc", "foo.cc" },
		{ "_GLOBAL__sub_I_00101_first", NULL },
		{ "_GLOBAL__sub_I__ZN4node9AsyncWrap5ResetEv", NULL },
		{ "_GLOBAL__sub_I_first.cold", NULL },
		{ "_GLOBAL__sub_I_.cc", NULL },
		{ "_GLOBAL__sub_I_", NULL },
		{ "_GLOBAL__sub_I", NULL },
		{ "_GLOBAL__sub_I.", NULL },
		{ "_GLOBAL__sub_Ifoo.cc", NULL },
		{ "_GLOBAL__I_000101", NULL },
		{ "_GLOBAL__sub_D_foo.cc", NULL },
		{ "foo.cc", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *start = NULL;
		size_t length = 0;
		bool found = filesymbol_in_name(names[i].name, &start, &length);

		if (found != (names[i].file != NULL))
			fail_msg("%s: %sfound", names[i].name, found ? "" : "not ");
		if (!found)
			continue;
		assert_int_equal(length, strlen(names[i].file));
		assert_memory_equal(start, names[i].file, length);
	}
}

TEST(many_sources_are_counted)
{
	CLEANUP(sourcelist_deinit) struct sourcelist list = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	char names[12][8];

	assert_null(sourcelist_text(&list, &arena));
	for (size_t i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]), "%c.cc", (char)('a' + i));
		sourcelist_add(&list, names[i]);
		sourcelist_add(&list, names[i / 2]); // seen already
		if (i == 0)
			assert_string_equal(sourcelist_text(&list, &arena), "a.cc");
	}
	char again[] = "c.cc";
	sourcelist_add(&list, again);
	assert_string_equal(sourcelist_text(&list, &arena),
			    "a.cc, b.cc, c.cc, d.cc, e.cc, f.cc, g.cc, h.cc and 4 more");
}
