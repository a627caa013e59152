// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/role.h"

#include "base/symbolname.h"
#include "correlate/why/rolename.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/** Roles of one function, once asked for. */
struct known {
	uint32_t bits;
	uint32_t initializer;
	bool is_known;
};

struct roles {
	const struct rows *rows;
	const enum part *parts;
	VEC(struct known) known; // beside rows->functions
};

struct roles *roles_create(const struct rows *rows, const enum part *parts)
{
	struct roles *roles = xcalloc(1, sizeof(*roles));

	roles->rows = rows;
	roles->parts = parts;
	return roles;
}

void roles_destroy(struct roles *roles)
{
	if (!roles)
		return;
	vec_deinit(&roles->known);
	free(roles);
}

bool roles_start(const struct roles *roles, uint32_t function, uint64_t *ret_vaddr)
{
	const struct row_source *source = &roles->rows->function_sources.items[function];

	if (source->symbol)
		*ret_vaddr = source->symbol->vaddr;
	else if (source->entry.kind != ELFMAP_ENTRY_NONE)
		*ret_vaddr = source->entry.vaddr;
	else
		return false;
	return true;
}

bool role_is_nameless(const struct elfmap *map)
{
	const struct elfmap_info *info = elfmap_info(map);

	// A stripped library has no interpreter, and may have no soname either.
	return !info->interpreter && !info->soname && (info->type == ET_EXEC || info->static_pie) &&
	       info->symbols < ELFMAP_SYMBOLS_GO;
}

/** True if the file has initializers, finalizers or thread-local variables. */
static bool has_work_for_start(struct elfmap *map)
{
	size_t initializers, finalizers, segments;
	const struct elfmap_segment *items = elfmap_segments(map, &segments);

	elfmap_initializers_without_source(map, &initializers);
	elfmap_finalizers(map, &finalizers);
	for (size_t i = 0; i < segments; i++)
		if (items[i].type == PT_TLS)
			return true;
	return initializers > 0 || finalizers > 0;
}

bool roles_is_bare(const struct roles *roles, uint32_t object)
{
	struct elfmap *map =
		object == MODEL_NONE ? NULL : objects_opened(roles->rows->objects, object);
	const struct elfmap_info *info = map ? elfmap_info(map) : NULL;
	size_t sections, relocations;
	uint64_t main_vaddr;

	if (!map || roles->parts[object] != PART_PROGRAM || info->interpreter || info->soname ||
	    (info->type != ET_EXEC && !info->static_pie) || info->symbols == ELFMAP_SYMBOLS_GO)
		return false;
	elfmap_sections(map, &sections);
	elfmap_relocations(map, &relocations);
	return sections > 0 && relocations == 0 && !elfmap_main(map, &main_vaddr) &&
	       !has_work_for_start(map);
}

static uint32_t by_part(enum part part)
{
	switch (part) {
	case PART_PROGRAM:
		return ROLE_PROGRAM;
	case PART_LOADER:
		return ROLE_LOADER;
	case PART_LOADER_AND_LIBC:
		return ROLE_LOADER | ROLE_LIBC_LOADER;
	case PART_OTHER:
		break;
	}
	return 0;
}

/** True if main at @vaddr is Go's, which C's start calls where C's linker made the program. */
static bool is_start_of_go(struct elfmap *map, uint64_t vaddr)
{
	enum { JUMP_SIZE = 5 };
	struct range code = { vaddr, vaddr + JUMP_SIZE };
	struct elfmap_branch branch;
	const struct elfmap_symbol *target;

	if (!elfmap_branch_next(map, &code, &branch) || branch.is_call || !branch.has_vaddr)
		return false;
	target = elfmap_symbol_at(map, branch.vaddr);
	return target && rolename_is_go(target->name, "runtime.rt0_go");
}

