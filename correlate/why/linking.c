// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/linking.h"

#include <stdlib.h>

struct linking {
	const struct rows *rows;
	struct roles *roles;
	// By function.
	bool *relocates;
	bool *looks_up;
	bool *relocates_itself; // in a program without a dynamic linker
};

static const struct model_stack *stack_of(const struct linking *linking,
					  const struct model_fault *fault)
{
	return &linking->rows->stacks.items[fault->stack];
}

/**
 * The innermost frame of the dynamic linker's run that relocates; the frame behind the run if none
 * does.
 */
static uint32_t relocating_frame(const struct linking *linking, const struct model_stack *stack,
				 const struct context *context)
{
	for (uint32_t i = context->run_start; i < context->run_end; i++)
		if (stack->frames[i]->function != MODEL_NONE &&
		    linking->relocates[stack->frames[i]->function])
			return i;
	return context->run_end;
}

/**
 * True if @function is one: all code of a file of which nothing tells where its functions begin is
 * one row, and what some of it does says nothing of the rest.
 */
static bool is_one_function(const struct linking *linking, uint32_t function)
{
	uint64_t vaddr;

	return function != MODEL_NONE && roles_start(linking->roles, function, &vaddr);
}

/** A fault of the dynamic linker that only relocating another object explains. */
static bool shows_relocation(const struct linking *linking, const struct model_fault *fault,
			     enum touch touch)
{
	uint32_t roles = roles_of(linking->roles, fault->by->name);

	return (roles & ROLE_LOADER) && fault->at.object != fault->by->object &&
	       (touch == TOUCH_RELOCATION ||
		(touch == TOUCH_SLOT && fault->access == MODEL_ACCESS_WRITE));
}

static void learn_relocation(struct linking *linking, const struct context *contexts,
			     const struct all_faults *faults, const uint8_t *touch)
{
	for (size_t i = 0; i < faults->list.count; i++) {
		const struct model_fault *fault = &faults->list.items[i];

		if (fault->stack != MODEL_NONE &&
		    contexts[fault->stack].initiator == MODEL_LOADER &&
		    shows_relocation(linking, fault, touch[i]) &&
		    is_one_function(linking, fault->by->name))
			linking->relocates[fault->by->name] = true;
	}
}

/**
 * Learn the functions that look names up: those that hash them, as no other function of a dynamic
 * linker's does, and those that relocating calls when lookup tables are read.
 */
static void learn_lookup(struct linking *linking, const struct context *contexts,
			 const struct all_faults *faults, const uint8_t *touch)
{
	for (size_t i = 0; i < linking->rows->functions.count; i++)
		linking->looks_up[i] = roles_of(linking->roles, (uint32_t)i) & ROLE_HASHES_NAMES;
	for (size_t i = 0; i < faults->list.count; i++) {
		const struct model_fault *fault = &faults->list.items[i];

		if (fault->stack == MODEL_NONE ||
		    (touch[i] != TOUCH_LOOKUP && touch[i] != TOUCH_NAMES))
			continue;
		const struct context *context = &contexts[fault->stack];
		if (context->initiator != MODEL_LOADER)
			continue;
		const struct model_stack *stack = stack_of(linking, fault);
		uint32_t at = relocating_frame(linking, stack, context);
		if (at == context->run_end || at == context->run_start)
			continue;
		uint32_t function = stack->frames[at - 1]->function;
		if (is_one_function(linking, function))
			linking->looks_up[function] = true;
	}
}

/** A fault that only a static program's relocation of itself explains, if main has not begun. */
static bool shows_self_relocation(const struct linking *linking, const struct model_fault *fault,
				  enum touch touch)
{
	if (fault->by->object != fault->at.object ||
	    !(roles_of(linking->roles, fault->by->name) & ROLE_PROGRAM))
		return false;
	struct elfmap *map = objects_opened(linking->rows->objects, fault->by->object);
	// Where a dynamic linker was at work, slots are the program's to write.
	return touch == TOUCH_RELOCATION ||
	       (touch == TOUCH_SLOT && fault->access == MODEL_ACCESS_WRITE &&
		!elfmap_info(map)->interpreter);
}

