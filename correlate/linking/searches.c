// SPDX-License-Identifier: Apache-2.0
// Why the dynamic linker looked in a place: from DT_RPATH and DT_RUNPATH of the files of a trace,
// and from the order in which ld.so looks. LD_LIBRARY_PATH is not in a trace, but ld.so goes
// through all of it before it opens its cache for the first time.
#include "correlate/linking/costs.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/search.h"

#include <string.h>
#include <xxhash.h>

#define CACHE_FILE "/etc/ld.so.cache"

/** A folder of the path of one file, as the linker makes it. */
struct element {
	const char *folder; // $ORIGIN replaced; without a slash at its end
	uint32_t object;
	bool is_rpath;
};

/** Facts about one program, and about those forked from it that execute nothing. */
struct state {
	uint32_t program;
	bool has_cache;		       // it has been opened
	bool is_attached;	       // what it opened before the recording is not known
	VEC(const char *) environment; // folders of LD_LIBRARY_PATH
	VEC(const char *) missing;     // names that were looked for in default folders
	const struct model_search *last;
};

struct searching {
	struct rows *rows;
	const struct process_program *programs;
	VEC(struct element) elements;
	struct u64map needed; // hashes of what DT_NEEDED names, and of each with its object
	VEC(struct state) states;
	struct u64map by_program;
};

static uint64_t hash_of(const char *name, uint64_t seed)
{
	return XXH3_64bits_withSeed(name, strlen(name), seed);
}

static bool is_needed(const struct searching *searching, const char *name)
{
	return u64map_get(&searching->needed, hash_of(name, 0)) != NULL;
}

static bool is_needed_by(const struct searching *searching, const char *name, uint32_t object)
{
	return u64map_get(&searching->needed, hash_of(name, object + 1ull)) != NULL;
}

static void add_needed(struct searching *searching, struct elfmap *map, uint32_t object)
{
	size_t count;
	const char *const *names = elfmap_needed(map, &count);
	bool is_new;

	for (size_t i = 0; i < count; i++) {
		u64map_put(&searching->needed, hash_of(names[i], 0), &is_new);
		u64map_put(&searching->needed, hash_of(names[i], object + 1ull), &is_new);
	}
}

/** The folder of @path, "" of "foo", without a slash at its end. */
static const char *folder_of(struct arena *arena, const char *path)
{
	const char *name = path_file_name(path);

	return name == path ? "" : arena_strndup(arena, path, (size_t)(name - path) - 1);
}

/** @element of a path in the file of @origin, up to @length; NULL: it has a name not known here. */
static const char *expand(struct arena *arena, const char *element, size_t length,
			  const char *origin)
{
	static const char *const names[] = { "${ORIGIN}", "$ORIGIN" };
	struct strbuf buf = { 0 };
	const char *text = NULL;

	for (size_t i = 0; i < length;) {
		size_t used = 0;

		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]) && used == 0; n++)
			if (strncmp(element + i, names[n], strlen(names[n])) == 0)
				used = strlen(names[n]);
		if (used > 0)
			strbuf_puts(&buf, origin);
		else if (element[i] == '$')
			goto done; // $LIB, $PLATFORM
		else
			strbuf_putc(&buf, element[i]);
		i += used > 0 ? used : 1;
	}
	while (buf.length > 1 && strbuf_text(&buf)[buf.length - 1] == '/')
		buf.text[--buf.length] = '\0';
	text = arena_strdup(arena, length > 0 ? strbuf_text(&buf) : ".");
done:
	strbuf_deinit(&buf);
	return text;
}

static void add_elements(struct searching *searching, const char *path, bool is_rpath,
			 uint32_t object, const char *origin)
{
	for (const char *start = path; start;) {
		const char *end = strchr(start, ':');
		const size_t length = end ? (size_t)(end - start) : strlen(start);
		const char *folder = expand(&searching->rows->model->arena, start, length, origin);

		if (folder)
			vec_push(&searching->elements,
				 (struct element){ folder, object, is_rpath });
		start = end ? end + 1 : NULL;
	}
}

