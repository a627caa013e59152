// SPDX-License-Identifier: Apache-2.0
#include "cure/prefetchmaker.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/homepath.h"
#include "machine/page.h"

#include <string.h>

struct prefetch_maker *prefetch_maker_create(bool keeps_all)
{
	struct prefetch_maker *maker = xcalloc(1, sizeof(*maker));

	maker->keeps_all = keeps_all;
	maker->page_size = MACHINE_PAGE;
	return maker;
}

void prefetch_maker_destroy(struct prefetch_maker *maker)
{
	if (!maker)
		return;
	vec_deinit(&maker->files);
	vec_deinit(&maker->pages);
	u64map_deinit(&maker->by_path);
	u64map_deinit(&maker->by_page);
	notes_deinit(&maker->notes);
	arena_deinit(&maker->arena);
	free(maker);
}

// ---- Files ------------------------------------------------------------------------------------

/** The same file as far as both runs know it. */
static bool is_same(const struct model_used_file *a, const struct model_used_file *b)
{
	if (a->build_id && b->build_id)
		return strcmp(a->build_id, b->build_id) == 0;
	return (a->size == b->size || a->size == 0 || b->size == 0) &&
	       (!a->has_mtime || !b->has_mtime || a->mtime_ns == b->mtime_ns);
}

static void keep(struct prefetch_maker *maker, struct made_file *file,
		 const struct model_used_file *from, uint64_t start_unix_ns)
{
	file->known = *from;
	file->known.path = arena_strdup(&maker->arena, from->path);
	file->known.build_id = arena_strdup(&maker->arena, from->build_id);
	file->start_unix_ns = start_unix_ns;
}

/** Look whether the file is worth being listed. */
static bool is_wanted(struct prefetch_maker *maker, struct model_used_file *file,
		      uint64_t start_unix_ns)
{
	// What takes a list asks for no other.
	if (strlen(file->path) >= PREFETCH_PATH_MAX ||
	    strlen(file->build_id ? file->build_id : "") > 2 * PREFETCH_BUILD_ID_MAX)
		return false;
	if (maker->keeps_all)
		return file->has_mtime;
	switch (prefetch_file_look(file, start_unix_ns)) {
	case PREFETCH_FILE_SAME:
		return true;
	case PREFETCH_FILE_CHANGED:
		notes_add(&maker->notes,
			  "%s is not the file that was recorded any more: it was left out",
			  file->path);
		return false;
	case PREFETCH_FILE_IN_MEMORY:
		break;
	}
	return false;
}

/** The place of the file in the list; UINT32_MAX: it is left out. */
static uint32_t add_file(struct prefetch_maker *maker, const struct model_used_file *from,
			 uint64_t start_unix_ns)
{
	CLEANUP(strbuf_deinit) struct strbuf here = { 0 };
	struct model_used_file file = *from;

	file.path = homepath_here(&here, from->path);
	if (!is_wanted(maker, &file, start_unix_ns))
		return UINT32_MAX;
	for (uint64_t key = hash_text(0, file.path);; key++) {
		bool is_new;
		uint32_t *place = u64map_put(&maker->by_path, key, &is_new);
		struct made_file *known;

		if (is_new && maker->files.count >= PREFETCH_FILES_MAX)
			return UINT32_MAX;
		if (is_new) {
			*place = (uint32_t)maker->files.count;
			vec_push(&maker->files, (struct made_file){ 0 });
			keep(maker, &maker->files.items[*place], &file, start_unix_ns);
			return *place;
		}
		known = &maker->files.items[*place];
		if (strcmp(known->known.path, file.path) != 0)
			continue; // another one with the same hash
		if (is_same(&known->known, &file))
			return *place;
		notes_add(&maker->notes,
			  "%s changed between the recordings: only the newest counts", file.path);
		if (known->start_unix_ns > start_unix_ns)
			return UINT32_MAX;
		// The pages of the older one stay with a place of their own, which is left out.
		vec_push(&maker->files, (struct made_file){ 0 });
		*place = (uint32_t)maker->files.count - 1;
		keep(maker, &maker->files.items[*place], &file, start_unix_ns);
		maker->files.items[known - maker->files.items].is_left_out = true;
		return *place;
	}
}

