// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as an ELF file and asks for everything that can be asked of one. What comes back
// must hold together: sorted tables, places that translate both ways, symbols that cover their
// byte.
#include "elfmap/elfmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Enough to reach every kind of part; more would only slow the search for new inputs.
enum { NAMES_MAX = 64, PLACES_MAX = 256, CALLS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_layout(struct elfmap *map)
{
	size_t segment_count, section_count;
	const struct elfmap_segment *segments = elfmap_segments(map, &segment_count);
	const struct elfmap_section *sections = elfmap_sections(map, &section_count);

	for (size_t i = 0; i < section_count; i++) {
		check(sections[i].name && sections[i].segment < (int64_t)segment_count);
		check(elfmap_section_named(map, sections[i].name) <= &sections[i]);
	}
	for (size_t i = 0; i < segment_count; i++) {
		uint64_t offset, vaddr;

		if (elfmap_vaddr_to_offset(map, segments[i].vaddr, &offset))
			check(offset < elfmap_info(map)->size);
		elfmap_offset_to_vaddr(map, segments[i].offset, &vaddr);
	}
}

static void check_symbols(struct elfmap *map)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count; i++) {
		const struct elfmap_symbol *symbol = &symbols[i];

		check(symbol->name && symbol->vaddr + symbol->size >= symbol->vaddr);
		check(i == 0 || symbols[i - 1].vaddr <= symbol->vaddr);
		if (i < NAMES_MAX)
			check(elfmap_symbol_display(map, symbol) != NULL);
		if (i < NAMES_MAX && symbol->size) {
			const struct elfmap_symbol *found = elfmap_symbol_at(map, symbol->vaddr);

			check(found && found->vaddr <= symbol->vaddr);
			check(found->size <= symbol->size);
		}
	}
}

static void check_units(struct elfmap *map)
{
	size_t count;
	const struct elfmap_unit *units = elfmap_units(map, &count);

	check(units || count == 0);
	for (size_t i = 0; i < count; i++)
		check(units[i].name != NULL);
}

static void check_place(struct elfmap *map, const struct elfmap_place *place)
{
	check(place->section_name != NULL);
	check(!place->symbol || place->vaddr - place->symbol->vaddr < place->symbol->size);
	check(elfmap_entry_name(map, &place->entry, true) != NULL);
}

static void check_places(struct elfmap *map)
{
	uint64_t size = elfmap_info(map)->size;
	uint64_t step = size / PLACES_MAX + 1;
	struct elfmap_place place;

	for (uint64_t offset = 0; offset < size; offset += step) {
		elfmap_locate_offset(map, offset, &place);
		check(place.has_offset && place.offset == offset);
		check_place(map, &place);
		if (!place.has_vaddr)
			continue;
		uint64_t vaddr = place.vaddr;
		elfmap_locate(map, vaddr, &place);
		check(place.has_vaddr && place.vaddr == vaddr);
		check_place(map, &place);
	}
}

/** Whatever a segment begins with, taken for code. */
static void check_branches(struct elfmap *map)
{
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);

	for (size_t i = 0; i < count && i < NAMES_MAX; i++) {
		uint64_t size = segments[i].file_size < 4096 ? segments[i].file_size : 4096;
		struct range code = { segments[i].vaddr, segments[i].vaddr + size };
		struct elfmap_branch branch;

		elfmap_jumps_unseen(map, code);
		elfmap_makes_threads(map, code);
		elfmap_leaves_by_eh_return(map, code.start);
		for (uint64_t at = code.start; at < code.start + CALLS_MAX; at++)
			if (!elfmap_calls_by_pointer(map, at) &&
			    elfmap_result_passed_to(map, at, &branch))
				check(branch.is_call && (branch.has_vaddr || branch.name));
		while (elfmap_branch_next(map, &code, &branch))
			check(branch.has_vaddr || branch.name);
	}
}

static void check_loading(struct elfmap *map)
{
	size_t count;
	const struct elfmap_relocation *relocations = elfmap_relocations(map, &count);

	for (size_t i = 1; i < count; i++)
		check(relocations[i - 1].vaddr <= relocations[i].vaddr);
	elfmap_relocation_tables(map, &count);
	elfmap_initializers(map, &count);
	elfmap_needed(map, &count);
	elfmap_toolchain(map);
	check(elfmap_load(map, 4096) != NULL);
	check_branches(map);
}

/** The same file, of which only the ends are known, as a trace may hold it. */
static void check_parts(const uint8_t *data, size_t size)
{
	static const struct elfmap_options options = { .no_debug_files = true };
	const struct elfmap_part parts[] = { { size - size / 3, size / 3, data + size - size / 3 },
					     { 0, size / 2, data } };
	const struct elfmap_parts from = { "/parts", size, parts, 2 };
	struct elfmap *map;
	struct err err;

	if (!elfmap_open_parts(&from, &options, &map, &err))
		return;
	check_layout(map);
	check_symbols(map);
	check_units(map);
	check_places(map);
	check_loading(map);
	elfmap_close(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct elfmap_options options = { .no_debug_files = true };
	struct elfmap *map;
	struct err err;
	char path[64];
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (elfmap_open(path, &options, &map, &err)) {
		check_layout(map);
		check_symbols(map);
		check_places(map);
		check_loading(map);
		elfmap_close(map);
	} else {
		check(err.code != ERR_NONE && strstr(err.message, path));
	}
	close(fd);
	check_parts(data, size);
	return 0;
}
