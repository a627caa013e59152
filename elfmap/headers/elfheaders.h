// SPDX-License-Identifier: Apache-2.0
// The headers of an ELF file of either class and byte order, and its build-id, without libelf or
// memory of their own: for programs that are static, confined or still privileged. The bytes may be
// anyone's.
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The ELF header, as a 64-bit file of this machine has it, and how the file writes the others. */
struct elfheaders {
	bool is_64bit, is_big_endian;
	Elf64_Ehdr header;
};

/** Sizes of the headers in a file of either class, and of a symbol's entry. */
static inline uint64_t elfheaders_size(bool is_64bit)
{
	return is_64bit ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static inline uint64_t elfheaders_segment_size(bool is_64bit)
{
	return is_64bit ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

static inline uint64_t elfheaders_section_size(bool is_64bit)
{
	return is_64bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/** True if a file that begins with these bytes says that it is an ELF file. */
bool elfheaders_is_elf(const void *start, size_t size);

/** The same of the file behind @fd, whatever place that stands at. */
bool elfheaders_is_elf_file(int fd);

/**
 * Read the ELF header at the start of @bytes. False if it is none, is cut, or is of a class or byte
 * order that does not exist. Its offsets, counts and sizes are as the file has them.
 */
bool elfheaders_parse(const void *bytes, size_t size, struct elfheaders *ret_headers);

/** The same of the file behind @fd. */
bool elfheaders_read(int fd, struct elfheaders *ret_headers);

/**
 * Entry @index of a table of program headers that the caller has read: elfheaders_segment_size()
 * bytes each.
 */
Elf64_Phdr elfheaders_segment(const struct elfheaders *headers, const uint8_t *table,
			      uint64_t index);

/** Entry @index of a table of section headers, elfheaders_section_size() bytes each. */
Elf64_Shdr elfheaders_section(const struct elfheaders *headers, const uint8_t *table,
			      uint64_t index);

/**
 * Find the build-id in a run of notes, of which each is padded to 8 bytes if @align is 8, else
 * to 4. Returns: its *@ret_size bytes in @notes, maybe none; NULL if no note is one. Source: gABI
 * ch. 5 "Note Section".
 */
const uint8_t *elfheaders_find_build_id(const struct elfheaders *headers, const uint8_t *notes,
					uint64_t size, uint64_t align, uint32_t *ret_size);

/**
 * Read the build-id of the ELF file behind @fd from its note segments: from the first 4 KiB of
 * each, as the kernel looks no further than the file's first page. Returns: its size, at most
 * @most; 0: it has none, a longer one, or is no ELF file.
 */
uint32_t elfheaders_build_id(int fd, uint8_t *ret_bytes, uint32_t most);
