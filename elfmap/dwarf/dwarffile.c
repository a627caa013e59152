// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/dwarffile.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <elfutils/libdwelf.h>
#include <inttypes.h>
#include <limits.h>

/** Return the part of @name behind ".debug_" or ".zdebug_"; NULL: it is no section of DWARF. */
static const char *debug_kind(const char *name)
{
	if (strncmp(name, ".debug_", 7) == 0)
		return name + 7;
	return strncmp(name, ".zdebug_", 8) == 0 ? name + 8 : NULL;
}

/**
 * True if nothing here asks for what is in sections of this kind: places of variables that move,
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

/** True if libdw is to read @section. */
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

/** Add up the sizes of the sections that libdw will read; false, with a note, if one is absurd. */
static bool add_sizes(struct elfmap *map, struct elfmap *from, struct elfmap_dwarf *dwarf)
{
	array_foreach (section, from->sections, from->section_count) {
		uint64_t size;
		struct err err;

		if (!is_needed(section))
			continue;
		if (!elfmap_content_size(from, section, &size, &err) ||
		    !checked_add(dwarf->bytes, size, &dwarf->bytes)) {
			notes_add(&map->notes, "%s: DWARF not read: %s", from->info.path,
				  err.message);
			return false;
		}
	}
	return true;
}

/**
 * Make the content of @section what libdw reads of @scn, instead of decompressing it itself. Of
 * libelf's two views of a section it takes either, by its version.
 */
static bool replace_content(struct elfmap *from, const struct elfmap_section *section, Elf_Scn *scn,
			    GElf_Shdr *header, struct err *err)
{
	uint64_t size;
	const uint8_t *bytes = elfmap_content(from, section, &size, err);

	if (!bytes)
		return false;
	header->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	gelf_update_shdr(scn, header); // else what is read next is a header of compression
	Elf_Data *views[] = { elf_getdata(scn, NULL), elf_rawdata(scn, NULL) };
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (!views[i])
			return err_set(err, ERR_INPUT, "%s: %s", section->name, elf_errmsg(-1));
		views[i]->d_buf = (void *)bytes; // of a file that is never written
		views[i]->d_size = size;
	}
	header->sh_size = size;
	return true;
}

/**
 * Take the content of what is not needed from @elf, which is of one reader and never written, and
 * give it what is compressed as it was.
 */
static bool prepare(struct elfmap *from, Elf *elf, struct err *err)
{
	array_foreach (section, from->sections, from->section_count) {
		const char *kind = debug_kind(section->name);
		Elf_Scn *scn = kind ? elf_getscn(elf, section->index) : NULL;
		GElf_Shdr header;

		if (!scn || !gelf_getshdr(scn, &header))
			continue;
		if (is_unneeded(kind))
			header.sh_type = SHT_NOBITS;
		else if ((section->flags & SHF_COMPRESSED) &&
			 !replace_content(from, section, scn, &header, err))
			return false;
		gelf_update_shdr(scn, &header);
	}
	return true;
}

/** Begin libdw on @from's open descriptor, with an Elf of its own, since libdw changes it. */
static Dwarf *begin(struct elfmap *map, struct elfmap *from, Elf **ret_elf)
{
	Dwarf *dwarf = NULL;
	struct err err;

	elf_version(EV_CURRENT);
	*ret_elf = elf_begin(from->fd, ELF_C_READ, NULL);
	if (!*ret_elf)
		err_set(&err, ERR_INPUT, "%s", elf_errmsg(-1));
	else if (prepare(from, *ret_elf, &err)) {
		dwarf = dwarf_begin_elf(*ret_elf, DWARF_C_READ, NULL);
		err_set(&err, ERR_INPUT, "%s", dwarf_errmsg(-1));
	}
	if (dwarf)
		dwarf_new_oom_handler(dwarf, oom); // its own prints and exits
	else
		notes_add(&map->notes, "%s: cannot read DWARF: %s", from->info.path, err.message);
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
static bool attach_shared(struct elfmap *map, struct elfmap *from, struct elfmap_dwarf *dwarf)
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
	CLEANUP(freep) struct elfmap_dwarf *dwarf = map->dwarf;

	dwarf_end(dwarf->dwarf); // both accept NULL
	dwarf_end(dwarf->shared_dwarf);
	elf_end(dwarf->elf);
	elf_end(dwarf->shared_elf);
	elfmap_close_one(dwarf->shared);
}

const struct elfmap_dwarf *elfmap_dwarf(struct elfmap *map)
{
	struct elfmap *from = has_dwarf(map) ? map : map->debug;

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