/** ld.so takes $ORIGIN from the path that it opened, which may be another than that mapped. */
static void add_files(struct searching *searching)
{
	const struct model *model = searching->rows->model;
	const struct model_searches *searches = model->searches;

	for (uint32_t i = 0; i < searching->rows->object_rows.count; i++) {
		const struct model_object *row = &searching->rows->object_rows.items[i];
		struct elfmap *map = objects_opened(searching->rows->objects, i);
		const char *path, *last = NULL;
		bool is_rpath;

		if (!map)
			continue;
		add_needed(searching, map, i);
		path = elfmap_runpath(map, &is_rpath);
		if (!path)
			continue;
		struct arena *arena = &searching->rows->model->arena;
		add_elements(searching, path, is_rpath, i, folder_of(arena, row->path));
		array_foreach (search, searches->list, searches->count) {
			const char *name = path_file_name(search->path);

			if (search->error || (strcmp(name, path_file_name(row->path)) != 0 &&
					      (!row->soname || strcmp(name, row->soname) != 0)))
				continue;
			const char *origin = folder_of(arena, search->path);

			if (!last || strcmp(last, origin) != 0)
				add_elements(searching, path, is_rpath, i, origin);
			last = origin;
		}
	}
}

static struct state *state_of(struct searching *searching, uint32_t program)
{
	const struct process_program *all = searching->programs;

	while (!all[program].row.has_exec && all[program].row.parent != MODEL_NONE)
		program = all[program].row.parent;
	const size_t before = searching->states.count;
	uint32_t row = u64map_row(&searching->by_program, program, &searching->states,
				  (struct state){ .program = program });

	if (searching->states.count > before)
		searching->states.items[row].is_attached = all[program].is_attached;
	return &searching->states.items[row];
}

#define has(list, text)                                        \
	({                                                     \
		bool found_ = false;                           \
		vec_foreach (item_, (list))                    \
			found_ |= strcmp(*item_, (text)) == 0; \
		found_;                                        \
	})

