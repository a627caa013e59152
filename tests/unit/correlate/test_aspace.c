// SPDX-License-Identifier: Apache-2.0
// Address spaces: overlays, forks, moves, and the anonymous part of .bss, the last on the mappings
// of this very process, whose truth is the address that C gives.
#include "tests/support/spaces.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scattered_bss[64 * 4096];
static int written_data = 7;
static const char read_only[] = "known bytes";

/** "name+offset" of the object at @addr, or "none". */
static const char *where(struct aspace *aspace, uint64_t addr)
{
	struct aspace_place place;
	size_t count;

	if (!aspace_find(aspace, addr, &place))
		return "none";
	const char *path = objects_all(space.objects, &count)[place.object].path;
	return place.has_offset ? arena_printf(&space.arena, "%s+%#lx", path, place.offset) : path;
}

static int set_up(void **state)
{
	// Make the pages real, so that the kernel may not merge or drop their mappings.
	scattered_bss[0] = (char)written_data;
	return 0;
}

const struct tests_around tests_around = { .before_all = set_up,
					   .before_each = space_begin,
					   .after_each = space_end };

TEST(a_later_mapping_cuts_an_earlier_one_in_two)
{
	aspace_map(space.aspace, mapping(0x10000, 0x10000, "/no/a", 0));
	aspace_map(space.aspace, mapping(0x14000, 0x2000, "/no/b", 0x5000));
	assert_string_equal(where(space.aspace, 0xffff), "none");
	assert_string_equal(where(space.aspace, 0x10000), "/no/a+0");
	assert_string_equal(where(space.aspace, 0x13fff), "/no/a+0x3fff");
	assert_string_equal(where(space.aspace, 0x14000), "/no/b+0x5000");
	assert_string_equal(where(space.aspace, 0x15fff), "/no/b+0x6fff");
	assert_string_equal(where(space.aspace, 0x16000), "/no/a+0x6000");
	assert_string_equal(where(space.aspace, 0x1ffff), "/no/a+0xffff");
	assert_string_equal(where(space.aspace, 0x20000), "none");
}

TEST(a_mapping_over_several_replaces_them_all)
{
	for (uint64_t i = 0; i < 100; i++)
		aspace_map(space.aspace, mapping(i * 0x2000, 0x1000, "/no/a", 0));
	aspace_map(space.aspace, mapping(0x1000, 98 * 0x2000, "//anon", 0));
	assert_string_equal(where(space.aspace, 0), "/no/a+0");
	assert_string_equal(where(space.aspace, 0x2000), "[anon]");
	assert_string_equal(where(space.aspace, 98 * 0x2000 + 0xfff), "[anon]");
	assert_string_equal(where(space.aspace, 99 * 0x2000), "/no/a+0");
}

TEST(a_child_keeps_its_view_when_the_parent_maps)
{
	aspace_map(space.aspace, mapping(0x10000, 0x4000, "/no/a", 0));
	struct aspace *child = aspace_fork(space.aspace);
	aspace_map(space.aspace, mapping(0x11000, 0x1000, "/no/b", 0));
	assert_string_equal(where(space.aspace, 0x11000), "/no/b+0");
	assert_string_equal(where(child, 0x11000), "/no/a+0x1000");
	aspace_destroy(child);
}

TEST(mremap_moves_and_shrinks)
{
	aspace_map(space.aspace, mapping(0x10000, 0x4000, "/no/a", 0x8000));
	aspace_map(space.aspace, mapping(0x40000, 0x4000, "/no/old", 0));
	aspace_remap(space.aspace, &(struct trace_remap){ .old_addr = 0x11000,
							  .old_size = 0x2000,
							  .new_addr = 0x40000,
							  .new_size = 0x2000 });
	assert_string_equal(where(space.aspace, 0x40000), "/no/a+0x9000");
	assert_string_equal(where(space.aspace, 0x41fff), "/no/a+0xafff");
	assert_string_equal(where(space.aspace, 0x42000), "/no/old+0x2000");
	assert_string_equal(where(space.aspace, 0x11000), "none");
	assert_string_equal(where(space.aspace, 0x13000), "/no/a+0xb000");

	aspace_remap(space.aspace, &(struct trace_remap){ .old_addr = 0x40000,
							  .old_size = 0x2000,
							  .new_addr = 0x40000,
							  .new_size = 0x1000 });
	assert_string_equal(where(space.aspace, 0x40fff), "/no/a+0x9fff");
	assert_string_equal(where(space.aspace, 0x41000), "none");
}

TEST(mremap_of_what_is_not_mapped_moves_nothing)
{
	aspace_map(space.aspace, mapping(0x20000, 0x4000, "/no/a", 0));
	aspace_remap(space.aspace, &(struct trace_remap){ .old_addr = 0x10000,
							  .old_size = 0x2000,
							  .new_addr = 0x40000,
							  .new_size = 0x2000 });
	assert_string_equal(where(space.aspace, 0x20000), "/no/a+0");
	assert_string_equal(where(space.aspace, 0x40000), "none");
}

