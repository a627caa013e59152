// SPDX-License-Identifier: Apache-2.0
// Functions and objects by vaddr: .symtab (the file's own or a debug file's), .dynsym and the
// function ranges of .eh_frame, merged into one sorted table and one range map for lookups.
#include "elfmap/symbols/symtab.h"

#include "elfmap/symbols/framesearch.h"
#include "elfmap/symbols/gosymbols.h"
#include "elfmap/symbols/symbolorder.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "base/u64map.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FRAME_NAME_BYTES = 24 }; // "fn@0x", 16 digits and a NUL
enum { NAMES_MAX = 256 };	// of one address that are looked at: only a file made so has more

struct elfmap_symbol_table {
	struct elfmap_symbol *items; // heap: grown while read
	bool *is_extended;	     // beside each item: its size was 0 in the file
	size_t count;
	struct rangemap by_vaddr; // ids index items
};

/**
 * Lookup without the list of all symbols, for a few questions: the named symbols alone, and the
 * frames between them found one by one. The same answers, in another place.
 */
struct elfmap_symbol_lookup {
	struct elfmap_symbol_table named;
	struct range *covered; // by function symbols; sorted and disjoint
	size_t covered_count;
	struct frame_search search;
	struct u64map pieces_by_vaddr; // values index pieces
	VEC(const struct elfmap_symbol *) pieces;
};

/** The symbols being collected, before sizes are settled. */
struct collection {
	struct elfmap *map;
	VEC(struct elfmap_symbol) symbols;
};

static void collection_deinit(struct collection *collection)
{
	vec_deinit(&collection->symbols);
}

static void collect(struct collection *collection, const struct symtab *table)
{
	uint64_t nameless = 0, first = 0;

	for (uint64_t i = 1; i < table->count; i++) {
		struct elfmap_symbol symbol;
		uint64_t before = nameless;

		if (symtab_entry(collection->map, table, i, &nameless, &symbol))
			vec_push(&collection->symbols, symbol);
		if (before == 0 && nameless)
			first = i;
	}
	if (nameless)
		notes_add(&collection->map->notes,
			  "%s: %s: %" PRIu64 " name indexes past the end of the string table; the "
			  "first is entry %" PRIu64,
			  table->owner->info.path,
			  table->source == ELFMAP_SYMBOLS_DYNSYM ? ".dynsym" : ".symtab", nameless,
			  first);
}

/** Sort, and keep one of the symbols that agree in vaddr, size and name: the best source's. */
static void sort_and_merge(struct collection *collection)
{
	struct elfmap_symbol *items = collection->symbols.items;
	size_t count = collection->symbols.count, kept = 0;

	if (count)
		qsort(items, count, sizeof(*items), symbolorder_compare);
	for (size_t i = 0; i < count; i++) {
		struct elfmap_symbol *last = kept ? &items[kept - 1] : NULL;

		if (!last || last->vaddr != items[i].vaddr || last->size != items[i].size ||
		    symbolorder_names(last, &items[i]) != 0)
			items[kept++] = items[i];
	}
	collection->symbols.count = kept;
}

/** Return the end that a symbol at @vaddr must have: its section's end, else its segment's. */
static uint64_t limit_of(const struct elfmap *map, const struct elfmap_symbol *symbol)
{
	const struct elfmap_segment *load = elfmap_load_at(map, symbol->vaddr);

	if (!load)
		return symbol->vaddr;
	uint64_t limit = load->vaddr + load->memory_size;
	if (symbol->section) {
		const struct elfmap_section *section = &map->sections[symbol->section];
		uint64_t end;

		if (checked_add(section->vaddr, section->size, &end) && end < limit)
			limit = end < symbol->vaddr ? symbol->vaddr : end;
	}
	return limit;
}

static bool is_executable(const struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_section *section = elfmap_section_at(map, vaddr);
	const struct elfmap_segment *load = elfmap_load_at(map, vaddr);

	return section ? section->flags & SHF_EXECINSTR : load && (load->flags & PF_X);
}

static bool is_function(const struct elfmap *map, const struct elfmap_symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
	       (symbol->type == STT_NOTYPE && is_executable(map, symbol->vaddr));
}

