// SPDX-License-Identifier: Apache-2.0
// A hash table from 64-bit keys to 32-bit values, for tables of a million entries where a
// node-based container would take five times the memory.
#pragma once

#include "base/vec.h"

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

/** Add @key; true if it is new. */
static inline bool u64map_add(struct u64map *map, uint64_t key)
{
	bool is_new;

	u64map_put(map, key, &is_new);
	return is_new;
}

/**
 * The index of @key's row in @vec. For a key that was not there a row is added, as given last,
 * which may move the others.
 */
#define u64map_row(map, key, vec, ...)                                    \
	({                                                                \
		bool row_is_new_;                                         \
		uint32_t *row_ = u64map_put((map), (key), &row_is_new_);  \
		if (row_is_new_) {                                        \
			*row_ = (uint32_t)(vec)->count; /* as all rows */ \
			vec_push((vec), __VA_ARGS__);                     \
		}                                                         \
		*row_;                                                    \
	})

/** Reserve room for @count keys in total, so that adding them moves no entry. */
void u64map_reserve(struct u64map *map, size_t count);

/** The value of @key, or NULL if absent. */
const uint32_t *u64map_get(const struct u64map *map, uint64_t key);

/** Release the storage. */
void u64map_deinit(struct u64map *map);
