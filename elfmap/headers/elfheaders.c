// SPDX-License-Identifier: Apache-2.0
#include "elfmap/headers/elfheaders.h"

#include "base/checked.h"
#include "base/range.h"
#include "base/readfull.h"

#include <string.h>

static uint64_t number_at(const struct elfheaders *headers, const uint8_t *at, size_t size)
{
	uint64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number |= (uint64_t)at[headers->is_big_endian ? size - 1 - i : i] << 8 * i;
	return number;
}

/** A field of a header in files of each class. */
struct field {
	uint8_t offset_64, size_64, offset_32, size_32;
};

#define FIELD(type, name)                                                               \
	{                                                                               \
		offsetof(Elf64_##type, name), sizeof(((Elf64_##type *)0)->name),        \
			offsetof(Elf32_##type, name), sizeof(((Elf32_##type *)0)->name) \
	}

static const struct field file_fields[] = {
	FIELD(Ehdr, e_type),	 FIELD(Ehdr, e_machine),   FIELD(Ehdr, e_version),
	FIELD(Ehdr, e_entry),	 FIELD(Ehdr, e_phoff),	   FIELD(Ehdr, e_shoff),
	FIELD(Ehdr, e_flags),	 FIELD(Ehdr, e_ehsize),	   FIELD(Ehdr, e_phentsize),
	FIELD(Ehdr, e_phnum),	 FIELD(Ehdr, e_shentsize), FIELD(Ehdr, e_shnum),
	FIELD(Ehdr, e_shstrndx),
};

static const struct field segment_fields[] = {
	FIELD(Phdr, p_type),  FIELD(Phdr, p_flags),  FIELD(Phdr, p_offset), FIELD(Phdr, p_vaddr),
	FIELD(Phdr, p_paddr), FIELD(Phdr, p_filesz), FIELD(Phdr, p_memsz),  FIELD(Phdr, p_align),
};

static const struct field section_fields[] = {
	FIELD(Shdr, sh_name),	 FIELD(Shdr, sh_type),	 FIELD(Shdr, sh_flags),
	FIELD(Shdr, sh_addr),	 FIELD(Shdr, sh_offset), FIELD(Shdr, sh_size),
	FIELD(Shdr, sh_link),	 FIELD(Shdr, sh_info),	 FIELD(Shdr, sh_addralign),
	FIELD(Shdr, sh_entsize),
};

/** Fill a struct of a 64-bit file of this machine from one of any file at @at. */
static void read_fields(const struct elfheaders *headers, const uint8_t *at,
			const struct field *fields, size_t count, void *ret_header)
{
	for (const struct field *field = fields; field < fields + count; field++) {
		uint64_t number =
			headers->is_64bit
				? number_at(headers, at + field->offset_64, field->size_64)
				: number_at(headers, at + field->offset_32, field->size_32);
		size_t unused = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
					? 0
					: sizeof(number) - field->size_64;

		memcpy((uint8_t *)ret_header + field->offset_64, (uint8_t *)&number + unused,
		       field->size_64);
	}
}

#define READ_FIELDS(headers, at, fields, ret_header) \
	read_fields(headers, at, fields, sizeof(fields) / sizeof((fields)[0]), ret_header)

bool elfheaders_is_elf(const void *start, size_t size)
{
	return size >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0;
}

bool elfheaders_is_elf_file(int fd)
{
	char start[SELFMAG];

	return elfheaders_is_elf(start, pread_full(fd, start, sizeof(start), 0));
}

bool elfheaders_parse(const void *bytes, size_t size, struct elfheaders *ret_headers)
{
	const uint8_t *at = bytes;

	if (size < EI_NIDENT || !elfheaders_is_elf(at, size) ||
	    (at[EI_CLASS] != ELFCLASS32 && at[EI_CLASS] != ELFCLASS64) ||
	    (at[EI_DATA] != ELFDATA2LSB && at[EI_DATA] != ELFDATA2MSB) ||
	    size < elfheaders_size(at[EI_CLASS] == ELFCLASS64))
		return false;

	*ret_headers = (struct elfheaders){
		.is_64bit = at[EI_CLASS] == ELFCLASS64,
		.is_big_endian = at[EI_DATA] == ELFDATA2MSB,
	};
	memcpy(ret_headers->header.e_ident, at, EI_NIDENT);
	READ_FIELDS(ret_headers, at, file_fields, &ret_headers->header);
	return true;
}

bool elfheaders_read(int fd, struct elfheaders *ret_headers)
{
	uint8_t bytes[sizeof(Elf64_Ehdr)];

	return elfheaders_parse(bytes, pread_full(fd, bytes, sizeof(bytes), 0), ret_headers);
}

Elf64_Phdr elfheaders_segment(const struct elfheaders *headers, const uint8_t *table,
			      uint64_t index)
{
	Elf64_Phdr header;

	READ_FIELDS(headers, table + index * elfheaders_segment_size(headers->is_64bit),
		    segment_fields, &header);
	return header;
}

Elf64_Shdr elfheaders_section(const struct elfheaders *headers, const uint8_t *table,
			      uint64_t index)
{
	Elf64_Shdr header;

	READ_FIELDS(headers, table + index * elfheaders_section_size(headers->is_64bit),
		    section_fields, &header);
	return header;
}

const uint8_t *elfheaders_find_build_id(const struct elfheaders *headers, const uint8_t *notes,
					uint64_t size, uint64_t align, uint32_t *ret_size)
{
	uint64_t at = 0;

	align = align == 8 ? 8 : 4;
	while (checked_within(at, sizeof(Elf64_Nhdr), size)) { // the same in both classes
		uint64_t name_size = number_at(headers, notes + at, 4);
		uint64_t data_size = number_at(headers, notes + at + 4, 4);
		uint64_t type = number_at(headers, notes + at + 8, 4);
		uint64_t name = at + sizeof(Elf64_Nhdr);
		// 32-bit sizes: these sums cannot overflow.
		uint64_t data = align_up(name + name_size, align);

		if (!checked_within(data, data_size, size))
			return NULL;
		if (type == NT_GNU_BUILD_ID && name_size == sizeof(ELF_NOTE_GNU) &&
		    memcmp(notes + name, ELF_NOTE_GNU, name_size) == 0) {
			*ret_size = (uint32_t)data_size;
			return notes + data;
		}
		at = align_up(data + data_size, align);
	}
	return NULL;
}

static uint32_t segment_build_id(const struct elfheaders *headers, const Elf64_Phdr *segment,
				 int fd, uint8_t *ret_bytes, uint32_t most)
{
	enum { NOTES_MAX = 4 << 10 };
	uint8_t notes[NOTES_MAX];
	uint64_t wanted = segment->p_filesz < NOTES_MAX ? segment->p_filesz : NOTES_MAX;
	size_t got = pread_full(fd, notes, wanted, segment->p_offset);
	uint32_t size;
	const uint8_t *found =
		elfheaders_find_build_id(headers, notes, got, segment->p_align, &size);

	if (!found || size > most)
		return 0;
	memcpy(ret_bytes, found, size);
	return size;
}

uint32_t elfheaders_build_id(int fd, uint8_t *ret_bytes, uint32_t most)
{
	enum { AT_A_TIME = 32 };
	uint8_t table[AT_A_TIME * sizeof(Elf64_Phdr)];
	struct elfheaders headers;

	if (!elfheaders_read(fd, &headers))
		return 0;
	uint64_t entry_size = elfheaders_segment_size(headers.is_64bit);
	uint64_t offset = headers.header.e_phoff, count = headers.header.e_phnum;
	uint32_t found = 0;

	if (headers.header.e_phentsize != entry_size || offset > INT64_MAX)
		return 0;
	for (uint64_t i = 0; i < count && !found; i++) {
		uint64_t piece = count - i < AT_A_TIME ? count - i : AT_A_TIME;

		if (i % AT_A_TIME == 0 && pread_full(fd, table, piece * entry_size,
						     offset + i * entry_size) != piece * entry_size)
			return 0;
		Elf64_Phdr segment = elfheaders_segment(&headers, table, i % AT_A_TIME);

		if (segment.p_type == PT_NOTE)
			found = segment_build_id(&headers, &segment, fd, ret_bytes, most);
	}
	return found;
}
