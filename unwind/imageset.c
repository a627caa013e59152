// SPDX-License-Identifier: Apache-2.0
// Owns the replay: tasks, mappings and stacks merged by time into one view of each process, and the
// sets of modules that come of it.
#include "unwind/imageset.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/range.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/** Mappings of one process at the time that the replay has reached. */
struct view {
	uint32_t pid;
	uint32_t epoch;	       // of the set under way
	VEC(uint32_t) modules; // into imagesets.modules, unordered, not overlapping
	UT_hash_handle hh;
};

/** (image, bias) -> index in imagesets.modules. */
struct module_entry {
	struct {
		const struct image *image;
		uint64_t bias;
		uint64_t start; // tells unusable images apart, which have no bias
	} key;
	uint32_t index;
	UT_hash_handle hh;
};

/** Equal lists of modules -> index in imagesets.sets. */
struct set_entry {
	uint32_t index;
	UT_hash_handle hh;
};

/** A stack in the order of time. */
struct timed_stack {
	uint64_t time_ns;
	uint32_t stack;
	uint32_t pid;
	bool is_32bit;
};

struct replay {
	struct imagesets *out;
	struct images *images;
	struct view *views;
	struct module_entry *modules;
	struct set_entry *sets;
	VEC(uint32_t) epoch_sets; // [epoch]: index in out->sets, known when the epoch is closed
};

static uint32_t epoch_open(struct replay *replay)
{
	// Bounded by the events, whose number fits: each takes more than one byte of memory.
	uint32_t epoch = (uint32_t)replay->epoch_sets.count;

	vec_push(&replay->epoch_sets, 0);
	return epoch;
}

static struct view *view_find(struct replay *replay, uint32_t pid)
{
	struct view *view = NULL;

	HASH_FIND(hh, replay->views, &pid, sizeof(pid), view);
	return view;
}

static struct view *view_get(struct replay *replay, uint32_t pid)
{
	struct view *view = view_find(replay, pid);

	if (!view) {
		view = xcalloc(1, sizeof(*view));
		view->pid = pid;
		view->epoch = epoch_open(replay);
		HASH_ADD(hh, replay->views, pid, sizeof(view->pid), view);
	}
	return view;
}

/** Make the modules of @view a set, or find the equal one, and give it to the epoch. */
static void epoch_close(struct replay *replay, struct view *view)
{
	struct imagesets *out = replay->out;
	struct set_entry *entry = NULL;
	size_t size = view->modules.count * sizeof(*view->modules.items);

	// One order for equal contents. An empty key would be no key: add what every set begins
	// with.
	vec_sort(&view->modules, order_u32);

	const void *key = view->modules.count ? (const void *)view->modules.items : "";
	size_t key_size = size ? size : 1;

	HASH_FIND(hh, replay->sets, key, key_size, entry);
	if (!entry) {
		struct imageset set = {
			.modules = xcalloc(1, key_size),
			// Fewer than modules, which are numbered in 32 bits.
			.module_count = (uint32_t)view->modules.count,
		};

		if (size)
			memcpy(set.modules, view->modules.items, size);
		entry = xcalloc(1, sizeof(*entry));
		entry->index = (uint32_t)out->sets.count;
		vec_push(&out->sets, set);
		HASH_ADD_KEYPTR(hh, replay->sets, set.modules, key_size, entry);
	}
	replay->epoch_sets.items[view->epoch] = entry->index;
}

static void view_clear(struct replay *replay, struct view *view)
{
	epoch_close(replay, view);
	view->modules.count = 0;
	view->epoch = epoch_open(replay);
}

static uint32_t module_intern(struct replay *replay, const struct module *module)
{
	struct module_entry *entry = NULL, wanted = { 0 };

	wanted.key.image = module->image;
	wanted.key.bias = module->bias;
	wanted.key.start = module->start;
	// NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it is set
	HASH_FIND(hh, replay->modules, &wanted.key, sizeof(wanted.key), entry);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		entry->key = wanted.key;
		entry->index = (uint32_t)replay->out->modules.count;
		vec_push(&replay->out->modules, *module);
		HASH_ADD(hh, replay->modules, key, sizeof(entry->key), entry);
	}
	return entry->index;
}

