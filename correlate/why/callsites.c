// SPDX-License-Identifier: Apache-2.0
// Places of calls that start a program's life: what they call, by their code and by what stacks
// showed.
#include "correlate/why/frame.h"

#include "base/key.h"
#include "base/u64map.h"
#include "correlate/why/role.h"
#include "correlate/why/rolename.h"

#include <stdlib.h>

enum { WAS_READ = 1 << 31 }; // beside enum callsite

struct callsites {
	const struct objects *objects;
	const struct roles *roles;
	struct u64map bits; // by place
};

static struct elfmap *map_of(const struct callsites *callsites, const struct model_frame *frame)
{
	return frame->has_vaddr ? objects_opened(callsites->objects, frame->object) : NULL;
}

/** True if @branch goes to exit, as far as its file says: a static one may have no names. */
static bool goes_to_exit(const struct callsites *callsites, uint32_t object,
			 const struct elfmap_branch *branch)
{
	struct elfmap *map = objects_opened(callsites->objects, object);
	const struct elfmap_symbol *symbol;

	if (branch->name)
		return rolename_is_exit(branch->name);
	if (!branch->has_vaddr)
		return false;
	if (role_is_nameless(map))
		return true;
	symbol = elfmap_symbol_at(map, branch->vaddr);
	return symbol && symbol->vaddr == branch->vaddr &&
	       roles_is_exit(callsites->roles, object, symbol);
}

/** Classify the call by its code. */
static uint32_t read_code(const struct callsites *callsites, struct elfmap *map,
			  const struct model_frame *frame)
{
	const uint64_t vaddr = frame->vaddr;
	struct elfmap_branch next;
	uint32_t bits = 0;

	if (elfmap_calls_by_pointer(map, vaddr))
		bits |= CALLSITE_ARRAY;
	if (elfmap_result_passed_to(map, vaddr, &next) &&
	    goes_to_exit(callsites, frame->object, &next))
		bits |= CALLSITE_MAIN;
	return bits;
}

static uint32_t *look_up(struct callsites *callsites, struct elfmap *map,
			 const struct model_frame *frame)
{
	uint32_t *bits = u64map_put(&callsites->bits, key_of(frame->object, frame->vaddr), NULL);

	if (!*bits)
		*bits = WAS_READ | read_code(callsites, map, frame);
	return bits;
}

uint32_t callsites_of(struct callsites *callsites, const struct model_frame *frame)
{
	struct elfmap *map = map_of(callsites, frame);

	return map ? *look_up(callsites, map, frame) : 0;
}

void callsites_add(struct callsites *callsites, const struct model_frame *frame, uint32_t bits)
{
	struct elfmap *map = map_of(callsites, frame);

	if (map)
		*look_up(callsites, map, frame) |= bits;
}

bool callsites_exit(const struct callsites *callsites, const struct model_frame *frame,
		    uint64_t *ret_vaddr)
{
	struct elfmap *map = map_of(callsites, frame);
	struct elfmap_branch next;

	if (!map || !elfmap_result_passed_to(map, frame->vaddr, &next) || !next.has_vaddr)
		return false;
	*ret_vaddr = next.vaddr;
	return true;
}

struct callsites *callsites_create(const struct objects *objects, const struct roles *roles)
{
	struct callsites *callsites = xcalloc(1, sizeof(*callsites));

	callsites->objects = objects;
	callsites->roles = roles;
	return callsites;
}

void callsites_destroy(struct callsites *callsites)
{
	if (!callsites)
		return;
	u64map_deinit(&callsites->bits);
	free(callsites);
}
