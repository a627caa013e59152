// SPDX-License-Identifier: Apache-2.0
// Names for bytes without symbols. What each byte is stands in fixtures/elf/literals*.yaml.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

/** The name of the byte at @vaddr, "" if it has none; its section as *@ret_section. */
static const char *name_at(struct elfmap *map, uint64_t vaddr, const char **ret_section)
{
	struct elfmap_place place;

	elfmap_locate(map, vaddr, &place);
	assert_null(place.symbol);
	*ret_section = place.section_name;
	return elfmap_entry_name(map, &place.entry, true);
}

static void check(struct elfmap *map, uint64_t vaddr, const char *section, const char *name)
{
	const char *found_section;

	assert_string_equal(name_at(map, vaddr, &found_section), name);
	assert_string_equal(found_section, section);
}

TEST(a_literal_is_named_by_its_text)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("literals");

	check(map, 0x300, ".rodata", "string:\"usage: %s\\n\"");
	check(map, 0x309, ".rodata", "string:\"usage: %s\\n\"");
	// Its end, a run too short to be more than chance, and numbers.
	check(map, 0x30b, ".rodata", "");
	check(map, 0x310, ".rodata", "");
}

TEST(data_is_named_by_the_address_that_is_pointed_to)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("literals");

	check(map, 0x32f, ".rodata", "");
	check(map, 0x330, ".rodata", "data@0x330");
	check(map, 0x33f, ".rodata", "data@0x330");
	check(map, 0x206f, ".data", "");
	check(map, 0x2070, ".data", "data@0x2070");
	check(map, 0x2087, ".data", "data@0x2070");
	// Another section is other data.
	check(map, 0x20a0, ".bss", "");
}

TEST(at_fixed_addresses_a_word_that_is_an_address_is_a_pointer)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("literals-exec");

	check(map, 0x402000, ".data", "");
	check(map, 0x40203f, ".data", "");
	check(map, 0x402040, ".data", "data@0x402040");
	check(map, 0x40205f, ".data", "data@0x402040");
	check(map, 0x40217f, ".bss", "");
	check(map, 0x402180, ".bss", "data@0x402180");
	check(map, 0x40317f, ".bss", "data@0x402180");
	// Too far behind it to be told.
	check(map, 0x403180, ".bss", "");
	// A pointer to code is none to data.
	check(map, 0x401010, ".text", "");
}

TEST(a_stripped_init_keeps_its_name)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("literals");

	check(map, 0x1000, ".init", "_init");
	check(map, 0x100f, ".init", "_init");
	check(map, 0x1010, ".fini", "_fini");
}

TEST(the_gap_before_bss_is_zeroed_for_it)
{
	struct elfmap_place place;
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("literals");

	elfmap_locate(map, 0x2088, &place);
	assert_string_equal(place.section_name, ".bss");
	assert_false(place.has_offset);
	elfmap_locate(map, 0x2100, &place);
	assert_string_equal(place.section_name, ".bss");
	elfmap_locate(map, 0x2200, &place);
	assert_string_equal(place.section_name, ".bss");
}
