// SPDX-License-Identifier: Apache-2.0
// Turns the rows into the model: counts, per-object lists, order.
#include "correlate/answer/count.h"

#include "base/cleanup.h"
#include "base/hex.h"
#include "base/order.h"

#include <stdlib.h>

ORDER_OF_INDEXES(compare_sections, model_section, ORDER(y->count.faults, x->count.faults) ?:
		 order_text_or_none(x->name, y->name) ?: ORDER(x, y))

ORDER_OF_INDEXES(compare_symbols, model_symbol, ORDER(y->count.faults, x->count.faults) ?:
		 order_text_or_none(x->name, y->name) ?: ORDER(x->vaddr, y->vaddr))

/** For a copy of the rows of struct touchers. */
static int compare_touchers(const void *a, const void *b, void *context)
{
	const struct model_function *functions = context;
	const struct model_toucher *x = a, *y = b;

	return ORDER(y->count.faults, x->count.faults)
		?: order_text_or_none(functions[x->function].name, functions[y->function].name)
		?: ORDER(x->function, y->function);
}

ORDER_OF_INDEXES(compare_objects, model_object, ORDER(y->count.faults, x->count.faults) ?:
		 order_text_or_none(x->path, y->path) ?:
		 order_text_or_none(x->build_id, y->build_id))

static void describe_object(struct rows *rows, uint32_t id, struct model_object *row)
{
	struct arena *arena = &rows->model->arena;
	struct elfmap *map = row->count.faults ? objects_map(rows->objects, id) : NULL;
	size_t count;
	const struct object *object = &objects_all(rows->objects, &count)[id];

	row->is_forced = object->is_forced;
	row->copied = object->copied;
	row->copied_bytes = object->copied_bytes;
	row->size = object->size;
	row->symbols = "none";
	row->source_of_symbols = NULL;
	row->was_read = map;

	char hex[2 * ELFMAP_BUILD_ID_MAX + 1];
	hex_text(object->build_id, object->build_id_size, hex);
	if (map) {
		const struct elfmap_info *info = elfmap_info(map);

		row->symbols = elfmap_symbols_word(info->symbols);
		row->source_of_symbols = arena_strdup(arena, info->debug_file);
		if (!object->build_id_size)
			hex_text(info->build_id, info->build_id_size, hex);
		if (!rows->faults_only && !row->layout) {
			elfmap_check_frames(map);
			row->layout = layout_new(arena, map, rows->has_functions);
		}
	} else {
		row->layout = NULL;
		row->relocation = NULL;
		row->data = NULL;
	}
	row->build_id = hex[0] ? arena_strdup(arena, hex) : NULL;
}

/** Return the object of row @i of sections; MODEL_NONE if it has no fault among those shown. */
static uint32_t object_of_section(const void *sections, size_t i)
{
	const struct model_section *row = (const struct model_section *)sections + i;

	return row->count.faults ? row->object : MODEL_NONE;
}

static uint32_t object_of_symbol(const void *symbols, size_t i)
{
	const struct model_symbol *row = (const struct model_symbol *)symbols + i;

	return row->count.faults ? row->object : MODEL_NONE;
}

/** Rows of a table by object: those of object o are indexes[starts[o]] up to indexes[starts[o +
 * 1]]. */
struct grouping {
	uint32_t *indexes; // in the arena
	size_t *starts;
};

static void grouping_deinit(struct grouping *grouping)
{
	free(grouping->starts);
}

/**
 * Group the @count rows of @table by @owner, one of @objects, leaving out those of MODEL_NONE, and
 * sort each group by @compare, whose context is the table.
 */
static struct grouping group(struct arena *arena, size_t objects, void *table, size_t count,
			     uint32_t (*owner)(const void *table, size_t i),
			     int (*compare)(const void *, const void *, void *))
{
	struct grouping grouping = {
		.indexes = arena_array(arena, count, sizeof(uint32_t)),
		.starts = xcalloc(objects + 2, sizeof(size_t)),
	};
	// Counted two places up, filled one place up: what is left then are the starts.
	size_t *starts = grouping.starts;

	for (size_t i = 0; i < count; i++)
		if (owner(table, i) != MODEL_NONE)
			starts[owner(table, i) + 2]++;
	for (size_t o = 2; o < objects + 2; o++)
		starts[o] += starts[o - 1];
	for (size_t i = 0; i < count; i++)
		if (owner(table, i) != MODEL_NONE)
			grouping.indexes[starts[owner(table, i) + 1]++] = (uint32_t)i;
	for (size_t o = 0; o < objects; o++)
		qsort_r(grouping.indexes + starts[o], starts[o + 1] - starts[o], sizeof(uint32_t),
			compare, table);
	return grouping;
}

