// SPDX-License-Identifier: Apache-2.0
// Opening: what a file says of itself, and everything that is refused.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

#include <sys/stat.h>

static const uint8_t fixture_build_id[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

static void check_layout(struct elfmap *map)
{
	const struct elfmap_info *info = elfmap_info(map);
	size_t count;

	assert_int_equal(info->entry, 0x1000);
	assert_string_equal(info->soname, "libfixture.so.1");
	assert_null(info->interpreter);
	assert_int_equal(info->build_id_size, sizeof(fixture_build_id));
	assert_memory_equal(info->build_id, fixture_build_id, sizeof(fixture_build_id));
	assert_true(info->bind_now);
	assert_int_equal(info->symbols, ELFMAP_SYMBOLS_SYMTAB);

	const struct elfmap_segment *segments = elfmap_segments(map, &count);
	assert_int_equal(count, 5);
	assert_int_equal(segments[2].type, PT_LOAD);
	assert_int_equal(segments[2].flags, PF_R | PF_W);
	assert_int_equal(segments[2].offset, 0x2000);
	assert_int_equal(segments[2].file_size, 0x100);
	assert_int_equal(segments[2].vaddr, 0x3000);
	assert_int_equal(segments[2].memory_size, 0x140);
	assert_int_equal(segments[2].align, 0x1000);

	static const struct {
		const char *name;
		uint64_t vaddr, offset, size;
		int segment;
		bool has_bytes;
	} expected[] = {
		{ ".dynstr", 0x2b0, 0x2b0, 50, 0, true },
		{ ".text", 0x1000, 0x1000, 0x100, 1, true },
		{ ".data", 0x3000, 0x2000, 0x20, 2, true },
		{ ".bss", 0x3100, 0x2100, 0x40, 2, false },
		{ ".comment", 0, 0x2100, 0x10, -1, true },
	};
	elfmap_sections(map, &count);
	assert_int_equal(count, 16);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct elfmap_section *section = elfmap_section_named(map, expected[i].name);

		assert_non_null(section);
		assert_int_equal(section->vaddr, expected[i].vaddr);
		assert_int_equal(section->offset, expected[i].offset);
		assert_int_equal(section->size, expected[i].size);
		assert_int_equal(section->segment, expected[i].segment);
		assert_int_equal(section->has_bytes, expected[i].has_bytes);
	}
	assert_null(elfmap_section_named(map, ".nothing"));
}

TEST(both_classes_and_byte_orders_say_the_same)
{
	static const struct {
		const char *name;
		bool is_64bit, big_endian;
		int type, machine;
	} files[] = {
		{ "le64-dyn", true, false, ET_DYN, EM_X86_64 },
		{ "be64-dyn", true, true, ET_DYN, EM_PPC64 },
		{ "le32-dyn", false, false, ET_DYN, EM_386 },
		{ "be32-exec", false, true, ET_EXEC, EM_PPC },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture(files[i].name);
		const struct elfmap_info *info = elfmap_info(map);

		assert_int_equal(info->is_64bit, files[i].is_64bit);
		assert_int_equal(info->big_endian, files[i].big_endian);
		assert_int_equal(info->type, files[i].type);
		assert_int_equal(info->machine, files[i].machine);
		assert_int_equal(info->static_pie, files[i].type == ET_DYN);
		check_layout(map);
	}
}

TEST(a_file_without_section_headers_speaks_through_its_segments)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("no-sections");
	const struct elfmap_info *info = elfmap_info(map);
	size_t count;

	elfmap_sections(map, &count);
	assert_int_equal(count, 0);
	assert_string_equal(info->soname, "libfixture.so.1");
	assert_int_equal(info->build_id_size, sizeof(fixture_build_id));
	assert_memory_equal(info->build_id, fixture_build_id, sizeof(fixture_build_id));
	assert_int_equal(info->symbols, ELFMAP_SYMBOLS_DYNSYM);
}

