// SPDX-License-Identifier: Apache-2.0
// Relocation tables of every encoding, and the slots they write. The expected slots are those that
// the comments of fixtures/elf/relocations*.yaml describe.
#include "elfmap/elfmap.h"

#include "elfmap/machine.h"
#include "tests/support/elffile.h"

struct expected_slot {
	uint64_t vaddr, value;
	uint32_t type, symbol, table, entry;
	enum elfmap_relocation_class class;
};

static void check_slots(struct elfmap *map, const struct expected_slot *expected,
			size_t expected_count)
{
	size_t count;
	const struct elfmap_relocation *slots = elfmap_relocations(map, &count);

	assert_int_equal(count, expected_count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(slots[i].vaddr, expected[i].vaddr);
		assert_int_equal(slots[i].value, expected[i].value);
		assert_int_equal(slots[i].type, expected[i].type);
		assert_int_equal(slots[i].symbol, expected[i].symbol);
		assert_int_equal(slots[i].table, expected[i].table);
		assert_int_equal(slots[i].entry, expected[i].entry);
		assert_int_equal(slots[i].class, expected[i].class);
	}
}
#define CHECK_SLOTS(map, slots) check_slots(map, slots, sizeof(slots) / sizeof(slots[0]))

TEST(slots_of_all_tables_are_sorted_by_vaddr)
{
	static const struct expected_slot expected[] = {
		{ 0x3008, 0x1010, R_X86_64_RELATIVE, 0, 1, 0, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3010, 0x1020, R_X86_64_RELATIVE, 0, 1, 1, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3018, 8, R_X86_64_64, 2, 1, 3, ELFMAP_RELOCATION_SYMBOLIC },
		{ 0x3040, 0x1030, R_X86_64_RELATIVE, 0, 0, 0, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3048, 0x1038, R_X86_64_RELATIVE, 0, 0, 1, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3060, 0x1050, R_X86_64_RELATIVE, 0, 0, 1, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3060, 0x1050, R_X86_64_RELATIVE, 0, 1, 2, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3238, 0x1070, R_X86_64_RELATIVE, 0, 0, 1, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3240, 0x3100, R_X86_64_RELATIVE, 0, 0, 2, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3500, 0, R_X86_64_GLOB_DAT, 1, 1, 5, ELFMAP_RELOCATION_SYMBOLIC },
		{ 0x3508, 0, R_X86_64_DTPMOD64, 0, 1, 6, ELFMAP_RELOCATION_TLS },
		{ 0x3558, 0, R_X86_64_JUMP_SLOT, 1, 2, 0, ELFMAP_RELOCATION_JUMP_SLOT },
		{ 0x3560, 0x1040, R_X86_64_IRELATIVE, 0, 2, 1, ELFMAP_RELOCATION_IRELATIVE },
		{ 0x5000, 0, R_X86_64_COPY, 3, 1, 4, ELFMAP_RELOCATION_COPY },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	CHECK_SLOTS(map, expected);
	assert_int_equal(elfmap_notes(map)->list.count, 0);
}

TEST(tables_come_as_relr_rela_jmprel)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");
	size_t count;
	const struct elfmap_relocation_table *tables = elfmap_relocation_tables(map, &count);

	assert_int_equal(count, 3);
	assert_string_equal(tables[0].name, ".relr.dyn");
	assert_int_equal(tables[0].encoding, ELFMAP_ENCODING_RELR);
	assert_int_equal(tables[0].relocation_count, 5);
	assert_int_equal(tables[0].size, 24);
	assert_string_equal(tables[1].name, ".rela.dyn");
	assert_int_equal(tables[1].encoding, ELFMAP_ENCODING_RELA);
	assert_int_equal(tables[1].relocation_count, 8);
	assert_int_equal(tables[1].offset, 0x320);
	assert_false(tables[1].is_plt);
	assert_string_equal(tables[2].name, ".rela.plt");
	assert_true(tables[2].is_plt);
	assert_int_equal(tables[2].relocation_count, 2);
}

