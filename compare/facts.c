// SPDX-License-Identifier: Apache-2.0
#include "compare/facts.h"

#include "base/order.h"
#include "model/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

ORDER_OF(compare_names, compare_section, strcmp(x->name, y->name))

static const char *encoding_of(const struct model_relocation *relocation)
{
	int used = relocation->uses_rel + relocation->uses_rela + relocation->uses_relr;

	return used > 1		       ? "mixed"
	       : relocation->uses_relr ? "relr"
	       : relocation->uses_rela ? "rela"
	       : relocation->uses_rel  ? "rel"
				       : NULL;
}

static struct compare_section *list_sections(const struct model_layout *layout,
					     enum compare_side side, struct arena *arena,
					     size_t *ret_count)
{
	struct compare_section *rows = arena_array(arena, layout->section_count + 1, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < layout->section_count; i++) {
		const struct model_layout_section *from = &layout->sections[i];

		rows[i].name = arena_strdup(arena, from->name);
		rows[i].is_there[side] = true;
		rows[i].size[side] = from->is_loaded ? from->memory_size : from->file_size;
	}
	qsort(rows, layout->section_count, sizeof(*rows), compare_names);
	for (size_t i = 0; i < layout->section_count; i++) {
		if (count > 0 && strcmp(rows[count - 1].name, rows[i].name) == 0)
			rows[count - 1].size[side] += rows[i].size[side];
		else
			rows[count++] = rows[i];
	}
	*ret_count = count;
	return rows;
}

/**
 * Did link-time optimisation make it of several? GCC calls such a function _sub_I_65535_0 (priority
 * and number); of those that it named after one of them, the source lists several files.
 */
static bool is_merged(const struct model_initializer *initializer)
{
	static const char prefix[] = "_sub_I_";
	const char *name = initializer->function, *source = initializer->source;

	if (name && strncmp(name, prefix, sizeof(prefix) - 1) == 0 &&
	    isdigit((unsigned char)name[sizeof(prefix) - 1]))
		return true;
	return source && strstr(source, ", ");
}

static void add_linkage(struct compare_layout *layout, const struct model_layout *from,
			struct arena *arena)
{
	const char **needed = arena_array(arena, from->needed_count + 1, sizeof(*needed));

	for (size_t i = 0; i < from->needed_count; i++)
		needed[i] = arena_strdup(arena, from->needed[i]);
	layout->needed = needed;
	layout->functions = from->functions;
	layout->named_functions = from->named_functions;
	layout->function_names = from->function_names;
	layout->toolchain = arena_strdup(arena, from->toolchain);
	layout->needed_count = from->needed_count;
	layout->is_library = from->is_library;
	layout->is_fixed = from->is_fixed;
	layout->is_symbolic = from->is_symbolic;
}

struct compare_layout facts_of(const struct model *model, const struct model_object *object,
			       enum compare_side side, struct arena *arena,
			       struct compare_section **ret_sections, size_t *ret_count)
{
	const struct model_relocation *relocation = object->relocation;
	struct compare_layout layout = {
		.is_known = object->layout,
		.is_unread = object->is_elf && !object->was_read && object->count.faults > 0,
		.build_id = arena_strdup(arena, object->build_id),
		.soname = arena_strdup(arena, object->soname),
		.size = object->size,
		.has_relocation = relocation,
		.initializers = object->initializer_count,
	};

	for (size_t i = 0; i < object->initializer_count; i++)
		layout.merged_initializers +=
			is_merged(&model->initializers[object->first_initializer + i]);
	*ret_sections = NULL;
	*ret_count = 0;
	if (object->layout) {
		layout.symbols = arena_strdup(arena, object->symbols);
		*ret_sections = list_sections(object->layout, side, arena, ret_count);
		add_linkage(&layout, object->layout, arena);
	}
	if (!relocation)
		return layout;
	memcpy(layout.relocations, relocation->counts, sizeof(layout.relocations));
	layout.encoding = encoding_of(relocation);
	layout.table_bytes = relocation->table_bytes;
	layout.pages_holding = relocation->pages_holding;
	layout.lookups_at_load = relocation->lookups_at_load;
	layout.bind_now = relocation->bind_now;
	layout.uses_relr = relocation->uses_relr;
	return layout;
}

struct compare_section *facts_merge(struct arena *arena, const struct compare_section *before,
				    size_t before_count, const struct compare_section *after,
				    size_t after_count, size_t *ret_count)
{
	struct compare_section *rows =
		arena_array(arena, before_count + after_count + 1, sizeof(*rows));
	size_t i = 0, k = 0, count = 0;

	while (i < before_count || k < after_count) {
		int order = i == before_count  ? 1
			    : k == after_count ? -1
					       : compare_names(&before[i], &after[k]);
		struct compare_section *row = &rows[count++];

		*row = order <= 0 ? before[i] : after[k];
		if (order == 0) {
			row->is_there[COMPARE_AFTER] = true;
			row->size[COMPARE_AFTER] = after[k].size[COMPARE_AFTER];
		}
		i += order <= 0;
		k += order >= 0;
	}
	*ret_count = count;
	return rows;
}

const struct compare_section *facts_section(const struct compare_object *object, const char *name)
{
	const struct compare_section key = { .name = name };

	if (!name || object->section_count == 0)
		return NULL;
	return bsearch(&key, object->sections, object->section_count, sizeof(key), compare_names);
}