// ---- Pages ------------------------------------------------------------------------------------

static const enum prefetch_why whys[] = {
	[MODEL_USE_FAULT] = PREFETCH_FAULT,
	[MODEL_USE_AROUND] = PREFETCH_WINDOW,
	[MODEL_USE_READ] = PREFETCH_READ,
	[MODEL_USE_EXEC] = PREFETCH_EXEC,
};

static void add_page(struct prefetch_maker *maker, uint32_t file, uint64_t number, double when,
		     enum prefetch_why why)
{
	const struct made_page page = { when, number, file, why };
	uint64_t key = (uint64_t)file << PREFETCH_PAGE_BITS | number;
	uint32_t at = u64map_row(&maker->by_page, key, &maker->pages, page);

	if (when < maker->pages.items[at].when)
		maker->pages.items[at] = page;
}

static void add_use(struct prefetch_maker *maker, const struct model_file_use *use, uint32_t file,
		    double when)
{
	uint64_t size = maker->files.items[file].known.size;
	uint64_t end;

	// A run may have read past what is the file's end now.
	if (use->offset >= size)
		return;
	end = use->size < size - use->offset ? use->offset + use->size : size;
	for (uint64_t number = use->offset / maker->page_size; number * maker->page_size < end;
	     number++)
		if (number < UINT64_C(1) << PREFETCH_PAGE_BITS)
			add_page(maker, file, number, when, whys[use->use]);
}

void prefetch_maker_limit(struct prefetch_maker *maker, const char *const *paths, size_t count)
{
	maker->only = paths;
	maker->only_count = count;
}

static bool is_left_out(const struct prefetch_maker *maker, const char *path)
{
	for (size_t i = 0; i < maker->only_count; i++)
		if (strcmp(maker->only[i], path) == 0)
			return false;
	return maker->only != NULL;
}

void prefetch_maker_add(struct prefetch_maker *maker, const struct model *model)
{
	const struct model_file_uses *uses = model->file_uses;
	CLEANUP(freep) uint32_t *places = xcalloc(uses->file_count + 1, sizeof(*places));

	maker->page_size = model->trace.page_size;
	for (size_t i = 0; i < uses->file_count; i++)
		places[i] = is_left_out(maker, uses->files[i].path)
				    ? UINT32_MAX
				    : add_file(maker, &uses->files[i], uses->start_unix_ns);
	for (size_t i = 0; i < uses->use_count; i++) {
		uint32_t place = places[uses->uses[i].file];

		if (place != UINT32_MAX)
			add_use(maker, &uses->uses[i], place, (double)i / (double)uses->use_count);
	}
	notes_add_counted(&maker->notes, uses->elsewhere,
			  "a file was deleted or of another root when it was recorded: it was left"
			  " out");
}

void prefetch_maker_add_opened(struct prefetch_maker *maker, const char *const *paths, size_t count)
{
	enum { READ_MAX = 256 << 10 }; // few read more of a larger one at once

	for (size_t i = 0; i < count; i++) {
		const size_t before = maker->files.count;
		const uint32_t place =
			add_file(maker, &(struct model_used_file){ .path = paths[i] }, 0);
		const struct model_file_use use = { .size = READ_MAX, .use = MODEL_USE_READ };

		if (place != UINT32_MAX && maker->files.count > before)
			add_use(maker, &use, place, 1);
	}
}

const char *prefetch_maker_largest(const struct prefetch_maker *maker)
{
	const struct made_file *largest = NULL;

	vec_foreach (file, &maker->files)
		if (!file->is_left_out && (!largest || file->known.size > largest->known.size))
			largest = file;
	return largest ? largest->known.path : NULL;
}
