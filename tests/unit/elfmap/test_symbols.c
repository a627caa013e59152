// SPDX-License-Identifier: Apache-2.0
// Symbols: what is kept, merged, extended, and which one wins where several cover a byte.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

/** One row of the expected table. */
struct row {
	const char *name;
	uint64_t vaddr, size;
	int type, binding;
	enum elfmap_symbols source;
};

static void check_rows(struct elfmap *map, const struct row *rows, size_t row_count)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count && i < row_count; i++) {
		assert_string_equal(symbols[i].name, rows[i].name);
		assert_int_equal(symbols[i].vaddr, rows[i].vaddr);
		assert_int_equal(symbols[i].size, rows[i].size);
		assert_int_equal(symbols[i].type, rows[i].type);
		assert_int_equal(symbols[i].binding, rows[i].binding);
		assert_int_equal(symbols[i].source, rows[i].source);
	}
	assert_int_equal(count, row_count);
}

// Not here: the file and section symbols, the TLS one, the absolute one, the undefined import, and
// .dynsym's "exported", which is .symtab's "exported@@FIX_1".
static const struct row whole_table[] = {
	{ "a_local_alias", 0x1000, 0x40, STT_FUNC, STB_LOCAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "a_weak_alias", 0x1000, 0x40, STT_FUNC, STB_WEAK, ELFMAP_SYMBOLS_SYMTAB },
	{ "exported@@FIX_1", 0x1000, 0x40, STT_FUNC, STB_GLOBAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "inner", 0x1010, 0x10, STT_FUNC, STB_LOCAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "label", 0x1050, 0x10, STT_NOTYPE, STB_GLOBAL, ELFMAP_SYMBOLS_SYMTAB },
	// up to the next function of .eh_frame
	{ "_Z4tailif", 0x1060, 0x20, STT_FUNC, STB_GLOBAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "fn@0x1080", 0x1080, 0x20, STT_FUNC, STB_LOCAL, ELFMAP_SYMBOLS_EH_FRAME },
	{ "fn@0x10a0", 0x10a0, 0x10, STT_FUNC, STB_LOCAL, ELFMAP_SYMBOLS_EH_FRAME },
	{ "last", 0x10f0, 0x10, STT_FUNC, STB_GLOBAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "table", 0x3000, 0x10, STT_OBJECT, STB_GLOBAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "unsized_export", 0x3010, 0x10, STT_OBJECT, STB_GLOBAL, ELFMAP_SYMBOLS_DYNSYM },
	{ "_edata", 0x3020, 0, STT_NOTYPE, STB_LOCAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "zeros", 0x3100, 8, STT_OBJECT, STB_GLOBAL, ELFMAP_SYMBOLS_SYMTAB },
	{ "too_large", 0x3120, 0x20, STT_OBJECT, STB_GLOBAL, ELFMAP_SYMBOLS_SYMTAB },
};

TEST(the_whole_table_is_the_same_in_every_class_and_byte_order)
{
	static const char *const names[] = { "le64-dyn", "be64-dyn", "le32-dyn", "be32-exec" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture(names[i]);

		check_rows(map, whole_table, sizeof(whole_table) / sizeof(whole_table[0]));
		assert_true(elffile_has_note(map, "extend past their segment: 1"));
	}
}

static void check_at(struct elfmap *map, uint64_t vaddr, const char *name)
{
	const struct elfmap_symbol *symbol = elfmap_symbol_at(map, vaddr);

	if (!name)
		assert_null(symbol);
	else
		assert_string_equal(symbol ? symbol->name : "none", name);
}

