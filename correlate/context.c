// SPDX-License-Identifier: Apache-2.0
#include "correlate/context.h"

#include "base/u64map.h"
#include "correlate/initreach.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct contexts {
	struct builder *builder;
	struct roles *roles;
	struct initreach *reach;
	VEC(struct context) list;  // beside builder->stacks
	struct u64map init_calls;  // call sites that run initializers
	struct u64map trampolines; // functions of the dynamic linker that PLT stubs jump to
};

static uint32_t roles_at(const struct contexts *contexts, const struct model_stack *stack,
			 uint32_t i)
{
	return i < stack->frame_count ? roles_of(contexts->roles, stack->frames[i].function) : 0;
}

/** Identity of the place of a call. */
static uint64_t site_of(const struct model_frame *frame)
{
	const uint64_t parts[] = { frame->object, frame->vaddr };

	return XXH3_64bits(parts, sizeof(parts));
}

static bool is_init_call(const struct contexts *contexts, const struct model_stack *stack,
			 uint32_t i)
{
	return i < stack->frame_count && stack->frames[i].has_vaddr &&
	       u64map_get(&contexts->init_calls, site_of(&stack->frames[i]));
}

/** Roles of all frames from @first outwards, up to the first with one of @until, itself included.
 */
static uint32_t roles_outwards(const struct contexts *contexts, const struct model_stack *stack,
			       uint32_t first, uint32_t until)
{
	uint32_t all = 0;

	for (uint32_t i = first; i < stack->frame_count && !(all & until); i++)
		all |= roles_at(contexts, stack, i);
	return all;
}

static bool is_dot_init(const struct contexts *contexts, uint32_t function)
{
	uint32_t initializer = roles_initializer(contexts->roles, function);

	return initializer != MODEL_NONE &&
	       strcmp(contexts->builder->initializers.items[initializer].array, ".init") == 0;
}

/** Whether frame @i, which starts an initializer's code, was called to run it and not by hand. */
static bool is_run_as_initializer(const struct contexts *contexts, const struct model_stack *stack,
				  uint32_t i)
{
	uint32_t caller = roles_at(contexts, stack, i + 1);

	if (role_is_loader(caller))
		return true;
	// .init has no unwinding data, and no name that anyone could call it by.
	if (i + 1 >= stack->frame_count)
		return !stack->is_truncated && is_dot_init(contexts, stack->frames[i].function);
	// libc runs those of the program, or all: before main, or within dlopen.
	uint32_t outwards =
		roles_outwards(contexts, stack, i + 1, ROLE_MAIN | ROLE_DLOPEN | ROLE_ENTRY);
	if (outwards & ROLE_DLOPEN)
		return caller & ROLE_LOADER;
	if (outwards & ROLE_MAIN)
		return false;
	return (outwards & ROLE_ENTRY) || (caller & ROLE_LOADER);
}

static bool is_static_without_symbols(const struct contexts *contexts,
				      const struct model_frame *frame)
{
	struct elfmap *map = objects_opened(contexts->builder->objects, frame->object);

	return map && !elfmap_info(map)->interpreter &&
	       elfmap_info(map)->symbols < ELFMAP_SYMBOLS_DEBUG_FILE;
}

static bool is_run_as_finalizer(const struct contexts *contexts, const struct model_stack *stack,
				uint32_t i)
{
	uint32_t caller = roles_at(contexts, stack, i + 1);

	if (role_is_loader(caller))
		return true;
	// .fini has no unwinding data.
	if (i + 1 >= stack->frame_count)
		return !stack->is_truncated;
	// Code of libc without unwinding data: nobody else calls it there.
	if (i + 2 == stack->frame_count && (caller & ROLE_LIBC_LOADER) && !stack->is_truncated)
		return true;
	uint32_t outwards = roles_outwards(contexts, stack, i + 1, ROLE_MAIN | ROLE_ENTRY);
	if (outwards & (ROLE_EXIT | ROLE_LINKER_CALL))
		return true;
	// exit() has no name there.
	return is_static_without_symbols(contexts, &stack->frames[i]);
}

