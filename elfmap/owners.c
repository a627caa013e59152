// SPDX-License-Identifier: Apache-2.0
// Slots come by vaddr. Named ones go to the symbol around them; the others stand in runs without a
// gap, and a run is of one kind: what its slots point to.
#include "elfmap/owners.h"

#include "elfmap/dwarf/variables.h"
#include "elfmap/entries.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/order.h"
#include "base/search.h"
#include "base/text.h"

enum {
	PAGES_MOST = 1 << 24, // of all objects that COPY relocations fill
	NAME_MOST = 4 << 10,
};

/** Kinds of things that a slot points to. */
enum target {
	TO_FUNCTION,  // the beginning of one, here or in another file
	TO_INSIDE,    // code of one
	TO_STRING,    // a literal
	TO_TYPE_INFO, // std::type_info
	TO_CXX_ABI,   // vtable of a type_info, with which one begins
	TO_DATA,
	TO_OTHER_FILE,
};

struct point {
	enum target target;
	uint64_t function; // with TO_INSIDE: its vaddr
};

struct survey {
	struct elfmap *map;
	uint64_t page_size;
	const struct elfmap_relocation *slots;
	size_t slot_count;
	const struct elfmap_symbol *current; // of the piece
	struct range piece;		     // vaddrs that belong to it
	struct u64map named_rows;	     // by vaddr: versions of one symbol may differ in size
	struct u64map unnamed_rows;	     // by section and kind
	VEC(struct elfmap_owner) owners;
	VEC(struct elfmap_owner_use) uses;
	struct variables variables;
	uint64_t pages_left; // behind the first of a slot
	uint64_t uncounted;
};

const char *elfmap_owner_word(enum elfmap_owner_kind kind)
{
	static const char *const words[ELFMAP_OWNER_KINDS] = {
		"symbol",  "vtables", "type-information", "switch-tables", "functions",
		"strings", "data",    "imports",	  "got",	   "init-arrays",
	};

	return words[kind];
}

/** The vtables of __class_type_info, __si_class_type_info and others. */
static bool is_cxx_abi(const char *name)
{
	return text_starts_with(name, "_ZTVN10__cxxabiv1");
}

/** Tell whether the object at @vaddr begins with such a vtable. */
static bool is_type_info(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_relocation *slot = elfmap_relocation_at(map, vaddr);
	struct elfmap_dynamic_symbol symbol;

	if (!slot || slot->vaddr != vaddr)
		return false;
	if (slot->symbol)
		return elfmap_dynamic_symbol(map, slot->symbol, &symbol) && is_cxx_abi(symbol.name);
	const struct elfmap_symbol *target = slot->class == ELFMAP_RELOCATION_RELATIVE
						     ? elfmap_symbol_at(map, slot->value)
						     : NULL;

	return target && is_cxx_abi(target->name);
}

static struct point point_to_code(struct elfmap *map, uint64_t vaddr)
{
	size_t count;
	const struct elfmap_function *functions = elfmap_functions(map, &count);
	uint64_t code = elfmap_code_vaddr(map, vaddr);
	size_t past = search_first(count, i, functions[i].vaddr > code);

	if (past == 0 || functions[past - 1].vaddr == code)
		return (struct point){ past == 0 ? TO_DATA : TO_FUNCTION, 0 };
	return (struct point){ TO_INSIDE, functions[past - 1].vaddr };
}

static struct point point_to(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);
	const struct elfmap_section *section = elfmap_section_at(map, vaddr);
	const struct elfmap_symbol *symbol = elfmap_symbol_at(map, vaddr);
	struct elfmap_place place;

	if (symbol && is_cxx_abi(symbol->name))
		return (struct point){ TO_CXX_ABI, 0 };
	if (section ? (section->flags & SHF_EXECINSTR) != 0 : segment && (segment->flags & PF_X))
		return point_to_code(map, vaddr);
	if (is_type_info(map, vaddr))
		return (struct point){ TO_TYPE_INFO, 0 };
	elfmap_locate(map, vaddr, &place);
	return (struct point){ place.entry.kind == ELFMAP_ENTRY_STRING ? TO_STRING : TO_DATA, 0 };
}

