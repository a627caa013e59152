// SPDX-License-Identifier: Apache-2.0
#include "correlate/why/loader.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/** True if the object @id is what @interpreter, which leads to @real (or NULL) here, names. */
static bool is_named(struct objects *objects, uint32_t id, const char *interpreter,
		     const char *real)
{
	size_t count;
	const struct object *object = &objects_all(objects, &count)[id];
	struct elfmap *map = objects_opened(objects, id);

	if (strcmp(object->path, interpreter) == 0 || (real && strcmp(object->path, real) == 0))
		return true;
	// Recorded in another root, or a link that leads elsewhere by now.
	return map && elfmap_info(map)->soname &&
	       strcmp(elfmap_info(map)->soname, path_file_name(interpreter)) == 0;
}

/** A dynamic linker that also is libc starts programs: it has what _start calls. */
static bool is_libc(struct elfmap *map)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, "__libc_start_main") == 0)
			return true;
	return false;
}

static void mark(struct objects *objects, enum part *parts, uint32_t id)
{
	struct elfmap *map = objects_opened(objects, id);

	if (map && parts[id] != PART_LOADER_AND_LIBC)
		parts[id] = is_libc(map) ? PART_LOADER_AND_LIBC : PART_LOADER;
}

static void mark_by_interpreter(struct objects *objects, enum part *parts, uint32_t program)
{
	struct elfmap *map = objects_opened(objects, program);
	const char *interpreter = map ? elfmap_info(map)->interpreter : NULL;
	size_t count;

	if (!interpreter)
		return;
	objects_all(objects, &count);
	CLEANUP(freep) char *real = realpath(interpreter, NULL);
	for (size_t i = 0; i < count; i++)
		if (is_named(objects, (uint32_t)i, interpreter, real))
			mark(objects, parts, (uint32_t)i);
}

static void mark_by_exec(struct objects *objects, enum part *parts,
			 const struct process_program *program)
{
	if (program->executable == UINT32_MAX || program->interpreter == UINT32_MAX)
		return;
	struct elfmap *executable = objects_opened(objects, program->executable);
	if (executable && elfmap_info(executable)->interpreter)
		mark(objects, parts, program->interpreter);
}

enum part *loader_find_parts(struct objects *objects, const struct processes *processes)
{
	size_t count, program_count;
	const struct process_program *programs = processes_programs(processes, &program_count);

	objects_all(objects, &count);
	enum part *parts = xcalloc(count, sizeof(*parts));
	for (size_t i = 0; i < count; i++)
		mark_by_interpreter(objects, parts, (uint32_t)i);
	for (size_t i = 0; i < program_count; i++)
		mark_by_exec(objects, parts, &programs[i]);
	for (size_t i = 0; i < count; i++) {
		struct elfmap *map = objects_opened(objects, (uint32_t)i);

		if (!map || parts[i] != PART_OTHER)
			continue;
		const struct elfmap_info *info = elfmap_info(map);
		// A library with an entry point of its own, as libc.so.6, has a soname.
		if (info->entry && !info->soname &&
		    (info->type == ET_EXEC || info->interpreter || info->static_pie))
			parts[i] = PART_PROGRAM;
	}
	return parts;
}
