// SPDX-License-Identifier: Apache-2.0
// The dynamic linker's work on names, done again from the files: glibc's rules (elfmap/binding.h
// for one file), in the order in which the trace shows the files mapped. A program's lists of files
// are made in scopes.c, and searched in binding.c.
#include "correlate/linking/costs.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/order.h"
#include "correlate/linking/loading.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static void loading_deinit(struct loading *loading)
{
	vec_foreach (scope, &loading->scopes)
		vec_deinit(&scope->files);
	vec_deinit(&loading->scopes);
	vec_deinit(&loading->files);
	vec_deinit(&loading->pairs);
	vec_deinit(&loading->list);
	u64map_deinit(&loading->uniques);
	u64map_deinit(&loading->pair_rows);
}

// ---- Sums -----------------------------------------------------------------------------------

static void add_up(struct model_searched *to, const struct model_searched *from)
{
	to->names += from->names;
	to->searches += from->searches;
	to->filtered += from->filtered;
	to->in_vain += from->in_vain;
	to->found += from->found;
}

ORDER_OF(compare_pairs, model_bound_pair, ORDER(y->names, x->names) ?: ORDER(x->from, y->from) ?:
	 ORDER(x->to, y->to))

/** Indexes of files by what they have. */
ORDER_OF(compare_providers, model_bound_file, ORDER(y->in.found, x->in.found))

/**
 * Count the searches that are spared if files behind the program come by the number of names that
 * they have. A name that is found ends no later than where the file then stands that has it now.
 */
static uint64_t spared_by_order(const struct loading *loading)
{
	const struct loading_scope *scope = &loading->scopes.items[0];
	const size_t count = scope->files.count;
	CLEANUP(freep) struct model_bound_file *sorted = xcalloc(count + 1, sizeof(*sorted));
	uint64_t now = 0, then = 0;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = loading->files.items[scope->files.items[i]].row;
		now += i * sorted[i].in.found;
	}
	if (count > 1)
		qsort(sorted + 1, count - 1, sizeof(*sorted), compare_providers);
	for (size_t i = 0; i < count; i++)
		then += i * sorted[i].in.found;
	return now - then;
}

static void finish(struct loading *loading)
{
	struct arena *arena = &loading->rows->model->arena;
	struct model_loading *row = &loading->row;
	struct model_bound_file *files = arena_array(arena, loading->files.count, sizeof(*files));

	// As they are searched: those of the program, then those of each dlopen().
	for (size_t group = 0; group < loading->scopes.count; group++)
		vec_foreach (at, &loading->scopes.items[group].files) {
			const struct loading_file *file = &loading->files.items[*at];

			if (file->group == group)
				files[row->file_count++] = file->row;
		}
	for (size_t i = 0; i < row->file_count; i++) {
		add_up(&row->sum, &files[i].looking);
		row->lazy += files[i].lazy;
	}
	for (size_t i = 0; i < row->file_count; i++)
		files[i].in.names = row->sum.names;
	row->files = files;
	row->best_order = spared_by_order(loading);
	vec_sort(&loading->pairs, compare_pairs);
	vec_foreach (pair, &loading->pairs) {
		pair->from = loading->files.items[pair->from].object;
		pair->to = loading->files.items[pair->to].object;
	}
	row->pairs = vec_keep_counted(&loading->pairs, arena, &row->pair_count);
	row->list = vec_keep_counted(&loading->list, arena, &row->count);
}

// ---- Programs -------------------------------------------------------------------------------

