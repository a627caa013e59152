// SPDX-License-Identifier: Apache-2.0
// Names of table entries. What each byte of the fixtures is stands in
// fixtures/elf/relocations*.yaml.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

struct expected_entry {
	uint64_t vaddr; // that is asked for
	enum elfmap_entry_kind kind;
	uint64_t index, start, size;
	const char *name;
};

static void check_entry(struct elfmap *map, const struct expected_entry *expected)
{
	struct elfmap_place place;

	elfmap_locate(map, expected->vaddr, &place);
	assert_string_equal(elfmap_entry_name(map, &place.entry, true), expected->name);
	assert_int_equal(place.entry.kind, expected->kind);
	assert_int_equal(place.entry.index, expected->index);
	assert_int_equal(place.entry.vaddr, expected->start);
	assert_int_equal(place.entry.size, expected->size);
}

static void check(struct elfmap *map, const struct expected_entry *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_entry(map, &expected[i]);
}
#define CHECK(map, expected) check(map, expected, sizeof(expected) / sizeof(expected[0]))

static void check_name(struct elfmap *map, uint64_t vaddr, const char *name)
{
	struct elfmap_place place;

	elfmap_locate(map, vaddr, &place);
	assert_string_equal(elfmap_entry_name(map, &place.entry, true), name);
}

