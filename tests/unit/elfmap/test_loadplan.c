// SPDX-License-Identifier: Apache-2.0
// Cost of loading: the mmaps for several page sizes, and what relocation writes. Real files are
// compared with strace by tests/objects/compare.py.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

#include <sys/mman.h>

static void check_mmaps(const struct elfmap_load *load, const struct elfmap_mmap *expected,
			size_t expected_count)
{
	assert_int_equal(load->mmap_count, expected_count);
	for (size_t i = 0; i < load->mmap_count; i++) {
		assert_int_equal(load->mmaps[i].vaddr, expected[i].vaddr);
		assert_int_equal(load->mmaps[i].size, expected[i].size);
		assert_int_equal(load->mmaps[i].has_offset, expected[i].has_offset);
		assert_int_equal(load->mmaps[i].offset, expected[i].offset);
		assert_int_equal(load->mmaps[i].protection, expected[i].protection);
	}
}
#define CHECK_MMAPS(load, expected) \
	check_mmaps(load, expected, sizeof(expected) / sizeof(expected[0]))

TEST(the_first_mmap_of_a_library_spans_it)
{
	static const struct elfmap_mmap expected[] = {
		{ 0, 0x4000, true, 0, PROT_READ | PROT_EXEC },
		{ 0x3000, 0x1000, true, 0x1000, PROT_READ | PROT_WRITE },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations32");

	CHECK_MMAPS(elfmap_load(map, 4096), expected);
}

TEST(the_kernel_maps_each_segment_of_a_program_by_itself)
{
	static const struct elfmap_mmap expected[] = {
		{ 0x1000000, 0x1000, true, 0, PROT_READ | PROT_EXEC },
		{ 0x1002000, 0x1000, true, 0x1000, PROT_READ | PROT_WRITE },
		{ 0x1003000, 0x1000, false, 0, PROT_READ | PROT_WRITE }, // .bss ends at 0x1003100
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("static-irelative");

	CHECK_MMAPS(elfmap_load(map, 4096), expected);
}

/** The fixture as a library: with a DT_NEEDED it cannot be taken for a static PIE. */
static struct elfmap *open_library(void)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	elffile_header(&file)->e_entry = 0;
	return elffile_map(&file);
}

TEST(bss_pages_beyond_the_file_are_anonymous)
{
	static const struct elfmap_mmap expected[] = {
		{ 0, 0x6000, true, 0, PROT_READ },
		{ 0x1000, 0x1000, true, 0x1000, PROT_READ | PROT_EXEC },
		{ 0x3000, 0x1000, true, 0x2000, PROT_READ | PROT_WRITE },
		{ 0x4000, 0x2000, false, 0, PROT_READ | PROT_WRITE },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = open_library();

	CHECK_MMAPS(elfmap_load(map, 4096), expected);
}

TEST(relocations_are_counted_by_class_and_page)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_library();
	const struct elfmap_load *load = elfmap_load(map, 4096);

	assert_int_equal(load->relocation_counts[ELFMAP_RELOCATION_RELATIVE], 8);
	assert_int_equal(load->relocation_counts[ELFMAP_RELOCATION_SYMBOLIC], 2);
	assert_int_equal(load->relocation_counts[ELFMAP_RELOCATION_IRELATIVE], 1);
	assert_int_equal(load->relocation_counts[ELFMAP_RELOCATION_TLS], 1);
	assert_int_equal(load->relocation_counts[ELFMAP_RELOCATION_COPY], 1);
	assert_int_equal(load->relocation_counts[ELFMAP_RELOCATION_JUMP_SLOT], 1);
	assert_true(load->uses_relr && load->uses_rela && !load->uses_rel);
	assert_int_equal(load->relocation_table_bytes, 24 + 192 + 48);
	assert_int_equal(load->pages_written_by_relocation, 2); // 0x3000 and 0x5000
	assert_int_equal(load->relro_bytes, 0x500);
	assert_false(load->bind_now);
}

TEST(a_slot_across_a_page_and_a_copied_object_count_all_their_pages)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	Elf64_Rela *table = (Elf64_Rela *)(file.bytes + 0x320);
	table[0].r_offset = 0x3ffc; // pages 0x3000 and 0x4000
	Elf64_Sym *copied = (Elf64_Sym *)(file.bytes + 0x200) + 3;
	copied->st_size = 0x100000; // cut at the segment's end, 0x5800
	table[4].r_offset = 0x4ff8; // pages 0x4000 and 0x5000
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	assert_int_equal(elfmap_load(map, 4096)->pages_written_by_relocation, 3);
	// A larger page holds what two smaller ones hold.
	assert_int_equal(elfmap_load(map, 8192)->pages_written_by_relocation, 2);
	assert_int_equal(elfmap_load(map, 65536)->pages_written_by_relocation, 1);
	assert_int_equal(elfmap_load(map, 4096)->pages_written_by_relocation, 3);
}

TEST(a_segment_that_wraps_around_is_left_out_with_a_note)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	elffile_segment(&file, 2)->p_memsz = UINT64_MAX - 0x3000;
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	const struct elfmap_load *load = elfmap_load(map, 4096);
	assert_int_equal(load->mmap_count, 2);
	assert_true(elffile_has_note(map, "no loader accepts"));
}