TEST(the_innermost_symbol_wins_then_the_global_one)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("le64-dyn");

	check_at(map, 0xfff, NULL);
	check_at(map, 0x1000, "exported@@FIX_1");
	check_at(map, 0x100f, "exported@@FIX_1");
	check_at(map, 0x1010, "inner");
	check_at(map, 0x101f, "inner");
	check_at(map, 0x1020, "exported@@FIX_1");
	check_at(map, 0x103f, "exported@@FIX_1");
	check_at(map, 0x1040, NULL);
	check_at(map, 0x1050, "label");
	check_at(map, 0x105f, "label");
	check_at(map, 0x1060, "_Z4tailif");
	check_at(map, 0x107f, "_Z4tailif");
	check_at(map, 0x1080, "fn@0x1080");
	check_at(map, 0x10b0, NULL);
	check_at(map, 0x10ff, "last");
	check_at(map, 0x301f, "unsized_export");
	check_at(map, 0x3020, NULL);
	check_at(map, 0x313f, "too_large");
	check_at(map, 0x3140, NULL);
	check_at(map, UINT64_MAX, NULL);
}

TEST(names_for_people_have_no_version_and_no_mangling)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("le64-dyn");

	assert_string_equal(elfmap_symbol_display(map, elfmap_symbol_at(map, 0x1000)), "exported");
	assert_string_equal(elfmap_symbol_display(map, elfmap_symbol_at(map, 0x1060)),
			    "tail(int, float)");
	assert_string_equal(elfmap_symbol_display(map, elfmap_symbol_at(map, 0x1080)), "fn@0x1080");
}

TEST(without_section_headers_dynsym_and_frames_name_the_code)
{
	static const struct row rows[] = {
		{ "exported", 0x1000, 0x40, STT_FUNC, STB_GLOBAL, ELFMAP_SYMBOLS_DYNSYM },
		{ "fn@0x1080", 0x1080, 0x20, STT_FUNC, STB_LOCAL, ELFMAP_SYMBOLS_EH_FRAME },
		{ "fn@0x10a0", 0x10a0, 0x10, STT_FUNC, STB_LOCAL, ELFMAP_SYMBOLS_EH_FRAME },
		// no section says where it ends: the segment does
		{ "unsized_export", 0x3010, 0x130, STT_OBJECT, STB_GLOBAL, ELFMAP_SYMBOLS_DYNSYM },
	};

	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("no-sections");
	check_rows(map, rows, sizeof(rows) / sizeof(rows[0]));
}

static struct elfmap *open_changed(struct elffile *file)
{
	struct elfmap *map = NULL;
	struct err err;

	if (!elffile_open(file, &map, &err))
		fail_msg("%s", err.message);
	elffile_deinit(file);
	return map;
}

TEST(a_symtab_whose_sh_link_is_no_string_table_is_left_out)
{
	static const uint32_t links[] = { 0, 7, 0xffffff };

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		struct elffile file = elffile_fixture("le64-dyn");

		elffile_section_named(&file, ".symtab")->sh_link = links[i];
		CLEANUP(elfmap_closep) struct elfmap *map = open_changed(&file);
		assert_int_equal(elfmap_info(map)->symbols, ELFMAP_SYMBOLS_DYNSYM);
		assert_true(elffile_has_note(map, "its sh_link is not a string table"));
		check_at(map, 0x1010, "exported");
	}
}

TEST(a_name_index_past_the_string_table_loses_that_symbol_only)
{
	struct elffile file = elffile_fixture("le64-dyn");

	Elf64_Shdr *symtab = elffile_section_named(&file, ".symtab");
	((Elf64_Sym *)(file.bytes + symtab->sh_offset))[3].st_name = 0x9f0; // inner
	CLEANUP(elfmap_closep) struct elfmap *map = open_changed(&file);
	check_at(map, 0x1010, "exported@@FIX_1");
	assert_true(elffile_has_note(
		map,
		".symtab: 1 name indexes past the end of the string table; the first is entry 3"));
}

