// SPDX-License-Identifier: Apache-2.0
// Names of the libraries that the file asks for, and where to look for them: DT_NEEDED, DT_RUNPATH,
// DT_RPATH, gABI ch. 5 "Dynamic Section".
#include "elfmap/private.h"

/** The names, once they were read. */
struct elfmap_needed_list {
	const char **names;
	size_t count;
};

static struct elfmap_needed_list *read_needed(struct elfmap *map)
{
	const struct elfmap_dynamic *dynamic = &map->dynamic;
	struct elfmap_needed_list *list = arena_alloc(&map->arena, sizeof(*list));
	uint64_t word = elfmap_word_size(map);
	uint64_t outside = 0;

	*list = (struct elfmap_needed_list){ 0 };
	if (!dynamic->needed_count)
		return list;
	// They were counted in these bytes, so there are no more of them than the file has room
	// for.
	const uint8_t *bytes = elfmap_bytes(map, dynamic->vaddr, dynamic->entry_count * 2 * word);
	if (!bytes)
		return list;
	list->names = arena_array(&map->arena, dynamic->needed_count, sizeof(*list->names));
	for (uint64_t i = 0; i < dynamic->entry_count; i++) {
		const uint8_t *entry = bytes + i * 2 * word;

		if (elfmap_word(map, entry) != DT_NEEDED || list->count == dynamic->needed_count)
			continue;
		const char *name = elfmap_dynstr(map, elfmap_word(map, entry + word));

		if (name)
			list->names[list->count++] = name;
		else
			outside++;
	}
	if (outside)
		notes_add(&map->notes, "%s: DT_NEEDED: %lu names past the end of .dynstr",
			  map->info.path, (unsigned long)outside);
	return list;
}

const char *const *elfmap_needed(struct elfmap *map, size_t *ret_count)
{
	if (!map->needed)
		map->needed = read_needed(map);
	*ret_count = map->needed->count;
	return map->needed->names;
}

const char *elfmap_runpath(struct elfmap *map, bool *ret_is_rpath)
{
	const struct elfmap_dynamic *dynamic = &map->dynamic;
	const uint64_t offset = dynamic->runpath ? dynamic->runpath : dynamic->rpath;

	*ret_is_rpath = !dynamic->runpath;
	return offset ? elfmap_dynstr(map, offset) : NULL;
}