/** Whether initializers lead to @function this way; *@ret_initializer: the only one that does. */
static bool is_led_to(const struct contexts *contexts, uint32_t function, enum initreach_way way,
		      uint32_t *ret_initializer)
{
	uint64_t vaddr;

	return roles_start(contexts->roles, function, &vaddr) &&
	       initreach_find(contexts->reach, contexts->builder->functions.items[function].object,
			      vaddr, way, ret_initializer);
}

/**
 * Whether an initializer that the dynamic linker called jumped to the function of frame @i, which
 * is of the same file: it calls functions of others by itself.
 */
static bool is_reached_by_jump(const struct contexts *contexts, const struct model_stack *stack,
			       uint32_t i)
{
	uint32_t roles = roles_at(contexts, stack, i), outwards, initializer;

	if (!role_is_loader(roles_at(contexts, stack, i + 1)) || role_is_loader(roles) ||
	    (roles & (ROLE_MAIN | ROLE_RESOLVER | ROLE_FINALIZER | ROLE_ALLOCATES)) ||
	    stack->frames[i].function == MODEL_NONE ||
	    !is_led_to(contexts, stack->frames[i].function, INITREACH_JUMP_WITHIN, &initializer))
		return false;
	// A finalizer may end by a jump to it, too.
	outwards =
		roles_outwards(contexts, stack, i + 1, ROLE_EXIT | ROLE_LINKER_CALL | ROLE_DLOPEN);
	return !(outwards & (ROLE_EXIT | ROLE_LINKER_CALL));
}

/**
 * Whether main ends by jumping to the function of frame @i, which is called by what calls main.
 * Such a main is never on the stack.
 */
static bool continues_main(struct contexts *contexts, const struct model_stack *stack, uint32_t i)
{
	uint32_t function = stack->frames[i].function;
	uint32_t outwards = roles_outwards(contexts, stack, i + 1, ROLE_ENTRY);
	uint64_t start, main_vaddr;

	if (!(outwards & ROLE_ENTRY) ||
	    (outwards & (ROLE_MAIN | ROLE_INITIALIZER | ROLE_EXIT | ROLE_PART_OF_INIT)))
		return false;
	struct elfmap *map = objects_opened(contexts->builder->objects, stack->frames[i].object);
	if (!elfmap_main(map, &main_vaddr) || !roles_start(contexts->roles, function, &start))
		return false;
	const struct elfmap_symbol *symbol = elfmap_symbol_at(map, main_vaddr);
	if (!symbol || symbol->vaddr != main_vaddr)
		return false;
	const struct range code = { main_vaddr, main_vaddr + symbol->size };
	return elfmap_jumps_to(map, code, start);
}

/** Whether the call in frame @i goes to a PLT stub. */
static bool calls_plt(const struct contexts *contexts, const struct model_stack *stack, uint32_t i)
{
	const struct model_frame *frame = &stack->frames[i];
	struct elfmap *map = frame->object == MODEL_NONE || !frame->has_vaddr
				     ? NULL
				     : objects_opened(contexts->builder->objects, frame->object);
	struct elfmap_place place;
	uint64_t target;

	if (!map || !elfmap_call_target(map, frame->vaddr, &target))
		return false;
	elfmap_locate(map, target, &place);
	return place.entry.kind == ELFMAP_ENTRY_PLT || strncmp(place.section_name, ".plt", 4) == 0;
}

/** Whether the dynamic linker's frames up to @last were entered to bind a PLT entry. */
static bool is_lazy_binding(const struct contexts *contexts, const struct model_stack *stack,
			    uint32_t last)
{
	uint32_t function = stack->frames[last].function;

	// What it exports is called through PLT entries as well.
	if (function == MODEL_NONE || (roles_of(contexts->roles, function) & ROLE_EXPORTED))
		return false;
	if (u64map_get(&contexts->trampolines, function))
		return true;
	return last + 1 < stack->frame_count && calls_plt(contexts, stack, last + 1);
}

