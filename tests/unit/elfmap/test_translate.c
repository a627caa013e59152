// SPDX-License-Identifier: Apache-2.0
// vaddr <-> offset and the range map under it, against known files and naive byte-array oracles.
#include "elfmap/elfmap.h"
#include "elfmap/rangemap.h"

#include "tests/support/elffile.h"

enum { SEED = 20240607, SPACE = 4096, LOADS_MAX = 12 };

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

TEST(a_known_file_translates_at_the_edges_of_its_segments)
{
	static const struct {
		uint64_t vaddr;
		bool has_offset;
		uint64_t offset;
	} expected[] = {
		{ 0, true, 0 },		  { 0x4af, true, 0x4af },   { 0x4b0, false, 0 },
		{ 0xfff, false, 0 },	  { 0x1000, true, 0x1000 }, { 0x10ff, true, 0x10ff },
		{ 0x1100, false, 0 },	  { 0x2fff, false, 0 },	    { 0x3000, true, 0x2000 },
		{ 0x30ff, true, 0x20ff }, { 0x3100, false, 0 }, // .bss
		{ 0x313f, false, 0 },	  { 0x3140, false, 0 },	    { UINT64_MAX, false, 0 },
	};

	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("le64-dyn");
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		uint64_t offset = 0, vaddr = 0;

		assert_int_equal(elfmap_vaddr_to_offset(map, expected[i].vaddr, &offset),
				 expected[i].has_offset);
		if (!expected[i].has_offset)
			continue;
		assert_int_equal(offset, expected[i].offset);
		assert_true(elfmap_offset_to_vaddr(map, offset, &vaddr));
		assert_int_equal(vaddr, expected[i].vaddr);
	}
	uint64_t ignored;
	assert_false(elfmap_offset_to_vaddr(map, 0x4b0, &ignored));
	assert_false(elfmap_offset_to_vaddr(map, 0x2100, &ignored));
}

/** An ELF64 file of SPACE bytes whose @count segments are random, also overlapping. */
static struct elffile random_file(uint32_t *random, size_t count)
{
	struct elffile file = { .bytes = xcalloc(SPACE, 1), .size = SPACE };
	Elf64_Ehdr *header = elffile_header(&file);

	*header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(*header),
		.e_ehsize = sizeof(*header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)count,
	};
	for (size_t i = 0; i < count; i++) {
		Elf64_Phdr *segment = elffile_segment(&file, i);
		uint64_t file_size = next_random(random) % 400;

		*segment = (Elf64_Phdr){
			.p_type = next_random(random) % 4 ? PT_LOAD : PT_NOTE + 100,
			.p_offset = next_random(random) % (SPACE - file_size),
			.p_filesz = file_size,
			.p_vaddr = next_random(random) % (SPACE - 800),
			.p_memsz = file_size + next_random(random) % 400,
		};
	}
	return file;
}

static bool naive_offset(const struct elffile *file, uint64_t vaddr, uint64_t *ret_offset)
{
	for (size_t i = 0; i < elffile_header(file)->e_phnum; i++) {
		const Elf64_Phdr *segment = elffile_segment(file, i);

		if (segment->p_type != PT_LOAD || vaddr < segment->p_vaddr ||
		    vaddr >= segment->p_vaddr + segment->p_memsz)
			continue;
		*ret_offset = segment->p_offset + (vaddr - segment->p_vaddr);
		return vaddr < segment->p_vaddr + segment->p_filesz;
	}
	return false;
}

static bool naive_vaddr(const struct elffile *file, uint64_t offset, uint64_t *ret_vaddr)
{
	for (size_t i = 0; i < elffile_header(file)->e_phnum; i++) {
		const Elf64_Phdr *segment = elffile_segment(file, i);

		if (segment->p_type != PT_LOAD || offset < segment->p_offset ||
		    offset >= segment->p_offset + segment->p_filesz)
			continue;
		*ret_vaddr = segment->p_vaddr + (offset - segment->p_offset);
		return true;
	}
	return false;
}

