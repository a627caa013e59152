// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/context.h"

#include "correlate/why/frame.h"
#include "correlate/why/rule.h"

#include <stdlib.h>

struct contexts {
	const struct rows *rows;
	struct frames *frames;
	struct rule_index rules;
	VEC(struct context) list;     // beside rows->stacks
	VEC(uint32_t) maybe;	      // of all of these
	struct initreach_found found; // room for one answer
};

/** How the code of an initializer that left the stack leads to @frame; false: none does. */
static bool was_led_to(const struct model_stack *stack, const struct frame *frame,
		       enum initreach_way *ret_way)
{
	// The initializer may be beyond the end of a cut stack.
	bool is_part = (frame->roles & ROLE_PART_OF_INIT) && !(frame->roles & ROLE_RUNS_PACKAGES) &&
		       frame->at + 1 == stack->frame_count;

	*ret_way = is_part ? INITREACH_BRANCH_WITHIN : INITREACH_JUMP;
	return is_part || (stack->frames[frame->at]->function != MODEL_NONE &&
			   frame_is_run_by_init_call(frame));
}

/**
 * The innermost initializer that runs on the stack from frame @first outwards. Where none is on it,
 * contexts->found has those that may have led there.
 */
static uint32_t running_initializer(struct contexts *contexts, const struct model_stack *stack,
				    uint32_t first, uint32_t *ret_frame)
{
	struct initreach_found *found = &contexts->found;
	enum initreach_way way;

	found->list.count = 0;
	for (uint32_t i = first; i < stack->frame_count; i++) {
		const struct frame frame = frames_at(contexts->frames, stack, i, false);

		*ret_frame = i;
		if ((frame.roles & ROLE_INITIALIZER) && frame_is_run_as_initializer(&frame))
			return frame_initializer(&frame);
		if (!was_led_to(stack, &frame, &way))
			continue;
		frame_find_leading(&frame, way, found);
		return found->is_seen && found->list.count == 1 ? found->list.items[0] : MODEL_NONE;
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

/** The object whose initializers a loop called frame @at from: libc runs the program's. */
static uint32_t object_of_loop(const struct contexts *contexts, const struct model_stack *stack,
			       uint32_t at)
{
	for (uint32_t i = at + 1; i < stack->frame_count; i++) {
		uint32_t roles = frames_roles(contexts->frames, stack, i);

		if (roles & (ROLE_LOADER | ROLE_MAIN))
			break;
		if (roles & ROLE_ENTRY)
			return stack->frames[i]->object;
	}
	return MODEL_NONE;
}

static uint32_t object_of(const struct contexts *contexts, uint32_t initializer)
{
	return contexts->rows->initializers.items[initializer].object;
}

/** The object that all of contexts->found are of. */
static uint32_t object_of_found(const struct contexts *contexts)
{
	const struct initreach_found *found = &contexts->found;

	if (!found->is_seen)
		return MODEL_NONE;
	for (size_t i = 1; i < found->list.count; i++)
		if (object_of(contexts, found->list.items[i]) !=
		    object_of(contexts, found->list.items[0]))
			return MODEL_NONE;
	return object_of(contexts, found->list.items[0]);
}

/** Note in @context which initializers may be running, and what object they are of. */
static void keep_maybe(struct contexts *contexts, const struct model_stack *stack,
		       struct context *context)
{
	uint32_t object = object_of_loop(contexts, stack, context->initializer_frame);

	context->init_object = object != MODEL_NONE ? object : object_of_found(contexts);
	context->first_maybe = (uint32_t)contexts->maybe.count; // a trace's stacks × initializers
	// Else it may be any.
	for (size_t i = 0; contexts->found.is_seen && i < contexts->found.list.count; i++)
		vec_push(&contexts->maybe, contexts->found.list.items[i]);
	context->maybe_count = (uint32_t)(contexts->maybe.count - context->first_maybe);
}

/** Fill what @context says of initializers. */
static void find_initializer(struct contexts *contexts, const struct model_stack *stack,
			     struct context *context)
{
	uint32_t outer, frame;

	context->initializer = running_initializer(contexts, stack, 0, &context->initializer_frame);
	context->init_object = MODEL_NONE;
	if (context->initializer_frame == stack->frame_count)
		return;
	if (context->initializer != MODEL_NONE)
		context->init_object = object_of(contexts, context->initializer);
	else
		keep_maybe(contexts, stack, context);
	for (frame = context->initializer_frame; frame < stack->frame_count;) {
		outer = running_initializer(contexts, stack, frame + 1, &frame);
		if (frame < stack->frame_count &&
		    (outer == MODEL_NONE || object_of(contexts, outer) == context->init_object))
			context->is_nested = true;
	}
}

static bool has_name(const struct contexts *contexts, const struct model_frame *frame)
{
	const struct elfmap_symbol *symbol =
		frame->function == MODEL_NONE
			? NULL
			: contexts->rows->function_sources.items[frame->function].symbol;

	return symbol && symbol->source > ELFMAP_SYMBOLS_EH_FRAME;
}

static bool is_gap(const struct model_frame *frame)
{
	return frame->addr == 0;
}

/** True if @rule's answer holds for all that its frame called, be the frames in between unknown. */
static bool holds_behind_gap(const struct rule *rule)
{
	return rule->initiator == MODEL_PROGRAM || rule->initiator == MODEL_STATIC_INIT ||
	       rule->initiator == MODEL_STATIC_FINI;
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

		context->is_named = context->is_named && has_name(contexts, stack->frames[i]);
		context->is_behind_gap = context->is_behind_gap || is_gap(stack->frames[i]);
		if (is_run) {
			context->run_start = i;
			context->run_end = frame.run_end;
		}
		if (rule && rule->initiator != MODEL_INITIATOR_UNKNOWN) {
			if (context->is_behind_gap && !holds_behind_gap(rule))
				return;
			context->rule = rule;
			context->initiator = rule->initiator;
			if (rule->before_entry)
				context->run_end = stack->frame_count;
			return;
		}
		i = is_run ? frame.run_end : i + 1;
	}
}

static struct context read_stack(struct contexts *contexts, const struct model_stack *stack)
{
	struct context context = { .initiator = MODEL_INITIATOR_UNKNOWN };
	uint32_t all = 0, outermost = 0;

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		all |= outermost = frames_roles(contexts->frames, stack, i);
		if (i > 0 && (outermost & ROLE_THREAD_POINTER))
			context.builds_tls = true;
		if (i > 0 && (outermost & ROLE_MAKES_THREADS))
			context.makes_thread = true;
	}
	context.is_named = true;
	ask_frames(contexts, stack, &context);
	for (uint32_t i = 0; i < stack->frame_count && context.initiator == MODEL_STARTUP; i++) {
		const struct frame frame = frames_at(contexts->frames, stack, i, false);

		context.has_loop = context.has_loop || frame_is_called_by_array(&frame);
	}
	context.is_complete = !stack->is_truncated &&
			      (outermost & (ROLE_ENTRY | ROLE_THREAD | ROLE_LOADER | ROLE_MAIN));
	context.is_in_main = (all & ROLE_MAIN) || (context.rule && context.rule->is_in_main);
	context.has_entered = all & (ROLE_ENTRY | ROLE_MAIN);
	context.is_in_exit = (all & ROLE_EXIT) || (context.rule && context.rule->is_in_exit);
	context.is_on_go_stack = !stack->is_truncated && (outermost & ROLE_OWN_STACK);
	context.binds = all & ROLE_BINDS;
	if ((all & ROLE_DLOPEN) || (context.rule && context.rule->is_dlopen))
		context.dlopen = MODEL_DLOPEN_YES;
	else if (context.is_complete)
		context.dlopen = MODEL_DLOPEN_NO;
	find_initializer(contexts, stack, &context);
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
	vec_deinit(&contexts->maybe);
	vec_deinit(&contexts->found.list);
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

const uint32_t *contexts_maybe(const struct contexts *contexts)
{
	return contexts->maybe.items;
}
