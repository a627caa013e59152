// SPDX-License-Identifier: Apache-2.0
// Turns the grown rows into the model: names, per-object lists, order.
#include "correlate/builder.h"

#include "base/cleanup.h"
#include "base/hex.h"
#include "correlate/layout.h"

#include <stdlib.h>
#include <string.h>

/** Copy into the model, which outlives the ELF files; NULL stays NULL. */
static const char *keep(struct builder *builder, const char *text)
{
	return text ? arena_strdup(&builder->model->arena, text) : NULL;
}

static const char *name_of(struct builder *builder, uint32_t object,
			   const struct builder_symbol *source)
{
	struct elfmap *map = objects_map(builder->objects, object);

	if (!map)
		return NULL;
	if (source->symbol)
		return keep(builder, builder->demangle ? elfmap_symbol_display(map, source->symbol)
						       : source->symbol->name);
	if (source->entry.kind == ELFMAP_ENTRY_NONE)
		return NULL;
	return keep(builder, elfmap_entry_name(map, &source->entry, builder->demangle));
}

/** What an object is called; the rest of its facts is only looked up for those shown. */
static void name_object(struct builder *builder, uint32_t id, struct model_object *row)
{
	struct elfmap *map = objects_opened(builder->objects, id);
	size_t count;
	const struct object *object = &objects_all(builder->objects, &count)[id];

	row->path = keep(builder, object->path);
	row->is_file = object->is_file;
	row->is_elf = object->is_elf;
	row->soname = map ? keep(builder, elfmap_info(map)->soname) : NULL;
}

void builder_name(struct builder *builder)
{
	for (size_t i = 0; i < builder->object_rows.count; i++)
		name_object(builder, (uint32_t)i, &builder->object_rows.items[i]);
	for (size_t i = 0; i < builder->symbols.count; i++)
		builder->symbols.items[i].name = name_of(builder, builder->symbols.items[i].object,
							 &builder->symbol_sources.items[i]);
	for (size_t i = 0; i < builder->functions.count; i++)
		builder->functions.items[i].name =
			name_of(builder, builder->functions.items[i].object,
				&builder->function_sources.items[i]);
}

struct field_rows builder_rows(const struct builder *builder)
{
	return (struct field_rows){
		.objects = builder->object_rows.items,
		.object_count = builder->object_rows.count,
		.sections = builder->sections.items,
		.section_count = builder->sections.count,
		.symbols = builder->symbols.items,
		.symbol_count = builder->symbols.count,
		.functions = builder->functions.items,
		.function_count = builder->functions.count,
		.initializers = builder->initializers.items,
		.initializer_count = builder->initializers.count,
		.comms = builder->comms.items,
		.comm_count = builder->comms.count,
		.has_reads = builder->model->trace.has_reads,
	};
}

static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b; // nameless rows last
	return strcmp(a, b);
}