TEST(random_segments_translate_as_a_linear_search_does)
{
	uint32_t random = SEED;

	print_message("# seed %d\n", SEED);
	for (int round = 0; round < 60; round++) {
		struct elffile file = random_file(&random, next_random(&random) % LOADS_MAX);
		struct elfmap *map;
		struct err err;

		if (!elffile_open(&file, &map, &err))
			fail_msg("round %d: %s", round, err.message);
		for (uint64_t at = 0; at < SPACE; at++) {
			uint64_t expected = 0, found = 0;
			bool has = naive_offset(&file, at, &expected);

			assert_int_equal(elfmap_vaddr_to_offset(map, at, &found), has);
			if (has)
				assert_int_equal(found, expected);
			has = naive_vaddr(&file, at, &expected);
			assert_int_equal(elfmap_offset_to_vaddr(map, at, &found), has);
			if (has)
				assert_int_equal(found, expected);
		}
		elfmap_close(map);
		elffile_deinit(&file);
	}
}

/** Ranks of ids, a permutation: an order that has nothing to do with the ids' own. */
static bool lower_rank_wins(const void *context, uint32_t a, uint32_t b)
{
	const uint32_t *ranks = context;

	return ranks[a] < ranks[b];
}

TEST(a_range_map_agrees_with_an_array_of_bytes)
{
	enum { VALUES = 256, RANGES = 40 };
	uint32_t random = SEED;

	print_message("# seed %d\n", SEED);
	for (int round = 0; round < 300; round++) {
		struct arena arena = { 0 };
		struct rangemap_item items[RANGES];
		uint32_t ranks[RANGES];
		int owners[VALUES];

		memset(owners, -1, sizeof(owners));
		for (uint32_t i = 0; i < RANGES; i++) {
			uint32_t other = next_random(&random) % (i + 1);

			ranks[i] = ranks[other];
			ranks[other] = i;
		}
		for (uint32_t i = 0; i < RANGES; i++) {
			uint64_t start = next_random(&random) % VALUES;
			uint64_t size = next_random(&random) % (round % 2 ? 8 : 120);
			uint64_t end = start + size < VALUES ? start + size : VALUES;

			items[i] = (struct rangemap_item){ { start, end }, i };
			for (uint64_t at = start; at < end; at++)
				if (owners[at] < 0 || ranks[i] < ranks[owners[at]])
					owners[at] = (int)i;
		}
		struct rangemap map;
		rangemap_build(&map, &arena, items, RANGES, lower_rank_wins, ranks);
		for (uint64_t at = 0; at < VALUES; at++) {
			const struct rangemap_item *found = rangemap_find(&map, at);

			assert_int_equal(found ? (int)found->id : -1, owners[at]);
		}
		assert_null(rangemap_find(&map, VALUES));
		for (size_t i = 1; i < map.count; i++)
			assert_true(map.items[i - 1].range.end <= map.items[i].range.start);
		assert_true(map.count <= 2 * RANGES);
		arena_deinit(&arena);
	}
}

static void check_place(struct elfmap *map, uint64_t offset, const char *section, bool has_vaddr,
			uint64_t vaddr, const char *symbol)
{
	struct elfmap_place place;

	elfmap_locate_offset(map, offset, &place);
	assert_true(place.has_offset);
	assert_int_equal(place.offset, offset);
	assert_string_equal(place.section_name, section);
	assert_int_equal(place.has_vaddr, has_vaddr);
	if (has_vaddr) {
		struct elfmap_place same;

		assert_int_equal(place.vaddr, vaddr);
		assert_non_null(place.segment);
		elfmap_locate(map, vaddr, &same);
		assert_int_equal(same.offset, offset);
		assert_string_equal(same.section_name, section);
		assert_ptr_equal(same.symbol, place.symbol);
	} else {
		assert_null(place.segment);
	}
	assert_int_equal(place.symbol != NULL, symbol != NULL);
	if (symbol)
		assert_string_equal(place.symbol->name, symbol);
}