/**
 * Give every symbol of size 0 the bytes up to the next symbol, the next function of .eh_frame or
 * its section's end, but none that a symbol with a size covers: it is a label in that one. Cut
 * those that reach past their segment.
 */
static void settle_sizes(struct collection *collection, struct frame_search *search,
			 bool *is_extended)
{
	struct elfmap *map = collection->map;
	struct elfmap_symbol *items = collection->symbols.items;
	size_t count = collection->symbols.count;
	uint64_t cut = 0, stated = 0; // where symbols that state a size end
	bool has_sized_twin = false;  // one of those at the same vaddr states a size

	for (size_t i = 0, next = 0; i < count; i++) {
		struct elfmap_symbol *symbol = &items[i];
		const struct elfmap_segment *load = elfmap_load_at(map, symbol->vaddr);
		uint64_t room = load ? load->vaddr + load->memory_size - symbol->vaddr : 0;

		if (symbol->size > room) {
			symbol->size = room;
			cut++;
		}
		has_sized_twin = has_sized_twin && i < next;
		while (next < count && items[next].vaddr <= symbol->vaddr)
			has_sized_twin |= items[next++].size > 0;
		if (symbol->vaddr + symbol->size > stated)
			stated = symbol->vaddr + symbol->size;
		if (symbol->size || symbol->vaddr < stated || has_sized_twin)
			continue;

		uint64_t end = frame_search_limit(search, symbol->vaddr, limit_of(map, symbol));
		if (next < count && items[next].vaddr < end)
			end = items[next].vaddr;
		symbol->size = end - symbol->vaddr;
		is_extended[i] = true;
	}
	if (cut)
		notes_add(&map->notes,
			  "%s: symbols shortened because they extend past their segment: %" PRIu64,
			  map->info.path, cut);
}

/** vaddr ranges that function symbols cover, sorted and disjoint. Symbols come sorted by start. */
static size_t covered_code(const struct elfmap *map, const struct elfmap_symbol *symbols,
			   size_t count, struct range *ranges)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		// Sizes were cut to the segment: the sum cannot overflow.
		struct range range = { symbols[i].vaddr, symbols[i].vaddr + symbols[i].size };

		if (symbols[i].size == 0 || !is_function(map, &symbols[i]))
			continue;
		if (used && range.start <= ranges[used - 1].end) {
			if (range.end > ranges[used - 1].end)
				ranges[used - 1].end = range.end;
		} else {
			ranges[used++] = range;
		}
	}
	return used;
}

/** "fn@0x..." without printf, which would take longer than all the rest of building the table. */
static const char *frame_name(char *text, uint64_t vaddr)
{
	static const char digits[] = "0123456789abcdef";
	unsigned shift = 60;

	memcpy(text, "fn@0x", 5);
	while (shift && !(vaddr >> shift))
		shift -= 4;
	char *out = text + 5;
	for (;; shift -= 4) {
		*out++ = digits[(vaddr >> shift) & 15];
		if (shift == 0)
			break;
	}
	*out = '\0';
	return text;
}

/** PLT stubs have a FDE of their own, but each stub has a better name as a table's entry. */
static bool is_plt(const struct elfmap_section *section)
{
	return section &&
	       (strncmp(section->name, ".plt", 4) == 0 || strcmp(section->name, ".iplt") == 0);
}

static struct elfmap_symbol piece_of_frame(const struct elfmap_section *section, struct range piece)
{
	return (struct elfmap_symbol){
		.vaddr = piece.start,
		.size = range_size(piece),
		.section = section ? section->index : 0,
		.type = STT_FUNC,
		.binding = STB_LOCAL,
		.source = ELFMAP_SYMBOLS_EH_FRAME,
	};
}

