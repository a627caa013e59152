// SPDX-License-Identifier: Apache-2.0
// Segments that a mapping of a file shows, where several lie on its page.
#include "tests/support/elffile.h"
#include "tests/support/spaces.h"

enum { SEGMENTS = 3 };

/** An address space, and a file for it. */
struct shown {
	struct space space;
	const char *path;
};

static void shown_init(struct shown *shown, const Elf64_Phdr segments[SEGMENTS])
{
	CLEANUP(elffile_deinit) struct elffile file = { 0 };

	elffile_make(&file, 0x2100, segments, SEGMENTS);
	shown->path = elffile_temporary(&file);
	space_init(&shown->space);
}

static void shown_deinit(struct shown *shown)
{
	space_deinit(&shown->space);
	unlink(shown->path);
}

/** Map a page of the file. */
static void map_page(struct shown *shown, uint64_t addr, uint64_t offset, uint32_t protection)
{
	struct trace_mapping *page = mapping(&shown->space, addr, 0x1000, shown->path, offset);

	page->protection = TRACE_PROTECTION_READ | protection;
	aspace_map(shown->space.aspace, page);
}

// As lld lays out a small program: .data.rel.ro and .data are segments of one page of the file,
// which is mapped twice, writable both times.
TEST(segments_that_share_a_page_of_the_file_keep_one_bias)
{
	static const Elf64_Phdr segments[SEGMENTS] = {
		{ .p_flags = PF_R, .p_filesz = 0x800, .p_memsz = 0x800 },
		{ .p_flags = PF_R | PF_W,
		  .p_offset = 0x1050,
		  .p_vaddr = 0x3050,
		  .p_filesz = 0x1d8,
		  .p_memsz = 0x1d8 },
		{ .p_flags = PF_R | PF_W,
		  .p_offset = 0x1228,
		  .p_vaddr = 0x4228,
		  .p_filesz = 0x38,
		  .p_memsz = 0x40 },
	};
	CLEANUP(shown_deinit) struct shown shown;

	shown_init(&shown, segments);
	map_page(&shown, 0x7000000, 0, 0);
	map_page(&shown, 0x7003000, 0x1000, TRACE_PROTECTION_WRITE);
	map_page(&shown, 0x7004000, 0x1000, TRACE_PROTECTION_WRITE);
	assert_int_equal(vaddr_at(&shown.space, 0x7000000), 0);
	assert_int_equal(vaddr_at(&shown.space, 0x7003050), 0x3050);
	assert_int_equal(vaddr_at(&shown.space, 0x7004228), 0x4228);
	assert_int_equal(vaddr_at(&shown.space, 0x7004260), 0x4260);
}

TEST(of_segments_on_one_page_the_protection_tells_which_is_mapped)
{
	static const Elf64_Phdr segments[SEGMENTS] = {
		{ .p_flags = PF_R, .p_filesz = 0x200, .p_memsz = 0x200 },
		{ .p_flags = PF_R | PF_X,
		  .p_offset = 0x200,
		  .p_vaddr = 0x1200,
		  .p_filesz = 0x100,
		  .p_memsz = 0x100 },
		{ .p_flags = PF_R | PF_W,
		  .p_offset = 0x300,
		  .p_vaddr = 0x2300,
		  .p_filesz = 0x100,
		  .p_memsz = 0x100 },
	};
	CLEANUP(shown_deinit) struct shown shown;

	shown_init(&shown, segments);
	map_page(&shown, 0x7000000, 0, TRACE_PROTECTION_WRITE);
	map_page(&shown, 0x8000000, 0, TRACE_PROTECTION_EXEC);
	map_page(&shown, 0x9000000, 0, 0);
	assert_int_equal(vaddr_at(&shown.space, 0x7000300), 0x2300);
	assert_int_equal(vaddr_at(&shown.space, 0x8000200), 0x1200);
	assert_int_equal(vaddr_at(&shown.space, 0x9000000), 0);
}

TEST(a_mapping_shows_the_segment_that_begins_on_its_page)
{
	static const Elf64_Phdr segments[SEGMENTS] = {
		{ .p_flags = PF_R, .p_filesz = 0x1100, .p_memsz = 0x1100 },
		{ .p_flags = PF_R,
		  .p_offset = 0x1200,
		  .p_vaddr = 0x3200,
		  .p_filesz = 0x100,
		  .p_memsz = 0x100 },
	};
	CLEANUP(shown_deinit) struct shown shown;

	shown_init(&shown, segments);
	map_page(&shown, 0x7000000, 0x1000, 0);
	assert_int_equal(vaddr_at(&shown.space, 0x7000200), 0x3200);
}
