// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/objects.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "correlate/replay/identity.h"

#include <stdio.h>
#include <string.h>
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
	struct elfmap_options how; // files are opened
	VEC(struct object) list;
	VEC(struct slot) slots; // beside list
	struct u64map by_path;	// hash of the path -> id + 1 of the first object with it
	// Noted at the end, one note for all: paths, and how what is there differs.
	VEC(const char *) absent;
	VEC(const char *) changed;
	bool is_gone; // the first of those absent was here once
};

struct objects *objects_create(const struct trace *trace, const char *debug_dir,
			       struct depot *depot, struct notes *notes)
{
	struct objects *objects = xcalloc(1, sizeof(*objects));

	objects->trace = trace;
	objects->how = (struct elfmap_options){ .debug_dir = debug_dir, .depot = depot };
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
	vec_deinit(&objects->absent);
	vec_deinit(&objects->changed);
	u64map_deinit(&objects->by_path);
	arena_deinit(&objects->arena);
	free(objects);
}

/** The kernel's names for memory outside files; NULL for a file's path. */
static const char *memory_name(const char *path)
{
	if (text_starts_with(path, "//anon") || path[0] == '\0' || text_starts_with(path, "[anon"))
		return "[anon]";
	if (text_starts_with(path, "[stack"))
		return "[stack]";
	if (text_starts_with(path, "[vvar"))
		return "[vvar]";
	if (path[0] == '[')
		return path;
	return path[0] == '/' ? NULL : "[anon]"; // anon_inode:[perf_event] and the like
}

static bool is_shared_memory(const char *path)
{
	return text_starts_with(path, "/dev/zero") || text_starts_with(path, "/memfd:") ||
	       text_starts_with(path, "/SYSV") || text_starts_with(path, "/dev/shm/");
}

/** True if identities do not contradict; an older trace has none. */
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

		if (strcmp(object->path, path) == 0 && is_same_text(object->root, wanted->root) &&
		    same_file(object, wanted))
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
		return find_or_add(objects, &(struct object){ .path = memory });

	struct object object = {
		.path = mapping->path,
		.is_file = true,
		.build_id_size = mapping->build_id_size,
		.identity = mapping->file && objects->trace
				    ? trace_file_by_id(objects->trace, mapping->file)
				    : NULL,
		.root = objects->trace ? trace_root_of(objects->trace, mapping->file) : NULL,
	};
	if (object.build_id_size > TRACE_BUILD_ID_MAX)
		object.build_id_size = TRACE_BUILD_ID_MAX;
	memcpy(object.build_id, mapping->build_id, object.build_id_size);
	return find_or_add(objects, &object);
}

const struct object *objects_all(const struct objects *objects, size_t *ret_count)
{
	*ret_count = objects->list.count;
	return objects->list.items;
}

/** "a, b, c and 4 more": the first of @count texts, which are two or more. */
static void add_some(struct strbuf *names, const char *const *texts, size_t count)
{
	enum { NAMED = 3 };
	size_t named = count <= NAMED + 1 ? count : NAMED;

	for (size_t i = 0; i < named; i++)
		strbuf_printf(names, "%s%s",
			      i == 0	       ? ""
			      : i + 1 == count ? " and "
					       : ", ",
			      texts[i]);
	if (named < count)
		strbuf_printf(names, " and %zu more", count - named);
}

static void note_absent(struct objects *objects)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };
	size_t count = objects->absent.count;

	if (count == 0)
		return;
	if (count == 1) {
		notes_add(objects->notes, "%s: file %s; sections and symbols unavailable",
			  objects->absent.items[0],
			  objects->is_gone ? "no longer exists" : "does not exist here");
		return;
	}
	add_some(&names, objects->absent.items, count);
	notes_add(objects->notes,
		  "%zu files that the trace names are not on this machine: %s; sections and "
		  "symbols unavailable; --sysroot DIR takes them from a copy, `elfault pack` puts "
		  "them into one file with the trace",
		  count, strbuf_text(&names));
}

static void note_changed(struct objects *objects)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };
	size_t count = objects->changed.count;

	if (count == 0)
		return;
	if (count == 1) {
		notes_add(objects->notes, "%s: sections and symbols not used; record again",
			  objects->changed.items[0]);
		return;
	}
	add_some(&names, objects->changed.items, count);
	notes_add(objects->notes,
		  "%zu files are not the recorded ones: %s; sections and symbols not used; record "
		  "again, or take the recorded ones from a copy (--sysroot DIR, `elfault pack`)",
		  count, strbuf_text(&names));
}

