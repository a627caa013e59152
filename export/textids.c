// SPDX-License-Identifier: Apache-2.0
#include "export/textids.h"

#include <string.h>
#include <xxhash.h>

uint32_t textids_copy(struct textids *ids, const char *text, size_t length, bool *ret_is_new)
{
	// Texts of one hash, should there ever be two, lie at the keys that follow.
	for (uint64_t key = XXH3_64bits(text, length);; key++) {
		uint32_t *row = u64map_put(&ids->by_hash, key, ret_is_new);

		if (*ret_is_new) {
			*row = (uint32_t)ids->texts.count;
			vec_push(&ids->texts, arena_strndup(&ids->arena, text, length));
			return *row;
		}
		const char *known = ids->texts.items[*row];

		if (strncmp(known, text, length) == 0 && known[length] == '\0')
			return *row;
	}
}

uint32_t textids_of(struct textids *ids, const char *text, bool *ret_is_new)
{
	bool is_new;
	const uint32_t *known = u64map_get(&ids->by_pointer, (uintptr_t)text);

	*ret_is_new = false;
	if (known)
		return *known;
	uint32_t row = textids_copy(ids, text, strlen(text), ret_is_new);

	*u64map_put(&ids->by_pointer, (uintptr_t)text, &is_new) = row;
	return row;
}

void textids_deinit(struct textids *ids)
{
	vec_deinit(&ids->texts);
	u64map_deinit(&ids->by_pointer);
	u64map_deinit(&ids->by_hash);
	arena_deinit(&ids->arena);
}
