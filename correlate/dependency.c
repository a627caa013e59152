// SPDX-License-Identifier: Apache-2.0
#include "correlate/dependency.h"

#include "base/cleanup.h"
#include "base/path.h"

#include <string.h>
#include <xxhash.h>

/** Objects by name; hashes of different names do not meet in practice, and are compared anyway. */
struct names {
	struct u64map sonames, files, paths;
};

static void names_deinit(struct names *names)
{
	u64map_deinit(&names->sonames);
	u64map_deinit(&names->files);
	u64map_deinit(&names->paths);
}

static uint64_t hash_of(const char *name)
{
	return XXH3_64bits(name, strlen(name));
}

static void add_name(struct u64map *map, const char *name, uint32_t object)
{
	bool is_new;
	uint32_t *first = u64map_put(map, hash_of(name), &is_new);

	if (is_new)
		*first = object;
}

static uint32_t find_object(const struct rows *rows, const struct names *names, const char *name)
{
	const struct model_object *objects = rows->object_rows.items;
	uint64_t hash = hash_of(name);
	const uint32_t *found;

	found = u64map_get(&names->sonames, hash);
	if (found && strcmp(objects[*found].soname, name) == 0)
		return *found;
	found = u64map_get(strchr(name, '/') ? &names->paths : &names->files, hash);
	if (found && (strcmp(objects[*found].path, name) == 0 ||
		      strcmp(path_file_name(objects[*found].path), name) == 0))
		return *found;
	return MODEL_NONE;
}

/** @told: by object, 1 + the last object that it was listed for: each once, though named twice. */
static void fill_object(struct rows *rows, const struct names *names, uint32_t id, uint32_t *told)
{
	struct model_object *row = &rows->object_rows.items[id];
	struct elfmap *map = objects_opened(rows->objects, id);
	VEC(uint32_t) needed = { 0 };
	size_t count;

	if (!map)
		return;
	const char *const *wanted = elfmap_needed(map, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t object = find_object(rows, names, wanted[i]);

		if (object == MODEL_NONE || object == id || told[object] == id + 1)
			continue;
		told[object] = id + 1;
		vec_push(&needed, object);
	}
	row->needed_count = needed.count;
	row->needed = vec_keep(&needed, &rows->model->arena);
}

void dependencies_fill(struct rows *rows)
{
	size_t count = rows->object_rows.count;
	CLEANUP(names_deinit) struct names names = { 0 };
	CLEANUP(freep) uint32_t *told = xcalloc(count + 1, sizeof(*told));

	for (size_t i = 0; i < count; i++) {
		const struct model_object *row = &rows->object_rows.items[i];

		if (!row->is_file)
			continue;
		if (row->soname)
			add_name(&names.sonames, row->soname, (uint32_t)i);
		add_name(&names.files, path_file_name(row->path), (uint32_t)i);
		add_name(&names.paths, row->path, (uint32_t)i);
	}
	for (size_t i = 0; i < count; i++)
		fill_object(rows, &names, (uint32_t)i, told);
}
