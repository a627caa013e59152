// SPDX-License-Identifier: Apache-2.0
// A hash table from hashes to numbers of what has them: open addressing with linear probing.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct idtable_slot {
	uint64_t hash;
	uint32_t id; // 0: a free slot
};

struct idtable {
	struct idtable_slot *slots;
	size_t capacity; // a power of two
	size_t count;
};

void idtable_init(struct idtable *table);
void idtable_deinit(struct idtable *table);

/**
 * The slot of the next entry with @hash from *@at on, which is @hash at first and to be raised by
 * one between two calls; NULL if there is none.
 */
const struct idtable_slot *idtable_next(const struct idtable *table, uint64_t hash, size_t *at);

/** Add an entry, also where there is one of this hash. */
void idtable_add(struct idtable *table, uint64_t hash, uint32_t id);
