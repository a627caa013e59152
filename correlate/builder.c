// SPDX-License-Identifier: Apache-2.0
#include "correlate/builder.h"

#include <string.h>
#include <xxhash.h>

void builder_init(struct builder *builder, struct model *model, struct objects *objects,
		  bool demangle)
{
	*builder = (struct builder){ .model = model, .objects = objects, .demangle = demangle };
}

static void touchers_deinit(struct builder_touchers *touchers)
{
	vec_deinit(&touchers->rows);
	vec_deinit(&touchers->objects);
	u64map_deinit(&touchers->index);
}

void builder_deinit(struct builder *builder)
{
	vec_deinit(&builder->object_rows);
	vec_deinit(&builder->sections);
	vec_deinit(&builder->symbols);
	vec_deinit(&builder->symbol_sources);
	vec_deinit(&builder->functions);
	vec_deinit(&builder->function_sources);
	touchers_deinit(&builder->touchers);
	touchers_deinit(&builder->blamed);
	vec_deinit(&builder->comms);
	vec_deinit(&builder->initializers);
	vec_deinit(&builder->faults);
	vec_deinit(&builder->images);
	vec_deinit(&builder->stacks);
	vec_deinit(&builder->runs);
	u64map_deinit(&builder->section_index);
	u64map_deinit(&builder->symbol_index);
	u64map_deinit(&builder->function_index);
	u64map_deinit(&builder->comm_index);
	u64map_deinit(&builder->pages);
}

/** Identity of a row: up to four numbers. */
static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t parts[] = { a, b, c, d };

	return XXH3_64bits(parts, sizeof(parts));
}

uint32_t builder_section(struct builder *builder, uint32_t object, const char *name,
			 const struct elfmap_section *section)
{
	uint64_t identity = section ? section->index : name ? XXH3_64bits(name, strlen(name)) : 0;
	bool is_new;
	uint32_t *index = u64map_put(&builder->section_index,
				     key_of(object, identity, !section, !name), &is_new);

	if (is_new) {
		*index = (uint32_t)builder->sections.count;
		vec_push(&builder->sections,
			 (struct model_section){
				 .object = object,
				 .name = name ? arena_strdup(&builder->model->arena, name) : NULL,
				 .size = section ? section->size : 0,
				 .segment = section ? section->segment : -1,
			 });
	}
	return *index;
}

/** Identity of the symbol or entry of @place within its object. */
static uint64_t name_key(uint32_t object, const struct elfmap_place *place)
{
	if (!place)
		return key_of(object, 0, 0, 0);
	if (place->symbol)
		return key_of(object, 1, (uintptr_t)place->symbol, 0);
	return key_of(object, (uint64_t)place->entry.kind << 8 | 2, place->entry.section,
		      place->entry.index);
}

uint32_t builder_symbol(struct builder *builder, uint32_t object, uint32_t section,
			const struct elfmap_place *place)
{
	if (!place->symbol && place->entry.kind == ELFMAP_ENTRY_NONE)
		return MODEL_NONE;

	bool is_new;
	uint32_t *index = u64map_put(&builder->symbol_index, name_key(object, place), &is_new);
	if (is_new) {
		bool is_symbol = place->symbol;
		struct model_symbol row = {
			.object = object,
			.section = section,
			.kind = is_symbol				    ? MODEL_SYMBOL
				: place->entry.kind == ELFMAP_ENTRY_POINTEE ? MODEL_POINTEE
									    : MODEL_ENTRY,
			.vaddr = is_symbol ? place->symbol->vaddr : place->entry.vaddr,
			.size = is_symbol ? place->symbol->size : place->entry.size,
		};

		row.has_offset = elfmap_vaddr_to_offset(objects_map(builder->objects, object),
							row.vaddr, &row.offset);
		*index = (uint32_t)builder->symbols.count;
		vec_push(&builder->symbols, row);
		vec_push(&builder->symbol_sources,
			 (struct builder_symbol){ place->symbol, place->entry });
	}
	return *index;
}