TEST(an_unterminated_string_table_loses_its_last_name_only)
{
	struct elffile file = elffile_fixture("le64-dyn");

	Elf64_Shdr *strtab = elffile_section_named(&file, ".strtab");
	strtab->sh_size--;
	CLEANUP(elfmap_closep) struct elfmap *map = open_changed(&file);
	size_t count;
	elfmap_symbols(map, &count);
	assert_true(count >= sizeof(whole_table) / sizeof(whole_table[0]) - 1);
	assert_true(elffile_has_note(map, ".symtab: 1 name indexes past the end"));
}

TEST(a_symtab_past_the_end_of_the_file_is_left_out)
{
	struct elffile file = elffile_fixture("le64-dyn");

	elffile_section_named(&file, ".symtab")->sh_size = UINT64_MAX - 8;
	CLEANUP(elfmap_closep) struct elfmap *map = open_changed(&file);
	assert_int_equal(elfmap_info(map)->symbols, ELFMAP_SYMBOLS_DYNSYM);
	assert_true(elffile_has_note(map, ".symtab skipped"));
}

TEST(names_never_come_from_compressed_bytes)
{
	static const struct {
		Elf64_Chdr header;
		const char *note;
	} cases[] = {
		{ { .ch_type = 1, .ch_size = 100 },
		  "the compressed content of .strtab is damaged" },
		{ { .ch_type = 2, .ch_size = 100 },
		  "the compressed content of .strtab is damaged" },
		{ { .ch_type = 3, .ch_size = 100 }, "in an unknown way (type 3)" },
		{ { .ch_type = 1, .ch_size = UINT64_MAX }, "the size of compressed .strtab" },
		{ { .ch_type = 2, .ch_size = 1 << 30 }, "the size of compressed .strtab" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct elffile file = elffile_fixture("le64-dyn");

		Elf64_Shdr *strtab = elffile_section_named(&file, ".strtab");
		strtab->sh_flags |= SHF_COMPRESSED;
		assert_true(strtab->sh_size > sizeof(Elf64_Chdr));
		memcpy(file.bytes + strtab->sh_offset, &cases[i].header, sizeof(Elf64_Chdr));
		CLEANUP(elfmap_closep) struct elfmap *map = open_changed(&file);
		assert_int_equal(elfmap_info(map)->symbols, ELFMAP_SYMBOLS_DYNSYM);
		assert_true(elffile_has_note(map, cases[i].note));
	}
}

TEST(a_resolver_has_its_own_name_and_not_that_of_its_ifunc)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("labels");

	check_at(map, 0x1000, "resolve_it");
	check_at(map, 0x101f, "resolve_it");
	check_at(map, 0x1020, "alone"); // has no other name
	check_at(map, 0x1060, "resolve_unsized");
	assert_string_equal(elfmap_ifunc_at(map, 0x1000)->name, "picked");
	assert_string_equal(elfmap_ifunc_at(map, 0x1060)->name, "unsized");
	assert_null(elfmap_ifunc_at(map, 0x1001));
	assert_null(elfmap_ifunc_at(map, 0x1040));
	for (uint64_t vaddr = 0x1000; vaddr <= 0x1060; vaddr += 0x20)
		assert_int_equal(!!(elfmap_role_at(map, vaddr).bits & ELFMAP_ROLE_RESOLVER),
				 vaddr != 0x1040);
}

TEST(a_label_without_a_size_hides_nothing_that_has_one)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("labels");

	check_at(map, 0x1040, "b_sized");
	check_at(map, 0x1048, "b_sized");
	check_at(map, 0x105f, "b_sized");
	check_at(map, 0x3000, "buffer");
	check_at(map, 0x3050, "buffer");
	check_at(map, 0x307f, "buffer");
	check_at(map, 0x3080, NULL);
	check_at(map, 0x318f, NULL);
	check_at(map, 0x3190, "after");
	check_at(map, 0x31ff, "after");
}

TEST(a_label_of_a_section_that_is_not_loaded_is_no_address)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("labels");
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count; i++)
		assert_string_not_equal(symbols[i].name, "ast.c.f1d5aea9");
	check_at(map, 0x303f, "buffer");
	check_at(map, 0x3040, "buffer");
}

