// SPDX-License-Identifier: Apache-2.0
// The separate debug file of a stripped program: by build-id, then by the name in .gnu_debuglink,
// where gdb looks for them; else the one within it. Only files that prove to belong to the program
// are used.
#include "elfmap/private.h"

#include "base/cleanup.h"
#include "base/hex.h"
#include "base/readfull.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

/** Take *@debug if it has symbols; what it had to say about itself joins the program's notes. */
static bool adopt(struct elfmap *map, struct elfmap **debug)
{
	bool has_symbols = elfmap_has_symtab(*debug);

	notes_merge(&map->notes, &(*debug)->notes);
	if (!has_symbols) {
		notes_add(&map->notes, "%s: its debug file %s has no symbols", map->info.path,
			  (*debug)->info.path);
		return false;
	}
	map->debug = TAKE(*debug);
	map->info.debug_file = map->debug->info.path;
	return true;
}

/** A path that may have the debug file, in one place after the other. */
struct search {
	const char *path;
	bool is_only_here; // on this machine, and below no sysroot
	bool is_not_here;
	size_t place;
};

static bool next_found(struct elfmap *map, struct search *search, struct depot_file *ret_found)
{
	if (search->is_only_here)
		return search->place++ == 0 && depot_open_here(search->path, ret_found);
	while (depot_next(map->depot, search->path, &search->place, ret_found)) {
		if (!search->is_not_here || !ret_found->is_here)
			return true;
		depot_file_deinit(ret_found);
	}
	return false;
}

/** Open the next candidate; NULL if there is none that is an ELF file, or not the program itself.
 */
static struct elfmap *next_candidate(struct elfmap *map, struct search *search)
{
	struct elfmap *debug = NULL;
	struct depot_file found;

	while (!debug && next_found(map, search, &found)) {
		CLEANUP(depot_file_deinit) struct depot_file candidate = found;
		struct err err;

		if (candidate.status.st_dev == map->status.st_dev &&
		    candidate.status.st_ino == map->status.st_ino)
			continue;
		if (candidate.fd < 0)
			err_set(&err, ERR_INPUT, "%s: %s", candidate.place, candidate.problem);
		else if (elfmap_open_one_found(search->path, &candidate, true, &debug, &err))
			break;
		notes_add(&map->notes, "%s: cannot use its debug file: %s", map->info.path,
			  err.message);
	}
	return debug;
}

static bool same_build_id(const struct elfmap *a, const struct elfmap *b)
{
	return a->info.build_id_size == b->info.build_id_size &&
	       memcmp(a->info.build_id, b->info.build_id, a->info.build_id_size) == 0;
}

/** A folder of debug files, and where it is meant. */
struct debug_dir {
	const char *path;
	bool is_only_here, is_not_here;
};

static bool find_by_build_id(struct elfmap *map, struct debug_dir debug_dir)
{
	char digits[2 * ELFMAP_BUILD_ID_MAX + 1];

	if (map->info.build_id_size < 2)
		return false;
	hex_text(map->info.build_id, map->info.build_id_size, digits);

	struct search search = {
		.path = arena_printf(&map->arena, "%s/.build-id/%.2s/%s.debug", debug_dir.path,
				     digits, digits + 2),
		.is_only_here = debug_dir.is_only_here,
		.is_not_here = debug_dir.is_not_here,
	};
	for (;;) {
		CLEANUP(elfmap_close_onep) struct elfmap *debug = next_candidate(map, &search);

		if (!debug)
			return false;
		if (!same_build_id(map, debug))
			notes_add(&map->notes, "%s: %s has a different build-id; not used",
				  map->info.path, debug->place);
		else if (adopt(map, &debug))
			return true;
	}
}

/** The checksum of .gnu_debuglink over a whole file, read in pieces and not kept. */
static bool file_crc(struct elfmap *map, uint32_t *ret_crc)
{
	enum { BUFFER_BYTES = 256 * 1024 };
	CLEANUP(freep) uint8_t *buffer = xcalloc(BUFFER_BYTES, 1);
	uLong crc = crc32(0, NULL, 0);
	uint64_t offset = 0;

	map->file.was_read_whole = true;
	while (offset < map->info.size) {
		size_t got = pread_full(map->fd, buffer, BUFFER_BYTES, offset);

		if (got == 0)
			return false;
		crc = crc32(crc, buffer, (uInt)got); // at most BUFFER_BYTES
		offset += got;
	}
	*ret_crc = (uint32_t)crc; // zlib keeps its 32 bits in a long
	return true;
}

