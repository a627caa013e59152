// SPDX-License-Identifier: Apache-2.0
#include "correlate/objects.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "correlate/identity.h"

#include <errno.h>
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
	const struct trace *trace;
	struct notes *notes;
	const char *debug_dir;
	VEC(struct object) list;
	VEC(struct slot) slots;	   // beside list
	struct u64map by_path;	   // hash of the path -> id + 1 of the first object with it
	VEC(const char *) gone;	   // paths of files that were here, one note for all
	VEC(const char *) missing; // and of files that never were
};

struct objects *objects_create(const struct trace *trace, const char *debug_dir,
			       struct notes *notes)
{
	struct objects *objects = xcalloc(1, sizeof(*objects));

	objects->trace = trace;
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
	vec_deinit(&objects->gone);
	vec_deinit(&objects->missing);
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

/** Whether identities do not contradict; an older trace has none. */
static bool may_be_same(const struct trace_identity *a, const struct trace_identity *b)
{
	if (a == b || !a || !b)
		return true;
	return (a->flags & b->flags & TRACE_FILE_KNOWN) && a->device == b->device &&
	       a->inode == b->inode && trace_identity_equal(a, b);
}

/**
 * Same file: equal build-ids. The kernel may find the build-id for one mapping and not for another:
 * then the rest of the identity decides.
 */
static bool same_file(struct object *object, const struct object *other)
{
	if (object->build_id_size && other->build_id_size)
		return object->build_id_size == other->build_id_size &&
		       memcmp(object->build_id, other->build_id, other->build_id_size) == 0;
	if (!may_be_same(object->identity, other->identity))
		return false;
	if (other->build_id_size) {
		memcpy(object->build_id, other->build_id, other->build_id_size);
		object->build_id_size = other->build_id_size;
	}
	if (!object->identity)
		object->identity = other->identity;
	return true;
}

/** @wanted: what is known of it; its path is copied. */
static uint32_t find_or_add(struct objects *objects, const struct object *wanted)
{
	const char *path = wanted->path;
	uint32_t *head = u64map_put(&objects->by_path, XXH3_64bits(path, strlen(path)), NULL);
	for (uint32_t at = *head; at; at = objects->slots.items[at - 1].next_same_hash) {
		struct object *object = &objects->list.items[at - 1];

		if (strcmp(object->path, path) == 0 && same_file(object, wanted))
			return at - 1;
	}

	struct object object = *wanted;

	object.path = arena_strdup(&objects->arena, path);
	object.is_shared_memory = object.is_file && is_shared_memory(path);
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

	struct object object = {
		.path = mapping->path,
		.is_file = true,
		.build_id_size = mapping->build_id_size,
		.identity = mapping->file && objects->trace
				    ? trace_file_by_id(objects->trace, mapping->file)
				    : NULL,
	};
	if (object.build_id_size > TRACE_BUILD_ID_MAX)
		object.build_id_size = TRACE_BUILD_ID_MAX;
	memcpy(object.build_id, mapping->build_id, object.build_id_size);
	return find_or_add(objects, &object);
}

uint32_t objects_of_memory(struct objects *objects, const char *name)
{
	return find_or_add(objects, &(struct object){ .path = name });
}

const struct object *objects_all(const struct objects *objects, size_t *ret_count)
{
	*ret_count = objects->list.count;
	return objects->list.items;
}

/** One note for all files of a kind: "is" of one, "are" of several. */
static void note_paths(struct notes *notes, const char *const *paths, size_t count, const char *is,
		       const char *are)
{
	enum { NAMED = 3 };
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };
	size_t named = count <= NAMED + 1 ? count : NAMED;

	if (count == 1)
		notes_add(notes, "%s: file %s; sections and symbols unavailable", paths[0], is);
	if (count < 2)
		return;
	for (size_t i = 0; i < named; i++)
		strbuf_printf(&names, "%s%s",
			      i == 0	       ? ""
			      : i + 1 == count ? " and "
					       : ", ",
			      paths[i]);
	if (named < count)
		strbuf_printf(&names, " and %zu more", count - named);
	notes_add(notes, "%zu files %s: %s; sections and symbols unavailable", count, are,
		  strbuf_text(&names));
}

void objects_note_missing(struct objects *objects)
{
	note_paths(objects->notes, objects->gone.items, objects->gone.count, "no longer exists",
		   "no longer exist");
	note_paths(objects->notes, objects->missing.items, objects->missing.count,
		   "does not exist here", "do not exist here");
}