/** Add the pieces of FDEs that no function symbol covers. */
static void add_frames(struct collection *collection, const struct elfmap_frame *frames,
		       size_t frame_count)
{
	struct elfmap *map = collection->map;
	size_t symbol_count = collection->symbols.count, next = 0;
	CLEANUP(freep) struct range *covered = xcalloc(symbol_count, sizeof(*covered));
	size_t covered_count = covered_code(map, collection->symbols.items, symbol_count, covered);

	for (size_t i = 0; i < frame_count; i++) {
		struct range rest = frames[i].code;
		const struct elfmap_section *section = elfmap_section_at(map, rest.start);

		// FDEs that overlap are none that a linker wrote: the later one takes over.
		if (i + 1 < frame_count && frames[i + 1].code.start < rest.end)
			rest.end = frames[i + 1].code.start;
		if (is_plt(section))
			continue;
		while (next < covered_count && covered[next].end <= rest.start)
			next++;
		for (size_t k = next; rest.start < rest.end; k++) {
			struct range piece = rest;

			if (k < covered_count && covered[k].start < rest.end) {
				piece.end = covered[k].start > rest.start ? covered[k].start
									  : rest.start;
				rest.start = covered[k].end < rest.end ? covered[k].end : rest.end;
			} else {
				rest.start = rest.end;
			}
			if (piece.start == piece.end)
				continue;
			vec_push(&collection->symbols, piece_of_frame(section, piece));
		}
	}
	size_t added = collection->symbols.count - symbol_count;
	char *names = arena_array(&map->arena, added, FRAME_NAME_BYTES);
	for (size_t i = 0; i < added; i++) {
		struct elfmap_symbol *symbol = &collection->symbols.items[symbol_count + i];

		symbol->name = frame_name(names + i * FRAME_NAME_BYTES, symbol->vaddr);
	}
}

/** Merge the symbols, [0, @named), and the frames behind them, both sorted, into @table. */
static void interleave(struct elfmap_symbol_table *table, const struct elfmap_symbol *symbols,
		       size_t named, size_t count, const bool *is_extended)
{
	size_t a = 0, b = named;

	table->items = xcalloc(count, sizeof(*table->items));
	table->is_extended = xcalloc(count, sizeof(*table->is_extended));
	table->count = count;
	for (size_t i = 0; i < count; i++) {
		if (b == count ||
		    (a < named && symbolorder_compare(&symbols[a], &symbols[b]) <= 0)) {
			table->is_extended[i] = is_extended[a];
			table->items[i] = symbols[a++];
		} else {
			table->items[i] = symbols[b++];
		}
	}
}

static void index_symbols(struct elfmap *map, struct elfmap_symbol_table *table)
{
	CLEANUP(freep) struct rangemap_item *items = xcalloc(table->count, sizeof(*items));

	for (size_t i = 0; i < table->count; i++)
		items[i] = (struct rangemap_item){
			.range = { table->items[i].vaddr,
				   table->items[i].vaddr + table->items[i].size },
			.id = (uint32_t)i, // each has 16 bytes in the file: fewer than 2^32
		};
	rangemap_build(&table->by_vaddr, &map->arena, items, table->count, symbolorder_beats,
		       table->items);
}

static void collect_of_go(struct collection *collection)
{
	CLEANUP(freep) struct elfmap_symbol *symbols = NULL;
	uint32_t count = gosymbols_list(collection->map, &symbols);

	for (uint32_t i = 0; i < count; i++)
		vec_push(&collection->symbols, symbols[i]);
}

/** Collect, merge and settle the symbols that have a name; the caller releases both results. */
static void collect_named(struct collection *collection, struct frame_search *search,
			  bool **ret_is_extended)
{
	struct elfmap *map = collection->map;
	struct symtab symtab = symtab_best(map), dynsym = symtab_dynamic(map);

	vec_reserve(&collection->symbols, symtab.count + dynsym.count); // tables within the file
	collect(collection, &symtab);
	collect(collection, &dynsym);
	if (symtab.count == 0)
		collect_of_go(collection);
	sort_and_merge(collection);
	*ret_is_extended = xcalloc(collection->symbols.count, sizeof(**ret_is_extended));
	settle_sizes(collection, search, *ret_is_extended);
}

static struct elfmap_symbol_table *table_of(struct elfmap *map)
{
	if (map->symbol_table)
		return map->symbol_table;

