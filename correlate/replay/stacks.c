// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/stacks.h"

#include "base/hash.h"
#include "base/u64map.h"

#include <stdlib.h>

/** The model's frames of a stack, and the mappings they were resolved under. */
struct resolved {
	uint32_t model_stack;
	bool is_code; // all of its frames
	uint64_t generation;
};

/** The frame at an address, and the area that held the address then. */
struct known_frame {
	uint64_t addr;
	const struct area *area;
	const struct model_frame *frame;
};

struct stacks {
	const struct trace *trace;
	VEC(struct resolved) resolved;
	struct u64map by_frames;   // frames of the trace, which equal stacks share -> in resolved
	struct u64map frame_index; // address, of callers with the highest bit flipped -> in known
	VEC(struct known_frame) known;
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
	vec_deinit(&stacks->known);
	u64map_deinit(&stacks->frame_index);
	u64map_deinit(&stacks->by_frames);
	free(stacks);
}

static const struct model_frame *resolve_frame(struct attribution *attribution,
					       struct process *process, uint64_t frame,
					       uint64_t addr)
{
	struct model_ip code = attribute_code(attribution, process, addr);

	return builder_frame(attribution->builder, &(struct model_frame){
							   .addr = frame,
							   .object = code.object,
							   .function = code.name,
							   .has_offset = code.has_offset,
							   .offset = code.offset,
							   .function_offset = code.name_offset,
							   .has_vaddr = code.has_vaddr,
							   .vaddr = code.vaddr,
							   .code = MODEL_NONE,
						   });
}

/** The frame at address @frame of a stack; the same as last time where the same area holds it. */
static const struct model_frame *frame_at(struct stacks *stacks, struct attribution *attribution,
					  struct process *process, uint64_t frame, bool is_caller,
					  bool *is_code)
{
	// A return address may be the first byte of the next function: look one byte back.
	uint64_t addr = frame ? frame - is_caller : 0;
	const struct area *area = aspace_area(process->aspace, addr);
	*is_code = *is_code && aspace_is_code(area);
	uint64_t key = frame ^ (uint64_t)is_caller << 63;
	uint32_t index =
		u64map_row(&stacks->frame_index, key, &stacks->known, (struct known_frame){ 0 });
	struct known_frame *known = &stacks->known.items[index];

	if (!area || known->area != area || known->addr != addr)
		*known = (struct known_frame){ addr, area,
					       resolve_frame(attribution, process, frame, addr) };
	return known->frame;
}

/** Returns whether all frames are in code. */
static bool resolve_frames(struct stacks *stacks, struct attribution *attribution,
			   struct process *process, const struct trace_stack *stack)
{
	bool is_code = true;

	stacks->frames.count = 0;
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		const struct model_frame *frame =
			frame_at(stacks, attribution, process, stack->frames[i], i > 0, &is_code);

		vec_push(&stacks->frames, frame);
	}
	return is_code;
}

/** Find the result for @stack so far: one for all with the same frames, part of the
 * stack and end. */
static struct resolved *resolved_of(struct stacks *stacks, const struct trace_stack *stack)
{
	// Frames are aligned: their lowest bits are free.
	uint64_t key = (uintptr_t)stack->frames | stack->is_truncated |
		       (uint64_t)stack->is_complete << 1 | (uint64_t)stack->is_elsewhere << 2;
	uint32_t index =
		u64map_row(&stacks->by_frames,
			   hash_number(hash_number(key, stack->shown_start), stack->shown_end),
			   &stacks->resolved, (struct resolved){ .model_stack = MODEL_NONE });
	return &stacks->resolved.items[index];
}

uint32_t stacks_resolve(struct stacks *stacks, struct attribution *attribution,
			struct process *process, uint32_t id)
{
	const struct trace_stack *stack = trace_stack_by_id(stacks->trace, id);
	if (!stack)
		return MODEL_NONE;
	struct resolved *resolved = resolved_of(stacks, stack);
	if (resolved->model_stack != MODEL_NONE &&
	    resolved->generation == aspace_generation(process->aspace, resolved->is_code))
		return resolved->model_stack;

	bool is_code = resolve_frames(stacks, attribution, process, stack);

	*resolved = (struct resolved){
		.model_stack =
			builder_stack(attribution->builder,
				      &(struct model_stack){
					      .frames = stacks->frames.items,
					      .frame_count = stack->frame_count,
					      .is_truncated = stack->is_truncated,
					      .is_complete = stack->is_complete,
					      .is_elsewhere = stack->is_elsewhere,
					      .shown = { stack->shown_start, stack->shown_end },
				      }),
		.is_code = is_code,
		.generation = aspace_generation(process->aspace, is_code),
	};
	return resolved->model_stack;
}
