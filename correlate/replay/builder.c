// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/builder.h"

#include "base/hash.h"
#include "base/key.h"

#include <string.h>
#include <xxhash.h>

void builder_init(struct builder *builder, struct model *model, struct objects *objects,
		  bool demangle)
{
	*builder = (struct builder){
		.rows = { .model = model, .objects = objects, .demangle = demangle },
	};
}

void builder_deinit(struct builder *builder)
{
	rows_deinit(&builder->rows);
	all_faults_deinit(&builder->faults);
	u64map_deinit(&builder->section_index);
	u64map_deinit(&builder->symbol_index);
	u64map_deinit(&builder->function_index);
	u64map_deinit(&builder->comm_index);
	u64map_deinit(&builder->thread_index);
	u64map_deinit(&builder->frame_index);
	u64map_deinit(&builder->stack_index);
	u64map_deinit(&builder->ip_index);
	u64map_deinit(&builder->extent_index);
	vec_deinit(&builder->extents);
}

uint32_t builder_section(struct builder *builder, uint32_t object, const char *name,
			 const struct elfmap_section *section)
{
	uint64_t identity = section ? section->index : name ? XXH3_64bits(name, strlen(name)) : 0;

	return u64map_row(&builder->section_index, key_of(object, identity, !section, !name),
			  &builder->rows.sections,
			  (struct model_section){
				  .object = object,
				  .name = arena_strdup(&builder->rows.model->arena, name),
				  .size = section ? section->size : 0,
				  .segment = section ? section->segment : -1,
			  });
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

		row.has_offset = elfmap_vaddr_to_offset(objects_map(builder->rows.objects, object),
							row.vaddr, &row.offset);
		*index = (uint32_t)builder->rows.symbols.count;
		vec_push(&builder->rows.symbols, row);
		vec_push(&builder->rows.symbol_sources,
			 (struct row_source){ place->symbol, place->entry });
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
		struct row_source source = { 0 };

		if (place) {
			row.section =
				arena_strdup(&builder->rows.model->arena, place->section_name);
			row.size = place->symbol ? place->symbol->size : place->entry.size;
			source = (struct row_source){ place->symbol, place->entry };
		}
		*index = (uint32_t)builder->rows.functions.count;
		vec_push(&builder->rows.functions, row);
		vec_push(&builder->rows.function_sources, source);
	}
	return *index;
}

uint32_t builder_comm(struct builder *builder, const char *comm)
{
	return u64map_row(&builder->comm_index, XXH3_64bits(comm, strlen(comm)),
			  &builder->rows.comms, arena_strdup(&builder->rows.model->arena, comm));
}

uint32_t builder_thread(struct builder *builder, const struct model_thread *thread)
{
	return u64map_row(&builder->thread_index,
			  key_of(thread->program, thread->pid, thread->tid, thread->comm),
			  &builder->rows.threads, *thread);
}

const struct model_frame *builder_frame(struct builder *builder, const struct model_frame *frame)
{
	// What is at an offset of a file is the same in every process, whatever its address.
	const uint64_t key =
		key_of((uint64_t)frame->object << 32 | frame->function,
		       (uint64_t)frame->has_offset << 1 | frame->has_vaddr, frame->offset,
		       frame->vaddr, frame->function_offset, frame->has_offset ? 0 : frame->addr);
	uint32_t index = u64map_row(&builder->frame_index, key, &builder->rows.frames,
				    arena_copy(&builder->rows.model->arena, frame, sizeof(*frame)));
	builder->rows.frames.items[index]->id = index;
	return builder->rows.frames.items[index];
}

uint32_t builder_stack(struct builder *builder, const struct model_stack *stack)
{
	size_t size = stack->frame_count * sizeof(const struct model_frame *);
	// NULL is no input for a hash.
	uint64_t hash = hash_number(size > 0 ? XXH3_64bits(stack->frames, size) : 0,
				    hash_number(stack->shown.start, stack->shown.end));

	return u64map_row(
		&builder->stack_index,
		key_of(hash, stack->frame_count, stack->is_truncated,
		       stack->is_complete | (uint64_t)stack->is_elsewhere << 1),
		&builder->rows.stacks,
		(struct model_stack){
			.frames = arena_copy(&builder->rows.model->arena, stack->frames, size),
			.frame_count = stack->frame_count,
			.is_truncated = stack->is_truncated,
			.is_complete = stack->is_complete,
			.is_elsewhere = stack->is_elsewhere,
			.shown = stack->shown,
		});
}

const struct model_ip *builder_ip(struct builder *builder, const struct model_ip *ip)
{
	const uint64_t key = key_of(ip->ip, (uint64_t)ip->object << 32 | ip->name,
				    (uint64_t)ip->has_offset << 1 | ip->has_vaddr, ip->offset,
				    ip->vaddr, ip->name_offset);
	uint32_t index = u64map_row(&builder->ip_index, key, &builder->rows.ips,
				    arena_copy(&builder->rows.model->arena, ip, sizeof(*ip)));
	builder->rows.ips.items[index]->id = index;
	return builder->rows.ips.items[index];
}

const struct model_extent *builder_extent(struct builder *builder,
					  const struct model_extent *extent)
{
	uint32_t index =
		u64map_row(&builder->extent_index,
			   key_of(extent->around, extent->around_pages, extent->read,
				  (uint64_t)extent->read_pages << 32 | extent->read_span),
			   &builder->extents,
			   arena_copy(&builder->rows.model->arena, extent, sizeof(*extent)));
	return builder->extents.items[index];
}

void builder_fault(struct builder *builder, const struct model_fault *fault)
{
	vec_push(&builder->faults.list, *fault);
}