static uint32_t by_address(struct roles *roles, uint32_t object, uint64_t vaddr,
			   uint32_t *ret_initializer)
{
	struct elfmap *map = objects_opened(roles->rows->objects, object);
	struct elfmap_role role = elfmap_role_at(map, vaddr);
	enum part part = roles->parts[object];
	uint32_t bits = 0;

	if ((role.bits & ELFMAP_ROLE_INITIALIZER) && object < roles->rows->object_rows.count) {
		const struct model_object *row = &roles->rows->object_rows.items[object];

		if (role.initializer < row->initializer_count) {
			bits |= ROLE_INITIALIZER;
			*ret_initializer = row->first_initializer + role.initializer;
		}
	}
	if (role.bits & ELFMAP_ROLE_FINALIZER)
		bits |= ROLE_FINALIZER;
	if (role.bits & ELFMAP_ROLE_RESOLVER)
		bits |= ROLE_RESOLVER;
	if (part == PART_PROGRAM && (role.bits & ELFMAP_ROLE_ENTRY))
		bits |= ROLE_ENTRY;
	if (part == PART_PROGRAM && (role.bits & ELFMAP_ROLE_MAIN))
		bits |= is_start_of_go(map, vaddr) ? ROLE_ENTRY : ROLE_MAIN;
	return bits;
}

/** The length of @name without what a compiler calls a part or copy of it by; 0: it is neither. */
static size_t original_length(const char *name)
{
	size_t length = symbolname_length(name);

	return name[length] ? length : 0;
}

static bool is_named_as(const struct elfmap_symbol *symbol, const char *name, size_t length)
{
	return symbol && strncmp(symbol->name, name, length) == 0 && !symbol->name[length];
}

/** True if @original's code jumps to @part. */
static bool is_jumped_to(struct elfmap *map, const struct elfmap_symbol *original,
			 const struct elfmap_symbol *part)
{
	const struct range code = { original->vaddr, original->vaddr + original->size };

	return elfmap_jumps_to(map, code, part->vaddr);
}

/** Return the roles that main.cold, construct.part.0 and the like have from their original. */
static uint32_t by_original(struct roles *roles, uint32_t object,
			    const struct elfmap_symbol *symbol, uint32_t *ret_initializer)
{
	struct elfmap *map = objects_opened(roles->rows->objects, object);
	size_t length = original_length(symbol->name), count;
	uint64_t main_vaddr;

	if (!length || symbol->binding != STB_LOCAL)
		return 0;
	// A program has one main, whoever calls its parts.
	if (roles->parts[object] == PART_PROGRAM && elfmap_main(map, &main_vaddr) &&
	    is_named_as(elfmap_symbol_at(map, main_vaddr), symbol->name, length))
		return ROLE_MAIN;
	// Several initializers may be called the same.
	const struct elfmap_initializer *initializers =
		elfmap_initializers_without_source(map, &count);
	for (size_t i = 0; i < count; i++)
		if (is_named_as(initializers[i].symbol, symbol->name, length) &&
		    is_jumped_to(map, initializers[i].symbol, symbol))
			return by_address(roles, object, initializers[i].vaddr, ret_initializer);
	return 0;
}

/** Return the roles that code shows in dynamic linkers, libc and the unwinder without names. */
static uint32_t by_code(struct roles *roles, uint32_t object, const struct elfmap_symbol *symbol)
{
	struct elfmap *map = objects_opened(roles->rows->objects, object);
	const struct range code = { symbol->vaddr, symbol->vaddr + symbol->size };

	if (by_part(roles->parts[object]) & ROLE_LOADER)
		return elfmap_hashes_names(map, code) ? ROLE_HASHES_NAMES : 0;
	if (roles->parts[object] != PART_PROGRAM || !role_is_nameless(map))
		return 0;
	return (elfmap_leaves_by_eh_return(map, code.start) ? ROLE_UNWIND : 0) |
	       (elfmap_sets_thread_pointer(map, code) ? ROLE_THREAD_POINTER : 0) |
	       (elfmap_makes_threads(map, code) ? ROLE_MAKES_THREADS : 0);
}

