// SPDX-License-Identifier: Apache-2.0
// Identity of a file: its build-id, and its interpreter (PT_INTERP).
#include "elfmap/private.h"

/** Take the build-id among notes of the file, if there is one. */
static bool find_build_id(struct elfmap *map, uint64_t offset, uint64_t size, uint64_t align)
{
	const uint8_t *notes = elfmap_file_bytes(map, offset, size);
	uint32_t found_size;
	const uint8_t *found =
		notes ? elfheaders_find_build_id(&map->headers, notes, size, align, &found_size)
		      : NULL;

	if (!found)
		return false;
	if (found_size == 0 || found_size > ELFMAP_BUILD_ID_MAX) {
		notes_add(&map->notes, "%s: build-id of %u bytes ignored", map->info.path,
			  found_size);
		return false;
	}
	memcpy(map->info.build_id, found, found_size);
	map->info.build_id_size = found_size;
	return true;
}

void elfmap_read_build_id(struct elfmap *map)
{
	// Sections first: in a separate debug file the segments' offsets are those of the program.
	array_foreach (section, map->sections, map->section_count) {
		// What dwz makes is never loaded.
		bool is_loaded = section->flags & SHF_ALLOC || map->info.type == ET_REL;

		if (section->type == SHT_NOTE && is_loaded &&
		    find_build_id(map, section->offset, section->size, 4))
			return;
	}
	array_foreach (segment, map->segments, map->segment_count) {
		if (segment->type == PT_NOTE &&
		    find_build_id(map, segment->offset, segment->file_size, segment->align))
			return;
	}
}

void elfmap_read_interpreter(struct elfmap *map)
{
	array_foreach (segment, map->segments, map->segment_count) {
		if (segment->type != PT_INTERP)
			continue;
		struct elfmap_strings text = elfmap_strings_of(
			elfmap_file_bytes(map, segment->offset, segment->file_size),
			segment->file_size);
		map->info.interpreter = elfmap_string(&text, 0);
		if (!map->info.interpreter)
			notes_add(&map->notes, "%s: PT_INTERP does not contain a string",
				  map->info.path);
		return;
	}
}
