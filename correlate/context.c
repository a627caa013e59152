// SPDX-License-Identifier: Apache-2.0
#include "correlate/context.h"

#include "correlate/frame.h"
#include "correlate/rule.h"

#include <stdlib.h>

struct contexts {
	const struct rows *rows;
	struct frames *frames;
	struct rule_index rules;
	VEC(struct context) list; // beside rows->stacks
};

/** The innermost initializer that runs on the stack from frame @first outwards. */
static uint32_t running_initializer(const struct contexts *contexts,
				    const struct model_stack *stack, uint32_t first,
				    uint32_t *ret_frame)
{
	for (uint32_t i = first; i < stack->frame_count; i++) {
		const struct frame frame = frames_at(contexts->frames, stack, i, false);

		*ret_frame = i;
		if ((frame.roles & ROLE_INITIALIZER) && frame_is_run_as_initializer(&frame))
			return frame_initializer(&frame);
		// The initializer may be beyond the end of a cut stack.
		if ((frame.roles & ROLE_PART_OF_INIT) && i + 1 == stack->frame_count)
			return frame_initializer_leading(&frame, INITREACH_BRANCH_WITHIN);
		if (stack->frames[i]->function != MODEL_NONE &&
		    !(frame.roles & (ROLE_MAIN | ROLE_RESOLVER)) &&
		    frame_is_run_by_init_call(&frame))
			return frame_initializer_leading(&frame, INITREACH_JUMP);
	}
	*ret_frame = stack->frame_count;
	return MODEL_NONE;
}

uint32_t contexts_initializer(struct contexts *contexts, uint32_t stack, uint32_t first,
			      uint32_t *ret_frame)
{
	return running_initializer(contexts, &contexts->rows->stacks.items[stack], first,
				   ret_frame);
}

/** Ask the frames, from the innermost outwards, until one tells; a run of the dynamic linker's is
 * asked once. */
static void ask_frames(const struct contexts *contexts, const struct model_stack *stack,
		       struct context *context)
{
	for (uint32_t i = 0; i < stack->frame_count;) {
		const struct frame frame = frames_at(contexts->frames, stack, i, true);
		const struct rule *rule = rules_of_frame(&contexts->rules, &frame);
		bool is_run = frame.run_end > i;

		if (is_run) {
			context->run_start = i;
			context->run_end = frame.run_end;
		}
		if (rule && rule->initiator != MODEL_INITIATOR_UNKNOWN) {
			context->rule = rule;
			context->initiator = rule->initiator;
			if (rule->before_entry)
				context->run_end = stack->frame_count;
			return;
		}
		i = is_run ? frame.run_end : i + 1;
	}
}

static struct context read_stack(const struct contexts *contexts, const struct model_stack *stack)
{
	struct context context = { .initiator = MODEL_INITIATOR_UNKNOWN };
	uint32_t all = 0, outermost = 0;

	for (uint32_t i = 0; i < stack->frame_count; i++)
		all |= outermost = frames_roles(contexts->frames, stack, i);
	ask_frames(contexts, stack, &context);
	context.is_complete = !stack->is_truncated &&
			      (outermost & (ROLE_ENTRY | ROLE_THREAD | ROLE_LOADER | ROLE_MAIN));
	context.is_in_main = (all & ROLE_MAIN) || (context.rule && context.rule->is_in_main);
	context.has_entered = all & (ROLE_ENTRY | ROLE_MAIN);
	context.binds = all & ROLE_BINDS;
	if ((all & ROLE_DLOPEN) || (context.rule && context.rule->is_dlopen))
		context.dlopen = MODEL_DLOPEN_YES;
	else if (context.is_complete)
		context.dlopen = MODEL_DLOPEN_NO;
	context.initializer = running_initializer(contexts, stack, 0, &context.initializer_frame);
	return context;
}

struct contexts *contexts_create(const struct rows *rows, struct roles *roles)
{
	struct contexts *contexts = xcalloc(1, sizeof(*contexts));

	contexts->rows = rows;
	contexts->frames = frames_learn(rows, roles);
	rule_index_init(&contexts->rules);
	vec_reserve(&contexts->list, rows->stacks.count);
	vec_foreach (stack, &rows->stacks)
		vec_push(&contexts->list, read_stack(contexts, stack));
	return contexts;
}

void contexts_destroy(struct contexts *contexts)
{
	if (!contexts)
		return;
	vec_deinit(&contexts->list);
	frames_destroy(contexts->frames);
	free(contexts);
}

const struct context *contexts_of(const struct contexts *contexts, uint32_t stack)
{
	return &contexts->list.items[stack];
}

const struct context *contexts_list(const struct contexts *contexts)
{
	return contexts->list.items;
}