/**
 * A static program's own relocation: what reads its .rela.dyn or .relr.dyn or writes its slots
 * before main, unless it also calls main or initializers, as libc's start does where it has the
 * loop inlined.
 */
static void learn_self_relocation(struct linking *linking, const struct context *contexts,
				  const struct all_faults *faults, const uint8_t *touch)
{
	const struct rows *rows = linking->rows;

	for (size_t i = 0; i < faults->list.count; i++) {
		const struct model_fault *fault = &faults->list.items[i];

		if (shows_self_relocation(linking, fault, touch[i]) &&
		    is_one_function(linking, fault->by->name) &&
		    (fault->stack == MODEL_NONE ||
		     contexts[fault->stack].initiator == MODEL_STARTUP))
			linking->relocates_itself[fault->by->name] = true;
	}
	for (size_t s = 0; s < rows->stacks.count; s++) {
		const struct model_stack *stack = &rows->stacks.items[s];
		const struct context *context = &contexts[s];

		if (!context->is_in_main && context->initializer == MODEL_NONE)
			continue;
		for (uint32_t i = 0; i < stack->frame_count; i++)
			if (stack->frames[i]->function != MODEL_NONE)
				linking->relocates_itself[stack->frames[i]->function] = false;
	}
}

struct linking *linking_learn(const struct rows *rows, struct roles *roles,
			      const struct context *contexts, const struct all_faults *faults,
			      const uint8_t *touch)
{
	struct linking *linking = xcalloc(1, sizeof(*linking));
	size_t count = rows->functions.count;

	linking->rows = rows;
	linking->roles = roles;
	linking->relocates = xcalloc(count, sizeof(bool));
	linking->looks_up = xcalloc(count, sizeof(bool));
	linking->relocates_itself = xcalloc(count, sizeof(bool));
	learn_relocation(linking, contexts, faults, touch);
	learn_lookup(linking, contexts, faults, touch);
	learn_self_relocation(linking, contexts, faults, touch);
	return linking;
}

void linking_destroy(struct linking *linking)
{
	if (!linking)
		return;
	free(linking->relocates);
	free(linking->looks_up);
	free(linking->relocates_itself);
	free(linking);
}

bool linking_relocates(const struct linking *linking, const struct model_fault *fault,
		       const struct context *context)
{
	return relocating_frame(linking, stack_of(linking, fault), context) < context->run_end;
}

bool linking_looks_up(const struct linking *linking, const struct model_fault *fault,
		      const struct context *context)
{
	const struct model_stack *stack = stack_of(linking, fault);

	for (uint32_t i = context->run_start; i < context->run_end; i++)
		if (stack->frames[i]->function != MODEL_NONE &&
		    linking->looks_up[stack->frames[i]->function])
			return true;
	return false;
}

bool linking_relocates_itself(const struct linking *linking, const struct model_fault *fault,
			      enum touch touch)
{
	bool is_own = fault->at.object == fault->by->object;

	if (fault->stack != MODEL_NONE) {
		const struct model_stack *stack = stack_of(linking, fault);

		for (uint32_t i = 0; i < stack->frame_count; i++)
			if (stack->frames[i]->function != MODEL_NONE &&
			    linking->relocates_itself[stack->frames[i]->function])
				return true;
	}
	bool is_relocating =
		fault->by->name != MODEL_NONE && linking->relocates_itself[fault->by->name];
	// Where no stack has shown what else the function does, it may be libc's start as a whole.
	return is_own && (touch == TOUCH_RELOCATION || touch == TOUCH_PLT_RELOCATION ||
			  ((fault->stack != MODEL_NONE || is_relocating) &&
			   fault->access == MODEL_ACCESS_WRITE &&
			   (touch == TOUCH_SLOT || touch == TOUCH_PLT_SLOT)));
}
