// SPDX-License-Identifier: Apache-2.0
// Segments that a mapping of a file shows, where several lie on its page.
#include "tests/support/elffile.h"
#include "tests/support/spaces.h"

enum { SEGMENTS = 3 }; // each: type, flags, offset, vaddr, none, size in the file, in memory

static const char *path; // of the file

static void make_file(const Elf64_Phdr segments[SEGMENTS])
{
	CLEANUP(elffile_deinit) struct elffile file = { 0 };

	elffile_make(&file, 0x2100, segments, SEGMENTS);
	path = elffile_temporary(&file);
}

static int tear_down(void **state)
{
	unlink(path);
	return space_end(state);
}

const struct tests_around tests_around = { .before_each = space_begin, .after_each = tear_down };

/** Map a page of the file. */
static void map_page(uint64_t addr, uint64_t offset, uint32_t protection)
{
	struct trace_mapping *page = mapping(addr, 0x1000, path, offset);

	page->protection = TRACE_PROTECTION_READ | protection;
	aspace_map(space.aspace, page);
}

// As lld lays out a small program: .data.rel.ro and .data are segments of one page of the file,
// which is mapped twice, writable both times.
TEST(segments_that_share_a_page_of_the_file_keep_one_bias)
{
	static const Elf64_Phdr segments[SEGMENTS] = {
		{ PT_LOAD, PF_R, 0, 0, 0, 0x800, 0x800 },
		{ PT_LOAD, PF_R | PF_W, 0x1050, 0x3050, 0, 0x1d8, 0x1d8 },
		{ PT_LOAD, PF_R | PF_W, 0x1228, 0x4228, 0, 0x38, 0x40 },
	};

	make_file(segments);
	map_page(0x7000000, 0, 0);
	map_page(0x7003000, 0x1000, TRACE_PROTECTION_WRITE);
	map_page(0x7004000, 0x1000, TRACE_PROTECTION_WRITE);
	assert_int_equal(vaddr_at(0x7000000), 0);
	assert_int_equal(vaddr_at(0x7003050), 0x3050);
	assert_int_equal(vaddr_at(0x7004228), 0x4228);
	assert_int_equal(vaddr_at(0x7004260), 0x4260);
}

TEST(of_segments_on_one_page_the_protection_tells_which_is_mapped)
{
	static const Elf64_Phdr segments[SEGMENTS] = {
		{ PT_LOAD, PF_R, 0, 0, 0, 0x200, 0x200 },
		{ PT_LOAD, PF_R | PF_X, 0x200, 0x1200, 0, 0x100, 0x100 },
		{ PT_LOAD, PF_R | PF_W, 0x300, 0x2300, 0, 0x100, 0x100 },
	};

	make_file(segments);
	map_page(0x7000000, 0, TRACE_PROTECTION_WRITE);
	map_page(0x8000000, 0, TRACE_PROTECTION_EXEC);
	map_page(0x9000000, 0, 0);
	assert_int_equal(vaddr_at(0x7000300), 0x2300);
	assert_int_equal(vaddr_at(0x8000200), 0x1200);
	assert_int_equal(vaddr_at(0x9000000), 0);
}

TEST(a_mapping_shows_the_segment_that_begins_on_its_page)
{
	static const Elf64_Phdr segments[SEGMENTS] = {
		{ PT_LOAD, PF_R, 0, 0, 0, 0x1100, 0x1100 },
		{ PT_LOAD, PF_R, 0x1200, 0x3200, 0, 0x100, 0x100 },
	};

	make_file(segments);
	map_page(0x7000000, 0x1000, 0);
	assert_int_equal(vaddr_at(0x7000200), 0x3200);
}