/**
 * Take out of @view every module that @range collides with, but @keep. @by_code: only modules with
 * code there; data next to code, as in a .bss that is executable, takes nothing away.
 */
static void evict(struct replay *replay, struct view *view, struct range range, bool by_code)
{
	bool closed = false;

	for (size_t i = 0; i < view->modules.count;) {
		const struct module *module = &replay->out->modules.items[view->modules.items[i]];
		bool collides = by_code ? module_has_code_in(module, range.start, range.end)
					: range_overlaps(range, (struct range){ module->start,
										module->end });

		if (!collides) {
			i++;
			continue;
		}
		if (!closed) {
			// Sorts the list: begin again.
			epoch_close(replay, view);
			view->epoch = epoch_open(replay);
			closed = true;
			i = 0;
			continue;
		}
		view->modules.items[i] = view->modules.items[--view->modules.count];
	}
}

/** True if anonymous memory at @range is within one module's code: a copy of it at its own address.
 */
static bool is_copy_of_code(const struct replay *replay, const struct view *view,
			    struct range range)
{
	vec_foreach (index, &view->modules) {
		const struct module *module = &replay->out->modules.items[*index];

		if (range.start >= module->start && range.end <= module->end &&
		    module_has_code_in(module, range.start, range.end))
			return true;
	}
	return false;
}

/**
 * True if @added is between the segments of a module: the kernel leaves a static PIE so much room
 * that it may map the vdso there. libdwfl cannot have both.
 */
static bool is_amid_module(const struct replay *replay, const struct view *view,
			   const struct module *added)
{
	vec_foreach (index, &view->modules) {
		const struct module *module = &replay->out->modules.items[*index];

		if (added->start >= module->start && added->end <= module->end &&
		    !module_has_code_in(module, added->start, added->end))
			return true;
	}
	return false;
}

static void replay_mapping(struct replay *replay, const struct trace_mapping *mapping)
{
	struct view *view = view_get(replay, mapping->pid);
	struct range range = { mapping->addr, mapping->addr + mapping->size };
	struct module module;

	// Code is found by its executable mapping; the others cannot hold a pc.
	if (!(mapping->protection & TRACE_PROTECTION_EXEC) || range.end <= range.start)
		return;
	if (!mapping->path || (mapping->path[0] != '/' && strcmp(mapping->path, "[vdso]")) ||
	    !strncmp(mapping->path, "//", 2)) {
		if (!is_copy_of_code(replay, view, range))
			evict(replay, view, range, true);
		return;
	}
	if (!image_place(images_find(replay->images, mapping), mapping, &module)) {
		evict(replay, view, range, true);
		return;
	}

	if (module.image->is_vdso && is_amid_module(replay, view, &module))
		return;

	uint32_t index = module_intern(replay, &module);

	for (size_t i = 0; i < view->modules.count; i++)
		if (view->modules.items[i] == index)
			return;
	evict(replay, view, (struct range){ module.start, module.end }, false);
	vec_push(&view->modules, index);
}

static void replay_task(struct replay *replay, const struct trace_task *task)
{
	if (task->kind == TRACE_TASK_EXEC) {
		view_clear(replay, view_get(replay, task->pid));
		return;
	}
	if (task->kind != TRACE_TASK_FORK || task->pid == task->parent_pid)
		return;

	// A pid that is used again begins with what its new parent has.
	struct view *child = view_get(replay, task->pid);
	const struct view *parent = view_find(replay, task->parent_pid);

	view_clear(replay, child);
	for (size_t i = 0; parent && i < parent->modules.count; i++)
		vec_push(&child->modules, parent->modules.items[i]);
}

