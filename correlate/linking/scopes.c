// SPDX-License-Identifier: Apache-2.0
// The lists of files in which the dynamic linker searches names, from the order of the mappings.
//
// Files that a program needs, and those that LD_PRELOAD puts in front, are one list, which is
// searched for all of them. Each dlopen() makes a list of its own, of what that file needs, behind
// the first. A trace does not tell if it was opened for all (RTLD_GLOBAL).
#include "correlate/linking/loading.h"

#include "base/cleanup.h"

#include <string.h>

/** The file that DT_NEEDED means by @name; LOADING_NO_FILE: none of the program's. */
static uint32_t find_needed(const struct loading *loading, const char *name)
{
	for (uint32_t i = 0; i < loading->files.count; i++) {
		const struct loading_file *file = &loading->files.items[i];
		const char *soname = elfmap_info(file->map)->soname;
		const char *path = loading->rows->object_rows.items[file->object].path;

		if ((soname && strcmp(soname, name) == 0) || strcmp(path, name) == 0 ||
		    strcmp(path_file_name(path), path_file_name(name)) == 0)
			return i;
	}
	return LOADING_NO_FILE;
}

/** Append what the files of @scope need, breadth first; false: one of it is not the program's. */
static bool add_needed(struct loading *loading, struct loading_scope *scope)
{
	for (size_t i = 0; i < scope->files.count; i++) {
		size_t count;
		const char *const *needed =
			elfmap_needed(loading->files.items[scope->files.items[i]].map, &count);

		for (size_t n = 0; n < count; n++) {
			const uint32_t file = find_needed(loading, needed[n]);

			if (file == LOADING_NO_FILE) {
				loading->row.unknown = arena_printf(
					&loading->rows->model->arena,
					"%s needs %s, which was not mapped, or could not be read",
					loading_label(
						loading,
						loading->files.items[scope->files.items[i]].object),
					needed[n]);
				return false;
			}
			if (!loading_scope_has(scope, file))
				vec_push(&scope->files, file);
		}
	}
	return true;
}

/**
 * Put what LD_PRELOAD brings behind the program: it is mapped before the first file that the
 * program needs, which it does not.
 */
static void add_preloaded(struct loading *loading, struct loading_scope *scope)
{
	size_t count;
	// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the first is the program
	const char *const *needed = elfmap_needed(loading->files.items[0].map, &count);
	uint32_t first = LOADING_NO_FILE;

	for (size_t i = 0; i < count; i++) {
		const uint32_t file = find_needed(loading, needed[i]);

		if (file != LOADING_NO_FILE &&
		    loading->files.items[file].object != loading->program->interpreter)
			first = file < first ? file : first;
	}
	for (uint32_t i = 1; first != LOADING_NO_FILE && i < first; i++)
		if (loading->files.items[i].object != loading->program->interpreter)
			vec_push(&scope->files, i);
}

/** Make the list that all files search first; false: its order is not known. */
static bool find_first_scope(struct loading *loading)
{
	struct loading_scope scope = { 0 };
	uint32_t last = 0;
	bool is_known;

	vec_push(&scope.files, 0);
	add_preloaded(loading, &scope);
	is_known = add_needed(loading, &scope);
	vec_push(&loading->scopes, scope);
	// The linker maps them in this order, too.
	for (size_t i = 1; is_known && i < scope.files.count; i++) {
		const uint32_t file = scope.files.items[i];

		if (loading->files.items[file].object == loading->program->interpreter)
			continue;
		is_known = file > last;
		last = file;
		if (!is_known)
			loading->row.unknown = "files were mapped in another order than they need "
					       "each other";
	}
	return is_known;
}

/** Make the lists of what dlopen() brought, and tell for each file which one brought it. */
static bool find_groups(struct loading *loading)
{
	CLEANUP(freep) bool *is_placed = xcalloc(loading->files.count + 1, sizeof(*is_placed));

	vec_foreach (file, &loading->scopes.items[0].files)
		is_placed[*file] = true;
	for (uint32_t i = 0; i < loading->files.count; i++) {
		struct loading_scope scope = { 0 };

		if (is_placed[i] || loading->files.items[i].object == loading->program->interpreter)
			continue;
		vec_push(&scope.files, i);
		const bool is_known = add_needed(loading, &scope);

		vec_foreach (file, &scope.files) {
			if (is_placed[*file])
				continue;
			is_placed[*file] = true;
			loading->files.items[*file].group = (uint32_t)loading->scopes.count;
		}
		vec_push(&loading->scopes, scope);
		if (!is_known)
			return false;
	}
	return true;
}

bool loading_find_scopes(struct loading *loading)
{
	return find_first_scope(loading) && find_groups(loading);
}