TEST(every_byte_of_a_file_has_a_place)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("le64-dyn");

	check_place(map, 0, "[elf-header]", true, 0, NULL);
	check_place(map, 0x3f, "[elf-header]", true, 0x3f, NULL);
	check_place(map, 0x40, "[program-headers]", true, 0x40, NULL);
	check_place(map, 0x157, "[program-headers]", true, 0x157, NULL);
	check_place(map, 0x158, "[padding]", true, 0x158, NULL);
	check_place(map, 0x180, ".note.gnu.build-id", true, 0x180, NULL);
	check_place(map, 0x4b0, "[padding]", false, 0, NULL);
	check_place(map, 0x1010, ".text", true, 0x1010, "inner");
	check_place(map, 0x1088, ".text", true, 0x1088, "fn@0x1080");
	check_place(map, 0x2008, ".data", true, 0x3008, "table");
	check_place(map, 0x2100, ".comment", false, 0, NULL);
	check_place(map, 0x2110, ".gnu_debuglink", false, 0, NULL);

	const struct elfmap_section *names = elfmap_section_named(map, ".shstrtab");
	check_place(map, names->offset, ".shstrtab", false, 0, NULL);
	check_place(map, elfmap_info(map)->size - 1, "[section-headers]", false, 0, NULL);
}

TEST(bss_has_a_place_but_no_offset)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("le64-dyn");
	struct elfmap_place place;

	elfmap_locate(map, 0x3104, &place);
	assert_true(place.has_vaddr);
	assert_false(place.has_offset);
	assert_string_equal(place.section_name, ".bss");
	assert_string_equal(place.symbol->name, "zeros");
	elfmap_locate(map, 0x5000, &place);
	assert_false(place.has_offset);
	assert_null(place.segment);
	assert_string_equal(place.section_name, "[padding]");
}

TEST(without_section_headers_parts_are_named_by_what_they_must_be)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("no-sections");
	struct elfmap_place place;

	static const struct {
		uint64_t vaddr;
		const char *name;
	} expected[] = {
		{ 0, "[elf-header]" },	    { 0x1a0, ".note" },	  { 0x200, ".dynsym" },
		{ 0x25f, ".dynsym" },	    { 0x280, ".hash" },	  { 0x29b, ".hash" },
		{ 0x29c, ".rodata" },	    { 0x2b0, ".dynstr" }, { 0x400, ".eh_frame" },
		{ 0x490, ".eh_frame_hdr" }, { 0x1000, ".text" },  { 0x3000, ".data" },
		{ 0x3020, ".dynamic" },	    { 0x3100, ".bss" },
	};
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		elfmap_locate(map, expected[i].vaddr, &place);
		assert_string_equal(place.section_name, expected[i].name);
		assert_null(place.section);
	}
	assert_true(elffile_has_note(map, "names of sections are inferred"));
}

TEST(without_section_headers_relocated_data_is_told_by_its_segment)
{
	struct elffile file = elffile_fixture("no-sections");
	struct elfmap_place place;

	for (size_t i = 0; i < elffile_header(&file)->e_phnum; i++) {
		Elf64_Phdr *segment = elffile_segment(&file, i);

		if (segment->p_type == PT_NOTE) {
			segment->p_type = PT_GNU_RELRO;
			segment->p_vaddr = 0x3000;
			segment->p_filesz = segment->p_memsz = 0x10;
		}
	}
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	elffile_deinit(&file);
	elfmap_locate(map, 0x300f, &place);
	assert_string_equal(place.section_name, ".data.rel.ro");
	elfmap_locate(map, 0x3010, &place);
	assert_string_equal(place.section_name, ".data");
}