/** The dynamic linker's frames from @first on: what they are for. Returns the frame behind them. */
static uint32_t read_loader(struct contexts *contexts, const struct model_stack *stack,
			    uint32_t first, struct context *context)
{
	uint32_t end = first, inside = 0;

	while (end < stack->frame_count && role_is_loader(roles_at(contexts, stack, end)))
		inside |= roles_at(contexts, stack, end++);
	context->run_start = first;
	context->run_end = end;
	if (inside & ROLE_TLS) {
		context->initiator = MODEL_TLS_SETUP;
		return end;
	}
	if (end == stack->frame_count) {
		uint32_t function = stack->frames[end - 1].function;
		bool is_trampoline =
			function != MODEL_NONE && u64map_get(&contexts->trampolines, function);

		context->initiator = is_trampoline ? MODEL_LAZY_BINDING : MODEL_LOADER;
		context->depends_on_start = stack->is_truncated;
		return end;
	}
	if (roles_at(contexts, stack, end - 1) & ROLE_FIND)
		return end; // at work for its caller
	if (is_lazy_binding(contexts, stack, end - 1)) {
		context->initiator = MODEL_LAZY_BINDING;
		return end;
	}
	uint32_t outwards = roles_outwards(contexts, stack, end,
					   ROLE_EXIT | ROLE_DLOPEN | ROLE_LINKER_CALL | ROLE_MAIN);
	if (outwards & ROLE_EXIT) {
		context->initiator = MODEL_STATIC_FINI;
		return end;
	}
	context->initiator = MODEL_LOADER;
	// libc opens libraries for itself, too, by functions that have no public name.
	if (!(outwards & (ROLE_DLOPEN | ROLE_LINKER_CALL)) && !stack->is_truncated)
		context->dlopen = MODEL_DLOPEN_YES;
	return end;
}

/** What frame @i says; returns the next frame to ask, if it says nothing. */
static uint32_t read_frame(struct contexts *contexts, const struct model_stack *stack, uint32_t i,
			   struct context *context)
{
	uint32_t roles = roles_at(contexts, stack, i);
	bool is_last = i + 1 == stack->frame_count;

	if (roles & ROLE_RESOLVER)
		context->initiator = MODEL_IFUNC;
	else if (((roles & ROLE_INITIALIZER) && is_run_as_initializer(contexts, stack, i)) ||
		 (!(roles & (ROLE_MAIN | ROLE_RESOLVER)) && is_init_call(contexts, stack, i + 1)))
		context->initiator = MODEL_STATIC_INIT;
	else if (roles & ROLE_PART_OF_INIT)
		context->initiator = MODEL_STATIC_INIT;
	else if ((roles & ROLE_EXIT) ||
		 ((roles & ROLE_FINALIZER) && is_run_as_finalizer(contexts, stack, i)))
		context->initiator = MODEL_STATIC_FINI;
	else if (roles & ROLE_UNWIND)
		context->initiator = MODEL_UNWIND;
	else if (role_is_loader(roles))
		return read_loader(contexts, stack, i, context);
	else if (roles & ROLE_TLS)
		context->initiator = MODEL_TLS_SETUP;
	else if (roles & ROLE_RELOCATES)
		context->initiator = MODEL_RELOCATION;
	else if (roles & (ROLE_DLOPEN | ROLE_LINKER_CALL))
		context->initiator = MODEL_LOADER;
	else if ((roles & ROLE_MAIN) ||
		 ((roles & ROLE_PROGRAM) && continues_main(contexts, stack, i))) {
		context->initiator = MODEL_PROGRAM;
		context->is_in_main = true;
	} else if (roles & ROLE_ENTRY) // what seems to have called it, did not
		context->initiator = MODEL_STARTUP;
	else if (is_last && !stack->is_truncated && (roles & ROLE_THREAD))
		context->initiator = MODEL_PROGRAM;
	else if (is_last && !stack->is_truncated && (roles & ROLE_LIBC_LOADER)) {
		context->initiator = MODEL_LOADER;
		context->depends_on_start = true;
		context->run_end = stack->frame_count;
	}
	return i + 1;
}

/** The only initializer that leads to @function this way; MODEL_NONE: none, or several. */
static uint32_t leading_to(const struct contexts *contexts, uint32_t function,
			   enum initreach_way way)
{
	uint32_t initializer;

	return is_led_to(contexts, function, way, &initializer) ? initializer : MODEL_NONE;
}

