// SPDX-License-Identifier: Apache-2.0
// Address spaces for tests: mappings are made by hand.
#pragma once

#include "correlate/replay/aspace.h"
#include "tests/support/test.h"

/** The address space of a test, and what it is made of. */
static struct {
	struct arena arena;
	struct notes notes;
	struct objects *objects;
	struct aspace *aspace;
} space;

/** For before each test. */
static inline int space_begin(void **state)
{
	memset(&space, 0, sizeof(space));
	space.objects = objects_create(NULL, NULL, NULL, &space.notes);
	space.aspace = aspace_create(&space.arena, space.objects, 4096);
	return 0;
}

/** For after each test. */
static inline int space_end(void **state)
{
	aspace_destroy(space.aspace);
	objects_destroy(space.objects);
	arena_deinit(&space.arena);
	notes_deinit(&space.notes);
	return 0;
}

static inline struct trace_mapping *mapping(uint64_t addr, uint64_t size, const char *path,
					    uint64_t offset)
{
	struct trace_mapping *made = arena_alloc(&space.arena, sizeof(*made));

	*made = (struct trace_mapping){
		.addr = addr, .size = size, .path = path, .offset = offset
	};
	return made;
}

static inline uint64_t vaddr_at(uint64_t addr)
{
	struct aspace_place place;

	assert_true(aspace_find(space.aspace, addr, &place));
	assert_true(place.has_vaddr);
	return place.vaddr;
}