TEST(random_symbols_are_looked_up_as_a_linear_search_does)
{
	enum { SEED = 7, COUNT = 15 };
	uint32_t random = SEED;

	print_message("# seed %d\n", SEED);
	for (int round = 0; round < 40; round++) {
		struct elffile file = elffile_fixture("le64-dyn");

		Elf64_Shdr *symtab = elffile_section_named(&file, ".symtab");
		Elf64_Sym *raw = (Elf64_Sym *)(file.bytes + symtab->sh_offset);
		for (int i = 1; i <= COUNT; i++) {
			random = random * 1664525 + 1013904223;
			raw[i].st_value = 0x1000 + (random >> 8) % 0xf0;
			raw[i].st_size = (random >> 16) % 0x60;
			raw[i].st_shndx = 7;
			raw[i].st_info = (unsigned char)ELF64_ST_INFO((random >> 24) % 3, STT_FUNC);
		}
		CLEANUP(elfmap_closep) struct elfmap *map = open_changed(&file);
		size_t count;
		const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
		for (uint64_t vaddr = 0x1000; vaddr < 0x1100; vaddr++) {
			static const int ranks[] = { [STB_LOCAL] = 2, [STB_WEAK] = 1 };
			const struct elfmap_symbol *best = NULL;

			array_foreach (one, symbols, count) {
				if (vaddr < one->vaddr || vaddr - one->vaddr >= one->size)
					continue;
				int order = 0;
				if (best)
					order = one->size != best->size
							? (one->size < best->size ? -1 : 1)
							: ranks[one->binding % 3] -
								  ranks[best->binding % 3];
				if (best && order == 0)
					order = (one->source == ELFMAP_SYMBOLS_EH_FRAME) -
						(best->source == ELFMAP_SYMBOLS_EH_FRAME);
				if (!best || order < 0 ||
				    (order == 0 && strcmp(one->name, best->name) < 0))
					best = one;
			}
			assert_ptr_equal(elfmap_symbol_at(map, vaddr), best);
		}
		for (size_t i = 1; i < count; i++) {
			assert_true(symbols[i - 1].vaddr <= symbols[i].vaddr);
			if (symbols[i - 1].vaddr == symbols[i].vaddr)
				assert_true(strcmp(symbols[i - 1].name, symbols[i].name) <= 0);
		}
	}
}

TEST(functions_begin_at_symbols_and_fdes_and_nowhere_else)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("le64-dyn");
	CLEANUP(elfmap_closep) struct elfmap *labels = elffile_open_fixture("labels");
	static const struct {
		uint64_t vaddr, size;
		size_t symbols;
		bool has_name;
	} rows[] = {
		{ 0x1000, 0x40, 3, true },  { 0x1010, 0x10, 1, true },
		{ 0x1060, 0x20, 1, true }, // not 0x1050: a label
		{ 0x1080, 0x20, 1, false }, { 0x10a0, 0x10, 1, false },
		{ 0x10f0, 0x10, 1, true },
	};
	size_t count;
	const struct elfmap_function *functions = elfmap_functions(map, &count);

	for (size_t i = 0; i < count && i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(functions[i].vaddr, rows[i].vaddr);
		assert_int_equal(functions[i].offset, rows[i].vaddr);
		assert_int_equal(functions[i].size, rows[i].size);
		assert_int_equal(functions[i].symbol_count, rows[i].symbols);
		assert_int_equal(functions[i].has_name, rows[i].has_name);
	}
	assert_int_equal(count, sizeof(rows) / sizeof(rows[0]));

	functions = elfmap_functions(labels, &count);
	assert_int_equal(count, 4); // resolve_it, alone, b_sized, resolve_unsized
	assert_int_equal(functions[2].vaddr, 0x1040);
	assert_int_equal(functions[2].symbol_count, 2);
}
