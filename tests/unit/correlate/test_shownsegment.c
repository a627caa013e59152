// SPDX-License-Identifier: Apache-2.0
// Segments that a mapping of a file shows, where several lie on its page.
#include "tests/support/spaces.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS = 3 };

/** Write a file of @segments, which are loaded; @path: its last six letters are replaced. */
static void write_file(char *path, const Elf64_Phdr segments[SEGMENTS])
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[SEGMENTS];
		char rest[0x2000];
	} file = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = SEGMENTS },
	};
	int fd = mkstemp(path);

	for (size_t i = 0; i < SEGMENTS; i++) {
		file.segments[i] = segments[i];
		file.segments[i].p_type = PT_LOAD;
		file.segments[i].p_align = 0x1000;
	}
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	close(fd);
}

/** Map a page of the file. */
static void map_page(struct space *space, uint64_t addr, const char *path, uint64_t offset,
		     uint32_t protection)
{
	struct trace_mapping *page = mapping(space, addr, 0x1000, path, offset);

	page->protection = TRACE_PROTECTION_READ | protection;
	aspace_map(space->aspace, page);
}

// As lld lays out a small program: .data.rel.ro and .data are segments of one page of the file,
// which is mapped twice, writable both times.
static void segments_that_share_a_page_of_the_file_keep_one_bias(void **state)
{
	(void)state;
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
	char path[] = "/tmp/test_shownsegment.XXXXXX";
	struct space space;

	write_file(path, segments);
	space_init(&space);
	map_page(&space, 0x7000000, path, 0, 0);
	map_page(&space, 0x7003000, path, 0x1000, TRACE_PROTECTION_WRITE);
	map_page(&space, 0x7004000, path, 0x1000, TRACE_PROTECTION_WRITE);
	assert_int_equal(vaddr_at(&space, 0x7000000), 0);
	assert_int_equal(vaddr_at(&space, 0x7003050), 0x3050);
	assert_int_equal(vaddr_at(&space, 0x7004228), 0x4228);
	assert_int_equal(vaddr_at(&space, 0x7004260), 0x4260);
	space_deinit(&space);
	unlink(path);
}

static void of_segments_on_one_page_the_protection_tells_which_is_mapped(void **state)
{
	(void)state;
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
	char path[] = "/tmp/test_shownsegment.XXXXXX";
	struct space space;

	write_file(path, segments);
	space_init(&space);
	map_page(&space, 0x7000000, path, 0, TRACE_PROTECTION_WRITE);
	map_page(&space, 0x8000000, path, 0, TRACE_PROTECTION_EXEC);
	map_page(&space, 0x9000000, path, 0, 0);
	assert_int_equal(vaddr_at(&space, 0x7000300), 0x2300);
	assert_int_equal(vaddr_at(&space, 0x8000200), 0x1200);
	assert_int_equal(vaddr_at(&space, 0x9000000), 0);
	space_deinit(&space);
	unlink(path);
}

static void a_mapping_shows_the_segment_that_begins_on_its_page(void **state)
{
	(void)state;
	static const Elf64_Phdr segments[SEGMENTS] = {
		{ .p_flags = PF_R, .p_filesz = 0x1100, .p_memsz = 0x1100 },
		{ .p_flags = PF_R,
		  .p_offset = 0x1200,
		  .p_vaddr = 0x3200,
		  .p_filesz = 0x100,
		  .p_memsz = 0x100 },
	};
	char path[] = "/tmp/test_shownsegment.XXXXXX";
	struct space space;

	write_file(path, segments);
	space_init(&space);
	map_page(&space, 0x7000000, path, 0x1000, 0);
	assert_int_equal(vaddr_at(&space, 0x7000200), 0x3200);
	space_deinit(&space);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_that_share_a_page_of_the_file_keep_one_bias),
		cmocka_unit_test(of_segments_on_one_page_the_protection_tells_which_is_mapped),
		cmocka_unit_test(a_mapping_shows_the_segment_that_begins_on_its_page),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
