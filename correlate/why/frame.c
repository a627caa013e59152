// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/frame.h"

#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>

/**
 * At most there are so many frames around main, and so many of them in a program that is libc too:
 * __libc_start_call_main, __libc_start_main, _start.
 */
enum { START_FRAMES = 6, OWN_START_FRAMES = 3 };

struct frames {
	const struct rows *rows;
	struct roles *roles;
	struct initreach *reach;
	struct callsites *calls;
	struct u64map trampolines; // functions of the dynamic linker that PLT stubs jump to
};

static uint32_t function_roles(const struct frames *frames, const struct model_stack *stack,
			       uint32_t at)
{
	if (at >= stack->frame_count)
		return 0;
	if (at + 1 == stack->frame_count && stack->is_complete &&
	    roles_is_entry(frames->roles, stack->frames[at]))
		return ROLE_PROGRAM | ROLE_ENTRY;
	return roles_of(frames->roles, stack->frames[at]->function);
}

/**
 * True if frame @at called main, which is running then: also where main has left the stack by a
 * jump. libc's own code does nothing else of the kind. In a program it has to be near the entry
 * point: what an initializer calls may look alike.
 */
static bool calls_main(const struct frames *frames, const struct model_stack *stack, uint32_t at)
{
	const struct model_frame *frame = stack->frames[at];
	uint32_t outwards = 0;

	if (at == 0 || at + START_FRAMES < stack->frame_count ||
	    !(callsites_of(frames->calls, frame) & CALLSITE_MAIN))
		return false;
	// The main of C's start is no more than a part of Go's.
	if (function_roles(frames, stack, at - 1) & ROLE_ENTRY)
		return false;
	if (roles_is_libc(frames->roles, frame->object))
		return true;
	if (at + OWN_START_FRAMES < stack->frame_count)
		return false;
	for (uint32_t i = at; i < stack->frame_count; i++)
		outwards |= function_roles(frames, stack, i);
	return (outwards & ROLE_ENTRY) &&
	       !(outwards & (ROLE_INITIALIZER | ROLE_EXIT | ROLE_PART_OF_INIT));
}

uint32_t frames_roles(const struct frames *frames, const struct model_stack *stack, uint32_t at)
{
	uint32_t roles = function_roles(frames, stack, at);

	return at < stack->frame_count && calls_main(frames, stack, at)
		       ? roles | ROLE_MAIN | ROLE_MAIN_CALL
		       : roles;
}

uint32_t frame_roles_at(const struct frame *frame, uint32_t at)
{
	return frames_roles(frame->frames, frame->stack, at);
}

static const struct model_frame *self(const struct frame *frame)
{
	return frame->stack->frames[frame->at];
}

/** The frame that called it, which there must be. */
static const struct model_frame *caller_of(const struct frame *frame)
{
	return frame->stack->frames[frame->at + 1];
}

/** True if it has no caller on the stack. */
static bool is_last(const struct frame *frame)
{
	return frame->at + 1 == frame->stack->frame_count;
}

