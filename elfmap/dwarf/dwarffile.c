// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/dwarffile.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <elfutils/libdwelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

// What compilers write shrinks to a third; a run of zeros to a thousandth.
enum { COMPRESSION_MAX = 200 };

/** Return the part of @name behind ".debug_" or ".zdebug_"; NULL: it is no section of DWARF. */
static const char *debug_kind(const char *name)
{
	if (strncmp(name, ".debug_", 7) == 0)
		return name + 7;
	return strncmp(name, ".zdebug_", 8) == 0 ? name + 8 : NULL;
}

/**
 * Whether nothing here asks for what is in sections of this kind: places of variables that move,
 * macros, indexes. libdw decompresses every section that it sees; these are a sixth of libc's.
 */
static bool is_unneeded(const char *kind)
{
	static const char *const unneeded[] = {
		"aranges", "frame", "loc", "loclists", "macinfo", "macro",
	};

	for (size_t i = 0; i < sizeof(unneeded) / sizeof(unneeded[0]); i++)
		if (strcmp(kind, unneeded[i]) == 0)
			return true;
	return false;
}

/** Whether libdw is to read @section. */
static bool is_needed(const struct elfmap_section *section)
{
	const char *kind = debug_kind(section->name);

	return kind && !is_unneeded(kind) && section->has_bytes;
}

static bool has_dwarf(const struct elfmap *map)
{
	const struct elfmap_section *info = elfmap_section_named(map, ".debug_info");

	if (!info)
		info = elfmap_section_named(map, ".zdebug_info");
	if (!info)
		return false;
	// libdw reads through the descriptor, where what is not known is zero.
	array_foreach (section, map->sections, map->section_count)
		if (is_needed(section) && !elfmap_is_known(map, section->offset, section->size))
			return false;
	return true;
}

/** Add the sections of @from that libdw reads. */
static void add_sections(const struct elfmap *from, struct rangeset *set)
{
	array_foreach (section, from->sections, from->section_count)
		if (is_needed(section) &&
		    checked_within(section->offset, section->size, from->info.size))
			rangeset_add(set, section->offset, section->size);
}

void elfmap_add_dwarf(const struct elfmap *map, const struct elfmap *part, struct rangeset *set)
{
	const struct elfmap *from = has_dwarf(map) ? map : map->debug;

	if (map->dwarf && (part == from || part == map->dwarf->shared))
		add_sections(part, set);
}

/** Take the content of what is not needed from @elf, which is of one reader and never written. */
static void hide_unneeded(Elf *elf)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		const char *kind = name ? debug_kind(name) : NULL;

		if (kind && is_unneeded(kind)) {
			header.sh_type = SHT_NOBITS;
			gelf_update_shdr(section, &header);
		}
	}
}

/** Size of @section once decompressed; false if that is more than a compiler's output can be. */
static bool decompressed_size(struct elfmap *map, const struct elfmap_section *section,
			      uint64_t *ret_size)
{
	bool is_64bit = map->info.is_64bit;
	bool is_gnu = strncmp(section->name, ".zdebug_", 8) == 0; // "ZLIB", then the size
	uint64_t header_size = is_gnu ? 12 : is_64bit ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint64_t limit;

	*ret_size = section->size;
	if (!is_gnu && !(section->flags & SHF_COMPRESSED))
		return checked_within(section->offset, section->size, map->info.size);
	const uint8_t *bytes = section->size >= header_size
				       ? elfmap_file_bytes(map, section->offset, header_size)
				       : NULL;
	if (!bytes)
		return false;
	if (is_gnu) {
		memcpy(ret_size, bytes + 4, sizeof(*ret_size));
		*ret_size = be64toh(*ret_size);
	} else if (is_64bit) {
		*ret_size = elfmap_u64(map, bytes + offsetof(Elf64_Chdr, ch_size));
	} else {
		*ret_size = elfmap_u32(map, bytes + offsetof(Elf32_Chdr, ch_size));
	}
	return checked_mul(section->size, COMPRESSION_MAX, &limit) && *ret_size <= limit;
}

/** Add up the sizes of the sections that libdw will read; false, with a note, if one is absurd. */
static bool add_sizes(struct elfmap *map, const struct elfmap *from, struct elfmap_dwarf *dwarf)
{
	array_foreach (section, from->sections, from->section_count) {
		uint64_t size;

		if (!is_needed(section))
			continue;
		if (!decompressed_size((struct elfmap *)from, section, &size) ||
		    !checked_add(dwarf->bytes, size, &dwarf->bytes)) {
			notes_add(&map->notes, "%s: DWARF not read: the size of %s is invalid",
				  from->info.path, section->name);
			return false;
		}
	}
	return true;
}