ORDER_OF(compare_times, timed_stack, ORDER(x->time_ns, y->time_ns) ?: ORDER(x->stack, y->stack))

ORDER_OF(compare_sets, imageset_stack, ORDER(x->set, y->set) ?: ORDER(x->is_32bit, y->is_32bit) ?:
	 ORDER(x->stack, y->stack))

static struct timed_stack *stacks_by_time(const struct stackspool *spool)
{
	uint32_t count = stackspool_count(spool);
	struct timed_stack *stacks = xcalloc(count, sizeof(*stacks));

	for (uint32_t i = 0; i < count; i++) {
		struct raw_stack raw;

		stackspool_get(spool, i + 1, &raw);
		stacks[i] = (struct timed_stack){
			.time_ns = raw.time_ns,
			.stack = i + 1,
			.pid = raw.pid,
			.is_32bit = raw.is_32bit,
		};
	}
	qsort(stacks, count, sizeof(*stacks), compare_times);
	return stacks;
}

static void replay_deinit(struct replay *replay)
{
	struct module_entry *module, *next_module;
	struct set_entry *set, *next_set;
	struct view *view, *next_view;

	HASH_ITER (hh, replay->modules, module, next_module) {
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed with the last entry only
		HASH_DEL(replay->modules, module);
		free(module);
	}
	HASH_ITER (hh, replay->sets, set, next_set) {
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed with the last entry only
		HASH_DEL(replay->sets, set);
		free(set);
	}
	HASH_ITER (hh, replay->views, view, next_view) {
		// NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed with the last entry only
		HASH_DEL(replay->views, view);
		vec_deinit(&view->modules);
		free(view);
	}
	vec_deinit(&replay->epoch_sets);
}

void imagesets_build(struct imagesets *sets, struct images *images,
		     const struct unwind_input *input)
{
	CLEANUP(replay_deinit) struct replay replay = { .out = sets, .images = images };

	images->identities = input->files;
	images->fds = input->fds;
	images->identity_count = input->file_count;
	struct timed_stack *stacks = stacks_by_time(input->spool);
	uint32_t count = stackspool_count(input->spool);
	size_t task = 0, mapping = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t now = stacks[i].time_ns;

		// Of one moment, tasks come first: an exec, then what the new program maps.
		for (;;) {
			bool has_task =
				task < input->task_count && input->tasks[task].time_ns <= now;
			bool has_mapping = mapping < input->mapping_count &&
					   input->mappings[mapping].time_ns <= now;

			if (has_task && (!has_mapping || input->tasks[task].time_ns <=
								 input->mappings[mapping].time_ns))
				replay_task(&replay, &input->tasks[task++]);
			else if (has_mapping)
				replay_mapping(&replay, &input->mappings[mapping++]);
			else
				break;
		}
		vec_push(&sets->stacks, (struct imageset_stack){
						.stack = stacks[i].stack,
						.set = view_get(&replay, stacks[i].pid)->epoch,
						.is_32bit = stacks[i].is_32bit,
					});
	}
	free(stacks);

	for (struct view *view = replay.views; view; view = view->hh.next)
		epoch_close(&replay, view);
	vec_foreach (stack, &sets->stacks)
		// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): views have epochs
		stack->set = replay.epoch_sets.items[stack->set];
	vec_sort(&sets->stacks, compare_sets);
}

const struct module *imageset_module_at(const struct imagesets *sets, const struct imageset *set,
					uint64_t addr)
{
	for (uint32_t i = 0; i < set->module_count; i++) {
		const struct module *module = &sets->modules.items[set->modules[i]];

		if (addr >= module->start && addr < module->end)
			return module;
	}
	return NULL;
}

void imagesets_deinit(struct imagesets *sets)
{
	vec_foreach (set, &sets->sets)
		free(set->modules);
	vec_deinit(&sets->sets);
	vec_deinit(&sets->modules);
	vec_deinit(&sets->stacks);
}
