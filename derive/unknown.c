// SPDX-License-Identifier: Apache-2.0
#include "derive/unknown.h"

#include "base/arena.h"

#include <stdlib.h>

static enum unknown_reason reason_of(const struct model *model, const struct model_fault *fault)
{
	if (fault->is_unread)
		return UNKNOWN_UNREAD;
	if (!model->trace.has_stacks)
		return UNKNOWN_NO_STACKS;
	if (fault->stack == MODEL_NONE)
		return UNKNOWN_STACK_LOST;

	const struct model_stack *stack = &model->stacks[fault->stack];

	if (stack->is_elsewhere)
		return UNKNOWN_ELSEWHERE;
	if (stack->is_truncated)
		return stack->frame_count < MODEL_STACK_FRAMES ? UNKNOWN_CUT : UNKNOWN_TOO_DEEP;
	return stack->is_complete ? UNKNOWN_NOTHING_TELLS : UNKNOWN_NO_CALLER;
}

/** Index into @counts, by object and last those of none, where the stack of @fault ends. */
static uint32_t end_of(const struct model *model, const struct model_fault *fault)
{
	const struct model_stack *stack = &model->stacks[fault->stack];
	uint32_t object =
		stack->frame_count ? stack->frames[stack->frame_count - 1]->object : MODEL_NONE;

	// Fewer than MODEL_NONE, which is 32 bits wide.
	return object == MODEL_NONE ? (uint32_t)model->object_count : object;
}

void unknown_find(const struct model *model, struct unknown *ret_unknown)
{
	struct unknown found = { .object = MODEL_NONE };
	uint64_t *ends = xcalloc(model->object_count + 1, sizeof(*ends));

	array_foreach (fault, model->faults, model->fault_count) {
		enum unknown_reason reason;

		if (fault->initiator != MODEL_INITIATOR_UNKNOWN)
			continue;
		reason = reason_of(model, fault);
		found.faults++;
		found.by_reason[reason]++;
		if (reason == UNKNOWN_NO_CALLER)
			ends[end_of(model, fault)]++;
	}
	for (uint32_t i = 0; i < UNKNOWN_REASONS; i++)
		if (found.by_reason[i] > found.by_reason[found.reason])
			found.reason = (enum unknown_reason)i;
	for (size_t i = 0; i <= model->object_count; i++) {
		if (ends[i] <= found.object_faults)
			continue;
		found.object_faults = ends[i];
		found.object = i < model->object_count ? (uint32_t)i : MODEL_NONE;
	}
	free(ends);
	*ret_unknown = found;
}
