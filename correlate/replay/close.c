// SPDX-License-Identifier: Apache-2.0
// Ends the replay: initializers, and names for all rows.
#include "correlate/replay/builder.h"

#include <string.h>

/** Name the objects; the rest of their facts is only looked up for those shown. */
static void name_objects(struct arena *arena, const struct objects *objects,
			 struct model_object *rows, size_t count)
{
	size_t object_count;
	const struct object *all = objects_all(objects, &object_count);

	for (size_t i = 0; i < count; i++) {
		struct elfmap *map = objects_opened(objects, (uint32_t)i);

		rows[i].path = arena_strdup(arena, all[i].path);
		rows[i].root = arena_strdup(arena, all[i].root);
		rows[i].is_file = all[i].is_file;
		rows[i].is_elf = all[i].is_elf;
		rows[i].soname = map ? arena_strdup(arena, elfmap_info(map)->soname) : NULL;
	}
}

static void name_rows(struct rows *rows)
{
	name_objects(&rows->model->arena, rows->objects, rows->object_rows.items,
		     rows->object_rows.count);
	for (size_t i = 0; i < rows->symbols.count; i++)
		rows->symbols.items[i].name = rows_name(rows, rows->symbols.items[i].object,
							&rows->symbol_sources.items[i]);
	for (size_t i = 0; i < rows->functions.count; i++)
		rows->functions.items[i].name = rows_name(rows, rows->functions.items[i].object,
							  &rows->function_sources.items[i]);
}

/** The symbol of an initializer; a stripped file has none for its .init, which has a name all the
 * same. */
static struct row_source symbol_of(struct elfmap *map, const struct elfmap_initializer *from)
{
	struct elfmap_place place;

	if (from->symbol)
		return (struct row_source){ .symbol = from->symbol };
	elfmap_locate(map, from->vaddr, &place);
	if (place.entry.kind != ELFMAP_ENTRY_INIT)
		return (struct row_source){ 0 };
	return (struct row_source){ .entry = place.entry };
}

/** The name of @source in the symbol table; NULL where @shown, its name for people, is the same. */
static const char *mangled_name(struct arena *arena, const struct row_source *source,
				const char *shown)
{
	return source->symbol && strcmp(source->symbol->name, shown) != 0
		       ? arena_strdup(arena, source->symbol->name)
		       : NULL;
}

static void list_of_object(struct rows *rows, uint32_t id, bool has_sources)
{
	struct arena *arena = &rows->model->arena;
	struct elfmap *map = objects_opened(rows->objects, id);
	struct model_object *row = &rows->object_rows.items[id];
	size_t count;

	if (!map)
		return;
	const struct elfmap_initializer *from =
		has_sources ? elfmap_initializers(map, &count)
			    : elfmap_initializers_without_source(map, &count);

	row->first_initializer = (uint32_t)rows->initializers.count;
	row->initializer_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct row_source symbol = symbol_of(map, &from[i]);
		const char *function = rows_name(rows, id, &symbol);

		vec_push(&rows->initializers,
			 (struct model_initializer){
				 .object = id,
				 .index = from[i].index,
				 .array = arena_strdup(arena, from[i].array),
				 .function = function,
				 .symbol = mangled_name(arena, &symbol, function),
				 .has_offset = from[i].has_offset,
				 .offset = from[i].offset,
				 .vaddr = from[i].vaddr,
				 .source = arena_strdup(arena, from[i].source),
				 .package = arena_strdup(arena, from[i].package),
				 .label = initlabel(arena, rows->demangle, map, &from[i]),
			 });
	}
}

static void list_initializers(struct rows *rows, bool has_sources)
{
	size_t count;

	objects_all(rows->objects, &count);
	while (rows->object_rows.count < count)
		vec_push(&rows->object_rows, (struct model_object){ 0 });
	for (size_t i = 0; i < count; i++)
		list_of_object(rows, (uint32_t)i, has_sources);
}

void builder_close(struct builder *builder, bool has_sources, struct rows *ret_rows,
		   struct all_faults *ret_faults)
{
	list_initializers(&builder->rows, has_sources);
	name_rows(&builder->rows);
	*ret_rows = builder->rows;
	*ret_faults = builder->faults;
	builder->rows = (struct rows){ 0 };
	builder->faults = (struct all_faults){ 0 };
	builder_deinit(builder);
}