uint32_t builder_function(struct builder *builder, uint32_t object,
			  const struct elfmap_place *place)
{
	bool is_new;
	uint32_t *index = u64map_put(&builder->function_index, name_key(object, place), &is_new);

	if (is_new) {
		struct model_function row = { .object = object };
		struct builder_symbol source = { 0 };

		if (place) {
			row.section = arena_strdup(&builder->model->arena, place->section_name);
			row.size = place->symbol ? place->symbol->size : place->entry.size;
			source = (struct builder_symbol){ place->symbol, place->entry };
		}
		*index = (uint32_t)builder->functions.count;
		vec_push(&builder->functions, row);
		vec_push(&builder->function_sources, source);
	}
	return *index;
}

uint32_t builder_comm(struct builder *builder, const char *comm)
{
	bool is_new;
	uint32_t *index =
		u64map_put(&builder->comm_index, XXH3_64bits(comm, strlen(comm)), &is_new);

	if (is_new) {
		*index = (uint32_t)builder->comms.count;
		vec_push(&builder->comms, arena_strdup(&builder->model->arena, comm));
	}
	return *index;
}

static struct model_object *object_row(struct builder *builder, uint32_t object)
{
	while (builder->object_rows.count <= object)
		vec_push(&builder->object_rows, (struct model_object){ 0 });
	return &builder->object_rows.items[object];
}

/** Count @fault for @function as one that touched @object, MODEL_NONE: any. */
static void count_toucher(struct builder_touchers *touchers, uint32_t object, uint32_t function,
			  const struct model_fault *fault)
{
	bool is_new;
	uint32_t *index = u64map_put(&touchers->index, (uint64_t)object << 32 | function, &is_new);

	if (is_new) {
		*index = (uint32_t)touchers->rows.count;
		vec_push(&touchers->rows, (struct model_toucher){ .function = function });
		vec_push(&touchers->objects, object);
	}
	model_count_fault(&touchers->rows.items[*index].count, fault);
}

static void count_page(struct builder *builder, const struct model_fault *fault, uint64_t page_size)
{
	struct model_section *section = &builder->sections.items[fault->at_section];
	bool is_of_file, is_new;
	uint64_t page = model_page(fault, page_size, &is_of_file);

	u64map_put(
		&builder->pages,
		key_of(fault->at_section, is_of_file ? 0 : fault->pid, page, fault->at_has_vaddr),
		&is_new);
	section->pages += is_new;
}

void builder_fault(struct builder *builder, const struct model_fault *fault, uint32_t image)
{
	vec_push(&builder->images, image);
	vec_push(&builder->faults, *fault);
}

static void count_fault(struct builder *builder, const struct model_fault *fault,
			uint64_t page_size)
{
	model_count_fault(&builder->model->total, fault);
	if (fault->at_object != MODEL_NONE) {
		struct model_object *object = object_row(builder, fault->at_object);

		model_count_fault(&object->count, fault);
		object->by_initiator[fault->initiator]++;
		object->by_mechanism[fault->mechanism]++;
		object->by_access[fault->access]++;
	}
	if (fault->at_section != MODEL_NONE) {
		model_count_fault(&builder->sections.items[fault->at_section].count, fault);
		count_page(builder, fault, page_size);
	}
	if (fault->at_symbol != MODEL_NONE)
		model_count_fault(&builder->symbols.items[fault->at_symbol].count, fault);
	if (fault->by_function != MODEL_NONE) {
		model_count_fault(&builder->functions.items[fault->by_function].count, fault);
		if (fault->at_object != MODEL_NONE)
			count_toucher(&builder->touchers, fault->at_object, fault->by_function,
				      fault);
	}
	if (fault->blame != MODEL_NONE) {
		count_toucher(&builder->blamed, MODEL_NONE, fault->blame, fault);
		if (fault->at_object != MODEL_NONE)
			count_toucher(&builder->blamed, fault->at_object, fault->blame, fault);
	}
}

void builder_count(struct builder *builder, uint64_t page_size)
{
	vec_foreach (fault, &builder->faults)
		count_fault(builder, fault, page_size);
}
