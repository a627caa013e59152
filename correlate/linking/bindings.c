// SPDX-License-Identifier: Apache-2.0
// The dynamic linker's work on names, done again from the files: glibc's rules (elfmap/binding.h
// for one file), in the order in which the trace shows the files mapped.
//
// Files that a program needs, and those that LD_PRELOAD puts in front, are one list, which is
// searched for all of them. Each dlopen() makes a list of its own, of what that file needs, behind
// the first. Whether it was opened for all (RTLD_GLOBAL) a trace does not tell.
#include "correlate/linking/costs.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/path.h"
#include "elfmap/binding.h"
#include "model/binding.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { NO_FILE = UINT32_MAX };

/** A file of a program. */
struct file {
	uint32_t object;
	struct elfmap *map;
	struct elfmap_names names;
	uint32_t group; // 0: loaded with the program; else the dlopen() that brought it, from 1
	struct model_bound_file row;
};

/** Files that a name is searched in, one after the other. */
struct scope {
	VEC(uint32_t) files; // indexes into loading.files
};

/** One program being loaded. */
struct loading {
	struct rows *rows;
	const struct process_program *program;
	VEC(struct file) files;	  // in the order of their mappings
	VEC(struct scope) scopes; // by group
	struct u64map uniques;	  // hash of an STB_GNU_UNIQUE name -> file
	struct u64map pair_rows;
	VEC(struct model_bound_pair) pairs; // of files
	VEC(struct model_binding) list;
	bool wants_list;
	struct model_loading row;
};

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

// ---- Order ----------------------------------------------------------------------------------

static const char *label_of(const struct loading *loading, uint32_t object)
{
	return path_file_name(loading->rows->object_rows.items[object].path);
}

/** The file that DT_NEEDED means by @name; NO_FILE: none of the program's. */
static uint32_t find_needed(const struct loading *loading, const char *name)
{
	for (uint32_t i = 0; i < loading->files.count; i++) {
		const struct file *file = &loading->files.items[i];
		const char *soname = elfmap_info(file->map)->soname;
		const char *path = loading->rows->object_rows.items[file->object].path;

		if ((soname && strcmp(soname, name) == 0) || strcmp(path, name) == 0 ||
		    strcmp(path_file_name(path), path_file_name(name)) == 0)
			return i;
	}
	return NO_FILE;
}

static bool has_file(const struct scope *scope, uint32_t file)
{
	vec_foreach (item, &scope->files)
		if (*item == file)
			return true;
	return false;
}

/** Append what the files of @scope need, breadth first; false: one of it is not the program's. */
static bool add_needed(struct loading *loading, struct scope *scope)
{
	for (size_t i = 0; i < scope->files.count; i++) {
		size_t count;
		const char *const *needed =
			elfmap_needed(loading->files.items[scope->files.items[i]].map, &count);

		for (size_t n = 0; n < count; n++) {
			const uint32_t file = find_needed(loading, needed[n]);

			if (file == NO_FILE) {
				loading->row.unknown = arena_printf(
					&loading->rows->model->arena,
					"%s needs %s, which was not mapped, or could not be read",
					label_of(
						loading,
						loading->files.items[scope->files.items[i]].object),
					needed[n]);
				return false;
			}
			if (!has_file(scope, file))
				vec_push(&scope->files, file);
		}
	}
	return true;
}

/**
 * Put what LD_PRELOAD brings behind the program: it is mapped before the first file that the
 * program needs, which it does not.
 */
static void add_preloaded(struct loading *loading, struct scope *scope)
{
	size_t count;
	// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the first is the program
	const char *const *needed = elfmap_needed(loading->files.items[0].map, &count);
	uint32_t first = NO_FILE;

	for (size_t i = 0; i < count; i++) {
		const uint32_t file = find_needed(loading, needed[i]);

		if (file != NO_FILE &&
		    loading->files.items[file].object != loading->program->interpreter)
			first = file < first ? file : first;
	}
	for (uint32_t i = 1; first != NO_FILE && i < first; i++)
		if (loading->files.items[i].object != loading->program->interpreter)
			vec_push(&scope->files, i);
}