TEST(counts_that_do_not_fit_the_header_come_from_section_zero)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");
	struct elfmap *map;
	struct err err;

	Elf64_Ehdr *header = elffile_header(&file);
	Elf64_Shdr *zero = elffile_section(&file, 0);
	zero->sh_info = header->e_phnum;
	zero->sh_size = header->e_shnum;
	zero->sh_link = header->e_shstrndx;
	header->e_phnum = PN_XNUM;
	header->e_shnum = 0;
	header->e_shstrndx = SHN_XINDEX;
	assert_true(elffile_open(&file, &map, &err));
	check_layout(map);
	elfmap_close(map);

	zero->sh_info = UINT32_MAX;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "truncated"));
	zero->sh_info = 5;
	zero->sh_size = 1 << 20;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "truncated"));
	zero->sh_size = UINT64_MAX / 2;
	assert_false(elffile_open(&file, &map, &err));
	assert_int_equal(err.code, ERR_INPUT);
}

TEST(every_prefix_of_a_file_is_refused)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");

	size_t whole = file.size;
	for (file.size = 0; file.size < whole; file.size++) {
		struct elfmap *map = NULL;
		struct err err = { 0 };

		assert_false(elffile_open(&file, &map, &err));
		assert_null(map);
		assert_int_equal(err.code, ERR_INPUT);
		assert_non_null(strstr(err.message, "/proc/self/fd/"));
		if (file.size >= sizeof(Elf64_Ehdr))
			assert_non_null(strstr(err.message, "truncated"));
	}
}

TEST(a_cut_file_without_section_headers_is_refused)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("no-sections");
	CLEANUP(elfmap_closep) struct elfmap *map;
	struct err err;

	file.size = 0x20ff; // the last segment ends at 0x2100
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "ends at 8447 but its segments extend to 8448"));
	file.size = 0x2100;
	assert_true(elffile_open(&file, &map, &err));
}

static void check_refused(const char *path, enum err_code code, const char *words)
{
	struct elfmap *map = NULL;
	struct err err = { 0 };

	assert_false(elfmap_open(path, NULL, &map, &err));
	assert_null(map);
	assert_int_equal(err.code, code);
	assert_int_equal(strncmp(err.message, path, strlen(path)), 0);
	if (!strstr(err.message, words))
		fail_msg("\"%s\" does not say \"%s\"", err.message, words);
}

static void check_text_refused(const char *text, size_t size, const char *words)
{
	struct elffile file = { .bytes = (uint8_t *)text, .size = size };
	const char *path = elffile_temporary(&file);

	check_refused(path, ERR_INPUT, words);
	unlink(path);
}

TEST(what_is_no_elf_file_is_refused_by_what_it_is)
{
	check_text_refused("", 0, "is empty, not an ELF file");
	check_text_refused("x", 1, "not an ELF file");
	check_text_refused("just some words of text", 23, "not an ELF file");
	check_text_refused("!<arch>\n", 8, "an ar archive");
	check_text_refused("!<thin>\n", 8, "an ar archive");
	check_text_refused("#!/bin/sh\n", 10, "a script");
	check_text_refused("/* GNU ld script */", 19, "a linker script");
	check_text_refused("\177ELF", 4, "truncated");
	check_text_refused("\177ELF\7\1\1\0\0\0\0\0\0\0\0\0", 16, "ELF class 7");
	check_text_refused("\177ELF\2\7\1\0\0\0\0\0\0\0\0\0", 16, "byte order 7");
	check_refused("/nonexistent/file", ERR_OS, "No such file");
	check_refused("/", ERR_INPUT, "a directory");
	check_refused("/dev/null", ERR_INPUT, "not a regular file");
}

TEST(a_fifo_is_refused_without_waiting_for_a_writer)
{
	char path[] = "/tmp/elffile-fifo-XXXXXX";
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(60); // ends the test if the open waits
	check_refused(path, ERR_INPUT, "a FIFO");
	alarm(0);
	unlink(path);
}

TEST(core_files_and_objects_are_refused)
{
	check_refused(elffile_path("core"), ERR_INPUT, "a core file");
	check_refused(elffile_path("object"), ERR_UNSUPPORTED, "a relocatable object");
}

TEST(a_separate_debug_file_is_refused)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");
	struct elfmap *map;
	struct err err;

	elffile_section_named(&file, ".text")->sh_type = SHT_NOBITS;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "a separate debug file"));
}

