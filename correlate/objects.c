// SPDX-License-Identifier: Apache-2.0
#include "correlate/objects.h"

#include "base/arena.h"
#include "base/hex.h"
#include "base/u64map.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

struct slot {
	struct elfmap *map;
	bool was_tried;
	uint32_t next_same_hash; // id + 1 of the next object whose path has the same hash
};

struct objects {
	struct arena arena;
	struct notes *notes;
	const char *debug_dir;
	VEC(struct object) list;
	VEC(struct slot) slots; // beside list
	struct u64map by_path;	// hash of the path -> id + 1 of the first object with it
};

struct objects *objects_create(const char *debug_dir, struct notes *notes)
{
	struct objects *objects = xcalloc(1, sizeof(*objects));

	objects->debug_dir = debug_dir;
	objects->notes = notes;
	return objects;
}

void objects_destroy(struct objects *objects)
{
	if (!objects)
		return;
	vec_foreach (slot, &objects->slots)
		elfmap_close(slot->map);
	vec_deinit(&objects->slots);
	vec_deinit(&objects->list);
	u64map_deinit(&objects->by_path);
	arena_deinit(&objects->arena);
	free(objects);
}

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/** The kernel's names for memory outside files; NULL for a file's path. */
static const char *memory_name(const char *path)
{
	if (starts_with(path, "//anon") || path[0] == '\0' || starts_with(path, "[anon"))
		return "[anon]";
	if (starts_with(path, "[stack"))
		return "[stack]";
	if (starts_with(path, "[vvar"))
		return "[vvar]";
	if (path[0] == '[')
		return path;
	return path[0] == '/' ? NULL : "[anon]"; // anon_inode:[perf_event] and the like
}

static bool is_shared_memory(const char *path)
{
	return starts_with(path, "/dev/zero") || starts_with(path, "/memfd:") ||
	       starts_with(path, "/SYSV") || starts_with(path, "/dev/shm/");
}

/** Same file: equal ids, or one of the two mappings came without an id. */
static bool same_build_id(struct object *object, const uint8_t *bytes, uint32_t size)
{
	if (!size)
		return true;
	if (!object->build_id_size) {
		memcpy(object->build_id, bytes, size);
		object->build_id_size = size;
		return true;
	}
	return object->build_id_size == size && memcmp(object->build_id, bytes, size) == 0;
}

static uint32_t find_or_add(struct objects *objects, const char *path, bool is_file,
			    const uint8_t *build_id, uint32_t build_id_size)
{
	if (build_id_size > TRACE_BUILD_ID_MAX)
		build_id_size = TRACE_BUILD_ID_MAX;

	uint32_t *head = u64map_put(&objects->by_path, XXH3_64bits(path, strlen(path)), NULL);
	for (uint32_t at = *head; at; at = objects->slots.items[at - 1].next_same_hash) {
		struct object *object = &objects->list.items[at - 1];

		if (strcmp(object->path, path) == 0 &&
		    same_build_id(object, build_id, build_id_size))
			return at - 1;
	}

	struct object object = {
		.path = arena_strdup(&objects->arena, path),
		.is_file = is_file,
		.is_shared_memory = is_file && is_shared_memory(path),
		.build_id_size = build_id_size,
	};
	if (build_id_size)
		memcpy(object.build_id, build_id, build_id_size);
	vec_push(&objects->list, object);
	vec_push(&objects->slots, (struct slot){ .next_same_hash = *head });
	*head = (uint32_t)objects->list.count;
	return *head - 1;
}

uint32_t objects_of_mapping(struct objects *objects, const struct trace_mapping *mapping)
{
	const char *memory = memory_name(mapping->path);

	if (memory)
		return objects_of_memory(objects, memory);
	return find_or_add(objects, mapping->path, true, mapping->build_id, mapping->build_id_size);
}

uint32_t objects_of_memory(struct objects *objects, const char *name)
{
	return find_or_add(objects, name, false, NULL, 0);
}

const struct object *objects_all(const struct objects *objects, size_t *ret_count)
{
	*ret_count = objects->list.count;
	return objects->list.items;
}

/** Whether the opened file is the recorded one; without a recorded id nothing speaks against it. */
static bool is_recorded_file(const struct object *object, const struct elfmap_info *info)
{
	return !object->build_id_size ||
	       (info->build_id_size == object->build_id_size &&
		memcmp(info->build_id, object->build_id, object->build_id_size) == 0);
}

static void note_changed(struct objects *objects, const struct object *object,
			 const struct elfmap_info *info)
{
	char recorded[2 * TRACE_BUILD_ID_MAX + 1];
	char found[2 * ELFMAP_BUILD_ID_MAX + 1];

	hex_text(object->build_id, object->build_id_size, recorded);
	hex_text(info->build_id, info->build_id_size, found);
	notes_add(
		objects->notes,
		"%s: changed since recording (recorded build-id %s, now %s): sections and symbols "
		"not used; record again",
		object->path, recorded, found[0] ? found : "none");
}

static void open_map(struct objects *objects, uint32_t id)
{
	struct object *object = &objects->list.items[id];
	struct elfmap *map;
	struct err err;
	struct stat status;

	if (!object->is_file || object->is_shared_memory)
		return;
	if (stat(object->path, &status) != 0 || !S_ISREG(status.st_mode)) {
		object->is_elf = object->build_id_size > 0;
		notes_add(objects->notes,
			  "%s: file no longer exists; sections and symbols unavailable",
			  object->path);
		return;
	}
	object->size = (uint64_t)status.st_size;

	const struct elfmap_options options = { .debug_dir = objects->debug_dir };
	if (!elfmap_open(object->path, &options, &map, &err)) {
		// Data files are mapped, too: only a file that should be ELF deserves a note.
		object->is_elf = object->build_id_size > 0;
		if (object->is_elf || err.code == ERR_OS)
			notes_add(objects->notes, "%s; sections and symbols unavailable",
				  err.message);
		return;
	}
	object->is_elf = true;
	if (!is_recorded_file(object, elfmap_info(map))) {
		note_changed(objects, object, elfmap_info(map));
		elfmap_close(map);
		return;
	}
	objects->slots.items[id].map = map;
}

struct elfmap *objects_map(struct objects *objects, uint32_t id)
{
	struct slot *slot = &objects->slots.items[id];

	if (!slot->was_tried) {
		slot->was_tried = true;
		open_map(objects, id);
	}
	return slot->map;
}

struct elfmap *objects_opened(const struct objects *objects, uint32_t id)
{
	return objects->slots.items[id].map;
}

void objects_set_map(struct objects *objects, uint32_t id, struct elfmap *map, bool is_forced)
{
	struct object *object = &objects->list.items[id];
	struct slot *slot = &objects->slots.items[id];

	elfmap_close(slot->map);
	slot->map = map;
	slot->was_tried = true;
	object->is_elf = true;
	object->is_forced = is_forced;
	object->opened_path = elfmap_info(map)->path;
	object->size = elfmap_info(map)->size;
	if (!is_forced)
		return;

	char recorded[2 * TRACE_BUILD_ID_MAX + 1], found[2 * ELFMAP_BUILD_ID_MAX + 1];

	hex_text(object->build_id, object->build_id_size, recorded);
	hex_text(elfmap_info(map)->build_id, elfmap_info(map)->build_id_size, found);
	notes_add(objects->notes,
		  "using %s in place of %s (--force): its build-id is %s, but %s was recorded; "
		  "sections and names may be wrong",
		  object->opened_path, object->path, found[0] ? found : "missing", recorded);
}
