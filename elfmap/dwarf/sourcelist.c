// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/sourcelist.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

void sourcelist_add(struct sourcelist *list, const char *name)
{
	size_t named = list->count < SOURCELIST_NAMED ? list->count : SOURCELIST_NAMED;

	if (!u64map_add(&list->seen, (uintptr_t)name))
		return;
	for (size_t i = 0; i < named; i++)
		if (strcmp(list->names[i], name) == 0)
			return;
	if (list->count < SOURCELIST_NAMED)
		list->names[list->count] = name;
	list->count++;
}

const char *sourcelist_text(const struct sourcelist *list, struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	if (list->count == 0)
		return NULL;
	for (size_t i = 0; i < list->count && i < SOURCELIST_NAMED; i++)
		strbuf_printf(&buf, "%s%.*s", i > 0 ? ", " : "", SOURCELIST_LENGTH, list->names[i]);
	if (list->count > SOURCELIST_NAMED)
		strbuf_printf(&buf, " and %zu more", list->count - SOURCELIST_NAMED);
	return arena_strdup(arena, strbuf_text(&buf));
}

void sourcelist_deinit(struct sourcelist *list)
{
	u64map_deinit(&list->seen);
}