	struct elfmap_symbol_table *table = xcalloc(1, sizeof(*table));
	const struct elfmap_symbol_lookup *lookup = map->symbol_lookup;
	CLEANUP(collection_deinit) struct collection collection = { .map = map };
	struct frame_search search;
	CLEANUP(freep) bool *is_extended = NULL;

	map->symbol_table = table;
	frame_search_init_whole(&search, map);
	if (lookup) { // oddities were noted: not to be collected, and counted, twice
		is_extended = xcalloc(lookup->named.count, sizeof(*is_extended));
		for (size_t i = 0; i < lookup->named.count; i++) {
			vec_push(&collection.symbols, lookup->named.items[i]);
			is_extended[i] = lookup->named.is_extended[i];
		}
	} else {
		collect_named(&collection, &search, &is_extended);
	}
	size_t named = collection.symbols.count;
	add_frames(&collection, search.frames, search.frame_count);
	interleave(table, collection.symbols.items, named, collection.symbols.count, is_extended);
	index_symbols(map, table);
	// What looked like a source at first may have been damaged.
	if (table->count == 0)
		map->info.symbols = ELFMAP_SYMBOLS_NONE;
	return table;
}

static void lookup_destroyp(struct elfmap_symbol_lookup **lookup)
{
	elfmap_symbol_lookup_destroy(*lookup);
}

/** NULL where the list of all symbols is there: that is then used. */
static struct elfmap_symbol_lookup *lookup_of(struct elfmap *map)
{
	if (map->symbol_lookup || map->symbol_table)
		return map->symbol_lookup;

	CLEANUP(lookup_destroyp)
	struct elfmap_symbol_lookup *lookup = xcalloc(1, sizeof(*lookup));
	struct elfmap_symbol_table *named = &lookup->named;
	CLEANUP(collection_deinit) struct collection collection = { .map = map };

	frame_search_init(&lookup->search, map);
	collect_named(&collection, &lookup->search, &named->is_extended);
	named->items = TAKE(collection.symbols.items);
	named->count = collection.symbols.count;
	index_symbols(map, named);
	lookup->covered = xcalloc(named->count, sizeof(*lookup->covered));
	lookup->covered_count = covered_code(map, named->items, named->count, lookup->covered);
	return map->symbol_lookup = TAKE(lookup);
}

/** Cut @frame to what is around @vaddr and no function covers; false if one covers @vaddr. */
static bool cut_piece(const struct elfmap_symbol_lookup *lookup, uint64_t vaddr,
		      struct range *piece)
{
	const struct range *covered = lookup->covered;
	size_t next = search_first(lookup->covered_count, i, covered[i].end > vaddr);

	if (next < lookup->covered_count && covered[next].start <= vaddr)
		return false;
	if (next < lookup->covered_count && covered[next].start < piece->end)
		piece->end = covered[next].start;
	if (next > 0 && covered[next - 1].end > piece->start)
		piece->start = covered[next - 1].end;
	return true;
}

/** The piece of a FDE around @vaddr, as add_frames() would make it; made once. */
static const struct elfmap_symbol *
frame_symbol_at(struct elfmap *map, struct elfmap_symbol_lookup *lookup, uint64_t vaddr)
{
	const struct elfmap_segment *load = elfmap_load_at(map, vaddr);
	struct elfmap_frame frame;
	uint64_t next;
	bool is_new;

	if (!load || !(load->flags & PF_X) ||
	    !frame_search_last(&lookup->search, vaddr, &frame, &next))
		return NULL;
	struct range piece = { frame.code.start, frame.code.end < next ? frame.code.end : next };
	const struct elfmap_section *section = elfmap_section_at(map, piece.start);
	if (vaddr >= piece.end || is_plt(section) || !cut_piece(lookup, vaddr, &piece))
		return NULL;

	uint32_t *index = u64map_put(&lookup->pieces_by_vaddr, piece.start, &is_new);
	if (is_new) {
		struct elfmap_symbol *symbol = arena_alloc(&map->arena, sizeof(*symbol));

		*symbol = piece_of_frame(section, piece);
		symbol->name =
			frame_name(arena_alloc(&map->arena, FRAME_NAME_BYTES), symbol->vaddr);
		*index = (uint32_t)lookup->pieces.count; // fewer than FDEs, which are 32-bit many
		vec_push(&lookup->pieces, symbol);
	}
	return lookup->pieces.items[*index];
}

