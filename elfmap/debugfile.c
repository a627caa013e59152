// SPDX-License-Identifier: Apache-2.0
// The separate debug file of a stripped program: by build-id, then by the name in .gnu_debuglink,
// where gdb looks for them. Only files that prove to belong to the program are used.
#include "elfmap/private.h"

#include "base/cleanup.h"
#include "base/hex.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

/** Take @debug if it has symbols; what it had to say about itself joins the program's notes. */
static bool adopt(struct elfmap *map, struct elfmap *debug)
{
	bool has_symbols = elfmap_has_symtab(debug);

	notes_merge(&map->notes, &debug->notes);
	if (!has_symbols) {
		notes_add(&map->notes, "%s: its debug file %s has no symbols", map->info.path,
			  debug->info.path);
		elfmap_close_one(debug);
		return false;
	}
	map->debug = debug;
	map->info.debug_file = debug->info.path;
	return true;
}

/** Open a candidate; NULL if there is none, or it is the program itself, or it is no ELF file. */
static struct elfmap *open_candidate(struct elfmap *map, const char *path)
{
	struct stat candidate, program;
	struct elfmap *debug;
	struct err err;

	if (stat(path, &candidate) < 0 || fstat(map->fd, &program) < 0)
		return NULL;
	if (candidate.st_dev == program.st_dev && candidate.st_ino == program.st_ino)
		return NULL;
	if (!elfmap_open_one(path, true, &debug, &err)) {
		notes_add(&map->notes, "%s: cannot use its debug file: %s", map->info.path,
			  err.message);
		return NULL;
	}
	return debug;
}

static bool same_build_id(const struct elfmap *a, const struct elfmap *b)
{
	return a->info.build_id_size == b->info.build_id_size &&
	       memcmp(a->info.build_id, b->info.build_id, a->info.build_id_size) == 0;
}

static bool find_by_build_id(struct elfmap *map, const char *debug_dir)
{
	char digits[2 * ELFMAP_BUILD_ID_MAX + 1];

	if (map->info.build_id_size < 2)
		return false;
	hex_text(map->info.build_id, map->info.build_id_size, digits);

	const char *path = arena_printf(&map->arena, "%s/.build-id/%.2s/%s.debug", debug_dir,
					digits, digits + 2);
	struct elfmap *debug = open_candidate(map, path);
	if (!debug)
		return false;
	if (!same_build_id(map, debug)) {
		notes_add(&map->notes, "%s: %s has a different build-id; not used", map->info.path,
			  path);
		elfmap_close_one(debug);
		return false;
	}
	return adopt(map, debug);
}

/** The checksum of .gnu_debuglink over a whole file, read in pieces and not kept. */
static bool file_crc(const struct elfmap *map, uint32_t *ret_crc)
{
	enum { BUFFER_BYTES = 256 * 1024 };
	CLEANUP(freep) uint8_t *buffer = xcalloc(BUFFER_BYTES, 1);
	uLong crc = crc32(0, NULL, 0);
	uint64_t offset = 0;

	while (offset < map->info.size) {
		ssize_t got = pread(map->fd, buffer, BUFFER_BYTES, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		crc = crc32(crc, buffer, (uInt)got); // at most BUFFER_BYTES
		offset += (uint64_t)got;
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

static bool try_debuglink(struct elfmap *map, const char *path, uint32_t wanted_crc)
{
	struct elfmap *debug = open_candidate(map, path);
	uint32_t crc;

	if (!debug)
		return false;
	if (!file_crc(debug, &crc) || crc != wanted_crc) {
		notes_add(&map->notes,
			  "%s: %s does not match the checksum in .gnu_debuglink; not used",
			  map->info.path, path);
		elfmap_close_one(debug);
		return false;
	}
	return adopt(map, debug);
}

static bool find_by_debuglink(struct elfmap *map, const char *debug_dir)
{
	const char *name;
	uint32_t crc;

	if (!read_debuglink(map, &name, &crc))
		return false;
	CLEANUP(freep) char *directory = realpath(map->info.path, NULL);
	if (!directory)
		return false;
	*strrchr(directory, '/') = '\0'; // realpath() begins with one
	const char *places[] = {
		arena_printf(&map->arena, "%s/%s", directory, name),
		arena_printf(&map->arena, "%s/.debug/%s", directory, name),
		arena_printf(&map->arena, "%s%s/%s", debug_dir, directory, name),
	};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (try_debuglink(map, places[i], crc))
			return true;
	return false;
}

void elfmap_find_debug_file(struct elfmap *map, const char *debug_dir)
{
	if (elfmap_has_symtab(map))
		return;
	if (!find_by_build_id(map, debug_dir))
		find_by_debuglink(map, debug_dir);
}