/** Name and checksum of .gnu_debuglink; false if there is none or it is damaged. */
static bool read_debuglink(struct elfmap *map, const char **ret_name, uint32_t *ret_crc)
{
	const struct elfmap_section *section = elfmap_section_named(map, ".gnu_debuglink");

	if (!section)
		return false;
	const uint8_t *bytes =
		section->has_bytes ? elfmap_file_bytes(map, section->offset, section->size) : NULL;
	size_t length = bytes ? strnlen((const char *)bytes, section->size) : 0;
	uint64_t crc_at = align_up(length + 1, 4);
	if (!bytes || length == 0 || section->size < 4 || crc_at > section->size - 4 ||
	    memchr(bytes, '/', length)) {
		notes_add(&map->notes, "%s: .gnu_debuglink is damaged", map->info.path);
		return false;
	}
	*ret_name = (const char *)bytes;
	*ret_crc = elfmap_u32(map, bytes + crc_at);
	return true;
}

static bool try_debuglink(struct elfmap *map, struct search search, uint32_t wanted_crc)
{
	for (;;) {
		CLEANUP(elfmap_close_onep) struct elfmap *debug = next_candidate(map, &search);
		uint32_t crc;

		if (!debug)
			return false;
		if (!file_crc(debug, &crc) || crc != wanted_crc)
			notes_add(&map->notes,
				  "%s: %s does not match the checksum in .gnu_debuglink; not used",
				  map->info.path, debug->place);
		else if (adopt(map, &debug))
			return true;
	}
}

/** The folder of the file, without links where it is of this machine; the caller frees it. */
static char *directory_of(const struct elfmap *map)
{
	char *directory =
		map->is_elsewhere ? xstrdup(map->info.path) : realpath(map->info.path, NULL);
	char *slash = directory ? strrchr(directory, '/') : NULL;

	if (slash)
		*slash = '\0';
	else
		free(TAKE(directory));
	return directory;
}

static bool find_by_debuglink(struct elfmap *map, const struct debug_dir *dirs, size_t count)
{
	const char *name;
	uint32_t crc;

	if (!read_debuglink(map, &name, &crc))
		return false;
	CLEANUP(freep) char *directory = directory_of(map);
	if (!directory)
		return false;
	const char *beside[] = {
		arena_printf(&map->arena, "%s/%s", directory, name),
		arena_printf(&map->arena, "%s/.debug/%s", directory, name),
	};
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
		if (try_debuglink(map, (struct search){ .path = beside[i] }, crc))
			return true;
	for (size_t i = 0; i < count; i++) {
		const struct search search = {
			.path = arena_printf(&map->arena, "%s%s/%s", dirs[i].path, directory, name),
			.is_only_here = dirs[i].is_only_here,
			.is_not_here = dirs[i].is_not_here,
		};
		if (try_debuglink(map, search, crc))
			return true;
	}
	return false;
}

/** Find the debug file in the pack that the file comes from, if it had one when it was packed. */
static bool find_packed(struct elfmap *map)
{
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	CLEANUP(elfmap_close_onep) struct elfmap *debug = NULL;
	struct err err;

	if (!depot_open_packed(map->depot, map->packed_debug, &found))
		return false;
	if (found.fd < 0)
		err_set(&err, ERR_INPUT, "%s: %s", found.place, found.problem);
	else if (elfmap_open_one_found(found.place, &found, true, &debug, &err))
		return adopt(map, &debug);
	notes_add(&map->notes, "%s: cannot use its debug file: %s", map->info.path, err.message);
	return false;
}

/** From a debuginfod server, where the user has named one. */
static bool fetch(struct elfmap *map)
{
	const struct depot_wish wish = {
		.kind = DEPOT_DEBUG,
		.build_id = map->info.build_id,
		.build_id_size = map->info.build_id_size,
		.name = map->info.path,
	};
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	CLEANUP(elfmap_close_onep) struct elfmap *debug = NULL;
	struct err err;

	if (!depot_fetch(map->depot, &wish, &found, &err)) {
		if (err.message[0])
			notes_add(&map->notes, "%s", err.message);
		return false;
	}
	if (found.fd < 0)
		err_set(&err, ERR_INPUT, "%s: %s", found.place, found.problem);
	else if (elfmap_open_one_found(found.place, &found, true, &debug, &err)) {
		if (same_build_id(map, debug))
			return adopt(map, &debug);
		err_set(&err, ERR_MISMATCH, "%s has a different build-id", debug->info.path);
	}
	notes_add(&map->notes, "%s: cannot use its debug file: %s", map->info.path, err.message);
	return false;
}

void elfmap_find_debug_file(struct elfmap *map, const char *debug_dir)
{
	// A folder that was named is one of this machine; a sysroot has the usual one.
	const struct debug_dir dirs[] = {
		{ .path = debug_dir, .is_only_here = true },
		{ .path = "/usr/lib/debug", .is_not_here = debug_dir != NULL },
	};
	size_t first = debug_dir ? 0 : 1, count = 2 - first;

	if (elfmap_has_symtab(map) || find_packed(map))
		return;
	for (size_t i = first; i < 2; i++)
		if (find_by_build_id(map, dirs[i]))
			return;
	if (find_by_debuglink(map, dirs + first, count) || fetch(map))
		return;

	CLEANUP(elfmap_close_onep) struct elfmap *embedded = NULL;

	if (elfmap_open_embedded(map, &embedded))
		adopt(map, &embedded);
}