static struct known find(struct roles *roles, uint32_t function)
{
	const struct model_function *row = &roles->rows->functions.items[function];
	const struct row_source *source = &roles->rows->function_sources.items[function];
	struct elfmap *map = objects_opened(roles->rows->objects, row->object);
	struct known known = { .initializer = MODEL_NONE, .is_known = true };
	uint64_t vaddr;

	known.bits = by_part(roles->parts[row->object]);
	if (!map)
		return known;
	if (roles_start(roles, function, &vaddr))
		known.bits |= by_address(roles, row->object, vaddr, &known.initializer);
	if (source->symbol) {
		known.bits |= rolename_bits(map, roles->parts[row->object], source->symbol);
		known.bits |= rolename_go_bits(source->symbol, known.bits & ROLE_PROGRAM);
		known.bits |= by_code(roles, row->object, source->symbol);
		known.bits |= by_original(roles, row->object, source->symbol, &known.initializer);
	}
	return known;
}

static const struct known *look_up(struct roles *roles, uint32_t function)
{
	while (roles->known.count <= function)
		vec_push(&roles->known, (struct known){ 0 });
	struct known *known = &roles->known.items[function];
	if (!known->is_known)
		*known = find(roles, function);
	return known;
}

bool roles_is_entry(const struct roles *roles, const struct model_frame *frame)
{
	enum { ENTRY_BYTES = 96 }; // more than any _start has before its call
	struct elfmap *map = frame->function == MODEL_NONE || !frame->has_vaddr
				     ? NULL
				     : objects_opened(roles->rows->objects, frame->object);

	return map && roles->parts[frame->object] == PART_PROGRAM &&
	       !roles->rows->function_sources.items[frame->function].symbol &&
	       frame->vaddr - elfmap_info(map)->entry < ENTRY_BYTES;
}

bool roles_is_libc(const struct roles *roles, uint32_t object)
{
	struct elfmap *map =
		object == MODEL_NONE ? NULL : objects_opened(roles->rows->objects, object);

	return map && rolename_is_libc(map, roles->parts[object]);
}

bool roles_is_exit(const struct roles *roles, uint32_t object, const struct elfmap_symbol *symbol)
{
	return rolename_bits(objects_opened(roles->rows->objects, object), roles->parts[object],
			     symbol) &
	       ROLE_EXIT;
}

void roles_learn_threads(struct roles *roles, const struct process_program *programs,
			 const struct all_faults *faults)
{
	vec_foreach (fault, &faults->list) {
		const struct model_thread *thread = &roles->rows->threads.items[fault->thread];

		if (fault->stack == MODEL_NONE ||
		    (thread->tid == thread->pid && programs[thread->program].parent == UINT32_MAX))
			continue;
		const struct model_stack *stack = &roles->rows->stacks.items[fault->stack];
		// One that only could not be followed any further does not begin there.
		if (!stack->is_complete || stack->frame_count < 2)
			continue;
		const struct model_frame *outermost = stack->frames[stack->frame_count - 1];
		uint64_t start;
		// All code without a name of one object is one row.
		if (outermost->function == MODEL_NONE || !roles_is_libc(roles, outermost->object) ||
		    !roles_start(roles, outermost->function, &start))
			continue;
		look_up(roles, outermost->function);
		roles->known.items[outermost->function].bits |= ROLE_THREAD;
	}
}

void roles_learn_exit(struct roles *roles, uint32_t object, uint64_t vaddr)
{
	for (size_t i = 0; i < roles->rows->functions.count; i++) {
		uint32_t function = (uint32_t)i; // a frame's function is 32 bits wide
		uint64_t start;

		if (roles->rows->functions.items[i].object == object &&
		    roles_start(roles, function, &start) && start == vaddr) {
			look_up(roles, function);
			roles->known.items[function].bits |= ROLE_EXIT;
		}
	}
}

uint32_t roles_of(struct roles *roles, uint32_t function)
{
	return function == MODEL_NONE ? 0 : look_up(roles, function)->bits;
}

uint32_t roles_initializer(struct roles *roles, uint32_t function)
{
	return function == MODEL_NONE ? MODEL_NONE : look_up(roles, function)->initializer;
}
