// SPDX-License-Identifier: Apache-2.0
// .gnu_debugdata: a small ELF file within a stripped one, compressed by xz, with the symbols of
// functions that .dynsym lacks. Fedora's programs have it. Source: gdb's manual, "MiniDebugInfo".
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	COMPRESSION_MAX = 200, // as of sections
	MEMORY_MAX = 256 << 20,
};

static void end_lzma(lzma_stream *stream)
{
	lzma_end(stream);
}

/** Write what @size bytes at @from are decompressed to into @fd. */
static bool unpack(const uint8_t *from, uint64_t size, int fd)
{
	enum { BUFFER_BYTES = 256 * 1024 };
	CLEANUP(end_lzma) lzma_stream stream = LZMA_STREAM_INIT;
	CLEANUP(freep) uint8_t *buffer = xcalloc(BUFFER_BYTES, 1);
	lzma_ret result = lzma_stream_decoder(&stream, MEMORY_MAX, 0);

	stream.next_in = from;
	stream.avail_in = size;
	while (result == LZMA_OK) {
		stream.next_out = buffer;
		stream.avail_out = BUFFER_BYTES;
		result = lzma_code(&stream, LZMA_FINISH);

		ssize_t got = (ssize_t)(BUFFER_BYTES - stream.avail_out);

		if (stream.total_out / COMPRESSION_MAX > size ||
		    pwrite(fd, buffer, (size_t)got, (off_t)stream.total_out - got) != got)
			return false;
	}
	return result == LZMA_STREAM_END;
}

bool elfmap_open_embedded(struct elfmap *map, struct elfmap **ret_debug)
{
	const struct elfmap_section *section = elfmap_section_named(map, ".gnu_debugdata");
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	struct err err;

	if (!section)
		return false;
	const uint8_t *bytes =
		section->has_bytes ? elfmap_file_bytes(map, section->offset, section->size) : NULL;

	found.fd = memfd_create("elfault", MFD_CLOEXEC);
	found.place = arena_printf(&map->arena, "%s(.gnu_debugdata)", map->info.path);
	if (found.fd < 0)
		err_os(&err, "%s", found.place);
	else if (!bytes || !unpack(bytes, section->size, found.fd) ||
		 fstat(found.fd, &found.status))
		err_set(&err, ERR_INPUT, "%s cannot be decompressed", found.place);
	else if (elfmap_open_one_found(found.place, &found, true, ret_debug, &err))
		return true;
	notes_add(&map->notes, "%s: cannot use its debug file: %s", map->info.path, err.message);
	return false;
}