TEST(addends_of_rel_and_relr_stand_in_the_slots)
{
	static const struct expected_slot expected[] = {
		{ 0x3000, 0x310, R_386_RELATIVE, 0, 0, 0, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3004, 0x311, R_386_RELATIVE, 0, 0, 1, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3010, 0x312, R_386_RELATIVE, 0, 1, 0, ELFMAP_RELOCATION_RELATIVE },
		{ 0x3014, 0x10, R_386_32, 1, 1, 1, ELFMAP_RELOCATION_SYMBOLIC },
		{ 0x307c, 0, R_386_RELATIVE, 0, 0, 1, ELFMAP_RELOCATION_RELATIVE },
		{ 0x309c, 0, R_386_JMP_SLOT, 1, 2, 0, ELFMAP_RELOCATION_JUMP_SLOT },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations32");

	CHECK_SLOTS(map, expected);
}

TEST(a_static_program_has_the_slots_of_its_loaded_section)
{
	static const struct expected_slot expected[] = {
		{ 0x1002010, 0x1000320, R_390_IRELATIVE, 0, 0, 1, ELFMAP_RELOCATION_IRELATIVE },
		{ 0x1002018, 0x1000310, R_390_IRELATIVE, 0, 0, 0, ELFMAP_RELOCATION_IRELATIVE },
	};
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("static-irelative");

	CHECK_SLOTS(map, expected);
}

TEST(a_slot_covers_its_word)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	assert_null(elfmap_relocation_at(map, 0x3007));
	assert_int_equal(elfmap_relocation_at(map, 0x3008)->vaddr, 0x3008);
	assert_int_equal(elfmap_relocation_at(map, 0x300f)->vaddr, 0x3008);
	assert_int_equal(elfmap_relocation_at(map, 0x3010)->vaddr, 0x3010);
	assert_int_equal(elfmap_relocation_at(map, 0x301f)->vaddr, 0x3018);
	assert_null(elfmap_relocation_at(map, 0x3020));
	assert_null(elfmap_relocation_at(map, 0));
	assert_null(elfmap_relocation_at(map, UINT64_MAX));
	// Of two that write one slot, the one of the earlier table.
	assert_int_equal(elfmap_relocation_at(map, 0x3060)->table, 0);
}

/** The fixture without section headers. */
static struct elfmap *open_without_sections(void)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	elffile_header(&file)->e_shoff = 0;
	elffile_header(&file)->e_shnum = 0;
	elffile_header(&file)->e_shstrndx = 0;
	return elffile_map(&file);
}

TEST(without_sections_tables_are_named_by_their_tags)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_without_sections();
	size_t count;
	const struct elfmap_relocation_table *tables = elfmap_relocation_tables(map, &count);

	assert_int_equal(count, 3);
	assert_string_equal(tables[0].name, "[DT_RELR]");
	assert_string_equal(tables[1].name, "[DT_RELA]");
	assert_string_equal(tables[2].name, "[DT_JMPREL]");
	elfmap_relocations(map, &count);
	assert_int_equal(count, 14);
}

/** Set the value of dynamic entry @tag. */
static void set_dynamic(const struct elffile *file, int64_t tag, uint64_t value)
{
	Elf64_Shdr *section = elffile_section_named(file, ".dynamic");
	Elf64_Dyn *entry = (Elf64_Dyn *)(file->bytes + section->sh_offset);

	while (entry->d_tag != tag) {
		assert_true(entry->d_tag != DT_NULL);
		entry++;
	}
	entry->d_un.d_val = value;
}

TEST(a_table_outside_the_file_is_left_out_with_a_note)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	size_t count;

	set_dynamic(&file, DT_RELASZ, UINT64_MAX - 7);
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	elfmap_relocations(map, &count);
	assert_int_equal(count, 7);
	assert_true(elffile_has_note(map, ".rela.dyn: 18446744073709551608 bytes"));
}

TEST(entries_of_a_wrong_size_are_left_out_with_a_note)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	size_t count;

	set_dynamic(&file, DT_RELAENT, 16);
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	elfmap_relocations(map, &count);
	assert_int_equal(count, 7);
	assert_true(elffile_has_note(map, "entries of 16 bytes, not 24"));
}

