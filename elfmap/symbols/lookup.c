// SPDX-License-Identifier: Apache-2.0
// Symbols of .dynsym by name, as a dynamic linker finds them: .gnu.hash, else .hash. Sources: gABI
// ch. 5 "Hash Table"; for .gnu.hash glibc, elf/dl-lookup.c and elf/dl-setup_hash.c.
#include "elfmap/private.h"

#include "base/checked.h"

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		hash = (hash << 4) + (uint8_t)*name;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	return hash;
}

/** The @width bytes of item @index of an array at @vaddr; NULL outside the file. */
static const uint8_t *item_at(struct elfmap *map, uint64_t vaddr, uint64_t index, unsigned width)
{
	uint64_t at;

	return checked_add(vaddr, index * width, &at) ? elfmap_bytes(map, at, width) : NULL;
}

/** Whether symbol @index is @name, and defined. */
static bool is_definition(struct elfmap *map, uint64_t index, const char *name,
			  struct elfmap_dynamic_symbol *ret_symbol)
{
	return elfmap_dynamic_symbol(map, index, ret_symbol) && ret_symbol->is_defined &&
	       strcmp(ret_symbol->name, name) == 0;
}

static bool find_by_gnu_hash(struct elfmap *map, const char *name,
			     struct elfmap_dynamic_symbol *ret_symbol)
{
	const uint64_t start = map->dynamic.gnu_hash;
	const unsigned word = elfmap_word_size(map);
	const uint8_t *header = elfmap_bytes(map, start, 16);
	const uint32_t hash = gnu_hash(name);

	if (!header)
		return false;
	const uint32_t bucket_count = elfmap_u32(map, header);
	const uint32_t first = elfmap_u32(map, header + 4);
	const uint32_t filter_count = elfmap_u32(map, header + 8);
	const uint32_t shift = elfmap_u32(map, header + 12);
	const uint32_t bits = 8 * word;

	if (bucket_count == 0 || filter_count == 0 || shift >= 32)
		return false;
	const uint8_t *filter = item_at(map, start + 16, hash / bits % filter_count, word);
	if (!filter || !(elfmap_word(map, filter) >> hash % bits &
			 elfmap_word(map, filter) >> (hash >> shift) % bits & 1))
		return false;
	const uint64_t buckets = start + 16 + (uint64_t)filter_count * word;
	const uint64_t chains = buckets + (uint64_t)bucket_count * 4;
	const uint8_t *bucket = item_at(map, buckets, hash % bucket_count, 4);
	uint64_t index = bucket ? elfmap_u32(map, bucket) : 0;

	// Ends at the end of the file, where no chain does.
	for (const uint8_t *link; index >= first && index > 0; index++) {
		link = item_at(map, chains, index - first, 4);
		if (!link)
			return false;
		const uint32_t of_link = elfmap_u32(map, link);

		if ((of_link | 1) == (hash | 1) && is_definition(map, index, name, ret_symbol))
			return true;
		if (of_link & 1)
			return false;
	}
	return false;
}

static bool find_by_hash(struct elfmap *map, const char *name,
			 struct elfmap_dynamic_symbol *ret_symbol)
{
	const uint8_t hash_word = machine_of(map->info.machine)->hash_word;
	const unsigned width = map->info.is_64bit && hash_word ? hash_word : 4;
	const uint64_t start = map->dynamic.hash;
	const uint8_t *header = elfmap_bytes(map, start, 2 * width);
	const uint64_t bucket_count = header ? elfmap_number(map, header, width) : 0;
	const uint64_t count = elfmap_dynamic_symbol_count(map);

	if (bucket_count == 0)
		return false;
	const uint8_t *link = item_at(map, start, 2 + sysv_hash(name) % bucket_count, width);
	// A damaged chain may be a circle.
	for (uint64_t steps = 0; link && steps < count; steps++) {
		const uint64_t index = elfmap_number(map, link, width);

		if (index == 0 || index >= count)
			return false;
		if (is_definition(map, index, name, ret_symbol))
			return true;
		link = item_at(map, start, 2 + bucket_count + index, width);
	}
	return false;
}

bool elfmap_dynamic_symbol_named(struct elfmap *map, const char *name,
				 struct elfmap_dynamic_symbol *ret_symbol)
{
	if (map->dynamic.gnu_hash)
		return find_by_gnu_hash(map, name, ret_symbol);
	return map->dynamic.hash && find_by_hash(map, name, ret_symbol);
}
