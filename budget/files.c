// SPDX-License-Identifier: Apache-2.0
// Conditions are made for faults: each thing that is counted stands here as a fault upon it.
#include "budget/parts.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/path.h"
#include "model/layout.h"
#include "model/relocation.h"

#include <string.h>

/** Things that are counted, and faults that stand for them. */
struct things {
	VEC(struct model_fault) faults;
	VEC(struct model_section) sections; // that at_section of the faults means
	VEC(uint64_t) amounts;		    // by fault
};

static void things_deinit(struct things *things)
{
	vec_deinit(&things->faults);
	vec_deinit(&things->sections);
	vec_deinit(&things->amounts);
}

const char *files_name(const struct model_object *object)
{
	return object->soname ? object->soname : path_file_name(object->path);
}

static bool is_counted(const struct model_object *object)
{
	return object->is_elf && object->was_read;
}

static uint64_t relocations_of(const struct model_object *object)
{
	uint64_t sum = 0;

	for (int i = 0; object->relocation && i < MODEL_RELOCATION_CLASSES; i++)
		sum += object->relocation->counts[i];
	return sum;
}

static const struct model_ip no_ip = { .object = MODEL_NONE, .name = MODEL_NONE };
static const struct model_thread no_thread = { .comm = MODEL_NONE };

static void push(struct things *things, uint32_t object, uint32_t section, uint32_t initializer,
		 uint64_t amount)
{
	vec_push(&things->faults, (struct model_fault){
					  .at.object = object,
					  .at.section = section,
					  .at.name = MODEL_NONE,
					  .by = &no_ip,
					  .initializer = initializer,
					  .blame = MODEL_NONE,
				  });
	vec_push(&things->amounts, amount);
}

static void push_section(struct things *things, uint32_t object, const char *name, uint64_t amount)
{
	vec_push(&things->sections, (struct model_section){ .object = object, .name = name });
	push(things, object, (uint32_t)things->sections.count - 1, MODEL_NONE, amount);
}

static uint64_t bytes_of(const struct model_layout_section *section)
{
	return section->is_loaded ? section->memory_size : section->file_size;
}

/** Whole files. */
static void list_files(struct things *things, const struct model *model, enum budget_metric metric)
{
	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];

		if (object->is_elf)
			push(things, i, MODEL_NONE, MODEL_NONE,
			     metric == BUDGET_SIZE ? object->size : relocations_of(object));
	}
}

/** Their sections. */
static void list_sections(struct things *things, const struct model *model,
			  enum budget_metric metric)
{
	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];
		const struct model_layout *layout = object->layout;
		const struct model_relocation *relocation = object->relocation;

		if (!is_counted(object))
			continue;
		for (size_t s = 0; layout && metric == BUDGET_SIZE && s < layout->section_count;
		     s++)
			push_section(things, i, layout->sections[s].name,
				     bytes_of(&layout->sections[s]));
		for (size_t s = 0;
		     relocation && metric == BUDGET_RELOCATIONS && s < relocation->section_count;
		     s++)
			push_section(things, i, relocation->sections[s].name,
				     relocation->sections[s].relocations);
	}
}

static void list_initializers(struct things *things, const struct model *model)
{
	for (uint32_t i = 0; i < model->initializer_count; i++)
		push(things, model->initializers[i].object, MODEL_NONE, i, 1);
}

static bool has_word(const struct filter *filter, const char *word)
{
	for (size_t i = 0; filter && filter_field(filter, i); i++)
		if (strcmp(filter_field(filter, i)->name, word) == 0)
			return true;
	return false;
}

/** By thing, whether it is chosen; to be freed. */
static bool *choose(const struct model *model, struct things *things, const struct filter *filter,
		    struct filter_strangers *strangers)
{
	bool *chosen = xcalloc(things->faults.count + 1, sizeof(*chosen));
	struct model pieces = *model;

	pieces.sections = things->sections.items;
	pieces.section_count = things->sections.count;
	pieces.threads = &no_thread;
	if (filter)
		filter_choose(filter, &pieces, things->faults.items, things->faults.count, chosen,
			      strangers);
	else
		memset(chosen, true, things->faults.count);
	return chosen;
}

