// SPDX-License-Identifier: Apache-2.0
#include "trace/intern.h"

#include <string.h>
#include <xxhash.h>

static uint64_t hash_of(const void *bytes, size_t size)
{
	return size > 0 ? XXH3_64bits(bytes, size) : 0;
}

static const void *find(const struct intern *intern, uint64_t hash, const void *bytes, size_t size)
{
	const uint32_t *index = u64map_get(&intern->index, hash);
	const struct interned *known = index ? &intern->kept.items[*index] : NULL;

	return known && known->size == size && (size == 0 || memcmp(known->bytes, bytes, size) == 0)
		       ? known->bytes
		       : NULL;
}

const void *intern_find(const struct intern *intern, const void *bytes, size_t size)
{
	return find(intern, hash_of(bytes, size), bytes, size);
}

const void *intern_bytes(struct intern *intern, const void *bytes, size_t size)
{
	uint64_t hash = hash_of(bytes, size);
	const void *known = find(intern, hash, bytes, size);

	if (known)
		return known;
	// Of two with one hash the newer is the one that is found.
	char *copy = arena_alloc(intern->arena, size + 1);

	if (size > 0)
		memcpy(copy, bytes, size);
	*u64map_put(&intern->index, hash, NULL) = (uint32_t)intern->kept.count;
	vec_push(&intern->kept, (struct interned){ copy, size });
	return copy;
}

void intern_deinit(struct intern *intern)
{
	u64map_deinit(&intern->index);
	vec_deinit(&intern->kept);
}
