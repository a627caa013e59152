// SPDX-License-Identifier: Apache-2.0
#include "prefetch/buildid.h"

#include "prefetch/list.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 128, NOTES_MAX = 4 << 10 };

/** The layout of the headers. */
struct layout {
	bool is_64, is_swapped;
};

static uint64_t number_at(const struct layout *layout, const uint8_t *at, size_t size)
{
	uint64_t number = 0;
	bool is_little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != layout->is_swapped;

	for (size_t i = 0; i < size; i++)
		number |= (uint64_t)at[i] << 8 * (is_little ? i : size - 1 - i);
	return number;
}

#define FIELD(layout, bytes, type, field)                                               \
	((layout)->is_64 ? number_at((layout), (bytes) + offsetof(Elf64_##type, field), \
				     sizeof(((Elf64_##type *)0)->field))                \
			 : number_at((layout), (bytes) + offsetof(Elf32_##type, field), \
				     sizeof(((Elf32_##type *)0)->field)))

/** Look for the build-id among notes: each a header, a name and a description, padded to @align. */
static uint32_t find_note(const struct layout *layout, const uint8_t *notes, size_t size,
			  size_t align, uint8_t *ret_build_id)
{
	enum { HEADER = 12 };

	for (size_t at = 0; size - at >= HEADER;) {
		uint64_t name_size = number_at(layout, notes + at, 4);
		uint64_t size_of = number_at(layout, notes + at + 4, 4);
		uint64_t type = number_at(layout, notes + at + 8, 4);
		uint64_t name = at + HEADER;
		uint64_t what = (name + name_size + align - 1) & ~(uint64_t)(align - 1);
		uint64_t next = (what + size_of + align - 1) & ~(uint64_t)(align - 1);

		if (what + size_of > size)
			return 0;
		if (type == NT_GNU_BUILD_ID && name_size == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0 && size_of > 0 &&
		    size_of <= PREFETCH_BUILD_ID_MAX) {
			memcpy(ret_build_id, notes + what, size_of);
			return (uint32_t)size_of;
		}
		if (next >= size)
			return 0;
		at = next;
	}
	return 0;
}

static uint32_t of_segment(const struct layout *layout, int fd, const uint8_t *segment,
			   uint8_t *ret_build_id)
{
	uint64_t offset = FIELD(layout, segment, Phdr, p_offset);
	uint64_t size = FIELD(layout, segment, Phdr, p_filesz);
	uint8_t notes[NOTES_MAX];

	if (FIELD(layout, segment, Phdr, p_type) != PT_NOTE || offset > INT64_MAX)
		return 0;
	ssize_t length =
		pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes), (off_t)offset);

	return length < 12 ? 0
			   : find_note(layout, notes, (size_t)length,
				       FIELD(layout, segment, Phdr, p_align) == 8 ? 8 : 4,
				       ret_build_id);
}

uint32_t prefetch_build_id(int fd, uint8_t *ret_build_id)
{
	uint8_t header[sizeof(Elf64_Ehdr)], segments[SEGMENTS_MAX * sizeof(Elf64_Phdr)];

	if (pread(fd, header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header, ELFMAG, SELFMAG) != 0)
		return 0;

	const struct layout layout = {
		.is_64 = header[EI_CLASS] == ELFCLASS64,
		.is_swapped = (header[EI_DATA] == ELFDATA2LSB) !=
			      (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
	};
	size_t entry = layout.is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint64_t count = FIELD(&layout, header, Ehdr, e_phnum);
	uint64_t offset = FIELD(&layout, header, Ehdr, e_phoff);

	if (FIELD(&layout, header, Ehdr, e_phentsize) != entry || count > SEGMENTS_MAX ||
	    offset > INT64_MAX ||
	    pread(fd, segments, count * entry, (off_t)offset) != (ssize_t)(count * entry))
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t size = of_segment(&layout, fd, segments + i * entry, ret_build_id);

		if (size > 0)
			return size;
	}
	return 0;
}