static struct point point_of(struct elfmap *map, const struct elfmap_relocation *slot)
{
	struct elfmap_dynamic_symbol symbol;

	if (slot->class == ELFMAP_RELOCATION_IRELATIVE)
		return (struct point){ TO_FUNCTION, 0 };
	if (!slot->symbol || !elfmap_dynamic_symbol(map, slot->symbol, &symbol))
		return point_to(map, slot->value);
	if (is_cxx_abi(symbol.name))
		return (struct point){ TO_CXX_ABI, 0 };
	if (text_starts_with(symbol.name, "_ZTI"))
		return (struct point){ TO_TYPE_INFO, 0 };
	if (symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC ||
	    strcmp(symbol.name, "__cxa_pure_virtual") == 0 ||
	    strcmp(symbol.name, "__cxa_deleted_virtual") == 0)
		return (struct point){ TO_FUNCTION, 0 };
	return symbol.is_defined ? point_to(map, symbol.vaddr + slot->value)
				 : (struct point){ TO_OTHER_FILE, 0 };
}

/**
 * The outermost name that the Itanium ABI writes into @name: llvm of _ZTVN4llvm4PassE. NULL for a
 * name that is not nested, and for other languages'.
 */
static const char *scope_of(struct arena *arena, const char *name)
{
	static const char *const prefixes[] = { "TV", "TI", "TS", "TT", "GV", "GR", "Z", "L" };
	size_t length = 0;

	if (!text_starts_with(name, "_Z"))
		return NULL;
	name += 2;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_starts_with(name, prefixes[i]))
			name += strlen(prefixes[i]);
	if (*name == 'N')
		name += 1 + strspn(name + 1, "rVKRO");
	else if (*name != 'S')
		return NULL;
	if (*name == 'S')
		return strchr("tabsiod", name[1]) && name[1] ? "std" : NULL;
	for (; *name >= '0' && *name <= '9' && length < NAME_MOST; name++)
		length = length * 10 + (size_t)(*name - '0');
	if (length == 0 || strnlen(name, length) < length)
		return NULL;
	return text_starts_with(name, "_GLOBAL__N") ? "(anonymous namespace)"
						    : arena_strndup(arena, name, length);
}

static uint32_t named_row(struct survey *survey, const struct elfmap_symbol *symbol)
{
	return u64map_row(&survey->named_rows, symbol->vaddr, &survey->owners,
			  (struct elfmap_owner){ .kind = ELFMAP_OWNER_SYMBOL,
						 .symbol = symbol,
						 .vaddr = symbol->vaddr });
}

static uint32_t unnamed_row(struct survey *survey, uint64_t vaddr, enum elfmap_owner_kind kind)
{
	const struct elfmap_section *section = elfmap_section_at(survey->map, vaddr);
	const uint64_t key = (uint64_t)(section ? section->index : 0) << 8 | (uint64_t)kind;

	return u64map_row(&survey->unnamed_rows, key, &survey->owners,
			  (struct elfmap_owner){ .kind = kind, .vaddr = vaddr });
}

/** The symbol that covers @vaddr and states its size; NULL: none. */
static const struct elfmap_symbol *symbol_at(struct survey *survey, uint64_t vaddr)
{
	if (!range_contains(survey->piece, vaddr)) {
		const struct elfmap_symbol *symbol = elfmap_symbol_next(
			survey->map, (struct range){ vaddr, UINT64_MAX }, &survey->piece);

		if (!symbol)
			survey->piece = (struct range){ vaddr, UINT64_MAX };
		else if (survey->piece.start > vaddr)
			survey->piece = (struct range){ vaddr, survey->piece.start };
		else if (!elfmap_symbol_is_a_guess(survey->map, symbol))
			return survey->current = symbol;
		survey->current = NULL;
	}
	return survey->current;
}