TEST(tables_for_symbol_lookup_are_named_by_the_symbol)
{
	static const struct expected_entry expected[] = {
		{ 0x200, ELFMAP_ENTRY_DYNSYM, 0, 0x200, 24, "dynsym[0]" },
		{ 0x217, ELFMAP_ENTRY_DYNSYM, 0, 0x200, 24, "dynsym[0]" },
		{ 0x218, ELFMAP_ENTRY_DYNSYM, 1, 0x218, 24, "dynsym:imported" },
		{ 0x25f, ELFMAP_ENTRY_DYNSYM, 3, 0x248, 24, "dynsym:copied" },
		{ 0x280, ELFMAP_ENTRY_HASH, 0, 0x280, 8, "hash:header" },
		{ 0x287, ELFMAP_ENTRY_HASH, 0, 0x280, 8, "hash:header" },
		{ 0x288, ELFMAP_ENTRY_HASH, 2, 0x288, 4, "hash:bucket[0]" },
		{ 0x28c, ELFMAP_ENTRY_HASH, 3, 0x28c, 4, "hash:chain[0]" },
		{ 0x29b, ELFMAP_ENTRY_HASH, 6, 0x298, 4, "hash:chain[3]" },
		{ 0x2b0, ELFMAP_ENTRY_DYNSTR, 0, 0x2b0, 1, "dynstr[0]" },
		{ 0x2b1, ELFMAP_ENTRY_DYNSTR, 1, 0x2b1, 9, "dynstr:exported" },
		{ 0x2b9, ELFMAP_ENTRY_DYNSTR, 1, 0x2b1, 9, "dynstr:exported" },
		{ 0x2c9, ELFMAP_ENTRY_DYNSTR, 19, 0x2c3, 7, "dynstr:copied" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK(map, expected);
}

TEST(relocation_entries_are_named_by_table_and_number)
{
	static const struct expected_entry expected[] = {
		{ 0x300, ELFMAP_ENTRY_RELOCATION, 0, 0x300, 8, "relr.dyn[0]" },
		{ 0x317, ELFMAP_ENTRY_RELOCATION, 2, 0x310, 8, "relr.dyn[2]" },
		{ 0x320, ELFMAP_ENTRY_RELOCATION, 0, 0x320, 24, "rela.dyn[0]" },
		{ 0x3df, ELFMAP_ENTRY_RELOCATION, 7, 0x3c8, 24, "rela.dyn[7]" },
		{ 0x418, ELFMAP_ENTRY_RELOCATION, 1, 0x418, 24, "rela.plt[1]" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK(map, expected);
}

TEST(got_slots_are_named_by_what_they_will_hold)
{
	static const struct expected_entry expected[] = {
		{ 0x3500, ELFMAP_ENTRY_GOT, 0, 0x3500, 8, "got:imported" },
		{ 0x3508, ELFMAP_ENTRY_GOT, 1, 0x3508, 8, "got[1]" }, // TLS without a symbol
		{ 0x351f, ELFMAP_ENTRY_GOT, 3, 0x3518, 8, "got[3]" },
		{ 0x3540, ELFMAP_ENTRY_GOT, 0, 0x3540, 8, "got[0]" },
		{ 0x3557, ELFMAP_ENTRY_GOT, 2, 0x3550, 8, "got[2]" },
		{ 0x3558, ELFMAP_ENTRY_GOT, 3, 0x3558, 8, "got:imported" },
		{ 0x3560, ELFMAP_ENTRY_GOT, 4, 0x3560, 8, "got:resolver" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK(map, expected);
}

TEST(plt_stubs_are_named_by_the_slot_they_jump_through)
{
	static const struct expected_entry expected[] = {
		{ 0x1080, ELFMAP_ENTRY_PLT, 0, 0x1080, 16, "plt[0]" },
		{ 0x1090, ELFMAP_ENTRY_PLT, 1, 0x1090, 16, "plt:imported" },
		{ 0x109f, ELFMAP_ENTRY_PLT, 1, 0x1090, 16, "plt:imported" },
		{ 0x10a0, ELFMAP_ENTRY_PLT, 2, 0x10a0, 16, "plt:resolver" }, // by jmp *slot
		{ 0x10b0, ELFMAP_ENTRY_PLT, 3, 0x10b0, 16, "plt:resolver" }, // by push $1
		{ 0x10cf, ELFMAP_ENTRY_PLT, 4, 0x10c0, 16, "plt[4]" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK(map, expected);
}

TEST(plt_stubs_of_i386_jump_by_ebx)
{
	static const struct expected_entry expected[] = {
		{ 0x300, ELFMAP_ENTRY_PLT, 0, 0x300, 16, "plt[0]" },
		{ 0x310, ELFMAP_ENTRY_PLT, 1, 0x310, 16, "plt:imported" },
		{ 0x309c, ELFMAP_ENTRY_GOT, 3, 0x309c, 4, "got:imported" },
		{ 0x3017, ELFMAP_ENTRY_POINTEE, 0x3014, 0x3014, 4, "&imported+0x10" },
		{ 0x3010, ELFMAP_ENTRY_POINTEE, 0x3010, 0x3010, 4, "&.plt+0x12" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations32");

	CHECK(map, expected);
}

TEST(arrays_and_dynamic_entries_have_names)
{
	static const struct expected_entry expected[] = {
		{ 0x3008, ELFMAP_ENTRY_INIT_ARRAY, 0, 0x3008, 8, "preinit_array[0]" },
		{ 0x301f, ELFMAP_ENTRY_INIT_ARRAY, 1, 0x3018, 8, "init_array[1]" },
		{ 0x3038, ELFMAP_ENTRY_INIT_ARRAY, 0, 0x3038, 8, "ctors[0]" },
		{ 0x3300, ELFMAP_ENTRY_DYNAMIC, 0, 0x3300, 16, "dynamic:DT_SYMTAB" },
		{ 0x3437, ELFMAP_ENTRY_DYNAMIC, 19, 0x3430, 16, "dynamic:0x6ffffef9" },
		{ 0x3440, ELFMAP_ENTRY_DYNAMIC, 20, 0x3440, 16, "dynamic:DT_NULL" },
		{ 0, ELFMAP_ENTRY_HEADER, 0, 0, 64, "elf-header" },
		{ 0x40, ELFMAP_ENTRY_HEADER, 1, 0x40, 56, "program-header[0]" },
		{ 0x157, ELFMAP_ENTRY_HEADER, 5, 0x120, 56, "program-header[4]" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK(map, expected);
}

TEST(a_relocated_slot_elsewhere_is_named_by_its_pointee)
{
	static const struct expected_entry expected[] = {
		{ 0x3060, ELFMAP_ENTRY_POINTEE, 0x3060, 0x3060, 8, "&method" },
		{ 0x3067, ELFMAP_ENTRY_POINTEE, 0x3060, 0x3060, 8, "&method" },
		{ 0x3238, ELFMAP_ENTRY_POINTEE, 0x3238, 0x3238, 8, "&.text+0x60" },
		{ 0x3240, ELFMAP_ENTRY_POINTEE, 0x3240, 0x3240, 8, "&.data.rel.ro+0xa0" },
		{ 0x3068, ELFMAP_ENTRY_NONE, 0, 0, 0, "" },
		{ 0x30ff, ELFMAP_ENTRY_NONE, 0, 0, 0, "" },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK(map, expected);
}

TEST(frames_and_their_lsda_are_named_by_the_function)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("le64-dyn");
	struct elfmap_place place;

	elfmap_locate(map, 0x41f, &place); // the CIE
	assert_int_equal(place.entry.kind, ELFMAP_ENTRY_NONE);
	elfmap_locate(map, 0x420, &place); // the FDE of [0x1080, 0x10a0)
	assert_int_equal(place.entry.kind, ELFMAP_ENTRY_EH_FRAME);
	assert_int_equal(place.entry.vaddr, 0x420);
	assert_int_equal(place.entry.size, 0x18);
	const struct elfmap_symbol *function = elfmap_symbol_at(map, 0x1080);
	assert_non_null(function);
	assert_int_equal(strncmp(elfmap_entry_name(map, &place.entry, false), "eh_frame:", 9), 0);
	assert_int_equal(strncmp(elfmap_entry_name(map, &place.entry, false) + 9, function->name,
				 strlen(function->name)),
			 0);

	elfmap_locate(map, 0x4af, &place); // its LSDA reaches to the section's end
	assert_int_equal(place.entry.kind, ELFMAP_ENTRY_EXCEPT_TABLE);
	assert_int_equal(place.entry.vaddr, 0x4a0);
	assert_int_equal(place.entry.size, 0x10);
	assert_int_equal(
		strncmp(elfmap_entry_name(map, &place.entry, false), "gcc_except_table:", 17), 0);
	check_name(map, 0x180, "note:.note.gnu.build-id");
}

TEST(fixed_addresses_name_slots_that_nothing_relocates)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("static-irelative");

	check_name(map, 0x1002008, "got:constructor");
	check_name(map, 0x1002010, "got:choose_second");
	check_name(map, 0x1002018, "got:choose_first");
	check_name(map, 0x1002000, "init_array[0]");
}

TEST(without_sections_tables_are_found_by_the_dynamic_table)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	struct elfmap_place relr, rela;

	elffile_header(&file)->e_shoff = 0;
	elffile_header(&file)->e_shnum = 0;
	elffile_header(&file)->e_shstrndx = 0;
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	check_name(map, 0x218, "dynsym:imported");
	check_name(map, 0x2c9, "dynstr:copied");
	check_name(map, 0x28c, "hash:chain[0]");
	check_name(map, 0x338, "DT_RELA[1]");
	check_name(map, 0x418, "DT_JMPREL[1]");
	check_name(map, 0x3018, "init_array[1]");
	check_name(map, 0x3310, "dynamic:DT_HASH");
	check_name(map, 0x3550, "got[2]");
	check_name(map, 0x3558, "got:imported");
	check_name(map, 0x40, "program-header[0]");

	// Entries of two tables of one kind differ, though neither has a section.
	elfmap_locate(map, 0x300, &relr);
	elfmap_locate(map, 0x320, &rela);
	assert_int_equal(relr.entry.kind, rela.entry.kind);
	assert_int_equal(relr.entry.section, rela.entry.section);
	assert_true(relr.entry.index != rela.entry.index);
}

TEST(names_are_spelled_once)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");
	struct elfmap_place place;
	const char *first[0x160];

	for (uint64_t i = 0; i < 0x160; i++) { // enough to make the cache grow
		elfmap_locate(map, 0x200 + i, &place);
		first[i] = elfmap_entry_name(map, &place.entry, true);
	}
	for (uint64_t i = 0; i < 0x160; i++) {
		elfmap_locate(map, 0x200 + i, &place);
		assert_ptr_equal(elfmap_entry_name(map, &place.entry, true), first[i]);
	}
}

/** Every byte of the file, each byte in turn damaged: no name may leave the file. */
TEST(damage_never_leads_out_of_the_file)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	for (size_t at = 0x200; at < 0x600; at += 5) {
		size_t offset = at < 0x430 ? at : 0x2300 + (at - 0x430); // tables, .dynamic
		uint8_t old = file.bytes[offset];
		CLEANUP(elfmap_closep) struct elfmap *map = NULL;
		struct err err = { 0 };

		file.bytes[offset] = 0xff;
		if (elffile_open(&file, &map, &err)) {
			for (uint64_t vaddr = 0; vaddr < 0x3600; vaddr += 24) {
				struct elfmap_place place;

				elfmap_locate(map, vaddr, &place);
				assert_non_null(elfmap_entry_name(map, &place.entry, true));
				if (place.entry.kind != ELFMAP_ENTRY_NONE)
					assert_true(vaddr - place.entry.vaddr < place.entry.size);
			}
		} else {
			assert_int_not_equal(err.code, ERR_NONE);
		}
		file.bytes[offset] = old;
	}
}