static void add_parts(const struct model *model, const struct things *things, const bool *chosen,
		      struct parts *parts, uint32_t run)
{
	for (size_t i = 0; i < things->faults.count; i++) {
		const struct model_fault *fault = &things->faults.items[i];
		struct part part = { .run = run, .value = things->amounts.items[i] };

		if (!chosen[i] || part.value == 0)
			continue;
		part.values[0] = files_name(&model->objects[fault->at.object]);
		part.values[1] =
			fault->at.section != MODEL_NONE
				? things->sections.items[fault->at.section].name
				: model_initializer_name(&model->initializers[fault->initializer]);
		vec_push(&parts->list, part);
	}
}

uint64_t files_measure(const struct model *model, enum budget_metric metric,
		       const struct filter *filter, struct filter_strangers *strangers,
		       struct parts *parts, uint32_t run, const char **ret_failure)
{
	bool is_by_initializer = metric == BUDGET_INITIALIZERS;
	bool is_by_section = has_word(filter, "section");
	CLEANUP(things_deinit) struct things files = { 0 };
	CLEANUP(things_deinit) struct things pieces = { 0 };
	uint64_t sum = 0;

	parts->words[0] = "object";
	parts->words[1] = is_by_initializer ? "initializer" : "section";
	parts->word_count = 2;
	if (is_by_initializer)
		list_initializers(&pieces, model);
	else
		list_sections(&pieces, model, metric);
	CLEANUP(freep) bool *pieces_chosen = choose(model, &pieces, filter, strangers);
	add_parts(model, &pieces, pieces_chosen, parts, run);
	if (is_by_initializer || is_by_section) {
		for (size_t i = 0; i < pieces.faults.count; i++)
			sum += pieces_chosen[i] ? pieces.amounts.items[i] : 0;
		return sum;
	}
	list_files(&files, model, metric);
	CLEANUP(freep) bool *files_chosen = choose(model, &files, filter, NULL);
	for (size_t i = 0; i < files.faults.count; i++) {
		const struct model_object *object =
			&model->objects[files.faults.items[i].at.object];

		sum += files_chosen[i] ? files.amounts.items[i] : 0;
		if (files_chosen[i] && !object->was_read)
			*ret_failure = object->path;
	}
	return sum;
}

// ---- For baselines --------------------------------------------------------------------------

ORDER_OF(compare_sections, budget_section, strcmp(x->name, y->name))

ORDER_OF(compare_objects, budget_object, strcmp(x->name, y->name) ?: ORDER(y->size, x->size))

/** The loaded sections of @layout by name; those of one name count together. */
static const struct budget_section *sections_of(const struct model_layout *layout,
						struct arena *arena, size_t *ret_count)
{
	struct budget_section *rows = arena_array(arena, layout->section_count + 1, sizeof(*rows));
	size_t listed = 0, count = 0;

	for (size_t i = 0; i < layout->section_count; i++)
		if (layout->sections[i].is_loaded)
			rows[listed++] =
				(struct budget_section){ arena_strdup(arena,
								      layout->sections[i].name),
							 layout->sections[i].memory_size };
	qsort(rows, listed, sizeof(*rows), compare_sections);
	for (size_t i = 0; i < listed; i++) {
		if (count > 0 && strcmp(rows[count - 1].name, rows[i].name) == 0)
			rows[count - 1].size += rows[i].size;
		else
			rows[count++] = rows[i];
	}
	*ret_count = count;
	return rows;
}

const struct budget_object *files_list(const struct model *model, struct arena *arena,
				       size_t *ret_count)
{
	struct budget_object *rows = arena_array(arena, model->object_count + 1, sizeof(*rows));
	size_t listed = 0, count = 0;

	array_foreach (object, model->objects, model->object_count) {
		struct budget_object *row = &rows[listed];

		if (!is_counted(object) || !object->is_file)
			continue;
		*row = (struct budget_object){
			.name = arena_strdup(arena, files_name(object)),
			.build_id = arena_strdup(arena, object->build_id),
			.size = object->size,
			.relocations = relocations_of(object),
			.table_bytes = object->relocation ? object->relocation->table_bytes : 0,
			.initializers = object->initializer_count,
		};
		if (object->layout)
			row->sections = sections_of(object->layout, arena, &row->section_count);
		listed++;
	}
	// Of files that share a name, the largest stands for it.
	qsort(rows, listed, sizeof(*rows), compare_objects);
	for (size_t i = 0; i < listed; i++)
		if (count == 0 || strcmp(rows[count - 1].name, rows[i].name) != 0)
			rows[count++] = rows[i];
	*ret_count = count;
	return rows;
}