void objects_note_missing(struct objects *objects)
{
	note_absent(objects);
	note_changed(objects);
}

/** To be noted with others: there is no file of the object's path. */
static void add_absent(struct objects *objects, const struct object *object)
{
	if (objects->absent.count == 0)
		objects->is_gone = object->identity && (object->identity->flags & TRACE_FILE_KNOWN);
	vec_push(&objects->absent, object->path);
}

/** Describe how the file that was found differs from the recorded one. */
static const char *describe_change(struct objects *objects, const char *place, const char *verb,
				   const struct identity_difference *difference)
{
	return arena_printf(&objects->arena, "%s: %s (recorded %s %s, now %s)", place, verb,
			    difference->what, difference->recorded,
			    difference->found[0] ? difference->found : "none");
}

/** True if the recorder did not see that the file, which was elsewhere, is no ELF file. */
static bool may_be_elf(const struct object *object)
{
	uint32_t flags = object->identity->flags;

	return object->is_elf || !(flags & TRACE_FILE_KNOWN) ||
	       (flags & (TRACE_FILE_LEFT_OUT | TRACE_FILE_DENIED));
}

/**
 * Say that the mapped file was not at the object's path, as the recorder saw it, or not to the end.
 */
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

/** Outcome of the search for an object's file. */
struct outcome {
	struct elfmap *map;  // NULL: not found
	struct strbuf why;   // not, if that matters and is none of what follows
	const char *changed; // a file was there, but another one: describe_change()
	bool is_absent;	     // there is none
};

static void outcome_deinit(struct outcome *outcome)
{
	elfmap_close(outcome->map);
	strbuf_deinit(&outcome->why);
}

/** True if anything is known by which the file can be told from another. */
static bool is_known(const struct object *object)
{
	return object->build_id_size ||
	       (object->identity && (object->identity->flags & TRACE_FILE_KNOWN));
}

static void note_doubts(struct objects *objects, const struct object *object,
			const struct depot_file *found, bool is_moved)
{
	if (is_moved)
		notes_add(objects->notes,
			  "%s: without a build-id, taken for the recorded file: its inode differs, "
			  "but its size, time, first and last pages do not",
			  object->path);
	if (!found->is_here && !found->is_packed && !is_known(object))
		notes_add(objects->notes,
			  "using %s in place of %s: nothing was recorded that tells whether it is "
			  "the same file",
			  found->place, object->path);
}

/** Take what one place has at the object's path, if it is the recorded file. */
static void try_found(struct objects *objects, struct object *object, struct depot_file *found,
		      struct outcome *outcome)
{
	bool was_elsewhere = object->identity && (object->identity->flags & TRACE_FILE_ELSEWHERE);
	const struct depot_file copy = *found;
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct identity_difference difference;
	bool is_moved;
	struct err err;

	if (found->fd < 0) {
		if (!was_elsewhere)
			strbuf_printf(&outcome->why, "%s: %s; sections and symbols unavailable",
				      found->place, found->problem);
		return;
	}
	if (!was_elsewhere)
		object->size = (uint64_t)found->status.st_size;
	if (!elfmap_open_found(object->path, found, &objects->how, &map, &err)) {
		// Data files are mapped, too: only a file that should be ELF deserves a note.
		if (!was_elsewhere && (object->is_elf || err.code == ERR_OS))
			strbuf_printf(&outcome->why, "%s; sections and symbols unavailable",
				      err.message);
		return;
	}
	if (!was_elsewhere)
		object->is_elf = true;
	if (identity_differs(object, map, &difference, &is_moved)) {
		if (!was_elsewhere && !outcome->changed)
			outcome->changed = describe_change(objects, copy.place,
							   copy.is_here || copy.is_packed
								   ? "changed since recording"
								   : "not the recorded file",
							   &difference);
		return;
	}
	note_doubts(objects, object, &copy, is_moved);
	outcome->map = TAKE(map);
}

