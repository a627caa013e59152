// SPDX-License-Identifier: Apache-2.0
// Lists the sections of a file in the order they lie in it.
#include "correlate/answer/count.h"

#include "base/checked.h"
#include "base/order.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static uint64_t place_of(const struct model_layout_section *section)
{
	return section->has_bytes ? section->offset : section->vaddr;
}

ORDER_OF(compare_sections, model_layout_section, ORDER(y->has_bytes, x->has_bytes) ?:
	 ORDER(place_of(x), place_of(y)) ?: ORDER(x->file_size, y->file_size) ?:
	 strcmp(x->name, y->name))

/** False for what has no place: the null section, .tbss, and what lies past the end. */
static bool section_row(struct arena *arena, const struct elfmap_section *section, uint64_t size,
			struct model_layout_section *ret_row)
{
	bool is_loaded = section->segment >= 0;

	if (section->type == SHT_NULL || section->size == 0 ||
	    (section->has_bytes && !checked_within(section->offset, section->size, size)) ||
	    (!section->has_bytes && (!is_loaded || section->flags & SHF_TLS)))
		return false;
	*ret_row = (struct model_layout_section){
		.name = arena_strdup(arena, section->name ? section->name : ""),
		.has_bytes = section->has_bytes,
		.offset = section->has_bytes ? section->offset : 0,
		.file_size = section->has_bytes ? section->size : 0,
		.is_loaded = is_loaded,
		.vaddr = section->vaddr,
		.memory_size = is_loaded ? section->size : 0,
		.is_writable = section->flags & SHF_WRITE,
		.is_code = section->flags & SHF_EXECINSTR,
	};
	return true;
}

static size_t list_sections(struct arena *arena, const struct elfmap *map,
			    struct model_layout_section **ret_rows)
{
	size_t count, used = 0;
	const struct elfmap_section *sections = elfmap_sections(map, &count);
	struct model_layout_section *rows = arena_array(arena, count, sizeof(*rows));

	for (size_t i = 0; i < count; i++)
		used += section_row(arena, &sections[i], elfmap_info(map)->size, &rows[used]);
	*ret_rows = rows;
	return used;
}

/** List segments in place of sections, in a file that has none. */
static size_t list_segments(struct arena *arena, const struct elfmap *map,
			    struct model_layout_section **ret_rows)
{
	size_t count, used = 0;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);
	struct model_layout_section *rows = arena_array(arena, count, sizeof(*rows));

	array_foreach (segment, segments, count) {
		if (segment->type != PT_LOAD || segment->memory_size == 0 ||
		    !checked_within(segment->offset, segment->file_size, elfmap_info(map)->size))
			continue;
		rows[used++] = (struct model_layout_section){
			.name = arena_printf(arena, "[%c%c%c segment]",
					     segment->flags & PF_R ? 'r' : '-',
					     segment->flags & PF_W ? 'w' : '-',
					     segment->flags & PF_X ? 'x' : '-'),
			.has_bytes = segment->file_size > 0,
			.offset = segment->file_size > 0 ? segment->offset : 0,
			.file_size = segment->file_size,
			.is_loaded = true,
			.vaddr = segment->vaddr,
			.memory_size = segment->memory_size,
			.is_writable = segment->flags & PF_W,
			.is_code = segment->flags & PF_X,
		};
	}
	*ret_rows = rows;
	return used;
}

static void add_linkage(struct model_layout *layout, struct arena *arena, struct elfmap *map)
{
	const struct elfmap_linkage linkage = elfmap_linkage(map);
	const char *const *names = elfmap_needed(map, &layout->needed_count);
	const char **needed = arena_array(arena, layout->needed_count + 1, sizeof(*needed));

	for (size_t i = 0; i < layout->needed_count; i++)
		needed[i] = arena_strdup(arena, names[i]);
	layout->needed = needed;
	const char *toolchain = elfmap_toolchain(map);
	layout->toolchain = arena_strdup(arena, toolchain);
	layout->is_library = linkage.is_library;
	layout->is_fixed = !linkage.is_library && !linkage.is_pie;
	layout->is_symbolic = linkage.is_symbolic;
}

static void count_functions(struct model_layout *layout, struct elfmap *map)
{
	const struct elfmap_function *functions;
	size_t count;

	functions = elfmap_functions(map, &count);
	layout->functions = count;
	array_foreach (function, functions, count) {
		uint64_t names = 0;

		for (size_t i = 0; function->has_name && i < function->symbol_count; i++)
			names += elfmap_is_function(&function->symbols[i]);
		layout->named_functions += names > 0;
		layout->function_names += names;
	}
}

const struct model_layout *layout_new(struct arena *arena, struct elfmap *map, bool has_functions)
{
	struct model_layout *layout = arena_alloc(arena, sizeof(*layout));
	struct model_layout_section *rows;
	size_t count = list_sections(arena, map, &rows);

	if (count == 0)
		count = list_segments(arena, map, &rows);
	if (count > 0)
		qsort(rows, count, sizeof(*rows), compare_sections);
	layout->sections = rows;
	layout->section_count = count;
	add_linkage(layout, arena, map);
	if (has_functions)
		count_functions(layout, map);
	return layout;
}