TEST(a_stack_grows_down_without_a_record)
{
	aspace_map(space.aspace, mapping(0x7ff000000000, 0x21000, "[stack]", 0));
	assert_string_equal(where(space.aspace, 0x7ff000000000 - 0x8000), "[stack]");
	assert_string_equal(where(space.aspace, 0x7fe000000000), "none");
}

/** Replay this process's own mappings, in the order that its loader made them: by address. */
static void map_self(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset;
		char flags[5], path[512] = "//anon";

		assert_true(sscanf(line, "%lx-%lx %4s %lx %*s %*s %511[^\n]", &start, &end, flags,
				   &offset, path) >= 4);
		struct trace_mapping *made =
			mapping(start, end - start, arena_strdup(&space.arena, path), offset);
		made->protection = (flags[0] == 'r' ? 1u : 0) | (flags[1] == 'w' ? 2u : 0) |
				   (flags[2] == 'x' ? 4u : 0);
		aspace_map(space.aspace, made);
	}
	fclose(maps);
}

/** The symbol that elfmap finds where the space says @object lies. */
static const char *symbol_of(const void *object, bool *ret_has_offset)
{
	struct aspace_place place;

	assert_true(aspace_find(space.aspace, (uintptr_t)object, &place));
	assert_true(place.has_vaddr);
	*ret_has_offset = place.has_offset;
	const struct elfmap_symbol *symbol =
		elfmap_symbol_at(objects_map(space.objects, place.object), place.vaddr);
	assert_non_null(symbol);
	return symbol->name;
}

TEST(this_process_is_found_byte_by_byte)
{
	bool has_offset;

	map_self();
	assert_string_equal(symbol_of(read_only + 3, &has_offset), "read_only");
	assert_true(has_offset);
	assert_string_equal(symbol_of(&written_data, &has_offset), "written_data");
	assert_true(has_offset);
	assert_string_equal(symbol_of(scattered_bss + 20 * 4096, &has_offset), "scattered_bss");
	assert_false(has_offset);
	assert_string_equal(symbol_of(scattered_bss + sizeof(scattered_bss) - 1, &has_offset),
			    "scattered_bss");
	assert_string_equal(symbol_of((const void *)map_self, &has_offset), "map_self");
}

TEST(anonymous_memory_where_a_library_was_is_not_its_bss)
{
	struct aspace_place place;

	map_self();
	assert_true(aspace_find(space.aspace, (uintptr_t)(scattered_bss + 30 * 4096), &place));
	// As after dlclose, when malloc gets the top of the hole: not the shape of the .bss.
	uint64_t page = (uintptr_t)(scattered_bss + 10 * 4096) & ~4095ul;
	aspace_map(space.aspace, mapping(page, 100 * 4096, "//anon", 0));
	assert_string_equal(where(space.aspace, (uintptr_t)(scattered_bss + 30 * 4096)), "[anon]");
}

/** The page of code_that_is_copied(), whose image is in this process's own mappings. */
__attribute__((noinline)) static uint64_t code_that_is_copied(void)
{
	return (uintptr_t)code_that_is_copied & ~4095ul;
}

static void map_anonymous(uint64_t addr, uint32_t protection)
{
	struct trace_mapping *made = mapping(addr, 4096, "//anon", 0);

	made->protection = protection;
	aspace_map(space.aspace, made);
}

/** @bytes of this program's code, all on @page, count as copied. */
static void check_copied(uint64_t page, uint64_t bytes)
{
	const uint64_t addr = (uintptr_t)code_that_is_copied;
	struct aspace_place place;
	size_t count;

	assert_true(aspace_find(space.aspace, addr, &place));
	const struct object *object = &objects_all(space.objects, &count)[place.object];

	assert_int_equal(object->copied_bytes, bytes);
	assert_int_equal(object->copied.start, place.vaddr - (addr - page));
	assert_int_equal(range_size(object->copied), 4096);
}

