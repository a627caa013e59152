// SPDX-License-Identifier: Apache-2.0
#include "correlate/frame.h"

#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct frames {
	const struct rows *rows;
	struct roles *roles;
	struct initreach *reach;
	struct u64map init_calls;  // call sites that run initializers
	struct u64map trampolines; // functions of the dynamic linker that PLT stubs jump to
};

uint32_t frames_roles(const struct frames *frames, const struct model_stack *stack, uint32_t at)
{
	return at < stack->frame_count ? roles_of(frames->roles, stack->frames[at].function) : 0;
}

uint32_t frame_roles_at(const struct frame *frame, uint32_t at)
{
	return frames_roles(frame->frames, frame->stack, at);
}

static const struct model_frame *self(const struct frame *frame)
{
	return &frame->stack->frames[frame->at];
}

/** Whether it has no caller on the stack. */
static bool is_last(const struct frame *frame)
{
	return frame->at + 1 == frame->stack->frame_count;
}

bool frame_is_outermost(const struct frame *frame)
{
	return is_last(frame) && !frame->stack->is_truncated;
}

/** Identity of the place of a call. */
static uint64_t site_of(const struct model_frame *frame)
{
	const uint64_t parts[] = { frame->object, frame->vaddr };

	return XXH3_64bits(parts, sizeof(parts));
}

bool frame_is_run_by_init_call(const struct frame *frame)
{
	const struct model_frame *caller = self(frame) + 1;

	return !is_last(frame) && caller->has_vaddr &&
	       u64map_get(&frame->frames->init_calls, site_of(caller));
}

uint32_t frame_roles_outwards(const struct frame *frame, uint32_t first, uint32_t until)
{
	uint32_t all = 0;

	for (uint32_t i = first; i < frame->stack->frame_count && !(all & until); i++)
		all |= frame_roles_at(frame, i);
	return all;
}

uint32_t frame_initializer(const struct frame *frame)
{
	return roles_initializer(frame->frames->roles, self(frame)->function);
}

static bool is_dot_init(const struct frame *frame)
{
	uint32_t initializer = frame_initializer(frame);

	return initializer != MODEL_NONE &&
	       strcmp(frame->frames->rows->initializers.items[initializer].array, ".init") == 0;
}

bool frame_is_run_as_initializer(const struct frame *frame)
{
	uint32_t caller = frame_roles_at(frame, frame->at + 1);

	if (role_is_loader(caller))
		return true;
	// .init has no unwinding data, and no name that anyone could call it by.
	if (is_last(frame))
		return !frame->stack->is_truncated && is_dot_init(frame);
	// libc runs those of the program, or all: before main, or within dlopen.
	uint32_t outwards =
		frame_roles_outwards(frame, frame->at + 1, ROLE_MAIN | ROLE_DLOPEN | ROLE_ENTRY);
	if (outwards & ROLE_DLOPEN)
		return caller & ROLE_LOADER;
	if (outwards & ROLE_MAIN)
		return false;
	return (outwards & ROLE_ENTRY) || (caller & ROLE_LOADER);
}

static bool is_static_without_symbols(const struct frame *frame)
{
	struct elfmap *map = objects_opened(frame->frames->rows->objects, self(frame)->object);

	return map && !elfmap_info(map)->interpreter &&
	       elfmap_info(map)->symbols < ELFMAP_SYMBOLS_DEBUG_FILE;
}

bool frame_is_run_as_finalizer(const struct frame *frame)
{
	const struct model_stack *stack = frame->stack;
	uint32_t caller = frame_roles_at(frame, frame->at + 1);

	if (role_is_loader(caller))
		return true;
	// .fini has no unwinding data.
	if (is_last(frame))
		return !stack->is_truncated;
	// Code of libc without unwinding data: nobody else calls it there.
	if (frame->at + 2 == stack->frame_count && (caller & ROLE_LIBC_LOADER) &&
	    !stack->is_truncated)
		return true;
	uint32_t outwards = frame_roles_outwards(frame, frame->at + 1, ROLE_MAIN | ROLE_ENTRY);
	if (outwards & (ROLE_EXIT | ROLE_LINKER_CALL))
		return true;
	// exit() has no name there.
	return is_static_without_symbols(frame);
}

/** Whether initializers lead to @function this way; *@ret_initializer: the only one that does. */
static bool is_led_to(const struct frames *frames, uint32_t function, enum initreach_way way,
		      uint32_t *ret_initializer)
{
	uint64_t vaddr;

	return roles_start(frames->roles, function, &vaddr) &&
	       initreach_find(frames->reach, frames->rows->functions.items[function].object, vaddr,
			      way, ret_initializer);
}

uint32_t frame_initializer_leading(const struct frame *frame, enum initreach_way way)
{
	uint32_t initializer;

	return is_led_to(frame->frames, self(frame)->function, way, &initializer) ? initializer
										  : MODEL_NONE;
}

/**
 * Whether an initializer that the dynamic linker called jumped to its function, which is of the
 * same file: it calls functions of others by itself.
 */