TEST(bitmaps_cannot_claim_more_slots_than_the_file_has_words)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	size_t count;

	set_dynamic(&file, DT_RELR, 0x3008);
	set_dynamic(&file, DT_RELRSZ, 0x2f0);
	memset(file.bytes + 0x2008, 0xff, 0x2f0);
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	elfmap_relocations(map, &count);
	assert_true(count <= file.size / 8 + 10);
	assert_true(elffile_has_note(map, "more slots than the file has words"));
}

TEST(slots_of_bitmaps_outside_the_data_are_counted_in_one_note)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	size_t count;
	// A slot in no segment, and the two words behind it.
	static const uint64_t words[] = { 0xfffff000, 1 | 3 << 1, 1 };

	memcpy(file.bytes + 0x300, words, sizeof(words));
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	elfmap_relocations(map, &count);
	assert_int_equal(count, 9);
	assert_true(elffile_has_note(map, ".relr.dyn: 3 slots outside the file's data"));
}

TEST(an_unknown_type_is_a_symbolic_slot_and_a_note)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	((Elf64_Rela *)(file.bytes + 0x320))->r_info = ELF64_R_INFO(0, 99);
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	assert_int_equal(elfmap_relocation_at(map, 0x3008)->class, ELFMAP_RELOCATION_SYMBOLIC);
	assert_true(elffile_has_note(map, "1 entries have a type unknown for x86_64 "
					  "(the first: 99)"));
}

TEST(any_order_of_slots_is_sorted_and_equal_ones_keep_theirs)
{
	enum { COUNT = 8 };
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	uint64_t seed = 0x5eed;

	print_message("# seed %#lx\n", seed);
	for (int round = 0; round < 50; round++) {
		size_t count;
		Elf64_Rela *table = (Elf64_Rela *)(file.bytes + 0x320);

		for (size_t i = 0; i < COUNT; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			// Few low values, so that equal ones occur, and some far apart.
			table[i].r_offset = (seed >> 40) % 5 << (seed >> 33) % 50;
			table[i].r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
		}
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
		const struct elfmap_relocation *slots = elfmap_relocations(map, &count);
		assert_int_equal(count, COUNT + 7);
		for (size_t i = 1; i < count; i++) {
			const struct elfmap_relocation *a = &slots[i - 1], *b = &slots[i];

			assert_true(a->vaddr <= b->vaddr);
			if (a->vaddr == b->vaddr)
				assert_true(a->table < b->table ||
					    (a->table == b->table && a->entry < b->entry));
		}
	}
}