static int compare_counts(const struct model_count *a, const struct model_count *b)
{
	return (a->faults < b->faults) - (a->faults > b->faults);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_sections(const void *a, const void *b, void *context)
{
	const struct model_section *rows = ((const struct builder *)context)->sections.items;
	const struct model_section *x = &rows[*(const uint32_t *)a],
				   *y = &rows[*(const uint32_t *)b];
	int order = compare_counts(&x->count, &y->count);

	if (!order)
		order = compare_names(x->name, y->name);
	return order ? order : compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int compare_symbols(const void *a, const void *b, void *context)
{
	const struct model_symbol *rows = ((const struct builder *)context)->symbols.items;
	const struct model_symbol *x = &rows[*(const uint32_t *)a],
				  *y = &rows[*(const uint32_t *)b];
	int order = compare_counts(&x->count, &y->count);

	if (!order)
		order = compare_names(x->name, y->name);
	return order ? order : compare_numbers(x->vaddr, y->vaddr);
}

/** For a copy of the rows of a builder_touchers. */
static int compare_touchers(const void *a, const void *b, void *context)
{
	const struct model_function *functions = context;
	const struct model_toucher *x = a, *y = b;
	int order = compare_counts(&x->count, &y->count);

	if (!order)
		order = compare_names(functions[x->function].name, functions[y->function].name);
	return order ? order : compare_numbers(x->function, y->function);
}

static int compare_objects(const void *a, const void *b, void *context)
{
	const struct model_object *rows = context;
	const struct model_object *x = &rows[*(const uint32_t *)a],
				  *y = &rows[*(const uint32_t *)b];
	int order = compare_counts(&x->count, &y->count);

	if (!order)
		order = compare_names(x->path, y->path);
	return order ? order : compare_names(x->build_id, y->build_id);
}

/** The symbol of an initializer; a stripped file has none for its .init, which has a name all the
 * same. */
static struct builder_symbol symbol_of(struct elfmap *map, const struct elfmap_initializer *from)
{
	struct elfmap_place place;

	if (from->symbol)
		return (struct builder_symbol){ .symbol = from->symbol };
	elfmap_locate(map, from->vaddr, &place);
	if (place.entry.kind != ELFMAP_ENTRY_INIT)
		return (struct builder_symbol){ 0 };
	return (struct builder_symbol){ .entry = place.entry };
}

static void list_initializers(struct builder *builder, uint32_t id)
{
	struct elfmap *map = objects_opened(builder->objects, id);
	struct model_object *row = &builder->object_rows.items[id];
	size_t count;

	if (!map)
		return;
	const struct elfmap_initializer *from =
		builder->no_sources ? elfmap_initializers_without_source(map, &count)
				    : elfmap_initializers(map, &count);

	row->first_initializer = (uint32_t)builder->initializers.count;
	row->initializer_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct builder_symbol symbol = symbol_of(map, &from[i]);

		vec_push(&builder->initializers,
			 (struct model_initializer){
				 .object = id,
				 .index = from[i].index,
				 .array = keep(builder, from[i].array),
				 .function = name_of(builder, id, &symbol),
				 .has_offset = from[i].has_offset,
				 .offset = from[i].offset,
				 .vaddr = from[i].vaddr,
				 .source = keep(builder, from[i].source),
			 });
	}
}

void builder_list_initializers(struct builder *builder)
{
	size_t count;

	objects_all(builder->objects, &count);
	while (builder->object_rows.count < count)
		vec_push(&builder->object_rows, (struct model_object){ 0 });
	for (size_t i = 0; i < count; i++)
		list_initializers(builder, (uint32_t)i);
}

static void describe_object(struct builder *builder, uint32_t id, struct model_object *row)
{
	struct elfmap *map = row->count.faults ? objects_map(builder->objects, id) : NULL;
	size_t count;
	const struct object *object = &objects_all(builder->objects, &count)[id];

	row->is_forced = object->is_forced;
	row->size = object->size;
	row->symbols = "none";

	char hex[2 * ELFMAP_BUILD_ID_MAX + 1];
	hex_text(object->build_id, object->build_id_size, hex);
	if (map) {
		const struct elfmap_info *info = elfmap_info(map);

		row->was_read = true;
		row->symbols = elfmap_symbols_word(info->symbols);
		row->source_of_symbols = keep(builder, info->debug_file);
		if (!object->build_id_size)
			hex_text(info->build_id, info->build_id_size, hex);
		if (!builder->faults_only) {
			elfmap_check_frames(map);
			row->layout = layout_new(&builder->model->arena, map);
		}
		notes_merge(&builder->model->notes, elfmap_notes(map));
	}
	row->build_id = hex[0] ? keep(builder, hex) : NULL;
}

/** What has no fault among those shown is in no list. */
static uint32_t object_of_section(const struct builder *builder, size_t i)
{
	const struct model_section *row = &builder->sections.items[i];

	return row->count.faults ? row->object : MODEL_NONE;
}

static uint32_t object_of_symbol(const struct builder *builder, size_t i)
{
	const struct model_symbol *row = &builder->symbols.items[i];

	return row->count.faults ? row->object : MODEL_NONE;
}

/** Rows of a table by object: those of object o are indexes[starts[o]] up to indexes[starts[o +
 * 1]]. */
struct grouping {
	uint32_t *indexes; // in the model's arena
	size_t *starts;
};

static void grouping_deinit(struct grouping *grouping)
{
	free(grouping->starts);
}

/**
 * Group the @count rows of a table by @owner, leaving out those of MODEL_NONE, and sort each group
 * by @compare, whose context is the builder.
 */
static struct grouping group(struct builder *builder, size_t count,
			     uint32_t (*owner)(const struct builder *, size_t),
			     int (*compare)(const void *, const void *, void *))
{
	size_t objects = builder->object_rows.count;
	struct grouping grouping = {
		.indexes = arena_array(&builder->model->arena, count, sizeof(uint32_t)),
		.starts = xcalloc(objects + 2, sizeof(size_t)),
	};
	// Counted two places up, filled one place up: what is left then are the starts.
	size_t *starts = grouping.starts;

	for (size_t i = 0; i < count; i++)
		if (owner(builder, i) != MODEL_NONE)
			starts[owner(builder, i) + 2]++;
	for (size_t o = 2; o < objects + 2; o++)
		starts[o] += starts[o - 1];
	for (size_t i = 0; i < count; i++)
		if (owner(builder, i) != MODEL_NONE)
			grouping.indexes[starts[owner(builder, i) + 1]++] = (uint32_t)i;
	for (size_t o = 0; o < objects; o++)
		qsort_r(grouping.indexes + starts[o], starts[o + 1] - starts[o], sizeof(uint32_t),
			compare, builder);
	return grouping;
}

static void list_rows(struct builder *builder)
{
	CLEANUP(grouping_deinit)
	struct grouping sections =
		group(builder, builder->sections.count, object_of_section, compare_sections);
	CLEANUP(grouping_deinit)
	struct grouping symbols =
		group(builder, builder->symbols.count, object_of_symbol, compare_symbols);

	for (size_t o = 0; o < builder->object_rows.count; o++) {
		struct model_object *row = &builder->object_rows.items[o];

		row->sections = sections.indexes + sections.starts[o];
		row->section_count = sections.starts[o + 1] - sections.starts[o];
		row->symbols_touched = symbols.indexes + symbols.starts[o];
		row->symbol_count = symbols.starts[o + 1] - symbols.starts[o];
	}
}

/** The rows of one object, or of all where @object is MODEL_NONE, sorted. */
struct toucher_list {
	const struct model_toucher *rows;
	size_t count;
};

/**
 * The rows of @touchers by object: those of object o are in the result's element o, those of
 * MODEL_NONE in the element after the last object's. free() the result.
 */
static struct toucher_list *list_touchers(struct builder *builder,
					  const struct builder_touchers *touchers)
{
	size_t objects = builder->object_rows.count, count = touchers->rows.count;
	struct toucher_list *lists = xcalloc(objects + 1, sizeof(*lists));
	CLEANUP(freep) struct model_toucher **at = xcalloc(objects + 1, sizeof(*at));
	struct model_toucher *sorted = arena_array(&builder->model->arena, count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++) {
		uint32_t object = touchers->objects.items[i];

		lists[object == MODEL_NONE ? objects : object].count++;
	}
	for (size_t o = 0; o <= objects; o++) {
		lists[o].rows = at[o] = sorted;
		sorted += lists[o].count;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t object = touchers->objects.items[i];

		*at[object == MODEL_NONE ? objects : object]++ = touchers->rows.items[i];
	}
	for (size_t o = 0; o <= objects; o++)
		qsort_r(at[o] - lists[o].count, lists[o].count, sizeof(**at), compare_touchers,
			builder->functions.items);
	return lists;
}

static void list_all_touchers(struct builder *builder)
{
	size_t objects = builder->object_rows.count;
	CLEANUP(freep)
	struct toucher_list *touchers = list_touchers(builder, &builder->touchers);
	CLEANUP(freep) struct toucher_list *blamed = list_touchers(builder, &builder->blamed);

	for (size_t o = 0; o < objects; o++) {
		struct model_object *row = &builder->object_rows.items[o];

		row->touchers = touchers[o].rows;
		row->toucher_count = touchers[o].count;
		row->blamed = blamed[o].rows;
		row->blamed_count = blamed[o].count;
	}
	builder->model->blamed = blamed[objects].rows;
	builder->model->blamed_count = blamed[objects].count;
}

static void list_shown(struct builder *builder)
{
	struct model *model = builder->model;
	uint32_t *shown = arena_array(&model->arena, builder->object_rows.count, sizeof(*shown));

	for (size_t i = 0; i < builder->object_rows.count; i++)
		if (builder->object_rows.items[i].count.faults)
			shown[model->shown_count++] = (uint32_t)i;
	qsort_r(shown, model->shown_count, sizeof(*shown), compare_objects,
		builder->object_rows.items);
	model->shown = shown;
}

void builder_finish(struct builder *builder)
{
	struct model *model = builder->model;

	for (size_t i = 0; i < builder->object_rows.count; i++)
		describe_object(builder, (uint32_t)i, &builder->object_rows.items[i]);
	list_rows(builder);
	list_all_touchers(builder);
	list_shown(builder);

	model->initializer_count = builder->initializers.count;
	model->initializers = vec_keep(&builder->initializers, &model->arena);
	model->object_count = builder->object_rows.count;
	model->objects = vec_keep(&builder->object_rows, &model->arena);
	model->section_count = builder->sections.count;
	model->sections = vec_keep(&builder->sections, &model->arena);
	model->symbol_count = builder->symbols.count;
	model->symbols = vec_keep(&builder->symbols, &model->arena);
	model->function_count = builder->functions.count;
	model->functions = vec_keep(&builder->functions, &model->arena);
	model->comm_count = builder->comms.count;
	model->comms = vec_keep(&builder->comms, &model->arena);
	model->stack_count = builder->stacks.count;
	model->stacks = vec_keep(&builder->stacks, &model->arena);

	// By far the largest: handed over without a second copy.
	model->faults = builder->faults.items;
	model->fault_count = builder->faults.count;
	builder->faults.items = NULL;
	vec_deinit(&builder->faults);
}
