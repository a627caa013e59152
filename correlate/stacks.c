// SPDX-License-Identifier: Apache-2.0
#include "correlate/stacks.h"

#include "base/u64map.h"

#include <stdlib.h>

/** What frames of the trace became, and under which mappings. */
struct resolved {
	uint32_t model_stack;
	const struct aspace *aspace;
	uint64_t generation;
};

struct stacks {
	const struct trace *trace;
	VEC(struct resolved) resolved;
	struct u64map by_frames; // frames of the trace, which equal stacks share -> in resolved
	VEC(const struct model_frame *) frames; // of the stack at hand
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
	vec_deinit(&stacks->frames);
	u64map_deinit(&stacks->by_frames);
	free(stacks);
}

static void resolve_frames(struct stacks *stacks, struct attribution *attribution,
			   struct process *process, const struct trace_stack *stack)
{
	stacks->frames.count = 0;
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		// A return address may be the first byte of the next function: look one byte back.
		uint64_t addr = stack->frames[i] - (i > 0);
		struct model_ip code = attribute_code(attribution, process, addr);

		vec_push(&stacks->frames, builder_frame(attribution->builder,
							&(struct model_frame){
								.addr = stack->frames[i],
								.object = code.object,
								.function = code.name,
								.has_offset = code.has_offset,
								.offset = code.offset,
								.function_offset = code.name_offset,
								.has_vaddr = code.has_vaddr,
								.vaddr = code.vaddr,
								.code = MODEL_NONE,
							}));
	}
}

/** What became of @stack so far: one for all with the same frames and the same end. */
static struct resolved *resolved_of(struct stacks *stacks, const struct trace_stack *stack)
{
	// Frames are aligned: their lowest bits are free.
	uint64_t key =
		(uintptr_t)stack->frames | stack->is_truncated | (uint64_t)stack->is_complete << 1;
	bool is_new;
	uint32_t *index = u64map_put(&stacks->by_frames, key, &is_new);

	if (is_new) {
		*index = (uint32_t)stacks->resolved.count;
		vec_push(&stacks->resolved, (struct resolved){ .model_stack = MODEL_NONE });
	}
	return &stacks->resolved.items[*index];
}

uint32_t stacks_resolve(struct stacks *stacks, struct attribution *attribution,
			struct process *process, uint32_t id)
{
	const struct trace_stack *stack = trace_stack_by_id(stacks->trace, id);
	uint64_t generation = aspace_generation(process->aspace);

	if (!stack)
		return MODEL_NONE;
	struct resolved *resolved = resolved_of(stacks, stack);
	if (resolved->model_stack != MODEL_NONE && resolved->aspace == process->aspace &&
	    resolved->generation == generation)
		return resolved->model_stack;

	resolve_frames(stacks, attribution, process, stack);
	*resolved = (struct resolved){
		.model_stack = builder_stack(attribution->builder,
					     &(struct model_stack){
						     .frames = stacks->frames.items,
						     .frame_count = stack->frame_count,
						     .is_truncated = stack->is_truncated,
						     .is_complete = stack->is_complete,
					     }),
		.aspace = process->aspace,
		.generation = generation,
	};
	return resolved->model_stack;
}