/** Begin libdw on @from's open descriptor, with an Elf of its own, since libdw changes it. */
static Dwarf *begin(struct elfmap *map, const struct elfmap *from, Elf **ret_elf)
{
	elf_version(EV_CURRENT);
	*ret_elf = elf_begin(from->fd, ELF_C_READ, NULL);
	if (*ret_elf)
		hide_unneeded(*ret_elf);
	Dwarf *dwarf = *ret_elf ? dwarf_begin_elf(*ret_elf, DWARF_C_READ, NULL) : NULL;

	if (dwarf)
		dwarf_new_oom_handler(dwarf, oom); // its own prints and exits
	else
		notes_add(&map->notes, "%s: cannot read DWARF: %s", from->info.path,
			  *ret_elf ? dwarf_errmsg(-1) : elf_errmsg(-1));
	return dwarf;
}

/** Open @found, whose descriptor it takes, if it is the file with this build-id. */
static struct elfmap *open_if(const char *path, struct depot_file *found, const void *build_id,
			      size_t size)
{
	struct elfmap *map;
	struct err err;

	if (found->fd < 0 || !elfmap_open_one_found(path, found, true, &map, &err))
		return NULL;
	if (map->info.build_id_size == size && memcmp(map->info.build_id, build_id, size) == 0)
		return map;
	elfmap_close_one(map);
	return NULL;
}

/** Open the file at @path with this build-id that @from refers to, in the first place with it. */
static struct elfmap *open_shared(struct depot *depot, const struct elfmap *from, const char *path,
				  const void *build_id, size_t size)
{
	struct elfmap *map = NULL;
	struct depot_file found;
	size_t place = 0;

	if (depot_open_packed(depot, from->packed_shared, &found)) {
		CLEANUP(depot_file_deinit) struct depot_file packed = found;

		map = open_if(found.place, &packed, build_id, size);
	}
	while (!map && depot_next(depot, path, &place, &found)) {
		CLEANUP(depot_file_deinit) struct depot_file candidate = found;

		map = open_if(path, &candidate, build_id, size);
	}
	const struct depot_wish wish = { DEPOT_DEBUG, build_id, size, path };
	struct err err; // that the file is missing is said anyway
	if (!map && depot_fetch(depot, &wish, &found, &err)) {
		CLEANUP(depot_file_deinit) struct depot_file fetched = found;

		map = open_if(found.place, &fetched, build_id, size);
	}
	return map;
}

/**
 * Open the file that .gnu_debugaltlink names, if there is such a section. Left to itself libdw
 * would open whatever path stands there, and wait for ever where that is a FIFO.
 */
static bool attach_shared(struct elfmap *map, const struct elfmap *from, struct elfmap_dwarf *dwarf)
{
	const char *name;
	const void *build_id;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf->dwarf, &name, &build_id);

	if (size == 0)
		return true;
	if (size > 0) {
		const char *slash = strrchr(from->info.path, '/');
		int folder = name[0] == '/' || !slash ? 0 : (int)(slash + 1 - from->info.path);

		if (strnlen(name, PATH_MAX) < PATH_MAX)
			dwarf->shared = open_shared(
				map->depot, from,
				arena_printf(&map->arena, "%.*s%s", folder, from->info.path, name),
				build_id, (size_t)size);
		if (dwarf->shared && add_sizes(map, dwarf->shared, dwarf))
			dwarf->shared_dwarf = begin(map, dwarf->shared, &dwarf->shared_elf);
	}
	if (!dwarf->shared_dwarf) {
		if (size > 0)
			notes_add(
				&map->notes,
				"%s: DWARF not read: %.200s, which holds a part of it, is missing "
				"or of another build",
				from->info.path, name);
		else
			notes_add(&map->notes,
				  "%s: DWARF not read: its .gnu_debugaltlink is damaged",
				  from->info.path);
		return false;
	}
	dwarf_setalt(dwarf->dwarf, dwarf->shared_dwarf);
	return true;
}

static void release(struct elfmap *map)
{
	struct elfmap_dwarf *dwarf = map->dwarf;

	dwarf_end(dwarf->dwarf); // both accept NULL
	dwarf_end(dwarf->shared_dwarf);
	elf_end(dwarf->elf);
	elf_end(dwarf->shared_elf);
	elfmap_close_one(dwarf->shared);
	free(dwarf);
}

const struct elfmap_dwarf *elfmap_dwarf(struct elfmap *map)
{
	const struct elfmap *from = has_dwarf(map) ? map : map->debug;

	if (map->dwarf)
		return map->dwarf;
	struct elfmap_dwarf *dwarf = map->dwarf = xcalloc(1, sizeof(*dwarf));
	map->release_dwarf = release;
	if (!from || !has_dwarf(from) || !add_sizes(map, from, dwarf))
		return dwarf;
	dwarf->dwarf = begin(map, from, &dwarf->elf);
	if (dwarf->dwarf && !attach_shared(map, from, dwarf)) {
		dwarf_end(dwarf->dwarf);
		dwarf->dwarf = NULL;
	}
	return dwarf;
}
