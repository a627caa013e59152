// SPDX-License-Identifier: Apache-2.0
// The walk over .eh_frame: encodings, damage, and the frames of this very program.
#include "elfmap/elfmap.h"
#include "elfmap/private.h"

#include "tests/support/elffile.h"

#include <link.h>

/** Expected FDE. */
struct row {
	uint64_t start, end, vaddr, size, lsda;
};

static void check_frames(struct elfmap *map, const struct row *rows, size_t row_count)
{
	size_t count;
	const struct elfmap_frame *frames = elfmap_frames(map, &count);

	assert_int_equal(count, row_count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(frames[i].code.start, rows[i].start);
		assert_int_equal(frames[i].code.end, rows[i].end);
		assert_int_equal(frames[i].vaddr, rows[i].vaddr);
		assert_int_equal(frames[i].size, rows[i].size);
		assert_int_equal(frames[i].lsda, rows[i].lsda);
	}
}

static const struct row rows_of_64_bit[] = {
	{ 0x1000, 0x1040, 0x438, 24, 0 },
	{ 0x1080, 0x10a0, 0x420, 24, 0x4a0 },
	{ 0x10a0, 0x10b0, 0x468, 32, 0 },
};

TEST(frames_are_sorted_by_their_code_and_keep_the_lsda)
{
	static const char *const names[] = { "le64-dyn", "be64-dyn", "no-sections" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture(names[i]);

		check_frames(map, rows_of_64_bit, 3);
	}
}

TEST(frames_of_32_bits_have_shorter_pointers)
{
	static const struct row rows[] = {
		{ 0x1000, 0x1040, 0x434, 24, 0 },
		{ 0x1080, 0x10a0, 0x41c, 24, 0x4a0 },
		{ 0x10a0, 0x10b0, 0x460, 20, 0 },
	};
	static const char *const names[] = { "le32-dyn", "be32-exec" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture(names[i]);

		check_frames(map, rows, 3);
	}
}

TEST(a_length_past_the_end_keeps_what_came_before)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");

	file.bytes[0x468 + 1] = 0x7f; // the last FDE now claims 32 KiB
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	check_frames(map, rows_of_64_bit, 2);
	assert_true(elffile_has_note(map, ".eh_frame is damaged at vaddr 0x468"));
}

TEST(a_cie_pointer_to_nowhere_loses_that_frame_only)
{
	static const struct row rows[] = {
		{ 0x1080, 0x10a0, 0x420, 24, 0x4a0 },
		{ 0x10a0, 0x10b0, 0x468, 32, 0 },
	};

	static const uint32_t pointers[] = { 0x3d, 0x1c, 0xffffffff, 4 };
	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		struct elffile file = elffile_fixture("le64-dyn");

		memcpy(file.bytes + 0x438 + 4, &pointers[i], 4);
		struct elfmap *map = elffile_map(&file);
		check_frames(map, rows, 2);
		assert_true(elffile_has_note(map, ": 1 damaged entries of .eh_frame skipped"));
		elfmap_close(map);
		elffile_deinit(&file);
	}
}

TEST(a_frame_for_no_code_is_counted)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");

	memset(file.bytes + 0x468 + 8, 0, 8); // as ld does with a discarded function
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	check_frames(map, rows_of_64_bit, 2);
	assert_true(elffile_has_note(map, ": 1 entries of .eh_frame describe no code"));
}

TEST(every_changed_byte_still_gives_sorted_code)
{
	static const uint8_t changes[] = { 0x01, 0x80, 0xff };

	for (size_t at = 0x400; at < 0x48c; at++) {
		for (size_t k = 0; k < sizeof(changes); k++) {
			struct elffile file = elffile_fixture("le64-dyn");
			size_t count;

			file.bytes[at] ^= changes[k];
			struct elfmap *map = elffile_map(&file);
			const struct elfmap_frame *frames = elfmap_frames(map, &count);
			assert_true(count <= 4);
			for (size_t i = 0; i < count; i++) {
				assert_true(frames[i].code.start >= 0x1000);
				assert_true(frames[i].code.end <= 0x1100);
				assert_true(frames[i].code.start < frames[i].code.end);
				if (i)
					assert_true(frames[i - 1].code.start <=
						    frames[i].code.start);
			}
			elfmap_close(map);
			elffile_deinit(&file);
		}
	}
}

static int find_bias(struct dl_phdr_info *info, size_t size, void *opaque)
{
	*(uint64_t *)opaque = info->dlpi_addr;
	return 1; // the program itself comes first
}

__attribute__((noinline)) static int a_function_of_this_program(int number)
{
	return number * 3 + 1;
}

TEST(this_program_has_a_frame_that_starts_at_its_function)
{
	static const struct elfmap_options options = { .no_debug_files = true };
	CLEANUP(elfmap_closep) struct elfmap *map;
	struct err err;
	uint64_t bias;
	size_t count;

	assert_int_equal(a_function_of_this_program(2), 7);
	dl_iterate_phdr(find_bias, &bias);
	uint64_t vaddr = (uint64_t)(uintptr_t)a_function_of_this_program - bias;
	assert_true(elfmap_open("/proc/self/exe", &options, &map, &err));
	const struct elfmap_symbol *symbol = elfmap_symbol_at(map, vaddr);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "a_function_of_this_program");

	const struct elfmap_frame *frames = elfmap_frames(map, &count);
	const struct elfmap_frame *own = NULL;
	for (size_t i = 0; i < count; i++)
		if (frames[i].code.start == vaddr)
			own = &frames[i];
	assert_non_null(own);
	assert_int_equal(range_size(own->code), symbol->size);
}
