// SPDX-License-Identifier: Apache-2.0
#include "elfmap/symbols/framesearch.h"

#include "elfmap/entries.h"

#include "base/search.h"

/** Code vaddr of entry @index of the search table. */
static uint64_t entry_code(const struct frame_search *search, size_t index)
{
	const uint8_t *entry = search->entries + index * EH_FRAME_HDR_ENTRY_BYTES;
	uint64_t vaddr = search->header_vaddr +
			 // signed by format
			 (uint64_t)(int64_t)(int32_t)elfmap_u32(search->map, entry);

	return search->map->info.is_64bit ? vaddr : (uint32_t)vaddr;
}

/** vaddr of the FDE of entry @index. */
static uint64_t entry_frame(const struct frame_search *search, size_t index)
{
	const uint8_t *entry = search->entries + index * EH_FRAME_HDR_ENTRY_BYTES + 4;
	uint64_t vaddr = search->header_vaddr +
			 // signed by format
			 (uint64_t)(int64_t)(int32_t)elfmap_u32(search->map, entry);

	return search->map->info.is_64bit ? vaddr : (uint32_t)vaddr;
}

/** True if the code rises strictly: a table out of order would lead a binary search astray. */
static bool is_sorted(const struct frame_search *search)
{
	for (size_t i = 1; i < search->entry_count; i++)
		if (entry_code(search, i - 1) >= entry_code(search, i))
			return false;
	return true;
}

/**
 * Take the search table of the PT_GNU_EH_FRAME segment. Only with a section .eh_frame: without one
 * its end is not known, and a terminator in its middle would be missed.
 */
static bool find_table(struct frame_search *search, struct elfmap *map)
{
	const struct elfmap_segment *header = NULL;

	for (size_t i = 0; i < map->segment_count && !header; i++)
		if (map->segments[i].type == PT_GNU_EH_FRAME)
			header = &map->segments[i];
	if (!header || header->file_size <= EH_FRAME_HDR_BYTES ||
	    !elfmap_section_named(map, ".eh_frame") || !elfmap_eh_frame(map, &search->eh_frame))
		return false;

	const uint8_t *bytes = elfmap_bytes(map, header->vaddr, EH_FRAME_HDR_BYTES);
	if (!bytes || !elfmap_has_search_table(bytes))
		return false;
	uint64_t frames = header->vaddr + 4 +
			  (uint64_t)(int64_t)(int32_t)elfmap_u32(map, bytes + 4); // pcrel sdata4
	uint64_t count = elfmap_u32(map, bytes + 8);
	if ((map->info.is_64bit ? frames : (uint32_t)frames) != search->eh_frame.start ||
	    count == 0 ||
	    count > (header->file_size - EH_FRAME_HDR_BYTES) / EH_FRAME_HDR_ENTRY_BYTES)
		return false;
	search->entries = elfmap_bytes(map, header->vaddr + EH_FRAME_HDR_BYTES,
				       count * EH_FRAME_HDR_ENTRY_BYTES);
	if (!search->entries)
		return false;
	search->header_vaddr = header->vaddr;
	search->entry_count = count;
	return is_sorted(search);
}

void frame_search_init_whole(struct frame_search *search, struct elfmap *map)
{
	*search = (struct frame_search){ .map = map };
	search->frames = elfmap_frames(map, &search->frame_count);
}

void frame_search_init(struct frame_search *search, struct elfmap *map)
{
	*search = (struct frame_search){ .map = map };
	if (!find_table(search, map))
		frame_search_init_whole(search, map);
}

static uint64_t code_start(const struct frame_search *search, size_t i)
{
	return search->entry_count ? entry_code(search, i) : search->frames[i].code.start;
}

/** Entries of the table, or frames, whose code starts before @vaddr, or with @or_at at it too. */
static size_t count_before(const struct frame_search *search, uint64_t vaddr, bool or_at)
{
	size_t count = search->entry_count ? search->entry_count : search->frame_count;

	return or_at ? search_first(count, i, code_start(search, i) > vaddr)
		     : search_first(count, i, code_start(search, i) >= vaddr);
}

/**
 * Frame @index of the search. What the table says of an FDE must be so; else the table is given up,
 * false returned, and the caller starts again with all frames.
 */
static bool frame_of(struct frame_search *search, size_t index, struct elfmap_frame *ret_frame)
{
	if (!search->entry_count) {
		*ret_frame = search->frames[index];
		return true;
	}
	if (elfmap_frame_at(search->map, search->eh_frame, entry_frame(search, index), ret_frame) &&
	    ret_frame->code.start == entry_code(search, index))
		return true;
	frame_search_init_whole(search, search->map);
	return false;
}

static size_t count_all(const struct frame_search *search)
{
	return search->entry_count ? search->entry_count : search->frame_count;
}

bool frame_search_last(struct frame_search *search, uint64_t vaddr, struct elfmap_frame *ret_frame,
		       uint64_t *ret_next)
{
	struct elfmap_frame next = { 0 };
	size_t after;

	// The second round is by all frames, where frame_of() does not fail.
	do {
		after = count_before(search, vaddr, true);
		if (after == 0)
			return false;
	} while (!frame_of(search, after - 1, ret_frame) ||
		 (after < count_all(search) && !frame_of(search, after, &next)));
	*ret_next = after < count_all(search) ? next.code.start : UINT64_MAX;
	return true;
}

uint64_t frame_search_limit(struct frame_search *search, uint64_t vaddr, uint64_t end)
{
	struct elfmap_frame at = { 0 }, next = { 0 };
	size_t first, after;

	do {
		first = count_before(search, vaddr, false);
		after = count_before(search, vaddr, true);
	} while ((first < after && !frame_of(search, first, &at)) ||
		 (after < count_all(search) && !frame_of(search, after, &next)));
	if (first < after && at.code.end < end)
		end = at.code.end;
	if (after < count_all(search) && next.code.start < end)
		end = next.code.start;
	return end;
}