/** The innermost initializer that runs on the stack from frame @first outwards. */
static uint32_t running_initializer(struct contexts *contexts, const struct model_stack *stack,
				    uint32_t first, uint32_t *ret_frame)
{
	for (uint32_t i = first; i < stack->frame_count; i++) {
		uint32_t function = stack->frames[i].function;
		uint32_t roles = roles_at(contexts, stack, i);

		*ret_frame = i;
		if ((roles & ROLE_INITIALIZER) && is_run_as_initializer(contexts, stack, i))
			return roles_initializer(contexts->roles, function);
		// The initializer may be beyond the end of a cut stack.
		if ((roles & ROLE_PART_OF_INIT) && i + 1 == stack->frame_count)
			return leading_to(contexts, function, INITREACH_BRANCH_WITHIN);
		if (function != MODEL_NONE && !(roles & (ROLE_MAIN | ROLE_RESOLVER)) &&
		    is_init_call(contexts, stack, i + 1))
			return leading_to(contexts, function, INITREACH_JUMP);
	}
	*ret_frame = stack->frame_count;
	return MODEL_NONE;
}

uint32_t contexts_initializer(struct contexts *contexts, uint32_t stack, uint32_t first,
			      uint32_t *ret_frame)
{
	return running_initializer(contexts, &contexts->builder->stacks.items[stack], first,
				   ret_frame);
}

static struct context read_stack(struct contexts *contexts, const struct model_stack *stack)
{
	struct context context = {
		.initiator = MODEL_INITIATOR_UNKNOWN,
		.initializer = MODEL_NONE,
	};
	uint32_t all = roles_outwards(contexts, stack, 0, 0);
	uint32_t outermost =
		stack->frame_count ? roles_at(contexts, stack, stack->frame_count - 1) : 0;

	for (uint32_t i = 0;
	     i < stack->frame_count && context.initiator == MODEL_INITIATOR_UNKNOWN;)
		i = read_frame(contexts, stack, i, &context);
	context.is_complete = !stack->is_truncated &&
			      (outermost & (ROLE_ENTRY | ROLE_THREAD | ROLE_LOADER | ROLE_MAIN));
	context.is_in_main |= (all & ROLE_MAIN) != 0;
	context.has_entered = all & (ROLE_ENTRY | ROLE_MAIN);
	context.binds = all & ROLE_BINDS;
	if (all & ROLE_DLOPEN)
		context.dlopen = MODEL_DLOPEN_YES;
	else if (context.dlopen == MODEL_DLOPEN_UNKNOWN && context.is_complete)
		context.dlopen = MODEL_DLOPEN_NO;
	context.initializer = running_initializer(contexts, stack, 0, &context.initializer_frame);
	return context;
}

/** Note the calls that run initializers, and where PLT stubs enter the dynamic linker. */
static void learn(struct contexts *contexts, const struct model_stack *stack)
{
	for (uint32_t i = 0; i + 1 < stack->frame_count; i++) {
		uint32_t roles = roles_at(contexts, stack, i);
		uint32_t caller = roles_at(contexts, stack, i + 1);

		if (stack->frames[i + 1].has_vaddr &&
		    ((roles & ROLE_INITIALIZER) ? is_run_as_initializer(contexts, stack, i)
						: is_reached_by_jump(contexts, stack, i)))
			u64map_put(&contexts->init_calls, site_of(&stack->frames[i + 1]), NULL);
		if (role_is_loader(roles) && !role_is_loader(caller) &&
		    is_lazy_binding(contexts, stack, i))
			u64map_put(&contexts->trampolines, stack->frames[i].function, NULL);
	}
}

struct contexts *contexts_create(struct builder *builder, struct roles *roles)
{
	struct contexts *contexts = xcalloc(1, sizeof(*contexts));

	contexts->builder = builder;
	contexts->roles = roles;
	contexts->reach = initreach_create(builder);
	vec_foreach (stack, &builder->stacks)
		learn(contexts, stack);
	vec_reserve(&contexts->list, builder->stacks.count);
	vec_foreach (stack, &builder->stacks)
		vec_push(&contexts->list, read_stack(contexts, stack));
	return contexts;
}

void contexts_destroy(struct contexts *contexts)
{
	if (!contexts)
		return;
	vec_deinit(&contexts->list);
	u64map_deinit(&contexts->init_calls);
	u64map_deinit(&contexts->trampolines);
	initreach_destroy(contexts->reach);
	free(contexts);
}

const struct context *contexts_of(const struct contexts *contexts, uint32_t stack)
{
	return &contexts->list.items[stack];
}
