// SPDX-License-Identifier: Apache-2.0
// Identity of a file: its build-id, and its interpreter (PT_INTERP).
#include "elfmap/private.h"

#include "base/checked.h"

#include <inttypes.h>

/** Look through one run of notes for the build-id: gABI ch. 5 "Note Section". */
static bool find_build_id(struct elfmap *map, const uint8_t *bytes, uint64_t size, uint64_t align)
{
	uint64_t at = 0, header_size = sizeof(Elf64_Nhdr); // the same in both classes

	align = align == 8 ? 8 : 4;
	while (bytes && checked_within(at, header_size, size)) {
		uint64_t name_size = elfmap_u32(map, bytes + at);
		uint64_t data_size = elfmap_u32(map, bytes + at + 4);
		uint32_t type = elfmap_u32(map, bytes + at + 8);
		uint64_t name = at + header_size;
		// 32-bit sizes: these sums cannot overflow.
		uint64_t data = align_up(name + name_size, align);

		if (!checked_within(name, name_size, size) ||
		    !checked_within(data, data_size, size))
			break;
		if (type == NT_GNU_BUILD_ID && name_size == sizeof(ELF_NOTE_GNU) &&
		    memcmp(bytes + name, ELF_NOTE_GNU, name_size) == 0) {
			if (data_size == 0 || data_size > ELFMAP_BUILD_ID_MAX) {
				notes_add(&map->notes, "%s: build-id of %" PRIu64 " bytes ignored",
					  map->info.path, data_size);
				return false;
			}
			memcpy(map->info.build_id, bytes + data, data_size);
			map->info.build_id_size = (uint32_t)data_size;
			return true;
		}
		at = align_up(data + data_size, align);
	}
	return false;
}

void elfmap_read_build_id(struct elfmap *map)
{
	// Sections first: in a separate debug file the segments' offsets are those of the program.
	array_foreach (section, map->sections, map->section_count) {
		// What dwz makes is never loaded.
		bool is_loaded = section->flags & SHF_ALLOC || map->info.type == ET_REL;

		if (section->type == SHT_NOTE && is_loaded &&
		    find_build_id(map, elfmap_file_bytes(map, section->offset, section->size),
				  section->size, 4))
			return;
	}
	array_foreach (segment, map->segments, map->segment_count) {
		if (segment->type == PT_NOTE &&
		    find_build_id(map, elfmap_file_bytes(map, segment->offset, segment->file_size),
				  segment->file_size, segment->align))
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
