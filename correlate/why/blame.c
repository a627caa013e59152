// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/blame.h"

#include "base/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** True if @name is @stem followed by ".so" and a version, or by a version and ".so". */
static bool is_library(const char *name, const char *stem)
{
	size_t length = strlen(stem);

	if (strncmp(name, stem, length) != 0)
		return false;
	name += length;
	if (name[0] == '-' && isdigit((unsigned char)name[1]))	 // libc-2.31.so, libgcc_s-12.so.1
		name += 1 + strspn(name + 1, "0123456789.") - 1; // back to the dot before "so"
	return strncmp(name, ".so", 3) == 0 && (name[3] == '\0' || name[3] == '.');
}

static bool is_runtime_name(const char *name)
{
	static const char *const libraries[] = {
		"libc",	    "libm",   "libmvec",   "libpthread", "libdl", "librt", "libstdc++",
		"libgcc_s", "libc++", "libc++abi", "libunwind",	 "ld",	  "ld64",
	};
	static const char *const linkers[] = {
		"ld-linux", "ld-musl-", "libc.musl-", "ld-uClibc", "ld64-uClibc",
	};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (is_library(name, libraries[i]))
			return true;
	for (size_t i = 0; i < sizeof(linkers) / sizeof(linkers[0]); i++)
		if (strncmp(name, linkers[i], strlen(linkers[i])) == 0)
			return true;
	return strcmp(name, "linker") == 0 || strcmp(name, "linker64") == 0; // bionic's
}

bool blame_is_runtime(const char *path, const char *soname)
{
	return is_runtime_name(path_file_name(path)) || (soname && is_runtime_name(soname));
}

/** True if code of object @id can be blamed: a file outside the runtime, or code made at run time.
 */
static bool can_be_blamed(const struct objects *objects, uint32_t id)
{
	size_t count;
	const struct object *object = &objects_all(objects, &count)[id];
	const struct elfmap *map = objects_opened(objects, id);

	if (!object->is_file)
		return strcmp(object->path, "[anon]") == 0;
	return !blame_is_runtime(object->path, map ? elfmap_info(map)->soname : NULL);
}

struct blame {
	const struct rows *rows;
	bool *can_be;	    // by object
	uint32_t *of_stack; // its frame that has the function, MODEL_NONE: none
};

static uint32_t frame_to_blame(const struct model_stack *stack, const bool *can_be)
{
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		const struct model_frame *frame = stack->frames[i];

		if (frame->object != MODEL_NONE && can_be[frame->object])
			return i;
	}
	return MODEL_NONE;
}

struct blame *blame_learn(const struct rows *rows)
{
	struct blame *blame = xcalloc(1, sizeof(*blame));
	size_t object_count;

	objects_all(rows->objects, &object_count);
	blame->rows = rows;
	blame->can_be = xcalloc(object_count + 1, sizeof(*blame->can_be));
	blame->of_stack = xcalloc(rows->stacks.count + 1, sizeof(*blame->of_stack));
	for (size_t i = 0; i < object_count; i++)
		blame->can_be[i] = can_be_blamed(rows->objects, (uint32_t)i);
	for (size_t i = 0; i < rows->stacks.count; i++)
		blame->of_stack[i] = frame_to_blame(&rows->stacks.items[i], blame->can_be);
	return blame;
}

void blame_destroy(struct blame *blame)
{
	if (!blame)
		return;
	free(blame->can_be);
	free(blame->of_stack);
	free(blame);
}

uint32_t blame_of(const struct blame *blame, const struct model_fault *fault,
		  const struct model_frame **ret_frame)
{
	const struct model_stack *stack =
		fault->stack == MODEL_NONE ? NULL : &blame->rows->stacks.items[fault->stack];

	if (ret_frame)
		*ret_frame = NULL;
	if (!stack || stack->frame_count == 0) {
		bool can_be = fault->by->object != MODEL_NONE && blame->can_be[fault->by->object];

		return can_be ? fault->by->name : MODEL_NONE;
	}
	uint32_t at = blame->of_stack[fault->stack];

	if (at == MODEL_NONE)
		return MODEL_NONE;
	if (ret_frame)
		*ret_frame = stack->frames[at];
	return stack->frames[at]->function;
}

void blame_faults(const struct blame *blame, struct model_fault *faults, size_t count)
{
	array_foreach (fault, faults, count)
		fault->blame = blame_of(blame, fault, NULL);
}