TEST(classes_are_known_for_every_machine)
{
	static const struct {
		uint16_t machine;
		uint32_t relative, irelative, jump_slot, tls, copy, symbolic;
	} machines[] = {
		{ EM_X86_64, 8, 37, 7, 36, 5, 6 },
		{ EM_386, 8, 42, 7, 41, 5, 1 },
		{ EM_AARCH64, 1027, 1032, 1026, 1031, 1024, 257 },
		{ EM_ARM, 23, 160, 22, 19, 20, 2 },
		{ EM_RISCV, 3, 58, 5, 11, 4, 2 },
		{ EM_PPC64, 22, 248, 21, 73, 19, 38 },
		{ EM_S390, 12, 61, 11, 54, 9, 22 },
		{ EM_MIPS, 3, 0, 127, 40, 126, 18 },
		{ EM_MIPS_RS3_LE, 3, 0, 127, 38, 126, 2 },
		{ EM_LOONGARCH, 3, 12, 5, 7, 4, 2 },
		{ EM_PPC, 22, 248, 21, 68, 19, 1 },
		{ EM_SPARC, 22, 249, 21, 74, 19, 3 },
		{ EM_SPARC32PLUS, 22, 248, 21, 78, 19, 20 },
		{ EM_SPARCV9, 22, 249, 21, 75, 19, 32 },
		{ EM_ALPHA, 27, 0, 26, 31, 24, 2 },
		{ EM_68K, 22, 0, 21, 40, 19, 1 },
		{ EM_SH, 165, 0, 164, 149, 162, 1 },
		{ EM_IA_64, 0x6f, 0, 0x81, 0xa7, 0x84, 0x27 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const uint32_t types[] = {
			machines[i].relative, machines[i].symbolic, machines[i].irelative,
			machines[i].tls,      machines[i].copy,	    machines[i].jump_slot,
		};
		uint32_t relative;

		for (size_t class = 0; class < ELFMAP_RELOCATION_CLASSES; class ++) {
			enum elfmap_relocation_class found;

			// Some have no IFUNCs: 0 is R_*_NONE.
			if (types[class] == 0)
				continue;
			assert_true(elfmap_relocation_class(machines[i].machine, types[class],
							    class != ELFMAP_RELOCATION_RELATIVE,
							    &found));
			assert_int_equal(found, class);
		}
		assert_true(elfmap_relative_type(machines[i].machine, &relative));
		assert_int_equal(relative, machines[i].relative);
	}
}

TEST(mips_and_sparc_keep_more_than_a_type_in_their_64_bits)
{
	// R_MIPS_REL32, then R_MIPS_64; R_SPARC_OLO10 with 5 as its second addend. As binutils
	// write them for symbol 2.
	static const struct {
		uint16_t machine;
		bool big_endian;
		uint64_t info;
		uint32_t type;
	} infos[] = {
		{ EM_MIPS, false, 0x0312000000000002, 3 },
		{ EM_MIPS, true, 0x0000000200001203, 3 },
		{ EM_SPARCV9, true, 0x0000000200000521, 33 },
		{ EM_AARCH64, false, 0x0000000200000403, 1027 },
	};

	for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
		const struct elfmap_info file = { .machine = infos[i].machine,
						  .is_64bit = true,
						  .big_endian = infos[i].big_endian };
		uint32_t type, symbol;

		elfmap_relocation_info(&file, infos[i].info, &type, &symbol);
		assert_int_equal(type, infos[i].type);
		assert_int_equal(symbol, 2);
	}
}

TEST(what_mips_relocates_without_a_symbol_is_relative)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");

	elffile_header(&file)->e_machine = EM_MIPS;
	Elf64_Rela *table = (Elf64_Rela *)(file.bytes + 0x320);
	table[0].r_info = 0x0312000000000000;
	table[1].r_info = 0x0312000000000001;
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	const struct elfmap_relocation *relative = elfmap_relocation_at(map, table[0].r_offset);
	const struct elfmap_relocation *symbolic = elfmap_relocation_at(map, table[1].r_offset);
	assert_int_equal(relative->class, ELFMAP_RELOCATION_RELATIVE);
	assert_int_equal(relative->symbol, 0);
	assert_int_equal(symbolic->class, ELFMAP_RELOCATION_SYMBOLIC);
	assert_int_equal(symbolic->symbol, 1);
}

TEST(machines_have_names)
{
	static const struct {
		struct elfmap_info file;
		const char *name;
	} machines[] = {
		{ { .machine = EM_X86_64, .is_64bit = true }, "x86_64" },
		{ { .machine = EM_PPC64, .is_64bit = true }, "ppc64le" },
		{ { .machine = EM_PPC64, .is_64bit = true, .big_endian = true }, "ppc64" },
		{ { .machine = EM_PPC, .big_endian = true }, "ppc" },
		{ { .machine = EM_MIPS }, "mipsel" },
		{ { .machine = EM_MIPS, .big_endian = true }, "mips" },
		{ { .machine = EM_MIPS, .is_64bit = true }, "mips64el" },
		{ { .machine = EM_MIPS, .is_64bit = true, .big_endian = true }, "mips64" },
		{ { .machine = EM_RISCV, .is_64bit = true }, "riscv64" },
		{ { .machine = EM_S390, .is_64bit = true, .big_endian = true }, "s390x" },
		{ { .machine = EM_LOONGARCH, .is_64bit = true }, "loongarch64" },
		{ { .machine = EM_SPARCV9, .is_64bit = true, .big_endian = true }, "sparc64" },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		assert_string_equal(elfmap_machine_name(&machines[i].file), machines[i].name);
	assert_null(elfmap_machine_name(&(struct elfmap_info){ .machine = 4711 }));
}
