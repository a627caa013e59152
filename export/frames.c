// SPDX-License-Identifier: Apache-2.0
#include "export/frames.h"

#include <inttypes.h>

/** Append @frame, and before it the functions that were inlined at its instruction @code. */
static void add_frame(struct export_frames *frames, const struct model *model,
		      struct export_frame frame, uint32_t code)
{
	const struct model_code *row = code == MODEL_NONE ? NULL : &model->codes[code];

	frame.source = row ? row->source : NULL;
	for (uint32_t i = 0; row && i < row->inlined_count; i++) {
		const struct model_inlined *inlined = &model->inlined[row->first_inlined + i];
		struct export_frame inner = frame;

		inner.function = inlined->function;
		inner.row = MODEL_NONE;
		inner.is_inlined = true;
		vec_push(&frames->list, inner);
		frame.source = inlined->source; // where the inner one was called
	}
	vec_push(&frames->list, frame);
}

/** The stack that says where @fault was; NULL: its instruction does, if anything. */
static const struct model_stack *stack_of(const struct model *model,
					  const struct model_fault *fault)
{
	const struct model_stack *stack =
		fault->stack == MODEL_NONE ? NULL : &model->stacks[fault->stack];

	return stack && stack->frame_count > 0 ? stack : NULL;
}

uint64_t export_path(const struct model *model, const struct model_fault *fault)
{
	const struct model_stack *stack = stack_of(model, fault);

	return stack ? (uintptr_t)stack : fault->has_ip ? (uintptr_t)fault->by : 0;
}

void export_frames_of(struct export_frames *frames, const struct model *model,
		      const struct model_fault *fault)
{
	const struct model_ip *by = fault->by;

	const struct model_stack *stack = stack_of(model, fault);

	frames->list.count = 0;
	if (stack) {
		for (uint32_t i = 0; i < stack->frame_count; i++) {
			const struct model_frame *frame = stack->frames[i];

			add_frame(frames, model,
				  (struct export_frame){
					  .function = model_function_name(model, frame->function),
					  .row = frame->function,
					  .object = frame->object,
					  .has_offset = frame->has_offset,
					  .offset = frame->offset,
					  .addr = frame->addr,
					  .has_vaddr = frame->has_vaddr,
					  .vaddr = frame->vaddr,
					  .place = frame,
				  },
				  frame->code);
		}
	} else if (fault->has_ip) {
		add_frame(frames, model,
			  (struct export_frame){
				  .function = model_function_name(model, by->name),
				  .row = by->name,
				  .object = by->object,
				  .has_offset = by->has_offset,
				  .offset = by->offset,
				  .addr = by->ip,
				  .has_vaddr = by->has_vaddr,
				  .vaddr = by->vaddr,
				  .place = by,
			  },
			  by->code);
	}
}

void export_frames_deinit(struct export_frames *frames)
{
	vec_deinit(&frames->list);
}

void export_frame_name(struct strbuf *buf, const struct model *model,
		       const struct export_frame *frame)
{
	if (frame->function)
		strbuf_puts(buf, frame->function);
	else if (frame->object != MODEL_NONE && frame->has_offset)
		strbuf_printf(buf, "%s+0x%" PRIx64,
			      model_object_name(&model->objects[frame->object]), frame->offset);
	else if (frame->addr)
		strbuf_printf(buf, "0x%" PRIx64, frame->addr);
	else
		strbuf_puts(buf, "[frames missing]");
}