static bool is_same(const struct elfmap_symbol *a, const struct elfmap_symbol *b)
{
	return a == b || (a && b && a->vaddr == b->vaddr);
}

/**
 * Find the end of the neighbours of slot @first that @symbol covers, or of one section where it is
 * NULL.
 */
static size_t end_of_neighbours(struct survey *survey, size_t first,
				const struct elfmap_symbol *symbol)
{
	const struct elfmap_relocation *slots = survey->slots;
	const unsigned word = elfmap_word_size(survey->map);
	const struct elfmap_section *section = elfmap_section_at(survey->map, slots[first].vaddr);
	const uint64_t limit = section ? section->vaddr + section->size : UINT64_MAX;
	size_t end = first + 1;

	while (end < survey->slot_count && slots[end].vaddr - slots[end - 1].vaddr <= word &&
	       is_same(symbol_at(survey, slots[end].vaddr), symbol) &&
	       (symbol || slots[end].vaddr < limit))
		end++;
	return end;
}

static bool is_alike(struct point a, struct point b)
{
	return a.target == b.target && a.function == b.function;
}

/**
 * Find the end of the first of neighbouring slots [@first, @end) of one kind, *@ret_kind. Type
 * information has its name and its bases; a vtable has type information and only functions.
 */
static size_t end_of_kind(struct elfmap *map, const struct elfmap_relocation *slots, size_t first,
			  size_t end, enum elfmap_owner_kind *ret_kind)
{
	static const enum elfmap_owner_kind kinds[] = {
		[TO_FUNCTION] = ELFMAP_OWNER_FUNCTIONS, [TO_INSIDE] = ELFMAP_OWNER_SWITCHES,
		[TO_STRING] = ELFMAP_OWNER_STRINGS,	[TO_TYPE_INFO] = ELFMAP_OWNER_DATA,
		[TO_CXX_ABI] = ELFMAP_OWNER_TYPE_INFO,	[TO_DATA] = ELFMAP_OWNER_DATA,
		[TO_OTHER_FILE] = ELFMAP_OWNER_IMPORTS,
	};
	struct point point = point_of(map, &slots[first]);
	size_t at = first + 1;

	*ret_kind = kinds[point.target];
	if (point.target == TO_CXX_ABI) {
		at += at < end;
		point = (struct point){ TO_TYPE_INFO, 0 };
	} else if (point.target == TO_TYPE_INFO && at < end &&
		   point_of(map, &slots[at]).target == TO_FUNCTION) {
		*ret_kind = ELFMAP_OWNER_VTABLES;
		point = (struct point){ TO_FUNCTION, 0 };
	}
	while (at < end && is_alike(point_of(map, &slots[at]), point))
		at++;
	return at;
}

/** Find the end, before @end, of the run of unnamed slots that starts with @first. */
static size_t end_of_run(struct survey *survey, size_t first, size_t end,
			 enum elfmap_owner_kind *ret_kind)
{
	const uint64_t vaddr = survey->slots[first].vaddr;
	const struct entry_table *table = elfmap_entry_table(survey->map, vaddr);
	const struct elfmap_section *section = elfmap_section_at(survey->map, vaddr);

	if (table && table->kind == ELFMAP_ENTRY_GOT)
		*ret_kind = ELFMAP_OWNER_GOT;
	else if ((table && table->kind == ELFMAP_ENTRY_INIT_ARRAY) ||
		 (section && section->type == SHT_FINI_ARRAY))
		*ret_kind = ELFMAP_OWNER_INIT_ARRAY;
	else
		return end_of_kind(survey->map, survey->slots, first, end, ret_kind);
	return end;
}