TEST(a_copy_of_code_at_its_own_address_keeps_its_names)
{
	const uint32_t write = TRACE_PROTECTION_READ | TRACE_PROTECTION_WRITE;
	const uint32_t run = TRACE_PROTECTION_READ | TRACE_PROTECTION_EXEC;
	const uint64_t page = code_that_is_copied(), elsewhere = 0x10000;
	bool has_offset;

	map_self();
	// As long as it cannot run it is any memory.
	map_anonymous(page, write);
	assert_string_equal(where(space.aspace, page), "[anon]");
	map_anonymous(page, run);
	assert_string_equal(symbol_of((const void *)code_that_is_copied, &has_offset),
			    "code_that_is_copied");
	assert_false(has_offset);
	check_copied(page, 4096);
	map_anonymous(page, write | run); // the same copy
	check_copied(page, 4096);
	// Another comes from elsewhere, where it was generated code.
	map_anonymous(elsewhere, run);
	assert_string_equal(where(space.aspace, elsewhere), "[anon]");
	aspace_remap(space.aspace, &(struct trace_remap){ .old_addr = elsewhere,
							  .old_size = 4096,
							  .new_addr = page,
							  .new_size = 4096 });
	assert_string_equal(symbol_of((const void *)code_that_is_copied, &has_offset),
			    "code_that_is_copied");
}

TEST(code_at_the_end_of_its_image_is_copied_where_more_of_it_is_behind)
{
	const uint64_t page = code_that_is_copied();
	bool has_offset;

	map_self();
	// As BOLT puts the code: no other segment is behind it.
	aspace_map(space.aspace, mapping(page + 8192, 64 << 20, "//anon", 0));
	map_anonymous(page, TRACE_PROTECTION_READ | TRACE_PROTECTION_EXEC);
	assert_string_equal(symbol_of((const void *)code_that_is_copied, &has_offset),
			    "code_that_is_copied");
}

TEST(code_where_an_image_was_is_no_copy_when_that_is_gone)
{
	const uint64_t page = code_that_is_copied();

	map_self();
	// As after dlclose: all behind the code is something else.
	aspace_map(space.aspace, mapping(page + 4096, 64 << 20, "//anon", 0));
	map_anonymous(page, TRACE_PROTECTION_READ | TRACE_PROTECTION_EXEC);
	assert_string_equal(where(space.aspace, page), "[anon]");
}

TEST(anonymous_memory_behind_bss_may_be_one_area_with_it)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, wanted = (unsigned long)(scattered_bss + 20 * 4096);
	bool found = false, has_offset;
	char line[1024];

	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%lx-%lx", &start, &end) == 2 && start <= wanted &&
			wanted < end;
	fclose(maps);
	assert_true(found);
	map_self();
	// As when the memory behind was mapped before the library was.
	aspace_map(space.aspace, mapping(start, end - start, "/no/a", 0));
	aspace_map(space.aspace, mapping(start, end - start + 0x2000, "//anon", 0));
	assert_string_equal(symbol_of(scattered_bss + 20 * 4096, &has_offset), "scattered_bss");
	assert_string_equal(symbol_of(scattered_bss + sizeof(scattered_bss) - 1, &has_offset),
			    "scattered_bss");
	assert_string_equal(where(space.aspace, end), "[anon]");
	assert_string_equal(where(space.aspace, end + 0x1fff), "[anon]");
}

enum {
	IMAGE = 0x7000000,     // where the file below is loaded
	DATA = IMAGE + 0x3000, // its writable pages of the file: two of them
	BSS = IMAGE + 0x5000,  // its .bss behind them: eight pages
	BSS_END = IMAGE + 0xd000,
};

/** A library: 0x1000 bytes that are read, 0x1200 that are written, .bss, and what is not loaded. */
static const char *write_library(char *path)
{
	static const struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[2];
		char rest[0x8000];
	} file = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			    .e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 },
		.segments = {
			{ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 0x1000,
			  .p_memsz = 0x1000, .p_align = 0x1000 },
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = 0x1100,
			  .p_vaddr = 0x3100, .p_filesz = 0x1200, .p_memsz = 0x9f00,
			  .p_align = 0x1000 },
		},
	};
	CLEANUP(fd_close) int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	return path;
}

static void map_memory(uint64_t start, uint64_t end)
{
	aspace_map(space.aspace, mapping(start, end - start, "//anon", 0));
}

/** As ld.so loads it; without its .bss. */
static void load_library(const char *path)
{
	aspace_map(space.aspace, mapping(IMAGE, 0xd000, path, 0));
	aspace_map(space.aspace, mapping(DATA, 0x2000, path, 0x1000));
}

/** Each page of .bss is known as such, and what is behind it is not. */
static void check_bss(void)
{
	struct aspace_place place;

	for (uint64_t addr = BSS; addr < BSS_END; addr += 0x1000)
		assert_int_equal(vaddr_at(addr + 8), addr + 8 - IMAGE);
	if (aspace_find(space.aspace, BSS_END, &place))
		assert_false(place.has_vaddr);
}