/** Look for the file at the object's path, in one place after the other. */
static void open_at_path(struct objects *objects, struct object *object, struct outcome *outcome)
{
	bool was_elsewhere = object->identity && (object->identity->flags & TRACE_FILE_ELSEWHERE);
	struct depot_file found;
	bool is_there = false;
	size_t place = 0;

	if (was_elsewhere && may_be_elf(object))
		say_elsewhere(&outcome->why, object);
	if (was_elsewhere && !is_known(object))
		return; // nothing would tell whether it is
	while (!outcome->map && depot_next(objects->how.depot, object->path, &place, &found)) {
		CLEANUP(depot_file_deinit) struct depot_file candidate = found;

		// A later place says more of the file that should be there than one before.
		if (!was_elsewhere)
			strbuf_clear(&outcome->why);
		is_there = true;
		try_found(objects, object, &candidate, outcome);
	}
	outcome->is_absent = !was_elsewhere && !is_there;
}

/** The file as the trace has it; why that does not serve, if it has it, replaces what was said. */
static void open_content(struct objects *objects, const struct object *object,
			 struct outcome *outcome)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	CLEANUP(freep) struct elfmap_part *parts = NULL;
	struct identity_difference difference;
	size_t count = 0;
	struct err err;

	const struct trace_content *contents =
		object->identity ? trace_contents_of(objects->trace, object->identity->id, &count)
				 : NULL;
	if (!contents)
		return;
	parts = xcalloc(count, sizeof(*parts));
	for (size_t i = 0; i < count; i++)
		parts[i] = (struct elfmap_part){ contents[i].offset, contents[i].size,
						 contents[i].bytes };

	const struct elfmap_parts from = { object->path, object->identity->size, parts, count };
	strbuf_clear(&outcome->why);
	if (!elfmap_open_parts(&from, &objects->how, &map, &err))
		strbuf_printf(&outcome->why, "%s (in the trace); sections and symbols unavailable",
			      err.message);
	else if (identity_other_build_id(object, elfmap_info(map), &difference))
		outcome->changed = describe_change(objects, object->path, "changed since recording",
						   &difference);
	else
		outcome->map = TAKE(map);
}

/** Ask a debuginfod server for the file, where the user has named one. */
static void fetch(struct objects *objects, struct object *object, struct outcome *outcome)
{
	const struct depot_wish wish = {
		.kind = DEPOT_EXECUTABLE,
		.build_id = object->build_id,
		.build_id_size = object->build_id_size,
		.name = object->path,
	};
	struct depot_file found;
	struct err err;

	if (!object->build_id_size)
		return;
	if (depot_fetch(objects->how.depot, &wish, &found, &err)) {
		CLEANUP(depot_file_deinit) struct depot_file fetched = found;

		try_found(objects, object, &fetched, outcome);
	} else if (err.message[0]) {
		notes_add(objects->notes, "%s", err.message);
	}
}

/** Open the recorded file, from disk where it can be; else say why not. */
static void open_map(struct objects *objects, uint32_t id)
{
	CLEANUP(outcome_deinit) struct outcome outcome = { 0 };
	struct object *object = &objects->list.items[id];

	if (!object->is_file || object->is_shared_memory)
		return;
	// Only what begins like an ELF file has a build-id or a hash.
	object->is_elf = object->build_id_size > 0 ||
			 (object->identity && (object->identity->flags & TRACE_FILE_HAS_HASH));
	if (object->identity)
		object->size = object->identity->size;

	open_at_path(objects, object, &outcome);
	if (!outcome.map)
		open_content(objects, object, &outcome);
	if (!outcome.map)
		fetch(objects, object, &outcome);
	objects->slots.items[id].map = TAKE(outcome.map);
	if (objects->slots.items[id].map)
		return;
	if (outcome.changed)
		vec_push(&objects->changed, outcome.changed);
	else if (outcome.why.length > 0)
		notes_add(objects->notes, "%s", strbuf_text(&outcome.why));
	else if (outcome.is_absent)
		add_absent(objects, object);
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

struct depot *objects_depot(struct objects *objects)
{
	return objects->how.depot;
}

void objects_count_missing(const struct objects *objects, size_t *ret_absent, size_t *ret_changed)
{
	*ret_absent = objects->absent.count;
	*ret_changed = objects->changed.count;
}

void objects_note_copy(struct objects *objects, uint32_t id, struct range vaddrs)
{
	struct object *object = &objects->list.items[id];

	if (object->copied_bytes == 0 || vaddrs.start < object->copied.start)
		object->copied.start = vaddrs.start;
	if (vaddrs.end > object->copied.end)
		object->copied.end = vaddrs.end;
	object->copied_bytes += range_size(vaddrs);
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
