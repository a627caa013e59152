// SPDX-License-Identifier: Apache-2.0
// vaddr <-> offset, and which segment and section own either: the only place where the two kinds of
// number meet. How pages are mapped: gABI ch. 5 "Program Loading".
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/cleanup.h"

const struct elfmap_segment *elfmap_load_at(const struct elfmap *map, uint64_t vaddr)
{
	const struct rangemap_item *item = rangemap_find(&map->loads_by_vaddr, vaddr);

	return item ? &map->segments[item->id] : NULL;
}

bool elfmap_vaddr_to_offset(const struct elfmap *map, uint64_t vaddr, uint64_t *ret_offset)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);

	if (!segment || vaddr - segment->vaddr >= segment->file_size)
		return false;
	*ret_offset = segment->offset + (vaddr - segment->vaddr);
	return true;
}

bool elfmap_offset_to_vaddr(const struct elfmap *map, uint64_t offset, uint64_t *ret_vaddr)
{
	const struct rangemap_item *item = rangemap_find(&map->loads_by_offset, offset);

	if (!item)
		return false;
	*ret_vaddr = map->segments[item->id].vaddr + (offset - map->segments[item->id].offset);
	return true;
}

const struct elfmap_section *elfmap_section_at(const struct elfmap *map, uint64_t vaddr)
{
	const struct rangemap_item *item = rangemap_find(&map->sections_by_vaddr, vaddr);

	return item ? &map->sections[item->id] : NULL;
}

const struct elfmap_section *elfmap_section_at_offset(const struct elfmap *map, uint64_t offset)
{
	const struct rangemap_item *item = rangemap_find(&map->sections_by_offset, offset);

	return item ? &map->sections[item->id] : NULL;
}

/** The PT_LOAD that holds all of @section; an empty section may stand at a segment's very end. */
static int32_t load_of_section(const struct elfmap *map, const struct elfmap_section *section)
{
	if (!(section->flags & SHF_ALLOC))
		return -1;
	// .tbss takes no room in the process: it only has an address.
	bool takes_room = section->has_bytes || !(section->flags & SHF_TLS);
	uint64_t size = takes_room ? section->size : 0;
	const struct elfmap_segment *segment = elfmap_load_at(map, section->vaddr);

	if (!segment && size == 0 && section->vaddr > 0)
		segment = elfmap_load_at(map, section->vaddr - 1);
	if (!segment ||
	    !checked_within(section->vaddr - segment->vaddr, size, segment->memory_size))
		return -1;
	return (int32_t)segment->index; // the table is in the file: far fewer than 2^31
}

static void add_item(struct rangemap_item *items, size_t *count, uint64_t start, uint64_t size,
		     size_t id)
{
	uint64_t end;

	// Ids count headers that are in the file, fewer than 2^32 of them.
	if (size && checked_add(start, size, &end))
		items[(*count)++] = (struct rangemap_item){ { start, end }, (uint32_t)id };
}

static void index_segments(struct elfmap *map)
{
	CLEANUP(freep)
	struct rangemap_item *items = xcalloc(map->segment_count, sizeof(*items));
	size_t count = 0;

	for (size_t i = 0; i < map->segment_count; i++)
		if (map->segments[i].type == PT_LOAD)
			add_item(items, &count, map->segments[i].vaddr,
				 map->segments[i].memory_size, i);
	rangemap_build(&map->loads_by_vaddr, &map->arena, items, count, rangemap_first_wins, NULL);

	count = 0;
	for (size_t i = 0; i < map->segment_count; i++)
		if (map->segments[i].type == PT_LOAD)
			add_item(items, &count, map->segments[i].offset, map->segments[i].file_size,
				 i);
	rangemap_build(&map->loads_by_offset, &map->arena, items, count, rangemap_first_wins, NULL);
}

static void index_sections(struct elfmap *map)
{
	CLEANUP(freep)
	struct rangemap_item *items = xcalloc(map->section_count, sizeof(*items));
	size_t count = 0;

	for (size_t i = 0; i < map->section_count; i++) {
		const struct elfmap_section *section = &map->sections[i];

		if ((section->flags & SHF_ALLOC) &&
		    (section->has_bytes || !(section->flags & SHF_TLS)))
			add_item(items, &count, section->vaddr, section->size, i);
	}
	rangemap_build(&map->sections_by_vaddr, &map->arena, items, count, rangemap_first_wins,
		       NULL);

	count = 0;
	for (size_t i = 0; i < map->section_count; i++) {
		const struct elfmap_section *section = &map->sections[i];

		if (section->has_bytes && section->type != SHT_NULL)
			add_item(items, &count, section->offset, section->size, i);
	}
	rangemap_build(&map->sections_by_offset, &map->arena, items, count, rangemap_first_wins,
		       NULL);
}

void elfmap_index_layout(struct elfmap *map)
{
	index_segments(map);
	index_sections(map);
	for (size_t i = 0; i < map->section_count; i++)
		map->sections[i].segment = load_of_section(map, &map->sections[i]);
}