TEST(bss_stays_itself_when_mprotect_changes_one_page_and_changes_it_back)
{
	char path[] = "/tmp/test_aspace.XXXXXX";

	load_library(write_library(path));
	map_memory(BSS, BSS_END);
	check_bss();
	// First, middle and last page. The kernel records the page, then the area made whole again.
	for (uint64_t page = BSS; page < BSS_END; page += 0x1000) {
		map_memory(page, page + 0x1000);
		check_bss();
		map_memory(BSS, BSS_END);
		check_bss();
	}
	// What is between two such pages is changed as well: pieces become one in the middle.
	map_memory(BSS + 0x2000, BSS + 0x3000);
	map_memory(BSS + 0x4000, BSS + 0x5000);
	map_memory(BSS + 0x2000, BSS + 0x5000);
	check_bss();
	map_memory(BSS + 0x1000, BSS + 0x3000);
	check_bss();
	// The heap behind it, without a gap, and mprotect of the end of one with the start of the
	// other.
	map_memory(BSS, BSS_END + 0x4000);
	check_bss();
	map_memory(BSS + 0x6000, BSS_END + 0x2000);
	check_bss();
	map_memory(BSS, BSS_END + 0x4000);
	check_bss();
	assert_string_equal(where(space.aspace, BSS_END + 0x3fff), "[anon]");
	unlink(path);
}

TEST(bss_is_found_in_pieces_when_a_process_is_attached_to)
{
	char path[] = "/tmp/test_aspace.XXXXXX";

	load_library(write_library(path));
	map_memory(BSS, BSS + 0x2000);
	map_memory(BSS + 0x2000, BSS + 0x3000);
	map_memory(BSS + 0x3000, BSS_END + 0x1000); // with the heap
	check_bss();
	assert_string_equal(where(space.aspace, BSS_END), "[anon]");
	unlink(path);
}

TEST(bss_that_mremap_moves_keeps_its_variables)
{
	const struct trace_remap remap = { .old_addr = BSS + 0x2000,
					   .old_size = 0x3000,
					   .new_addr = IMAGE + 0x400000,
					   .new_size = 0x3000 };
	char path[] = "/tmp/test_aspace.XXXXXX";

	load_library(write_library(path));
	map_memory(BSS, BSS_END);
	aspace_remap(space.aspace, &remap);
	assert_int_equal(vaddr_at(BSS + 0x1008), BSS + 0x1008 - IMAGE);
	assert_int_equal(vaddr_at(remap.new_addr + 8), remap.old_addr + 8 - IMAGE);
	assert_int_equal(vaddr_at(remap.new_addr + 0x2fff), remap.old_addr + 0x2fff - IMAGE);
	unlink(path);
}

/**
 * Check the place of @addr: its offset in the file, and its vaddr or -1 if it is none of the
 * image's.
 */
static void check_byte(uint64_t addr, uint64_t offset, uint64_t vaddr)
{
	struct aspace_place place;

	assert_true(aspace_find(space.aspace, addr, &place));
	assert_true(place.has_offset);
	assert_int_equal(place.offset, offset);
	assert_int_equal(place.has_vaddr ? place.vaddr : UINT64_MAX, vaddr);
}

TEST(a_file_mapped_as_data_is_what_its_offsets_say)
{
	enum { WHOLE = 0x5000000, WINDOW = 0x6000000 };
	char path[] = "/tmp/test_aspace.XXXXXX";

	write_library(path);
	aspace_map(space.aspace, mapping(WHOLE, 0x9000, path, 0));
	check_byte(WHOLE, 0, 0);
	check_byte(WHOLE + 0xfff, 0xfff, 0xfff);
	// The image has vaddr 0x3100 for these bytes, and with the bias of the file's start 0x1100.
	check_byte(WHOLE + 0x1100, 0x1100, UINT64_MAX);
	// With that bias the next would be in .data, then in .bss: they are not loaded at all.
	check_byte(WHOLE + 0x3200, 0x3200, UINT64_MAX);
	check_byte(WHOLE + 0x4400, 0x4400, UINT64_MAX);
	check_byte(WHOLE + 0x8000, 0x8000, UINT64_MAX);

	// A window that begins in .data gives that its bias; what follows is not zeroed.
	aspace_map(space.aspace, mapping(WINDOW, 0x5000, path, 0x2000));
	check_byte(WINDOW + 0x2ff, 0x22ff, 0x42ff);
	check_byte(WINDOW + 0x300, 0x2300, UINT64_MAX);
	check_byte(WINDOW + 0x1000, 0x3000, UINT64_MAX);

	// Loaded beside, it is the image all the same.
	load_library(path);
	map_memory(BSS, BSS_END);
	check_byte(IMAGE + 0x10, 0x10, 0x10);
	check_byte(DATA + 0x100, 0x1100, 0x3100);
	check_byte(DATA + 0x12ff, 0x22ff, 0x42ff);
	check_byte(DATA + 0x1300, 0x2300, 0x4300); // zeroed: .bss
	check_byte(DATA + 0x1fff, 0x2fff, 0x4fff);
	check_byte(DATA + 0x10, 0x1010, 0x3010); // padding
	check_bss();
	unlink(path);
}