static void add_use(struct survey *survey, const struct elfmap_relocation *slot, uint32_t row)
{
	const uint64_t size = elfmap_relocation_size(survey->map, slot);
	const uint64_t first = slot->vaddr / survey->page_size;

	survey->owners.items[row].relocations++;
	if (size == 0)
		return;
	// Only objects that are copied span more than two pages; damaged files have endless ones.
	if ((slot->vaddr + size - 1) / survey->page_size - first > survey->pages_left) {
		survey->uncounted++;
		return;
	}
	survey->pages_left -= (slot->vaddr + size - 1) / survey->page_size - first;
	for (uint64_t page = first; page <= (slot->vaddr + size - 1) / survey->page_size; page++) {
		struct elfmap_owner_use *last =
			survey->uses.count ? &survey->uses.items[survey->uses.count - 1] : NULL;

		if (last && last->page == page && last->owner == row)
			last->slots++;
		else
			// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): grown
			vec_push(&survey->uses, (struct elfmap_owner_use){ page, row, 1 });
	}
}

/** Add slots [@first, @end), a run of row @row. */
static void add_run(struct survey *survey, size_t first, size_t end, uint32_t row)
{
	survey->owners.items[row].runs++;
	for (size_t i = first; i < end; i++)
		add_use(survey, &survey->slots[i], row);
}

static void gather(struct survey *survey)
{
	for (size_t i = 0; i < survey->slot_count;) {
		const struct elfmap_symbol *symbol = symbol_at(survey, survey->slots[i].vaddr);
		const size_t end = end_of_neighbours(survey, i, symbol);

		if (symbol) {
			add_run(survey, i, end, named_row(survey, symbol));
			i = end;
		}
		while (i < end) {
			enum elfmap_owner_kind kind;
			const size_t run_end = end_of_run(survey, i, end, &kind);

			add_run(survey, i, run_end,
				unnamed_row(survey, survey->slots[i].vaddr, kind));
			i = run_end;
		}
	}
}

ORDER_OF(compare_uses, elfmap_owner_use, ORDER(x->page, y->page) ?: ORDER(x->owner, y->owner))

/** Count pages of @uses for the rows that they name. Sorts them, each once, and returns how many.
 */
static size_t count_pages(struct elfmap_owner_use *uses, size_t count, struct elfmap_owner *rows)
{
	size_t kept = 0;

	if (count)
		qsort(uses, count, sizeof(*uses), compare_uses);
	for (size_t i = 0; i < count; i++)
		if (kept > 0 && compare_uses(&uses[kept - 1], &uses[i]) == 0)
			uses[kept - 1].slots += uses[i].slots;
		else
			uses[kept++] = uses[i];
	for (size_t i = 0, end; i < kept; i = end) {
		for (end = i; end < kept && uses[end].page == uses[i].page; end++)
			rows[uses[end].owner].pages++;
		rows[uses[i].owner].pages_alone += end - i == 1;
	}
	return kept;
}

ORDER_OF(compare_owners, elfmap_owner,
	 ORDER(y->relocations, x->relocations) ?: ORDER(x->vaddr, y->vaddr)
		 ?: ORDER(x->kind, y->kind))

static void fill_names(struct survey *survey, bool with_sources)
{
	struct elfmap *map = survey->map;

	if (with_sources)
		variables_read(&survey->variables, map);
	vec_foreach (owner, &survey->owners) {
		const struct elfmap_section *section = elfmap_section_at(map, owner->vaddr);

		owner->section = section ? section->name : NULL;
		if (!owner->symbol)
			continue;
		owner->scope = scope_of(&map->arena, owner->symbol->name);
		owner->source = variables_file_at(&survey->variables, owner->vaddr);
	}
}

/**
 * Add up owners by the text at @offset of theirs; those without go into a row that is left out, for
 * the sake of the pages that they share.
 */