static bool is_reached_by_jump(const struct frame *frame)
{
	uint32_t function = self(frame)->function, outwards, initializer;

	if (!role_is_loader(frame_roles_at(frame, frame->at + 1)) || role_is_loader(frame->roles) ||
	    (frame->roles & (ROLE_MAIN | ROLE_RESOLVER | ROLE_FINALIZER | ROLE_ALLOCATES)) ||
	    function == MODEL_NONE ||
	    !is_led_to(frame->frames, function, INITREACH_JUMP_WITHIN, &initializer))
		return false;
	// A finalizer may end by a jump to it, too.
	outwards = frame_roles_outwards(frame, frame->at + 1,
					ROLE_EXIT | ROLE_LINKER_CALL | ROLE_DLOPEN);
	return !(outwards & (ROLE_EXIT | ROLE_LINKER_CALL));
}

bool frame_continues_main(const struct frame *frame)
{
	uint32_t outwards = frame_roles_outwards(frame, frame->at + 1, ROLE_ENTRY);
	uint64_t start, main_vaddr;

	if (!(outwards & ROLE_ENTRY) ||
	    (outwards & (ROLE_MAIN | ROLE_INITIALIZER | ROLE_EXIT | ROLE_PART_OF_INIT)))
		return false;
	struct elfmap *map = objects_opened(frame->frames->rows->objects, self(frame)->object);
	if (!elfmap_main(map, &main_vaddr) ||
	    !roles_start(frame->frames->roles, self(frame)->function, &start))
		return false;
	const struct elfmap_symbol *symbol = elfmap_symbol_at(map, main_vaddr);
	if (!symbol || symbol->vaddr != main_vaddr)
		return false;
	const struct range code = { main_vaddr, main_vaddr + symbol->size };
	return elfmap_jumps_to(map, code, start);
}

/** Whether the call in @frame goes to a PLT stub. */
static bool calls_plt(const struct frames *frames, const struct model_frame *frame)
{
	struct elfmap *map = frame->object == MODEL_NONE || !frame->has_vaddr
				     ? NULL
				     : objects_opened(frames->rows->objects, frame->object);
	struct elfmap_place place;
	uint64_t target;

	if (!map || !elfmap_call_target(map, frame->vaddr, &target))
		return false;
	elfmap_locate(map, target, &place);
	return place.entry.kind == ELFMAP_ENTRY_PLT || strncmp(place.section_name, ".plt", 4) == 0;
}

/** Whether the dynamic linker's frames up to @last were entered to bind a PLT entry. */
static bool is_lazy_binding(const struct frames *frames, const struct model_stack *stack,
			    uint32_t last)
{
	uint32_t function = stack->frames[last].function;

	// What it exports is called through PLT entries as well.
	if (function == MODEL_NONE || (roles_of(frames->roles, function) & ROLE_EXPORTED))
		return false;
	if (u64map_get(&frames->trampolines, function))
		return true;
	return last + 1 < stack->frame_count && calls_plt(frames, &stack->frames[last + 1]);
}

bool frame_binds_lazily(const struct frame *frame)
{
	return is_lazy_binding(frame->frames, frame->stack, frame->run_end - 1);
}

struct frame frames_at(const struct frames *frames, const struct model_stack *stack, uint32_t at,
		       bool with_run)
{
	struct frame frame = {
		.frames = frames,
		.stack = stack,
		.at = at,
		.roles = frames_roles(frames, stack, at),
		.run_end = at,
	};
	uint32_t roles = frame.roles;

	while (with_run && role_is_loader(roles)) {
		frame.run_roles |= roles;
		roles = frames_roles(frames, stack, ++frame.run_end);
	}
	return frame;
}

/** Note the calls that run initializers, and where PLT stubs enter the dynamic linker. */
static void learn(struct frames *frames, const struct model_stack *stack)
{
	for (uint32_t i = 0; i + 1 < stack->frame_count; i++) {
		const struct frame frame = frames_at(frames, stack, i, false);
		const struct model_frame *caller = &stack->frames[i + 1];

		if (caller->has_vaddr &&
		    ((frame.roles & ROLE_INITIALIZER) ? frame_is_run_as_initializer(&frame)
						      : is_reached_by_jump(&frame)))
			u64map_put(&frames->init_calls, site_of(caller), NULL);
		if (role_is_loader(frame.roles) &&
		    !role_is_loader(frames_roles(frames, stack, i + 1)) &&
		    is_lazy_binding(frames, stack, i))
			u64map_put(&frames->trampolines, stack->frames[i].function, NULL);
	}
}

struct frames *frames_learn(const struct rows *rows, struct roles *roles)
{
	struct frames *frames = xcalloc(1, sizeof(*frames));

	frames->rows = rows;
	frames->roles = roles;
	frames->reach = initreach_create(rows);
	vec_foreach (stack, &rows->stacks)
		learn(frames, stack);
	return frames;
}

void frames_destroy(struct frames *frames)
{
	if (!frames)
		return;
	u64map_deinit(&frames->init_calls);
	u64map_deinit(&frames->trampolines);
	initreach_destroy(frames->reach);
	free(frames);
}
