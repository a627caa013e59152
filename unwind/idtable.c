// SPDX-License-Identifier: Apache-2.0
#include "unwind/idtable.h"

#include "base/arena.h"

#include <stdlib.h>

enum { SLOTS_AT_FIRST = 1 << 12 };

void idtable_init(struct idtable *table)
{
	table->capacity = SLOTS_AT_FIRST;
	table->slots = xcalloc(table->capacity, sizeof(*table->slots));
}

void idtable_deinit(struct idtable *table)
{
	free(table->slots);
}

static void grow(struct idtable *table)
{
	struct idtable grown = { .capacity = table->capacity * 2, .count = table->count };

	grown.slots = xcalloc(grown.capacity, sizeof(*grown.slots));
	for (size_t i = 0; i < table->capacity; i++) {
		struct idtable_slot slot = table->slots[i];
		size_t at = slot.hash & (grown.capacity - 1);

		if (!slot.id)
			continue;
		while (grown.slots[at].id)
			at = (at + 1) & (grown.capacity - 1);
		grown.slots[at] = slot;
	}
	free(table->slots);
	*table = grown;
}

const struct idtable_slot *idtable_next(const struct idtable *table, uint64_t hash, size_t *at)
{
	for (;; *at = (*at + 1) & (table->capacity - 1)) {
		const struct idtable_slot *slot = &table->slots[*at & (table->capacity - 1)];

		if (!slot->id)
			return NULL;
		if (slot->hash == hash)
			return slot;
	}
}

void idtable_add(struct idtable *table, uint64_t hash, uint32_t id)
{
	size_t at = hash & (table->capacity - 1);

	while (table->slots[at].id)
		at = (at + 1) & (table->capacity - 1);
	table->slots[at] = (struct idtable_slot){ .hash = hash, .id = id };
	if (++table->count * 4 > table->capacity * 3)
		grow(table);
}