static void list_rows(struct rows *rows)
{
	struct arena *arena = &rows->model->arena;
	size_t objects = rows->object_rows.count;
	CLEANUP(grouping_deinit)
	struct grouping sections = group(arena, objects, rows->sections.items, rows->sections.count,
					 object_of_section, compare_sections);
	CLEANUP(grouping_deinit)
	struct grouping symbols = group(arena, objects, rows->symbols.items, rows->symbols.count,
					object_of_symbol, compare_symbols);

	for (size_t o = 0; o < objects; o++) {
		struct model_object *row = &rows->object_rows.items[o];

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
static struct toucher_list *list_touchers(struct arena *arena, size_t objects,
					  struct model_function *functions,
					  const struct touchers *touchers)
{
	size_t count = touchers->rows.count;
	struct toucher_list *lists = xcalloc(objects + 1, sizeof(*lists));
	CLEANUP(freep) struct model_toucher **at = xcalloc(objects + 1, sizeof(*at));
	struct model_toucher *sorted = arena_array(arena, count, sizeof(*sorted));

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
			functions);
	return lists;
}

static void list_all_touchers(struct rows *rows, const struct row_counts *counts)
{
	struct arena *arena = &rows->model->arena;
	struct model_function *functions = rows->functions.items;
	size_t objects = rows->object_rows.count;
	CLEANUP(freep)
	struct toucher_list *touchers = list_touchers(arena, objects, functions, &counts->by_ip);
	CLEANUP(freep)
	struct toucher_list *blamed = list_touchers(arena, objects, functions, &counts->blamed);

	for (size_t o = 0; o < objects; o++) {
		struct model_object *row = &rows->object_rows.items[o];

		row->touchers = touchers[o].rows;
		row->toucher_count = touchers[o].count;
		row->blamed = blamed[o].rows;
		row->blamed_count = blamed[o].count;
	}
	rows->model->blamed = blamed[objects].rows;
	rows->model->blamed_count = blamed[objects].count;
}

static void list_shown(struct model *model, struct model_object *rows, size_t count)
{
	uint32_t *shown = arena_array(&model->arena, count, sizeof(*shown));

	model->shown_count = 0;
	for (size_t i = 0; i < count; i++)
		if (rows[i].count.faults)
			shown[model->shown_count++] = (uint32_t)i;
	qsort_r(shown, model->shown_count, sizeof(*shown), compare_objects, rows);
	model->shown = shown;
}

void rows_tabulate(struct rows *rows, const struct shown_faults *faults, uint64_t page_size)
{
	CLEANUP(row_counts_deinit) struct row_counts counts;
	struct model *model = rows->model;

	rows_count(rows, faults, page_size, &counts);
	for (size_t i = 0; i < rows->object_rows.count; i++)
		describe_object(rows, (uint32_t)i, &rows->object_rows.items[i]);
	list_rows(rows);
	list_all_touchers(rows, &counts);
	list_shown(model, rows->object_rows.items, rows->object_rows.count);
	*model = rows_fields(rows);
	model->faults = faults->items;
	model->fault_count = faults->count;
}

void rows_finish(struct rows *rows, struct shown_faults *faults)
{
	struct model *model = rows->model;

	for (size_t i = 0; i < rows->object_rows.count; i++)
		if (rows->object_rows.items[i].was_read)
			notes_merge(&model->notes,
				    elfmap_notes(objects_map(rows->objects, (uint32_t)i)));
	notes_sort(&model->notes);
	model->initializers = vec_keep(&rows->initializers, &model->arena);
	model->objects = vec_keep(&rows->object_rows, &model->arena);
	model->sections = vec_keep(&rows->sections, &model->arena);
	model->symbols = vec_keep(&rows->symbols, &model->arena);
	model->functions = vec_keep(&rows->functions, &model->arena);
	model->comms = vec_keep(&rows->comms, &model->arena);
	model->threads = vec_keep(&rows->threads, &model->arena);
	model->stacks = vec_keep(&rows->stacks, &model->arena);
	rows_deinit(rows);
	// By far the largest: the model has them without a second copy.
	*faults = (struct shown_faults){ 0 };
}
