// SPDX-License-Identifier: Apache-2.0
// The search of each name of a file through its lists, by glibc's rules.
#include "correlate/linking/loading.h"

#include "base/hash.h"
#include "base/order.h"

#include <elf.h>

/** A search of one name. */
struct search {
	const struct elfmap_reference *reference;
	uint32_t from; // file
	bool is_call, is_copy;
	uint32_t found; // file; LOADING_NO_FILE: none has it
	uint64_t index; // in its .dynsym
	uint32_t searched, filtered, in_vain;
};

/** Search the files of @scope; true: one has it. @counts: add to their rows */
static bool search_scope(struct loading *loading, const struct loading_scope *scope,
			 struct search *search, bool counts)
{
	vec_foreach (at, &scope->files) {
		struct loading_file *file = &loading->files.items[*at];

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
	const struct loading_file *file = &loading->files.items[search->from];

	search->found = LOADING_NO_FILE;
	if (search->from != 0 && elfmap_linkage(file->map).is_symbolic) {
		uint32_t own = search->from;
		const struct loading_scope alone = { .files = { &own, 1, 1 } };

		if (search_scope(loading, &alone, search, counts))
			return;
	}
	if (search_scope(loading, &loading->scopes.items[0], search, counts) || file->group == 0)
		return;
	search_scope(loading, &loading->scopes.items[file->group], search, counts);
}

/** The first to bind an STB_GNU_UNIQUE name decides for all. */
static void decide_unique(struct loading *loading, struct search *search)
{
	struct elfmap_dynamic_symbol symbol;
	bool is_new;

	if (search->found == LOADING_NO_FILE ||
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
	    search->found == LOADING_NO_FILE)
		return;
	again.is_call = true;
	again.is_copy = false;
	if (!search->is_call)
		search_all(loading, &again, false);
	if (again.found != LOADING_NO_FILE && again.found != search->from)
		search->found = search->from;
}

/** Might a file that was opened before, and is in no list of this one, have it? */
static bool may_be_elsewhere(struct loading *loading, const struct search *search)
{
	const uint32_t group = loading->files.items[search->from].group;

	if (group <= 1 || (search->found != LOADING_NO_FILE &&
			   loading_scope_has(&loading->scopes.items[0], search->found)))
		return false;
	for (uint32_t i = 0; i < loading->files.count; i++) {
		struct loading_file *file = &loading->files.items[i];
		uint64_t index;

		if (file->group != 0 && file->group < group && i != search->found &&
		    elfmap_names_search(&file->names, search->reference, search->is_call, &index) ==
			    ELFMAP_SEARCH_FOUND)
			return true;
	}
	return false;
}

static void count_own(struct loading_file *file, const struct search *search)
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
	struct loading_file *file = &loading->files.items[search->from];
	struct model_searched *looking = &file->row.looking;

	looking->names++;
	looking->searches += search->searched;
	looking->filtered += search->filtered;
	looking->in_vain += search->in_vain;
	if (search->found == LOADING_NO_FILE) {
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

	vec_push(&loading->list,
		 (struct model_binding){
			 .from = loading->files.items[search->from].object,
			 .to = search->found == LOADING_NO_FILE
				       ? MODEL_NONE
				       : loading->files.items[search->found].object,
			 .name = arena_strdup(arena, reference->name),
			 .version = arena_strdup(
				 arena, reference->version ? reference->version->name : NULL),
			 .searched = search->searched,
			 .filtered = search->filtered,
			 .in_vain = search->in_vain,
			 .is_lazy = is_lazy,
			 .is_weak = reference->binding == STB_WEAK,
			 .is_unsure = is_unsure,
		 });
}

/** In the order of the tables, which is the linker's. */
ORDER_OF_POINTERS(compare_slots, elfmap_relocation,
		  ORDER(x->table, y->table) ?: ORDER(x->entry, y->entry))

void loading_bind_file(struct loading *loading, uint32_t from)
{
	const struct loading_file *file = &loading->files.items[from];
	size_t slot_count, table_count;
	const struct elfmap_relocation *slots = elfmap_relocations(file->map, &slot_count);
	const struct elfmap_relocation_table *tables =
		elfmap_relocation_tables(file->map, &table_count);
	CLEANUP(vec_release) VEC(const struct elfmap_relocation *) named = { 0 };
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
}