bool frame_is_outermost(const struct frame *frame)
{
	return is_last(frame) && !frame->stack->is_truncated;
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

static bool is_of_array(const struct frame *frame, const char *array)
{
	uint32_t initializer = frame_initializer(frame);

	return initializer != MODEL_NONE &&
	       strcmp(frame->frames->rows->initializers.items[initializer].array, array) == 0;
}

bool frame_is_run_as_initializer(const struct frame *frame)
{
	uint32_t caller = frame_roles_at(frame, frame->at + 1);

	if (role_is_loader(caller) || (caller & ROLE_RUNS_PACKAGES))
		return true;
	// Nothing but the language's runtime can call it.
	if (is_of_array(frame, "modules"))
		return true;
	// .init has no unwinding data, and no name that anyone could call it by.
	if (is_last(frame))
		return !frame->stack->is_truncated && is_of_array(frame, ".init");
	// libc runs those of the program, or all: before main, or within dlopen.
	uint32_t outwards =
		frame_roles_outwards(frame, frame->at + 1, ROLE_MAIN | ROLE_DLOPEN | ROLE_ENTRY);
	if (outwards & ROLE_DLOPEN)
		return caller & ROLE_LOADER;
	if (outwards & ROLE_MAIN)
		return false;
	return (outwards & ROLE_ENTRY) || (caller & ROLE_LOADER);
}

bool frame_is_run_as_finalizer(const struct frame *frame)
{
	const struct model_stack *stack = frame->stack;
	uint32_t caller = frame_roles_at(frame, frame->at + 1);
	struct elfmap *map;

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
	map = objects_opened(frame->frames->rows->objects, self(frame)->object);
	return map && role_is_nameless(map);
}

bool frame_is_called_by_dlclose(const struct frame *frame)
{
	if (!role_is_loader(frame_roles_at(frame, frame->at + 1)) ||
	    roles_is_libc(frame->frames->roles, self(frame)->object))
		return false;
	uint32_t outwards = frame_roles_outwards(
		frame, frame->at + 1, ROLE_EXIT | ROLE_LINKER_CALL | ROLE_DLOPEN | ROLE_MAIN);

	return (outwards & ROLE_LINKER_CALL) && !(outwards & ROLE_BINDS);
}

/** True if the code of initializers leads to its function this way. */
static bool is_led_to(const struct frame *frame, enum initreach_way way)
{
	uint32_t function = self(frame)->function;
	uint64_t vaddr;

	return function != MODEL_NONE && roles_start(frame->frames->roles, function, &vaddr) &&
	       initreach_leads(frame->frames->reach,
			       frame->frames->rows->functions.items[function].object, vaddr, way);
}

void frame_find_leading(const struct frame *frame, enum initreach_way way,
			struct initreach_found *found)
{
	uint32_t function = self(frame)->function;
	uint64_t vaddr;

	found->list.count = 0;
	found->is_seen = false;
	if (function != MODEL_NONE && roles_start(frame->frames->roles, function, &vaddr))
		initreach_find(frame->frames->reach,
			       frame->frames->rows->functions.items[function].object, vaddr, way,
			       found);
}

/** True if what the dynamic linker's frames behind @frame run are finalizers. */
static bool is_finalizing(const struct frame *frame)
{
	uint32_t outwards = frame_roles_outwards(frame, frame->at + 1,
						 ROLE_EXIT | ROLE_LINKER_CALL | ROLE_DLOPEN);

	return outwards & (ROLE_EXIT | ROLE_LINKER_CALL);
}

/**
 * True if an initializer that the dynamic linker called jumped to its function, which is of the
 * same file: it calls functions of others by itself.
 */
static bool is_reached_by_jump(const struct frame *frame)
{
	// A finalizer may end by a jump to it, too.
	return role_is_loader(frame_roles_at(frame, frame->at + 1)) &&
	       !role_is_loader(frame->roles) &&
	       !(frame->roles & (ROLE_MAIN | ROLE_RESOLVER | ROLE_FINALIZER | ROLE_ALLOCATES)) &&
	       is_led_to(frame, INITREACH_JUMP_WITHIN) && !is_finalizing(frame);
}

/** True if a loop of libc's, or of the program's own start, is near its entry point. */
static bool is_called_by_start(const struct frame *frame)
{
	// musl 1.2: do_init_fini, libc_start_main_stage2, __libc_start_main, _start
	enum { LOOP_FRAMES = 4 };
	const struct model_stack *stack = frame->stack;
	uint32_t caller = frame->at + 1;

	for (uint32_t i = caller; i < stack->frame_count && i < caller + LOOP_FRAMES; i++) {
		const struct frame outer = frames_at(frame->frames, stack, i, false);

		if (outer.roles & (ROLE_MAIN | ROLE_EXIT))
			return false;
		// A program's code may have loops of its own; before main libc calls no other than
		// __libc_csu_init(), which programs had before glibc 2.34.
		if (outer.roles & ROLE_ENTRY)
			return !(frame_roles_at(frame, caller) & ROLE_PROGRAM) ||
			       (i > caller && roles_is_libc(frame->frames->roles,
							    stack->frames[caller + 1]->object)) ||
			       is_led_to(frame, INITREACH_JUMP);
		if (frame_is_run_by_init_call(&outer))
			return false;
	}
	return false;
}

bool frame_is_called_by_array(const struct frame *frame)
{
	return !is_last(frame) &&
	       (callsites_of(frame->frames->calls, caller_of(frame)) & CALLSITE_ARRAY);
}

/** True if a loop over an array called it that holds initializers. */
static bool is_called_by_loop(const struct frame *frame)
{
	uint32_t callers;

	if (!frame_is_called_by_array(frame))
		return false;
	callers = frame_roles_at(frame, frame->at + 1);
	if (role_is_loader(callers))
		return !role_is_loader(frame->roles) && !frame->stack->is_truncated &&
		       !is_finalizing(frame);
	return is_called_by_start(frame);
}

bool frame_is_run_by_init_call(const struct frame *frame)
{
	if (is_last(frame) || (frame->roles & (ROLE_MAIN | ROLE_RESOLVER)))
		return false;
	return (callsites_of(frame->frames->calls, caller_of(frame)) & CALLSITE_INITIALIZER) ||
	       is_called_by_loop(frame);
}

/** True if it is the innermost, or one of the frames around main in a program that is libc too. */
static bool is_in_start(const struct frame *frame)
{
	return frame->at == 0 || frame->at + OWN_START_FRAMES >= frame->stack->frame_count;
}

bool frame_is_behind_main(const struct frame *frame)
{
	enum { REACH = 7 }; // from the last byte of main's call to that of exit's
	// Code alone shows no more than that one call's result goes to another.
	const uint32_t wanted = frame->at == 0 ? CALLSITE_MAIN : CALLSITE_EXIT_KNOWN;
	struct model_frame call = *self(frame);
	uint64_t vaddr;

	if (!is_in_start(frame) || !(frame_roles_outwards(frame, 1, ROLE_ENTRY) & ROLE_ENTRY))
		return false;
	for (unsigned i = 0; i < REACH && call.vaddr-- > 0; i++)
		if (callsites_of(frame->frames->calls, &call) & wanted)
			return frame->at == 0 ||
			       callsites_exit(frame->frames->calls, &call, &vaddr);
	return false;
}

bool frame_is_bare_start(const struct frame *frame)
{
	return frame_is_outermost(frame) && frame->stack->is_complete &&
	       roles_is_bare(frame->frames->roles, self(frame)->object);
}

bool frame_is_bare_call(const struct frame *frame)
{
	return frame->at > 0 && frame_is_bare_start(frame);
}

/** True if the call in @frame goes to a PLT stub. */
static bool calls_plt(const struct frames *frames, const struct model_frame *frame)
{
	struct elfmap *map =
		frame->has_vaddr ? objects_opened(frames->rows->objects, frame->object) : NULL;
	struct elfmap_place place;
	uint64_t target;

	if (!map || !elfmap_call_target(map, frame->vaddr, &target))
		return false;
	elfmap_locate(map, target, &place);
	return place.entry.kind == ELFMAP_ENTRY_PLT || strncmp(place.section_name, ".plt", 4) == 0;
}

/** True if the dynamic linker's frames up to @last were entered to bind a PLT entry. */
static bool is_lazy_binding(const struct frames *frames, const struct model_stack *stack,
			    uint32_t last)
{
	uint32_t function = stack->frames[last]->function;

	// What it exports is called through PLT entries as well.
	if (function == MODEL_NONE || (roles_of(frames->roles, function) & ROLE_EXPORTED))
		return false;
	if (u64map_get(&frames->trampolines, function))
		return true;
	return last + 1 < stack->frame_count && calls_plt(frames, stack->frames[last + 1]);
}

bool frame_binds_lazily(const struct frame *frame)
{
	// A finalizer may have jumped there, so that what called it stands behind.
	for (uint32_t i = frame->at; i + 1 < frame->run_end; i++)
		if (u64map_get(&frame->frames->trampolines, frame->stack->frames[i]->function))
			return true;
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

/** Note the calls that run main, and what exit is where it has no name. */
static void learn_main(struct frames *frames, const struct model_stack *stack)
{
	uint32_t caller;
	uint64_t vaddr;

	for (uint32_t i = 1; i < stack->frame_count; i++) {
		const struct model_frame *frame = stack->frames[i];
		const struct frame called = { .frames = frames, .stack = stack, .at = i - 1 };

		// Called by hand it has another main further out.
		if ((function_roles(frames, stack, i - 1) & ROLE_MAIN) && frame->has_vaddr &&
		    !(frame_roles_outwards(&called, i, 0) & ROLE_MAIN))
			callsites_add(frames->calls, frame, CALLSITE_MAIN);
		if (!(frames_roles(frames, stack, i) & ROLE_MAIN_CALL))
			continue;
		caller = frame->object;
		if (!(callsites_of(frames->calls, frame) & CALLSITE_EXIT_KNOWN) &&
		    callsites_exit(frames->calls, frame, &vaddr))
			roles_learn_exit(frames->roles, caller, vaddr);
		callsites_add(frames->calls, frame, CALLSITE_EXIT_KNOWN);
	}
}

/** Note the calls that run initializers, and where PLT stubs enter the dynamic linker. */
static void learn(struct frames *frames, const struct model_stack *stack)
{
	for (uint32_t i = 0; i + 1 < stack->frame_count; i++) {
		const struct frame frame = frames_at(frames, stack, i, false);
		const struct model_frame *caller = stack->frames[i + 1];

		if (caller->has_vaddr &&
		    ((frame.roles & ROLE_INITIALIZER) ? frame_is_run_as_initializer(&frame)
						      : is_reached_by_jump(&frame)))
			callsites_add(frames->calls, caller, CALLSITE_INITIALIZER);
		if (role_is_loader(frame.roles) &&
		    !role_is_loader(frames_roles(frames, stack, i + 1)) &&
		    is_lazy_binding(frames, stack, i))
			u64map_put(&frames->trampolines, stack->frames[i]->function, NULL);
	}
}

struct frames *frames_learn(const struct rows *rows, struct roles *roles)
{
	struct frames *frames = xcalloc(1, sizeof(*frames));

	frames->rows = rows;
	frames->roles = roles;
	frames->reach = initreach_create(rows);
	frames->calls = callsites_create(rows->objects, roles);
	vec_foreach (stack, &rows->stacks)
		learn_main(frames, stack);
	vec_foreach (stack, &rows->stacks)
		learn(frames, stack);
	return frames;
}

void frames_destroy(struct frames *frames)
{
	if (!frames)
		return;
	callsites_destroy(frames->calls);
	u64map_deinit(&frames->trampolines);
	initreach_destroy(frames->reach);
	free(frames);
}
