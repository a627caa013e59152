// SPDX-License-Identifier: Apache-2.0
// A hash table from 64-bit keys to 32-bit values, for tables of a million entries where a
// node-based container would take five times the memory.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct u64map_slot {
	uint64_t key;
	uint32_t value;
	bool is_used;
};

/** Zero-initialise to use; release with u64map_deinit(). */
struct u64map {
	struct u64map_slot *slots;
	size_t count;
	size_t capacity; // 0 or a power of two
};

/**
 * The value of @key, to be read or changed; valid until the next insertion. A key that was not
 * there is added with value 0. *@ret_is_new, which may be NULL, tells. Amortised O(1).
 */
uint32_t *u64map_put(struct u64map *map, uint64_t key, bool *ret_is_new);

/** Reserve room for @count keys in total, so that adding them moves no entry. */
void u64map_reserve(struct u64map *map, size_t count);

/** The value of @key, or NULL if absent. */
const uint32_t *u64map_get(const struct u64map *map, uint64_t key);

/** Release the storage. */
void u64map_deinit(struct u64map *map);
