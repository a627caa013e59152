// SPDX-License-Identifier: Apache-2.0
#include "trace/intern.h"

#include <string.h>
#include <xxhash.h>

const void *intern_bytes(struct intern *intern, const void *bytes, size_t size)
{
	bool is_new;
	uint32_t *index =
		u64map_put(&intern->index, size > 0 ? XXH3_64bits(bytes, size) : 0, &is_new);

	if (!is_new) {
		const struct interned *known = &intern->kept.items[*index];

		if (known->size == size && (size == 0 || memcmp(known->bytes, bytes, size) == 0))
			return known->bytes;
	}
	// Of two with one hash the newer is the one that is found.
	char *copy = arena_alloc(intern->arena, size + 1);

	if (size > 0)
		memcpy(copy, bytes, size);
	*index = (uint32_t)intern->kept.count;
	vec_push(&intern->kept, (struct interned){ copy, size });
	return copy;
}

void intern_deinit(struct intern *intern)
{
	u64map_deinit(&intern->index);
	vec_deinit(&intern->kept);
}
