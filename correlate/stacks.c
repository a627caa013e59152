// SPDX-License-Identifier: Apache-2.0
#include "correlate/stacks.h"

#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>

/** What one stack of the trace became, and under which mappings. */
struct resolved {
	uint32_t model_stack;
	const struct aspace *aspace;
	uint64_t generation;
};

struct stacks {
	const struct trace *trace;
	VEC(struct resolved) resolved;
	struct u64map by_id; // stack id -> index in resolved
};

struct stacks *stacks_create(const struct trace *trace)
{
	struct stacks *stacks = xcalloc(1, sizeof(*stacks));

	stacks->trace = trace;
	return stacks;
}

void stacks_destroy(struct stacks *stacks)
{
	if (!stacks)
		return;
	vec_deinit(&stacks->resolved);
	u64map_deinit(&stacks->by_id);
	free(stacks);
}

static void resolve_frames(struct attribution *attribution, struct process *process,
			   const struct trace_stack *stack, struct model_frame *frames)
{
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		// A return address may be the first byte of the next function: look one byte back.
		uint64_t addr = stack->frames[i] - (i > 0);
		struct model_place code = attribute_code(attribution, process, addr);

		frames[i] = (struct model_frame){
			.addr = stack->frames[i],
			.object = code.object,
			.function = code.name,
			.has_offset = code.has_offset,
			.offset = code.offset,
			.function_offset = code.name_offset,
			.has_vaddr = code.has_vaddr,
			.vaddr = code.vaddr,
			.code = MODEL_NONE,
		};
	}
}

static bool same_frames(const struct model_frame *a, const struct model_frame *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i].object != b[i].object || a[i].function != b[i].function ||
		    a[i].offset != b[i].offset)
			return false;
	return true;
}

uint32_t stacks_resolve(struct stacks *stacks, struct attribution *attribution,
			struct process *process, uint32_t id)
{
	const struct trace_stack *stack = trace_stack_by_id(stacks->trace, id);
	uint64_t generation = aspace_generation(process->aspace);
	struct builder *builder = attribution->builder;
	bool is_new;

	if (!stack)
		return MODEL_NONE;
	uint32_t *index = u64map_put(&stacks->by_id, id, &is_new);
	if (is_new) {
		*index = (uint32_t)stacks->resolved.count;
		vec_push(&stacks->resolved, (struct resolved){ .model_stack = MODEL_NONE });
	}
	struct resolved *resolved = &stacks->resolved.items[*index];
	if (resolved->model_stack != MODEL_NONE && resolved->aspace == process->aspace &&
	    resolved->generation == generation)
		return resolved->model_stack;

	struct model_frame *frames =
		arena_array(&builder->rows.model->arena, stack->frame_count, sizeof(*frames));
	resolve_frames(attribution, process, stack, frames);
	resolved->aspace = process->aspace;
	resolved->generation = generation;
	if (resolved->model_stack != MODEL_NONE &&
	    same_frames(builder->rows.stacks.items[resolved->model_stack].frames, frames,
			stack->frame_count))
		return resolved->model_stack;

	resolved->model_stack =
		builder_stack(builder, &(struct model_stack){ .frames = frames,
							      .frame_count = stack->frame_count,
							      .is_truncated = stack->is_truncated,
							      .is_complete = stack->is_complete });
	return resolved->model_stack;
}
