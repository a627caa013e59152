// SPDX-License-Identifier: Apache-2.0
// Tools that compiled and linked a file, by .comment: strings that each tool left there.
#include "elfmap/private.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"

#include <string.h>

enum {
	BYTES_MAX = 4 << 10, // honest ones are some hundred
	NAMED = 4,
};

/** Join the strings of @text, sorted, each once. */
static const char *join(struct elfmap *map, const char *text, size_t size)
{
	CLEANUP(vec_release) VEC(const char *) names = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf joined = { 0 };
	size_t named = 0, others = 0;

	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		if (text[at])
			vec_push(&names, text + at);
	vec_sort(&names, order_texts);
	for (size_t i = 0; i < names.count; i++) {
		if (i > 0 && strcmp(names.items[i], names.items[i - 1]) == 0)
			continue;
		if (named == NAMED) {
			others++;
			continue;
		}
		strbuf_printf(&joined, "%s%s", named++ > 0 ? ", " : "", names.items[i]);
	}
	if (others > 0)
		strbuf_printf(&joined, " and %zu more", others);
	return named > 0 ? arena_strdup(&map->arena, strbuf_text(&joined)) : NULL;
}

const char *elfmap_toolchain(struct elfmap *map)
{
	const struct elfmap_section *section = elfmap_section_named(map, ".comment");

	if (!section || !section->has_bytes || section->size == 0)
		return NULL;
	uint64_t size = section->size < BYTES_MAX ? section->size : BYTES_MAX;
	const uint8_t *bytes = elfmap_file_bytes(map, section->offset, size);
	if (!bytes)
		return NULL;
	// The last string may lack its end.
	const char *text = arena_strndup(&map->arena, (const char *)bytes, size);
	return join(map, text, size);
}