/** Why there is no file of the object's path that could be opened: @reason as stat() gives it. */
static void note_missing(struct objects *objects, const struct object *object, int reason)
{
	const struct trace_identity *identity = object->identity;
	bool was_here = identity && (identity->flags & TRACE_FILE_KNOWN);

	if (reason != ENOENT && reason != ENOTDIR)
		notes_add(objects->notes, "%s: %s; sections and symbols unavailable", object->path,
			  reason ? strerror(reason) : "not a regular file");
	else if (was_here)
		vec_push(&objects->gone, object->path);
	else
		vec_push(&objects->missing, object->path);
}

/** What was mapped was never at the object's path, as the recorder saw it, or not any more. */
static void note_elsewhere(struct objects *objects, const struct object *object)
{
	notes_add(objects->notes,
		  "%s: the mapped file had been deleted or replaced, or was in another root or "
		  "mount namespace; sections and symbols unavailable",
		  object->path);
}

static void note_changed(struct objects *objects, const struct object *object,
			 const struct identity_difference *difference)
{
	notes_add(objects->notes,
		  "%s: changed since recording (recorded %s %s, now %s): sections and symbols "
		  "not used; record again",
		  object->path, difference->what, difference->recorded,
		  difference->found[0] ? difference->found : "none");
}

/** Take the file at the object's path, where it is the recorded one; else say why it is not. */
static void open_map(struct objects *objects, uint32_t id)
{
	struct object *object = &objects->list.items[id];
	struct elfmap *map;
	struct err err;
	struct stat status = { 0 };

	if (!object->is_file || object->is_shared_memory)
		return;
	// Only what begins like an ELF file has a build-id or a hash.
	object->is_elf = object->build_id_size > 0 ||
			 (object->identity && (object->identity->flags & TRACE_FILE_HAS_HASH));
	bool was_elsewhere = object->identity && (object->identity->flags & TRACE_FILE_ELSEWHERE);
	if (was_elsewhere && !object->build_id_size &&
	    !(object->identity->flags & TRACE_FILE_KNOWN)) {
		note_elsewhere(objects, object);
		return;
	}
	if (stat(object->path, &status) != 0 || !S_ISREG(status.st_mode)) {
		if (was_elsewhere)
			note_elsewhere(objects, object);
		else
			note_missing(objects, object, status.st_mode ? 0 : errno);
		return;
	}
	object->size = (uint64_t)status.st_size;

	const struct elfmap_options options = { .debug_dir = objects->debug_dir };
	if (!elfmap_open(object->path, &options, &map, &err)) {
		// Data files are mapped, too: only a file that should be ELF deserves a note.
		if (object->is_elf || err.code == ERR_OS)
			notes_add(objects->notes, "%s; sections and symbols unavailable",
				  err.message);
		return;
	}
	object->is_elf = true;

	struct identity_difference difference;
	bool is_moved;
	if (identity_differs(object, elfmap_info(map), &difference, &is_moved)) {
		if (was_elsewhere)
			note_elsewhere(objects, object);
		else
			note_changed(objects, object, &difference);
		elfmap_close(map);
		return;
	}
	if (is_moved)
		notes_add(objects->notes,
			  "%s: without a build-id, taken for the recorded file: its inode differs, "
			  "but its size, time, first and last pages do not",
			  object->path);
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

void objects_set_map(struct objects *objects, uint32_t id, struct elfmap *map,
		     const struct identity_difference *forced_by)
{
	struct object *object = &objects->list.items[id];
	struct slot *slot = &objects->slots.items[id];

	elfmap_close(slot->map);
	slot->map = map;
	slot->was_tried = true;
	object->is_elf = true;
	object->is_forced = forced_by != NULL;
	object->opened_path = elfmap_info(map)->path;
	object->size = elfmap_info(map)->size;
	if (!forced_by && !object->build_id_size && object->identity &&
	    !(object->identity->flags & TRACE_FILE_KNOWN))
		notes_add(objects->notes,
			  "using %s in place of %s: nothing was recorded that tells whether it is "
			  "the same file",
			  object->opened_path, object->path);
	if (forced_by)
		notes_add(objects->notes,
			  "using %s in place of %s (--force): its %s is %s, but %s was recorded; "
			  "sections and names may be wrong",
			  object->opened_path, object->path, forced_by->what,
			  forced_by->found[0] ? forced_by->found : "missing", forced_by->recorded);
}
