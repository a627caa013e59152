// SPDX-License-Identifier: Apache-2.0
// Stacks of faults and moments as a tree, whose nodes and frames are columns of a report page.
#include "render/page/making.h"

#include <xxhash.h>

enum { NODE_CUT = 1, NODE_IP_ALONE = 2 };
enum { NO_OFFSET = -1 };

static uint32_t frame_of(struct making *making, const struct model_frame *frame)
{
	const uint64_t parts[] = { frame->object, frame->function, frame->has_offset, frame->offset,
				   frame->has_offset ? 0 : frame->addr };
	bool is_new;
	uint32_t *index = u64map_put(&making->frames, XXH3_64bits(parts, sizeof(parts)), &is_new);

	if (is_new) {
		*index = (uint32_t)count_of(making, PAGE_FRAME_OBJECT);
		push(making, PAGE_FRAME_FUNCTION, (uint64_t)(uint32_t)(frame->function + 1));
		push(making, PAGE_FRAME_OBJECT,
		     frame->object >= UINT16_MAX ? 0 : (uint64_t)frame->object + 1);
		push(making, PAGE_FRAME_OFFSET,
		     frame->has_offset && frame->offset < UINT32_MAX ? frame->offset
								     : (uint64_t)NO_OFFSET);
		push(making, PAGE_FRAME_FUNCTION_OFFSET, frame->function_offset);
		push(making, PAGE_FRAME_CODE,
		     (uint64_t)(uint32_t)(frame->code + 1)); // MODEL_NONE: 0
	}
	return *index;
}

/** The node of @frame under @parent (index + 1, 0: none), index + 1. */
static uint32_t node_under(struct making *making, uint32_t parent, uint32_t frame, unsigned flags)
{
	const uint32_t parts[] = { parent, frame, flags };
	bool is_new;
	uint32_t *index = u64map_put(&making->nodes, XXH3_64bits(parts, sizeof(parts)), &is_new);

	if (is_new) {
		*index = (uint32_t)count_of(making, PAGE_NODE_PARENT);
		push(making, PAGE_NODE_PARENT, parent);
		push(making, PAGE_NODE_FRAME, frame);
		push(making, PAGE_NODE_FLAGS, flags);
	}
	return *index + 1;
}

static uint32_t node_of_stack(struct making *making, uint32_t index, uint32_t code)
{
	const struct model_stack *stack = &making->model->stacks[index];
	uint32_t node = 0;

	if (making->node_of_stack[index])
		return making->node_of_stack[index];
	for (uint32_t i = stack->frame_count; i-- > 0;) {
		bool is_outermost = i + 1 == stack->frame_count;

		struct model_frame frame = *stack->frames[i];
		// Of the innermost more is known: its instruction.
		if (i == 0 && code != MODEL_NONE)
			frame.code = code;
		node = node_under(making, node, frame_of(making, &frame),
				  is_outermost && stack->is_truncated ? NODE_CUT : 0);
	}
	making->node_of_stack[index] = node;
	return node;
}

uint32_t making_stack(struct making *making, uint32_t stack, const struct model_ip *by)
{
	if (stack != MODEL_NONE && making->model->stacks[stack].frame_count)
		return node_of_stack(making, stack, by ? by->code : MODEL_NONE);
	if (!by)
		return 0;
	const struct model_frame frame = {
		.addr = by->ip,
		.object = by->object,
		.function = by->name,
		.has_offset = by->has_offset,
		.offset = by->offset,
		.function_offset = by->name_offset,
		.code = by->code,
	};
	return node_under(making, 0, frame_of(making, &frame), NODE_IP_ALONE);
}
