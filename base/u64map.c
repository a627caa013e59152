// SPDX-License-Identifier: Apache-2.0
#include "base/u64map.h"

#include "base/arena.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

/** MurmurHash3's finalizer: page numbers differ in their low bits, indexes in their high bits. */
static uint64_t mix(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccdULL;
	key ^= key >> 33;
	key *= 0xc4ceb9fe1a85ec53ULL;
	return key ^ (key >> 33);
}

/** The slot of @key, or the free one where it belongs. */
static struct u64map_slot *find(const struct u64map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t at = mix(key) & mask;

	while (map->slots[at].is_used && map->slots[at].key != key)
		at = (at + 1) & mask;
	return &map->slots[at];
}

static bool is_full(size_t count, size_t capacity)
{
	return count * 4 >= capacity * 3;
}

static void grow(struct u64map *map, size_t capacity)
{
	struct u64map old = *map;

	map->capacity = capacity;
	map->slots = xcalloc(map->capacity, sizeof(*map->slots));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].is_used)
			*find(map, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint32_t *u64map_put(struct u64map *map, uint64_t key, bool *ret_is_new)
{
	if (is_full(map->count, map->capacity))
		grow(map, map->capacity ? map->capacity * 2 : FIRST_CAPACITY);

	struct u64map_slot *slot = find(map, key);
	if (ret_is_new)
		*ret_is_new = !slot->is_used;
	if (!slot->is_used) {
		*slot = (struct u64map_slot){ .key = key, .is_used = true };
		map->count++;
	}
	return &slot->value;
}

void u64map_reserve(struct u64map *map, size_t count)
{
	size_t capacity = map->capacity ? map->capacity : FIRST_CAPACITY;

	while (is_full(count, capacity))
		capacity *= 2;
	if (capacity > map->capacity)
		grow(map, capacity);
}

const uint32_t *u64map_get(const struct u64map *map, uint64_t key)
{
	if (!map->count)
		return NULL;
	const struct u64map_slot *slot = find(map, key);
	return slot->is_used ? &slot->value : NULL;
}

void u64map_deinit(struct u64map *map)
{
	free(map->slots);
	*map = (struct u64map){ 0 };
}