/** Open the files of a program; false: it has no dynamic linker whose rules are known. */
static bool open_files(struct loading *loading, const struct process_load *loads, size_t count)
{
	const struct process_program *program = loading->program;
	const struct rows *rows = loading->rows;

	if (program->executable == UINT32_MAX || program->interpreter == UINT32_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct elfmap *map = objects_opened(rows->objects, loads[i].object);
		const bool is_object = map && elfmap_info(map)->type != ET_CORE;

		if (!is_object && loads[i].is_code && i < 2)
			loading->row.unknown =
				arena_printf(&rows->model->arena, "%s could not be read",
					     loading_label(loading, loads[i].object));
		if (!is_object)
			continue;
		vec_push(&loading->files,
			 (struct loading_file){
				 .object = loads[i].object,
				 .map = map,
				 .row = { .object = loads[i].object,
					  .has_gnu_hash = elfmap_linkage(map).has_gnu_hash,
					  .binds_now = elfmap_info(map)->bind_now },
			 });
	}
	if (loading->row.unknown)
		return true;
	struct elfmap *linker = objects_opened(rows->objects, program->interpreter);
	const char *soname = linker ? elfmap_info(linker)->soname : NULL;

	if (!soname || (strncmp(soname, "ld-linux", 8) != 0 && strncmp(soname, "ld64.so", 7) != 0 &&
			strncmp(soname, "ld.so", 5) != 0))
		loading->row.unknown = "the dynamic linker is not glibc's";
	return true;
}

static void load(struct loading *loading)
{
	if (!loading_find_scopes(loading))
		return;
	vec_foreach (file, &loading->files) {
		file->names = elfmap_names_of(file->map);
		file->row.is_opened = file->group != 0;
	}
	// Group by group; in each the last file is relocated first.
	for (size_t group = 0; group < loading->scopes.count; group++)
		for (size_t i = loading->files.count; i-- > 0;)
			if (loading->files.items[i].group == group &&
			    loading_scope_has(&loading->scopes.items[group], (uint32_t)i))
				loading_bind_file(loading, (uint32_t)i);
	finish(loading);
}

ORDER_OF(compare_loadings, model_loading,
	 ORDER(y->sum.names * y->programs, x->sum.names * x->programs)
		 ?: ORDER(x->program, y->program))

/** @loads: of one program, in their order. */
static uint64_t hash_of(const struct process_load *loads, size_t count)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++)
		hash = hash_number(hash, loads[i].object);
	return hash;
}

ORDER_OF_POINTERS(compare_loads, process_load, ORDER(x->program, y->program) ?: ORDER(x, y))

void bindings_fill(struct rows *rows, const struct processes *processes, bool wants_list)
{
	size_t count, program_count;
	const struct process_load *loads = processes_loads(processes, &count);
	const struct process_program *programs = processes_programs(processes, &program_count);
	CLEANUP(freep) const struct process_load **sorted = xcalloc(count + 1, sizeof(*sorted));
	CLEANUP(freep) struct process_load *own = xcalloc(count + 1, sizeof(*own));
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };
	VEC(struct model_loading) found = { 0 };

	for (size_t i = 0; i < count; i++)
		sorted[i] = &loads[i];
	if (count)
		qsort(sorted, count, sizeof(*sorted), compare_loads);
	for (size_t i = 0; i < count; i++)
		own[i] = *sorted[i];
	for (size_t i = 0, end; i < count; i = end) {
		bool is_new;

		for (end = i; end < count && own[end].program == own[i].program; end++)
			;
		const struct process_program *program = &programs[own[i].program];

		if (!program->row.has_exec || program->is_attached)
			continue;
		uint32_t *row = u64map_put(&seen, hash_of(&own[i], end - i), &is_new);

		if (!is_new) {
			if (*row != LOADING_NO_FILE)
				// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it has one
				found.items[*row].programs++;
			continue;
		}
		CLEANUP(loading_deinit)
		struct loading loading = { .rows = rows,
					   .program = program,
					   .wants_list = wants_list,
					   .row = { .program = own[i].program, .programs = 1 } };

		*row = LOADING_NO_FILE;
		if (!open_files(&loading, &own[i], end - i))
			continue;
		*row = (uint32_t)found.count;
		if (!loading.row.unknown)
			load(&loading);
		vec_push(&found, loading.row);
	}
	if (found.count == 0)
		return;
	vec_sort(&found, compare_loadings);
	struct model_bindings *bindings = arena_alloc(&rows->model->arena, sizeof(*bindings));

	bindings->loadings = vec_keep_counted(&found, &rows->model->arena, &bindings->count);
	rows->model->bindings = bindings;
}
