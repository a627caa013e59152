// SPDX-License-Identifier: Apache-2.0
// The content of sections: as it lies in the file, or decompressed. libelf is not asked: Debian
// 12's does not know zstd, and nothing of it is needed for symbol tables.
#include "elfmap/private.h"

#include "base/checked.h"

#include <inttypes.h>
#include <zlib.h>
#include <zstd.h>

enum {
	// Tables and what compilers write shrink to a third; a run of zeros to a thousandth.
	COMPRESSION_MAX = 200,
	COMPRESSED_BY_ZLIB = 1, // ELFCOMPRESS_ZLIB
	COMPRESSED_BY_ZSTD = 2, // ELFCOMPRESS_ZSTD, which elf.h of glibc 2.36 lacks
};

/** A section that was decompressed. */
struct elfmap_unpacked {
	const struct elfmap_unpacked *next;
	uint32_t index; // of the section
	const uint8_t *bytes;
	uint64_t size;
};

/** How a section is packed: gABI ch. 4 "Section Compression", and binutils' older .zdebug_*. */
struct packing {
	uint32_t type; // 0: not
	uint64_t header_size;
	uint64_t size; // of the content
};

static bool is_gnu_packed(const struct elfmap_section *section)
{
	return strncmp(section->name, ".zdebug_", 8) == 0; // "ZLIB", then the size
}

static bool read_packing(struct elfmap *map, const struct elfmap_section *section,
			 struct packing *ret_packing, struct err *err)
{
	struct packing packing = { .size = section->size };
	bool is_gnu = is_gnu_packed(section), is_64bit = map->info.is_64bit;
	uint64_t limit;

	if (!section->has_bytes || !checked_within(section->offset, section->size, map->info.size))
		return err_set(err, ERR_INPUT, "%s extends past the end of the file",
			       section->name);
	*ret_packing = packing;
	if (!is_gnu && !(section->flags & SHF_COMPRESSED))
		return true;
	packing.header_size = is_gnu ? 12 : is_64bit ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	const uint8_t *bytes =
		section->size >= packing.header_size
			? elfmap_file_bytes(map, section->offset, packing.header_size)
			: NULL;
	if (!bytes)
		return err_set(err, ERR_INPUT, "the header of compressed %s cannot be read",
			       section->name);
	packing.type = is_gnu ? COMPRESSED_BY_ZLIB : elfmap_u32(map, bytes);
	if (is_gnu) {
		memcpy(&packing.size, bytes + 4, sizeof(packing.size));
		packing.size = be64toh(packing.size);
	} else {
		packing.size = elfmap_word(map, bytes + (is_64bit ? offsetof(Elf64_Chdr, ch_size)
								  : offsetof(Elf32_Chdr, ch_size)));
	}
	if (packing.type != COMPRESSED_BY_ZLIB && packing.type != COMPRESSED_BY_ZSTD)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s is compressed in an unknown way (type %" PRIu32 ")",
			       section->name, packing.type);
	if (!checked_mul(section->size, COMPRESSION_MAX, &limit) || packing.size > limit)
		return err_set(err, ERR_INPUT, "the size of compressed %s is invalid",
			       section->name);
	*ret_packing = packing;
	return true;
}

bool elfmap_content_size(struct elfmap *map, const struct elfmap_section *section,
			 uint64_t *ret_size, struct err *err)
{
	struct packing packing;

	if (!read_packing(map, section, &packing, err))
		return false;
	*ret_size = packing.size;
	return true;
}

/** Fill @to, all of it, from @size bytes at @from. */
static bool unpack(const struct packing *packing, const uint8_t *from, uint64_t size, uint8_t *to)
{
	uLongf length = packing->size;

	if (packing->type == COMPRESSED_BY_ZSTD)
		return ZSTD_decompress(to, packing->size, from, size) == packing->size;
	return uncompress(to, &length, from, size) == Z_OK && length == packing->size;
}

const uint8_t *elfmap_content(struct elfmap *map, const struct elfmap_section *section,
			      uint64_t *ret_size, struct err *err)
{
	const struct elfmap_unpacked *known = map->unpacked;
	struct packing packing;

	while (known && known->index != section->index)
		known = known->next;
	if (known) {
		*ret_size = known->size;
		return known->bytes;
	}
	if (!read_packing(map, section, &packing, err))
		return NULL;
	const uint8_t *bytes = elfmap_file_bytes(map, section->offset, section->size);
	if (!bytes) {
		err_set(err, ERR_INPUT, "%s cannot be read", section->name);
		return NULL;
	}
	*ret_size = packing.size;
	if (!packing.type)
		return bytes;

	uint8_t *content = arena_alloc(&map->arena, packing.size + 1); // of size 0 as well
	if (!unpack(&packing, bytes + packing.header_size, section->size - packing.header_size,
		    content)) {
		err_set(err, ERR_INPUT, "the compressed content of %s is damaged", section->name);
		return NULL;
	}
	struct elfmap_unpacked *unpacked = arena_alloc(&map->arena, sizeof(*unpacked));
	*unpacked = (struct elfmap_unpacked){
		.next = map->unpacked,
		.index = section->index,
		.bytes = content,
		.size = packing.size,
	};
	map->unpacked = unpacked;
	return content;
}