TEST(impossible_segments_are_refused_by_number)
{
	struct elffile file = elffile_fixture("le64-dyn");
	struct elfmap *map;
	struct err err;

	elffile_segment(&file, 2)->p_memsz = 0xff;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "program header 2: more bytes in the file (256)"));
	elffile_segment(&file, 2)->p_memsz = UINT64_MAX - 0x2000;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "program header 2: vaddr 0x3000"));
	elffile_deinit(&file);

	file = elffile_fixture("le64-dyn");
	elffile_header(&file)->e_phentsize = 8;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "program headers have 8 bytes each, not 56"));
	elffile_deinit(&file);
}

TEST(what_is_damaged_in_a_header_is_said)
{
	static const uint8_t values[] = { 0, 1, 2, 3, 0x40, 0x7f, 0xff };
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");
	struct elfmap *map;
	struct err err;

	for (size_t i = 0; i < sizeof(Elf64_Ehdr) * sizeof(values); i++) {
		uint8_t *byte = &file.bytes[i / sizeof(values)], before = *byte;

		*byte = values[i % sizeof(values)];
		if (elffile_open(&file, &map, &err)) {
			assert_false(elffile_has_note(map, "no error"));
			elfmap_close(map);
		} else {
			assert_null(strstr(err.message, "no error"));
		}
		*byte = before;
	}
	file.bytes[EI_VERSION] = 2;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "ELF version 2 is unknown"));
	file.bytes[EI_VERSION] = EV_CURRENT;
	elffile_header(&file)->e_phoff = 0;
	assert_false(elffile_open(&file, &map, &err));
	assert_non_null(strstr(err.message, "they are said to start at offset 0"));
}

TEST(damaged_section_headers_are_a_note)
{
	struct elffile file = elffile_fixture("le64-dyn");
	struct elfmap *map;
	struct err err;
	size_t count;

	elffile_header(&file)->e_shentsize = 1;
	assert_true(elffile_open(&file, &map, &err));
	elfmap_sections(map, &count);
	assert_int_equal(count, 0);
	assert_true(elffile_has_note(map, "section headers are damaged (1 bytes each)"));
	elfmap_close(map);
	elffile_deinit(&file);

	file = elffile_fixture("le64-dyn");
	elffile_section(&file, 7)->sh_name = 0xfffff;
	elffile_section(&file, 11)->sh_size = UINT64_MAX;
	assert_true(elffile_open(&file, &map, &err));
	assert_string_equal(elfmap_sections(map, &count)[7].name, "");
	assert_true(elffile_has_note(map, "the string table; the first is section 7"));
	assert_true(elffile_has_note(map, "the end of the file; the first is section 11"));
	elfmap_close(map);

	elffile_header(&file)->e_shstrndx = 7;
	assert_true(elffile_open(&file, &map, &err));
	assert_true(elffile_has_note(map, "section 7 is not a string table"));
	elfmap_close(map);
	elffile_deinit(&file);
}

TEST(a_file_cut_while_open_gives_a_note)
{
	struct elffile file = elffile_fixture("no-sections");
	struct elfmap *map;
	struct err err;
	size_t count;

	// 1 MiB of padding moves the tables to pieces that are not read yet.
	size_t size = file.size + (1 << 20);
	uint8_t *bytes = xcalloc(size, 1);
	memcpy(bytes, file.bytes, file.size);
	elffile_deinit(&file);
	file = (struct elffile){ .bytes = bytes, .size = size };
	Elf64_Phdr *code = elffile_segment(&file, 1);
	code->p_offset = size - code->p_filesz;
	Elf64_Phdr *tables = elffile_segment(&file, 0);
	memcpy(bytes + size - 0x2000, bytes, tables->p_filesz);
	tables->p_offset = size - 0x2000;

	const char *path = elffile_temporary(&file);
	assert_true(elfmap_open(path, NULL, &map, &err));
	assert_int_equal(truncate(path, 0x3000), 0);
	unlink(path);
	for (uint64_t vaddr = 0; vaddr < 0x4000; vaddr += 16)
		elfmap_symbol_at(map, vaddr);
	elfmap_symbols(map, &count);
	elfmap_close(map);

	path = elffile_temporary(&file);
	assert_true(elfmap_open(path, NULL, &map, &err));
	elfmap_close(map);
	unlink(path);
	elffile_deinit(&file);
}