const struct elfmap_symbol *elfmap_symbols(struct elfmap *map, size_t *ret_count)
{
	const struct elfmap_symbol_table *table = table_of(map);

	*ret_count = table->count;
	return table->items;
}

static const struct elfmap_symbol *find_symbol(const struct elfmap_symbol_table *table,
					       uint64_t vaddr)
{
	const struct rangemap_item *item = rangemap_find(&table->by_vaddr, vaddr);

	return item ? &table->items[item->id] : NULL;
}

const struct elfmap_symbol *elfmap_symbol_at(struct elfmap *map, uint64_t vaddr)
{
	struct elfmap_symbol_lookup *lookup = lookup_of(map);

	// Where there is nothing but frames, the list tells whether there is anything at all.
	if (!lookup || lookup->named.count == 0)
		return find_symbol(table_of(map), vaddr);
	const struct elfmap_symbol *named = find_symbol(&lookup->named, vaddr);
	const struct elfmap_symbol *frame = frame_symbol_at(map, lookup, vaddr);
	if (!named || !frame)
		return named ? named : frame;
	return symbolorder_ranks(named, frame) < 0 ? named : frame;
}

const struct elfmap_symbol *elfmap_ifunc_at(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_symbol_lookup *lookup = lookup_of(map);
	const struct elfmap_symbol_table *table = lookup ? &lookup->named : table_of(map);
	const struct elfmap_symbol *best = NULL;
	size_t first = search_first(table->count, i, table->items[i].vaddr >= vaddr);

	for (size_t i = first;
	     i < table->count && i - first < NAMES_MAX && table->items[i].vaddr == vaddr; i++) {
		const struct elfmap_symbol *symbol = &table->items[i];

		if (symbol->type == STT_GNU_IFUNC && (!best || symbolorder_ranks(symbol, best) < 0))
			best = symbol;
	}
	return best;
}

const struct elfmap_symbol *elfmap_symbol_next(struct elfmap *map, struct range within,
					       struct range *ret_piece)
{
	const struct elfmap_symbol_lookup *lookup = lookup_of(map);
	const struct elfmap_symbol_table *table = lookup ? &lookup->named : table_of(map);
	const struct rangemap_item *item = rangemap_next(&table->by_vaddr, within.start);
	const struct rangemap_item *end = table->by_vaddr.items + table->by_vaddr.count;

	for (; item && item < end && item->range.start < within.end; item++) {
		if (table->items[item->id].source == ELFMAP_SYMBOLS_EH_FRAME)
			continue;
		*ret_piece = item->range;
		return &table->items[item->id];
	}
	return NULL;
}

bool elfmap_symbol_is_a_guess(struct elfmap *map, const struct elfmap_symbol *symbol)
{
	const struct elfmap_symbol_lookup *lookup = map->symbol_lookup;

	if (symbol->source == ELFMAP_SYMBOLS_EH_FRAME)
		return true;
	if (lookup && symbol >= lookup->named.items &&
	    symbol < lookup->named.items + lookup->named.count)
		return lookup->named.is_extended[symbol - lookup->named.items];

	const struct elfmap_symbol_table *table = table_of(map);
	return table->is_extended[symbol - table->items];
}

static void table_deinit(struct elfmap_symbol_table *table)
{
	free(table->items);
	free(table->is_extended);
}

void elfmap_symbol_table_destroy(struct elfmap_symbol_table *table)
{
	if (!table)
		return;
	table_deinit(table);
	free(table);
}

void elfmap_symbol_lookup_destroy(struct elfmap_symbol_lookup *lookup)
{
	if (!lookup)
		return;
	table_deinit(&lookup->named);
	free(lookup->covered);
	u64map_deinit(&lookup->pieces_by_vaddr);
	vec_deinit(&lookup->pieces);
	free(lookup);
}