static const struct elfmap_owner *group(struct survey *survey, size_t offset, size_t *ret_count)
{
	CLEANUP(u64map_deinit) struct u64map by_name = { 0 };
	CLEANUP(vec_release) VEC(struct elfmap_owner) rows = { 0 };
	CLEANUP(freep) uint32_t *row_of = xcalloc(survey->owners.count + 1, sizeof(*row_of));
	CLEANUP(freep)
	struct elfmap_owner_use *uses = xcalloc(survey->uses.count + 1, sizeof(*uses));

	vec_push(&rows, (struct elfmap_owner){ 0 });
	for (size_t i = 0; i < survey->owners.count; i++) {
		const struct elfmap_owner *owner = &survey->owners.items[i];
		const char *text = *(const char *const *)((const char *)owner + offset);
		struct elfmap_owner empty = { .vaddr = owner->vaddr };

		memcpy((char *)&empty + offset, &text, sizeof(text));
		row_of[i] = text ? u64map_row(&by_name, hash_text(0, text), &rows, empty) : 0;
		rows.items[row_of[i]].relocations += owner->relocations;
		rows.items[row_of[i]].runs += owner->runs;
	}
	for (size_t i = 0; i < survey->uses.count; i++)
		uses[i] = (struct elfmap_owner_use){ survey->uses.items[i].page,
						     row_of[survey->uses.items[i].owner], 0 };
	count_pages(uses, survey->uses.count, rows.items);
	*ret_count = rows.count - 1;
	if (*ret_count)
		qsort(rows.items + 1, *ret_count, sizeof(*rows.items), compare_owners);
	return arena_copy(&survey->map->arena, rows.items + 1, *ret_count * sizeof(*rows.items));
}

/** Sort the owners, and let the uses name them as they stand then. */
static void sort_owners(struct survey *survey)
{
	struct placed {
		struct elfmap_owner owner; // first: what compare_owners() looks at
		uint32_t row;
	};
	const size_t count = survey->owners.count;
	CLEANUP(freep) struct placed *placed = xcalloc(count + 1, sizeof(*placed));
	CLEANUP(freep) uint32_t *place_of = xcalloc(count + 1, sizeof(*place_of));

	for (size_t i = 0; i < count; i++)
		placed[i] = (struct placed){ survey->owners.items[i], (uint32_t)i };
	qsort(placed, count, sizeof(*placed), compare_owners);
	for (size_t i = 0; i < count; i++) {
		survey->owners.items[i] = placed[i].owner;
		place_of[placed[i].row] = (uint32_t)i;
	}
	vec_foreach (use, &survey->uses)
		use->owner = place_of[use->owner];
	vec_sort(&survey->uses, compare_uses);
}

struct elfmap_owners elfmap_relocation_owners(struct elfmap *map, uint64_t page_size,
					      bool with_sources)
{
	struct survey survey = { .map = map, .page_size = page_size, .pages_left = PAGES_MOST };
	struct elfmap_owners owners = { 0 };

	survey.slots = elfmap_relocations(map, &survey.slot_count);
	gather(&survey);
	if (survey.uncounted)
		notes_add(&map->notes, "%s: pages of %lu copied objects are too many to count",
			  map->info.path, survey.uncounted);
	fill_names(&survey, with_sources);
	owners.scopes = group(&survey, offsetof(struct elfmap_owner, scope), &owners.scope_count);
	owners.sources =
		group(&survey, offsetof(struct elfmap_owner, source), &owners.source_count);
	survey.uses.count = count_pages(survey.uses.items, survey.uses.count, survey.owners.items);
	sort_owners(&survey);
	owners.uses = vec_keep_counted(&survey.uses, &map->arena, &owners.use_count);
	owners.owners = vec_keep_counted(&survey.owners, &map->arena, &owners.owner_count);
	u64map_deinit(&survey.named_rows);
	u64map_deinit(&survey.unnamed_rows);
	variables_deinit(&survey.variables);
	return owners;
}
