// SPDX-License-Identifier: Apache-2.0
// Headers of files that are written here, of both classes and byte orders.
#include "elfmap/headers/elfheaders.h"

#include "tests/support/elffile.h"
#include "tests/support/traces.h"

enum { SIZE = 512, SEGMENTS = 256, SECTIONS = 384, NOTES = 448, ID_SIZE = 20 };

/** Write a field of a struct of either class. */
#define PUT(file, at, type, field, value)                                              \
	((file)->is_64bit ? put((file), (at) + offsetof(Elf64_##type, field), (value), \
				sizeof(((Elf64_##type *)0)->field))                    \
			  : put((file), (at) + offsetof(Elf32_##type, field), (value), \
				sizeof(((Elf32_##type *)0)->field)))

struct small_file {
	bool is_64bit, is_big_endian;
	uint8_t bytes[SIZE];
};

static void put(struct small_file *file, size_t at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		file->bytes[at + i] =
			(uint8_t)(value >> 8 * (file->is_big_endian ? size - 1 - i : i));
}

static size_t put_note(struct small_file *file, size_t at, const char *name, uint32_t type,
		       size_t size)
{
	put(file, at, strlen(name) + 1, 4);
	put(file, at + 4, size, 4);
	put(file, at + 8, type, 4);
	memcpy(file->bytes + at + 12, name, strlen(name));
	for (size_t i = 0; i < size; i++)
		file->bytes[at + 16 + i] = (uint8_t)(i + 1);
	return at + 16 + size;
}

/** Write a program with two segments, of which the second is a note and a build-id, and a section.
 */
static struct small_file file_of(bool is_64bit, bool is_big_endian)
{
	struct small_file to = { .is_64bit = is_64bit, .is_big_endian = is_big_endian };
	struct small_file *file = &to;
	size_t note = SEGMENTS + elfheaders_segment_size(is_64bit);

	memcpy(file->bytes, ELFMAG, SELFMAG);
	file->bytes[EI_CLASS] = is_64bit ? ELFCLASS64 : ELFCLASS32;
	file->bytes[EI_DATA] = is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	file->bytes[EI_VERSION] = EV_CURRENT;
	PUT(file, 0, Ehdr, e_type, ET_DYN);
	PUT(file, 0, Ehdr, e_machine, EM_AARCH64);
	PUT(file, 0, Ehdr, e_entry, 0x12345678);
	PUT(file, 0, Ehdr, e_phoff, SEGMENTS);
	PUT(file, 0, Ehdr, e_phentsize, elfheaders_segment_size(is_64bit));
	PUT(file, 0, Ehdr, e_phnum, 2);
	PUT(file, 0, Ehdr, e_shoff, SECTIONS);
	PUT(file, 0, Ehdr, e_shentsize, elfheaders_section_size(is_64bit));
	PUT(file, 0, Ehdr, e_shnum, 1);
	PUT(file, SEGMENTS, Phdr, p_type, PT_LOAD);
	PUT(file, SEGMENTS, Phdr, p_flags, PF_R | PF_X);
	PUT(file, SEGMENTS, Phdr, p_vaddr, 0x40302010);
	PUT(file, SEGMENTS, Phdr, p_memsz, 0x50607080);
	PUT(file, note, Phdr, p_type, PT_NOTE);
	PUT(file, note, Phdr, p_offset, NOTES);
	PUT(file, note, Phdr, p_filesz, SIZE - NOTES);
	PUT(file, note, Phdr, p_align, 4);
	PUT(file, SECTIONS, Shdr, sh_type, SHT_PROGBITS);
	PUT(file, SECTIONS, Shdr, sh_flags, SHF_ALLOC);
	PUT(file, SECTIONS, Shdr, sh_size, 0x11223344);
	PUT(file, SECTIONS, Shdr, sh_link, 7);
	put_note(file, put_note(file, NOTES, "GNU", NT_GNU_ABI_TAG, 8), "GNU", NT_GNU_BUILD_ID,
		 ID_SIZE);
	return to;
}

static uint32_t build_id_of(const struct small_file *file, size_t size, uint8_t *ret_bytes,
			    uint32_t most)
{
	struct memory_file stored = memory_file_create(file->bytes, size);
	uint32_t found = elfheaders_build_id(stored.fd, ret_bytes, most);

	close(stored.fd);
	return found;
}

TEST(headers_read_the_same_in_each_class_and_order)
{
	for (int kind = 0; kind < 4; kind++) {
		struct small_file file = file_of(kind & 1, kind & 2);
		struct elfheaders headers;

		assert_true(elfheaders_parse(file.bytes, SIZE, &headers));
		assert_int_equal(headers.is_64bit, file.is_64bit);
		assert_int_equal(headers.is_big_endian, file.is_big_endian);
		assert_int_equal(headers.header.e_type, ET_DYN);
		assert_int_equal(headers.header.e_machine, EM_AARCH64);
		assert_int_equal(headers.header.e_entry, 0x12345678);
		assert_int_equal(headers.header.e_phnum, 2);
		Elf64_Phdr load = elfheaders_segment(&headers, file.bytes + SEGMENTS, 0);
		Elf64_Phdr note = elfheaders_segment(&headers, file.bytes + SEGMENTS, 1);
		Elf64_Shdr section = elfheaders_section(&headers, file.bytes + SECTIONS, 0);

		assert_int_equal(load.p_type, PT_LOAD);
		assert_int_equal(load.p_flags, PF_R | PF_X);
		assert_int_equal(load.p_vaddr, 0x40302010);
		assert_int_equal(load.p_memsz, 0x50607080);
		assert_int_equal(note.p_type, PT_NOTE);
		assert_int_equal(note.p_offset, NOTES);
		assert_int_equal(section.sh_flags, SHF_ALLOC);
		assert_int_equal(section.sh_size, 0x11223344);
		assert_int_equal(section.sh_link, 7);
	}
}

TEST(a_build_id_is_found_behind_other_notes)
{
	for (int kind = 0; kind < 4; kind++) {
		struct small_file file = file_of(kind & 1, kind & 2);
		uint8_t bytes[ID_SIZE];

		assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), ID_SIZE);
		for (size_t i = 0; i < ID_SIZE; i++)
			assert_int_equal(bytes[i], i + 1);
	}
}

TEST(a_build_id_of_a_program_is_its_own)
{
	uint8_t bytes[ID_SIZE], expected[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("le64-dyn");

	struct memory_file stored = memory_file_create(file.bytes, file.size);

	assert_int_equal(elfheaders_build_id(stored.fd, bytes, sizeof(bytes)), sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
	close(stored.fd);
}

TEST(a_note_of_8_byte_alignment_is_padded_to_8)
{
	struct small_file file = file_of(true, false);
	struct elfheaders headers;
	uint32_t size = 0;

	// 12 + 4 + 4 bytes end at 20; the next note is at 24.
	memset(file.bytes + NOTES, 0, SIZE - NOTES);
	put_note(&file, NOTES, "GNU", NT_GNU_ABI_TAG, 4);
	put_note(&file, NOTES + 24, "GNU", NT_GNU_BUILD_ID, 16);
	assert_true(elfheaders_parse(file.bytes, SIZE, &headers));
	assert_ptr_equal(
		elfheaders_find_build_id(&headers, file.bytes + NOTES, SIZE - NOTES, 8, &size),
		file.bytes + NOTES + 40);
	assert_int_equal(size, 16);
	assert_null(elfheaders_find_build_id(&headers, file.bytes + NOTES, SIZE - NOTES, 4, &size));
}

TEST(what_is_no_elf_header_is_refused)
{
	static const struct {
		size_t at;
		uint8_t value;
	} changes[] = { { 0, 0 },	 { 3, 'f' },	 { EI_CLASS, 0 },
			{ EI_CLASS, 3 }, { EI_DATA, 0 }, { EI_DATA, 3 } };
	struct elfheaders headers;

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct small_file file = file_of(true, false);
		uint8_t bytes[ID_SIZE];

		file.bytes[changes[i].at] = changes[i].value;
		assert_false(elfheaders_parse(file.bytes, SIZE, &headers));
		assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), 0);
	}
	for (int is_64bit = 0; is_64bit < 2; is_64bit++) {
		struct small_file file = file_of(is_64bit, false);

		for (size_t size = 0; size < SIZE; size++) {
			assert_int_equal(elfheaders_parse(file.bytes, size, &headers),
					 size >= elfheaders_size(is_64bit));
			assert_int_equal(elfheaders_is_elf(file.bytes, size), size >= SELFMAG);
		}
	}
}

TEST(a_cut_file_has_no_build_id)
{
	for (int kind = 0; kind < 4; kind++) {
		struct small_file file = file_of(kind & 1, kind & 2);
		uint8_t bytes[ID_SIZE];
		const size_t end = NOTES + 24 + 16 + ID_SIZE; // of both notes

		for (size_t size = 0; size <= SIZE; size++)
			assert_int_equal(build_id_of(&file, size, bytes, sizeof(bytes)),
					 size < end ? 0 : ID_SIZE);
	}
}

TEST(a_build_id_that_does_not_fit_is_none)
{
	struct small_file file = file_of(true, true);
	uint8_t bytes[ID_SIZE];

	assert_int_equal(build_id_of(&file, SIZE, bytes, ID_SIZE - 1), 0);
	assert_int_equal(build_id_of(&file, SIZE, bytes, ID_SIZE), ID_SIZE);
}

/** Offsets, counts and sizes that point past everything. */
TEST(hostile_headers_have_no_build_id)
{
	const uint64_t values[] = {
		SIZE, UINT32_MAX, INT64_MAX - 8, INT64_MAX + 1ull, UINT64_MAX - 32, UINT64_MAX
	};
	const size_t note = SEGMENTS + sizeof(Elf64_Phdr);
	uint8_t bytes[ID_SIZE];

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct small_file file = file_of(true, false);

		PUT(&file, 0, Ehdr, e_phoff, values[i]);
		assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), 0);
		file = file_of(true, false);
		PUT(&file, note, Phdr, p_offset, values[i]);
		assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), 0);
		file = file_of(true, false);
		PUT(&file, note, Phdr, p_filesz, values[i]); // what is there of it serves
		assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), ID_SIZE);
		file = file_of(true, false);
		put(&file, NOTES, values[i], 4); // the first note's name
		assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), 0);
		file = file_of(true, false);
		put(&file, NOTES + 24 + 4, values[i], 4); // the build-id's size
		assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), 0);
	}
	struct small_file file = file_of(true, false);

	PUT(&file, 0, Ehdr, e_phentsize, 32);
	assert_int_equal(build_id_of(&file, SIZE, bytes, sizeof(bytes)), 0);
}

/** Program headers are read in pieces: the build-id is in the last of a hundred. */
TEST(a_build_id_is_found_in_the_last_segment_of_many)
{
	enum { COUNT = 100 };
	struct small_file small = file_of(true, false);
	uint8_t bytes[SIZE + COUNT * sizeof(Elf64_Phdr)] = { 0 }, id[ID_SIZE];

	PUT(&small, 0, Ehdr, e_phoff, SIZE);
	PUT(&small, 0, Ehdr, e_phnum, COUNT);
	memcpy(bytes, small.bytes, SIZE);
	memcpy(bytes + sizeof(bytes) - sizeof(Elf64_Phdr),
	       small.bytes + SEGMENTS + sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
	struct memory_file stored = memory_file_create(bytes, sizeof(bytes));

	assert_int_equal(elfheaders_build_id(stored.fd, id, sizeof(id)), ID_SIZE);
	close(stored.fd);
}
