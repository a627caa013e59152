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

static bool has_content(const struct objects *objects, const struct trace_identity *identity)
{
	size_t count;

	return identity && objects->trace &&
	       trace_contents_of(objects->trace, identity->id, &count);
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
	object.is_shared_memory =
		object.is_file && is_shared_memory(path) && !has_content(objects, object.identity);
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

/** What keeps the object's path from being opened: @reason as stat() gives it. */
static void say_unusable(struct strbuf *why, const struct object *object, int reason)
{
	strbuf_printf(why, "%s: %s; sections and symbols unavailable", object->path,
		      reason ? strerror(reason) : "not a regular file");
}

/** To be noted with others: there is no file of the object's path. */
static void add_absent(struct objects *objects, const struct object *object)
{
	if (object->identity && (object->identity->flags & TRACE_FILE_KNOWN))
		vec_push(&objects->gone, object->path);
	else
		vec_push(&objects->missing, object->path);
}

/** Whether the recorder did not see that the file, which was elsewhere, is no ELF file. */
static bool may_be_elf(const struct object *object)
{
	uint32_t flags = object->identity->flags;

	return object->is_elf || !(flags & TRACE_FILE_KNOWN) ||
	       (flags & (TRACE_FILE_LEFT_OUT | TRACE_FILE_DENIED));
}

/** What was mapped was not at the object's path, as the recorder saw it, or not to the end. */
static void say_elsewhere(struct strbuf *why, const struct object *object)
{
	uint32_t flags = object->identity->flags;

	strbuf_printf(why,
		      "%s: the mapped file had been deleted or replaced, or was in another root or "
		      "mount namespace, and %s; sections and symbols unavailable",
		      object->path,
		      flags & TRACE_FILE_DENIED	    ? "may not be read by who recorded it"
		      : flags & TRACE_FILE_LEFT_OUT ? "is not in the trace (see record --no-embed)"
		      : flags & TRACE_FILE_KNOWN    ? "could not be read"
						    : "its process ended before it could be read");
}

static void say_changed(struct strbuf *why, const struct object *object,
			const struct identity_difference *difference)
{
	strbuf_printf(why,
		      "%s: changed since recording (recorded %s %s, now %s): sections and symbols "
		      "not used; record again",
		      object->path, difference->what, difference->recorded,
		      difference->found[0] ? difference->found : "none");
}

/**
 * The file at the object's path, if it is the recorded one; else NULL and why, if that matters and
 * is not that there is none.
 */
static struct elfmap *open_at_path(struct objects *objects, struct object *object,
				   struct strbuf *why, bool *ret_is_absent)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	const struct elfmap_options options = { .debug_dir = objects->debug_dir };
	bool was_elsewhere = object->identity && (object->identity->flags & TRACE_FILE_ELSEWHERE);
	struct identity_difference difference;
	struct stat status = { 0 };
	bool is_moved;
	struct err err;

	if (was_elsewhere && may_be_elf(object))
		say_elsewhere(why, object);
	if (was_elsewhere && !object->build_id_size &&
	    !(object->identity->flags & TRACE_FILE_KNOWN))
		return NULL; // nothing would tell whether it is
	if (stat(object->path, &status) != 0 || !S_ISREG(status.st_mode)) {
		*ret_is_absent =
			!was_elsewhere && !status.st_mode && (errno == ENOENT || errno == ENOTDIR);
		if (!was_elsewhere && !*ret_is_absent)
			say_unusable(why, object, status.st_mode ? 0 : errno);
		return NULL;
	}
	if (!was_elsewhere)
		object->size = (uint64_t)status.st_size;
	if (!elfmap_open(object->path, &options, &map, &err)) {
		// Data files are mapped, too: only a file that should be ELF deserves a note.
		if (!was_elsewhere && (object->is_elf || err.code == ERR_OS))
			strbuf_printf(why, "%s; sections and symbols unavailable", err.message);
		return NULL;
	}
	if (!was_elsewhere)
		object->is_elf = true;
	if (identity_differs(object, elfmap_info(map), &difference, &is_moved)) {
		if (!was_elsewhere)
			say_changed(why, object, &difference);
		return NULL;
	}
	if (is_moved)
		notes_add(objects->notes,
			  "%s: without a build-id, taken for the recorded file: its inode differs, "
			  "but its size, time, first and last pages do not",
			  object->path);
	return TAKE(map);
}

/** The file as the trace has it; NULL with @why changed if it has it, but not so that it serves. */
static struct elfmap *open_content(struct objects *objects, const struct object *object,
				   struct strbuf *why)
{
	const struct elfmap_options options = { .debug_dir = objects->debug_dir };
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	CLEANUP(freep) struct elfmap_part *parts = NULL;
	struct identity_difference difference;
	size_t count = 0;
	struct err err;

	const struct trace_content *contents =
		object->identity ? trace_contents_of(objects->trace, object->identity->id, &count)
				 : NULL;
	if (!contents)
		return NULL;
	parts = xcalloc(count, sizeof(*parts));
	for (size_t i = 0; i < count; i++)
		parts[i] = (struct elfmap_part){ contents[i].offset, contents[i].size,
						 contents[i].bytes };

	const struct elfmap_parts from = { object->path, object->identity->size, parts, count };
	strbuf_clear(why);
	if (!elfmap_open_parts(&from, &options, &map, &err)) {
		strbuf_printf(why, "%s (in the trace); sections and symbols unavailable",
			      err.message);
		return NULL;
	}
	if (identity_other_build_id(object, elfmap_info(map), &difference)) {
		say_changed(why, object, &difference);
		return NULL;
	}
	return TAKE(map);
}

/** Open the recorded file, from disk where it can be; else say why not. */
static void open_map(struct objects *objects, uint32_t id)
{
	struct object *object = &objects->list.items[id];
	CLEANUP(strbuf_deinit) struct strbuf why = { 0 };

	if (!object->is_file || object->is_shared_memory)
		return;
	// Only what begins like an ELF file has a build-id or a hash.
	object->is_elf = object->build_id_size > 0 ||
			 (object->identity && (object->identity->flags & TRACE_FILE_HAS_HASH));
	if (object->identity)
		object->size = object->identity->size;

	bool is_absent = false;
	struct elfmap *map = open_at_path(objects, object, &why, &is_absent);
	if (!map)
		map = open_content(objects, object, &why);
	if (!map && why.length > 0)
		notes_add(objects->notes, "%s", strbuf_text(&why));
	else if (!map && is_absent)
		add_absent(objects, object);
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
