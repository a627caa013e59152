// SPDX-License-Identifier: Apache-2.0
// The bytes of the file: read with pread in pieces when asked for, so that a file that is cut while
// open gives an error rather than SIGBUS, and 110 MB are not read for the sake of one table.
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/readfull.h"

#include <errno.h>
#include <string.h>

enum { PIECE_BYTES = 4 * 1024 };

/**
 * Before a large read: the tables of a file lie side by side, so that the huge pages at either end
 * are mostly used too. Small reads are spread, and must not cost 2 MiB each.
 */
static void prefer_huge_pages(struct elfmap *map, uint64_t start, uint64_t end)
{
	enum { LARGE_BYTES = 1024 * 1024, AROUND_BYTES = 2 * 1024 * 1024 };

	if (end - start < LARGE_BYTES)
		return;
	start = start > AROUND_BYTES ? start - AROUND_BYTES : 0;
	end = map->info.size - end > AROUND_BYTES ? end + AROUND_BYTES : map->info.size;
	advise_huge_pages(map->file.bytes + start, end - start);
}

/** Read pieces [@first, @last) whole. */
static bool read_pieces(struct elfmap *map, uint64_t first, uint64_t last)
{
	uint64_t offset = first * PIECE_BYTES;
	uint64_t end = last * PIECE_BYTES;

	if (end > map->info.size)
		end = map->info.size;
	prefer_huge_pages(map, offset, end);
	offset += pread_full(map->fd, map->file.bytes + offset, end - offset, offset);
	if (offset < end) {
		if (!map->file.failed)
			notes_add(
				&map->notes,
				"%s: cannot read at offset %#lx (%s): its content there is missing",
				map->info.path, (unsigned long)offset,
				errno ? strerror(errno) : "file was truncated");
		map->file.failed = true;
		return false;
	}
	for (uint64_t piece = first; piece < last; piece++)
		map->file.have[piece] = true;
	return true;
}

void elfmap_add_pieces(const struct elfmap *map, struct rangeset *set)
{
	for (uint64_t start = 0; start < map->info.size; start += PIECE_BYTES) {
		uint64_t left = map->info.size - start;

		if (map->file.have[start / PIECE_BYTES])
			rangeset_add(set, start, left < PIECE_BYTES ? left : PIECE_BYTES);
	}
}

const uint8_t *elfmap_file_bytes(struct elfmap *map, uint64_t offset, uint64_t size)
{
	if (!checked_within(offset, size, map->info.size) || !elfmap_is_known(map, offset, size))
		return NULL;
	if (size == 0)
		return map->file.bytes + offset;

	uint64_t piece = offset / PIECE_BYTES;
	uint64_t last = (offset + size - 1) / PIECE_BYTES + 1;
	while (piece < last) {
		if (map->file.have[piece]) {
			piece++;
			continue;
		}
		uint64_t run = piece + 1;
		while (run < last && !map->file.have[run])
			run++;
		if (!read_pieces(map, piece, run))
			return NULL;
		piece = run;
	}
	return map->file.bytes + offset;
}

const uint8_t *elfmap_bytes(struct elfmap *map, uint64_t vaddr, uint64_t size)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);

	if (!segment || !checked_within(vaddr - segment->vaddr, size, segment->file_size))
		return NULL;
	// Cannot overflow: the segment's file part was checked against the file's size.
	return elfmap_file_bytes(map, segment->offset + (vaddr - segment->vaddr), size);
}

bool elfmap_has_bytes(const struct elfmap *map, uint64_t vaddr, uint64_t size)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);

	return segment && checked_within(vaddr - segment->vaddr, size, segment->file_size) &&
	       (map->file.is_packed ||
		elfmap_is_known(map, segment->offset + (vaddr - segment->vaddr), size));
}

size_t elfmap_read(struct elfmap *map, uint64_t vaddr, void *ret_bytes, size_t size)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);

	if (!segment || vaddr - segment->vaddr >= segment->file_size)
		return 0;
	uint64_t left = segment->file_size - (vaddr - segment->vaddr);
	if (size > left)
		size = left;
	const uint8_t *bytes = elfmap_bytes(map, vaddr, size);
	if (!bytes)
		return 0;
	memcpy(ret_bytes, bytes, size);
	return size;
}

uint64_t elfmap_number(const struct elfmap *map, const uint8_t *bytes, unsigned width)
{
	switch (width) {
	case 2:
		return elfmap_u16(map, bytes);
	case 4:
		return elfmap_u32(map, bytes);
	default:
		return elfmap_u64(map, bytes);
	}
}

struct elfmap_strings elfmap_strings_of(const uint8_t *bytes, uint64_t size)
{
	if (!bytes)
		return (struct elfmap_strings){ 0 };
	while (size > 0 && bytes[size - 1] != '\0')
		size--;
	return (struct elfmap_strings){ .text = (const char *)bytes, .size = size };
}

const char *elfmap_dynstr(struct elfmap *map, uint64_t index)
{
	if (!map->dynstr_read) {
		const struct elfmap_dynamic *dynamic = &map->dynamic;

		map->dynstr_read = true;
		map->dynstr =
			elfmap_strings_of(elfmap_bytes(map, dynamic->strtab, dynamic->strtab_size),
					  dynamic->strtab_size);
	}
	return elfmap_string(&map->dynstr, index);
}