/** Make the list that all files search first; false: its order is not known. */
static bool find_first_scope(struct loading *loading)
{
	struct scope scope = { 0 };
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
		struct scope scope = { 0 };

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

// ---- Searching ------------------------------------------------------------------------------

/** A search of one name. */
struct search {
	const struct elfmap_reference *reference;
	uint32_t from; // file
	bool is_call, is_copy;
	uint32_t found; // file; NO_FILE: none has it
	uint64_t index; // in its .dynsym
	uint32_t searched, filtered, in_vain;
};

/** Search the files of @scope; true: one has it. @counts: add to their rows */
static bool search_scope(struct loading *loading, const struct scope *scope, struct search *search,
			 bool counts)
{
	vec_foreach (at, &scope->files) {
		struct file *file = &loading->files.items[*at];

		if (search->is_copy && *at == search->from)
			continue;
		const enum elfmap_search outcome = elfmap_names_search(
			&file->names, search->reference, search->is_call, &search->index);

		if (outcome == ELFMAP_SEARCH_NONE)
			continue;
		search->searched++;
		search->filtered += outcome == ELFMAP_SEARCH_FILTERED;
		search->in_vain += outcome == ELFMAP_SEARCH_IN_VAIN;
		if (counts) {
			file->row.in.searches++;
			file->row.in.filtered += outcome == ELFMAP_SEARCH_FILTERED;
			file->row.in.in_vain += outcome == ELFMAP_SEARCH_IN_VAIN;
			file->row.in.found += outcome == ELFMAP_SEARCH_FOUND;
		}
		if (outcome == ELFMAP_SEARCH_FOUND) {
			search->found = *at;
			return true;
		}
	}
	return false;
}

/** The lists of a file, in their order: its own first where it is DT_SYMBOLIC. */
static void search_all(struct loading *loading, struct search *search, bool counts)
{
	const struct file *file = &loading->files.items[search->from];

	search->found = NO_FILE;
	if (search->from != 0 && elfmap_linkage(file->map).is_symbolic) {
		uint32_t own = search->from;
		const struct scope alone = { .files = { &own, 1, 1 } };

		if (search_scope(loading, &alone, search, counts))
			return;
	}
	if (search_scope(loading, &loading->scopes.items[0], search, counts) || file->group == 0)
		return;
	search_scope(loading, &loading->scopes.items[file->group], search, counts);
}

/** Whoever bound an STB_GNU_UNIQUE name first decided for all. */
static void decide_unique(struct loading *loading, struct search *search)
{
	struct elfmap_dynamic_symbol symbol;
	bool is_new;

	if (search->found == NO_FILE ||
	    !elfmap_dynamic_symbol(loading->files.items[search->found].map, search->index,
				   &symbol) ||
	    symbol.binding != STB_GNU_UNIQUE)
		return;
	uint32_t *file =
		u64map_put(&loading->uniques, hash_text(0, search->reference->name), &is_new);

	if (is_new)
		*file = search->is_copy ? search->from : search->found;
	else
		search->found = *file;
}

/** A protected symbol of the file itself is only given up for the address of a PLT entry. */
static void decide_protected(struct loading *loading, struct search *search)
{
	struct search again = *search;

	if (search->reference->visibility != STV_PROTECTED || !search->reference->is_defined ||
	    search->found == NO_FILE)
		return;
	again.is_call = true;
	again.is_copy = false;
	if (!search->is_call)
		search_all(loading, &again, false);
	if (again.found != NO_FILE && again.found != search->from)
		search->found = search->from;
}

/** Might a file that was opened before, and is in no list of this one, have it? */
static bool may_be_elsewhere(struct loading *loading, const struct search *search)
{
	const uint32_t group = loading->files.items[search->from].group;

	if (group <= 1 ||
	    (search->found != NO_FILE && has_file(&loading->scopes.items[0], search->found)))
		return false;
	for (uint32_t i = 0; i < loading->files.count; i++) {
		struct file *file = &loading->files.items[i];
		uint64_t index;

		if (file->group != 0 && file->group < group && i != search->found &&
		    elfmap_names_search(&file->names, search->reference, search->is_call, &index) ==
			    ELFMAP_SEARCH_FOUND)
			return true;
	}
	return false;
}

static void count_own(struct file *file, const struct search *search)
{
	const uint8_t type = search->reference->type;

	file->row.own++;
	file->row.own_searches += search->searched;
	if (type != STT_FUNC && type != STT_GNU_IFUNC)
		return;
	file->row.own_functions++;
	file->row.own_function_searches += search->searched;
}

static void count_bound(struct loading *loading, const struct search *search)
{
	struct file *file = &loading->files.items[search->from];
	struct model_searched *looking = &file->row.looking;

	looking->names++;
	looking->searches += search->searched;
	looking->filtered += search->filtered;
	looking->in_vain += search->in_vain;
	if (search->found == NO_FILE) {
		loading->row.without++;
		return;
	}
	looking->found++;
	if (search->found == search->from)
		count_own(file, search);
	const uint32_t row = u64map_row(
		&loading->pair_rows, (uint64_t)search->from << 32 | search->found, &loading->pairs,
		(struct model_bound_pair){ search->from, search->found, 0 });

	loading->pairs.items[row].names++;
}

static void bind(struct loading *loading, struct search *search, bool is_lazy)
{
	search_all(loading, search, !is_lazy);
	decide_unique(loading, search);
	decide_protected(loading, search);
	const bool is_unsure = may_be_elsewhere(loading, search);

	loading->row.unsure += is_unsure;
	if (is_lazy)
		loading->files.items[search->from].row.lazy++;
	else
		count_bound(loading, search);
	if (!loading->wants_list)
		return;
	const struct elfmap_reference *reference = search->reference;
	struct arena *arena = &loading->rows->model->arena;

	vec_push(
		&loading->list,
		(struct model_binding){
			.from = loading->files.items[search->from].object,
			.to = search->found == NO_FILE ? MODEL_NONE
						       : loading->files.items[search->found].object,
			.name = arena_strdup(arena, reference->name),
			.version = arena_strdup(arena, reference->version ? reference->version->name
									  : NULL),
			.searched = search->searched,
			.filtered = search->filtered,
			.in_vain = search->in_vain,
			.is_lazy = is_lazy,
			.is_weak = reference->binding == STB_WEAK,
			.is_unsure = is_unsure,
		});
}

/** In the order of the tables, which is the linker's. */
static int compare_slots(const void *left, const void *right)
{
	const struct elfmap_relocation *a = *(const struct elfmap_relocation *const *)left;
	const struct elfmap_relocation *b = *(const struct elfmap_relocation *const *)right;

	return ORDER(a->table, b->table) ?: ORDER(a->entry, b->entry);
}

static void bind_file(struct loading *loading, uint32_t from)
{
	const struct file *file = &loading->files.items[from];
	size_t slot_count, table_count;
	const struct elfmap_relocation *slots = elfmap_relocations(file->map, &slot_count);
	const struct elfmap_relocation_table *tables =
		elfmap_relocation_tables(file->map, &table_count);
	VEC(const struct elfmap_relocation *) named = { 0 };
	// The linker keeps what it found last, and does not look again.
	uint32_t last_symbol = 0, last_class = 0;

	for (size_t i = 0; i < slot_count; i++)
		if (slots[i].symbol != 0)
			vec_push(&named, &slots[i]);
	vec_sort(&named, compare_slots);
	vec_foreach (item, &named) {
		const struct elfmap_relocation *slot = *item;
		const bool is_copy = slot->class == ELFMAP_RELOCATION_COPY;
		const bool is_call = slot->class == ELFMAP_RELOCATION_JUMP_SLOT ||
				     slot->class == ELFMAP_RELOCATION_TLS;
		const bool is_lazy = slot->class == ELFMAP_RELOCATION_JUMP_SLOT &&
				     tables[slot->table].is_plt && !file->row.binds_now;
		const uint32_t class = (uint32_t)is_copy << 1 | is_call;
		struct elfmap_reference reference;

		if (!elfmap_reference_at(&file->names, slot->symbol, &reference) ||
		    (!is_lazy && slot->symbol == last_symbol && class == last_class))
			continue;
		struct search search = { .reference = &reference,
					 .from = from,
					 .is_call = is_call,
					 .is_copy = is_copy };

		if (!is_lazy) {
			last_symbol = slot->symbol;
			last_class = class;
		}
		bind(loading, &search, is_lazy);
	}
	vec_deinit(&named);
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

static int compare_pairs(const void *left, const void *right)
{
	const struct model_bound_pair *a = left, *b = right;

	return ORDER(b->names, a->names) ?: ORDER(a->from, b->from) ?: ORDER(a->to, b->to);
}

/** Indexes of files by what they have. */
static int compare_providers(const void *left, const void *right)
{
	const struct model_bound_file *a = left, *b = right;

	return ORDER(b->in.found, a->in.found);
}

/**
 * Count the searches that are spared if files behind the program come by the number of names that
 * they have. A name that is found ends no later than where the file then stands that has it now.
 */
static uint64_t spared_by_order(const struct loading *loading)
{
	const struct scope *scope = &loading->scopes.items[0];
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
			const struct file *file = &loading->files.items[*at];

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
	row->pair_count = loading->pairs.count;
	row->pairs = vec_keep(&loading->pairs, arena);
	row->count = loading->list.count;
	row->list = vec_keep(&loading->list, arena);
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
					     label_of(loading, loads[i].object));
		if (!is_object)
			continue;
		vec_push(&loading->files,
			 (struct file){
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
	if (!find_first_scope(loading) || !find_groups(loading))
		return;
	vec_foreach (file, &loading->files) {
		file->names = elfmap_names_of(file->map);
		file->row.is_opened = file->group != 0;
	}
	// Group by group; in each the last file is relocated first.
	for (size_t group = 0; group < loading->scopes.count; group++)
		for (size_t i = loading->files.count; i-- > 0;)
			if (loading->files.items[i].group == group &&
			    has_file(&loading->scopes.items[group], (uint32_t)i))
				bind_file(loading, (uint32_t)i);
	finish(loading);
}

static int compare_loadings(const void *left, const void *right)
{
	const struct model_loading *a = left, *b = right;

	return ORDER(b->sum.names * b->programs, a->sum.names * a->programs)
		       ?: ORDER(a->program, b->program);
}

/** Loads of one program: a part of @sorted. */
static uint64_t hash_of(const struct process_load *loads, size_t count)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++)
		hash = hash_number(hash, loads[i].object);
	return hash;
}

static int compare_loads(const void *left, const void *right)
{
	const struct process_load *a = *(const struct process_load *const *)left;
	const struct process_load *b = *(const struct process_load *const *)right;

	return ORDER(a->program, b->program) ?: ORDER(a, b);
}

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
			if (*row != NO_FILE)
				// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it has one
				found.items[*row].programs++;
			continue;
		}
		CLEANUP(loading_deinit)
		struct loading loading = { .rows = rows,
					   .program = program,
					   .wants_list = wants_list,
					   .row = { .program = own[i].program, .programs = 1 } };

		*row = NO_FILE;
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

	bindings->count = found.count;
	bindings->loadings = vec_keep(&found, &rows->model->arena);
	rows->model->bindings = bindings;
}