/** Is the last part of @folder one for kinds of processors, below a folder of the search path? */
static bool is_capability(const char *folder)
{
	static const char *const names[] = { "tls",	     "haswell",	  "avx512_1",  "xeon_phi",
					     "x86_64",	     "x86-64-v2", "x86-64-v3", "x86-64-v4",
					     "glibc-hwcaps", "i686",	  "sse2" };
	const char *name = path_file_name(folder);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/** "/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu"; or where the linker itself is. */
static bool is_default(const struct searching *searching, uint32_t program, const char *folder)
{
	const uint32_t linker = searching->programs[program].interpreter;
	const char *rest = text_starts_with(folder, "/usr/lib") ? folder + 8
			   : text_starts_with(folder, "/lib")	? folder + 4
								: NULL;

	if (rest && (!*rest || strcmp(rest, "64") == 0 || strcmp(rest, "32") == 0 ||
		     (*rest == '/' && !strchr(rest + 1, '/') && strstr(rest, "-linux-gnu"))))
		return true;
	if (linker == UINT32_MAX)
		return false;
	const char *path = searching->rows->object_rows.items[linker].path;
	const size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && path[length] == '/' &&
	       !strchr(path + length + 1, '/');
}

/** The file in whose path @folder is, and that may have asked for @library; NULL: none. */
static const struct element *element_of(const struct searching *searching, const char *folder,
					const char *library)
{
	const struct element *best = NULL;

	vec_foreach (element, &searching->elements) {
		if (strcmp(element->folder, folder) != 0)
			continue;
		if (is_needed_by(searching, library, element->object))
			return element;
		// Of a file that brings it, or opens it by dlopen().
		if (!best && (element->is_rpath || !is_needed(searching, library)))
			best = element;
	}
	return best;
}

/** @folder without folders for kinds of processors at its end. */
static const char *above_capabilities(struct arena *arena, const char *folder)
{
	while (is_capability(folder))
		folder = folder_of(arena, folder);
	return folder;
}

/** The first pass: what LD_LIBRARY_PATH has. */
static void learn_environment(struct searching *searching, struct model_search *search)
{
	struct arena *arena = &searching->rows->model->arena;
	struct state *state = state_of(searching, search->program);

	if (strcmp(search->path, CACHE_FILE) == 0)
		state->has_cache = true;
	if (!search->library || state->has_cache || state->is_attached ||
	    !is_needed(searching, search->library))
		return;
	const char *folder = folder_of(arena, search->path);
	const char *above = above_capabilities(arena, folder);

	if (is_needed(searching, search->path) || element_of(searching, folder, search->library) ||
	    element_of(searching, above, search->library) || has(&state->environment, above))
		return;
	vec_push(&state->environment, above);
}

/** Behind the cache's opening, of a place that no path has. */
static enum model_origin origin_behind_cache(struct searching *searching, struct state *state,
					     const struct model_search *search)
{
	const bool is_bare = is_needed(searching, search->library);
	const bool is_lib =
		text_starts_with(search->library, "lib") || text_starts_with(search->library, "ld");
	const bool is_usual = is_default(searching, state->program, search->folder);

	if (search->error) {
		if (is_usual) {
			vec_push(&state->missing, search->library);
			return MODEL_ORIGIN_DEFAULT;
		}
		return is_bare || is_lib ? MODEL_ORIGIN_UNKNOWN : MODEL_ORIGIN_NAMED;
	}
	if (is_usual && has(&state->missing, search->library))
		return MODEL_ORIGIN_DEFAULT;
	if (is_bare || (is_lib && is_usual))
		return MODEL_ORIGIN_CACHE;
	// ldconfig takes only names that begin with "lib" into the cache.
	return is_lib ? MODEL_ORIGIN_UNKNOWN : MODEL_ORIGIN_NAMED;
}

static void decide(struct searching *searching, struct state *state, struct model_search *search)
{
	struct arena *arena = &searching->rows->model->arena;
	const char *folder = folder_of(arena, search->path);
	const char *above = above_capabilities(arena, folder);
	const struct element *element = element_of(searching, folder, search->library);

	search->folder = above;
	if (is_needed(searching, search->path) && strchr(search->path, '/')) {
		search->origin = MODEL_ORIGIN_NAMED;
		search->folder = folder;
		return;
	}
	if (element)
		search->folder = folder;
	else
		element = element_of(searching, above, search->library);
	if (element) {
		search->origin = element->is_rpath ? MODEL_ORIGIN_RPATH : MODEL_ORIGIN_RUNPATH;
		search->owner = element->object;
	} else if (has(&state->environment, above)) {
		search->origin = MODEL_ORIGIN_LIBRARY_PATH;
	} else if (state->is_attached) {
		search->origin = MODEL_ORIGIN_UNKNOWN;
	} else if (state->has_cache) {
		search->origin = origin_behind_cache(searching, state, search);
	} else if (!search->error && !is_needed(searching, search->library)) {
		search->origin = MODEL_ORIGIN_NAMED; // LD_PRELOAD
	}
}

/** The second pass. */
static void look_at(struct searching *searching, struct model_search *search)
{
	struct state *state = state_of(searching, search->program);
	const struct model_search *last = state->last;

	if (strcmp(search->path, CACHE_FILE) == 0) {
		state->has_cache = true;
		search->origin = MODEL_ORIGIN_CACHE;
	} else if (search->library) {
		decide(searching, state, search);
	} else if (last && text_starts_with(last->path, search->path)) {
		// Is the folder there, in which it just looked in vain?
		search->origin = last->origin;
		search->owner = last->owner;
		search->folder = last->folder;
		return;
	}
	state->last = search;
}

static void searching_deinit(struct searching *searching)
{
	vec_foreach (state, &searching->states) {
		vec_deinit(&state->environment);
		vec_deinit(&state->missing);
	}
	vec_deinit(&searching->states);
	vec_deinit(&searching->elements);
	u64map_deinit(&searching->needed);
	u64map_deinit(&searching->by_program);
}

void searches_fill(struct rows *rows, const struct process_program *programs)
{
	struct model_searches *searches = (struct model_searches *)rows->model->searches;
	struct model_search *list = searches ? (struct model_search *)searches->list : NULL;
	CLEANUP(searching_deinit)
	struct searching searching = { .rows = rows, .programs = programs };

	if (!searches || searches->count == 0)
		return;
	array_foreach (search, list, searches->count) {
		const bool opens = search->call && text_starts_with(search->call, "open");

		if (!opens || strcmp(search->path, CACHE_FILE) == 0)
			continue;
		search->library = path_file_name(search->path);
		searches->opened += search->error == 0;
		searches->missed += search->error != 0;
	}
	add_files(&searching);
	array_foreach (search, list, searches->count)
		learn_environment(&searching, search);
	vec_foreach (state, &searching.states)
		state->has_cache = false;
	array_foreach (search, list, searches->count)
		look_at(&searching, search);
}
