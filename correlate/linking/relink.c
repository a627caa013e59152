// SPDX-License-Identifier: Apache-2.0
// The relocation work of an object, had it been linked in another way. Sizes are what the linkers
// really write: tests/objects/relink.py links again and compares.
#include "correlate/linking/relocation.h"

#include "base/cleanup.h"
#include "correlate/linking/interposers.h"
#include "correlate/linking/relr.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

/** Bits of facts about a dynamic symbol. */
enum fact {
	FACT_KNOWN = 1 << 0,
	FACT_LOOKED_UP = 1 << 1, // by name: neither local nor hidden
	FACT_OWN = 1 << 2,	 // defined in the object, which would bind it to itself
	FACT_FUNCTION = 1 << 3,
	FACT_COUNTED = 1 << 4, // as looked up when the object is loaded
};

/** Counts of what there is to change. */
struct tally {
	struct elfmap_linkage linkage;
	uint64_t word;	// bytes
	uint8_t *facts; // by symbol
	uint64_t symbol_count;

	uint64_t relative; // those that are not in RELR
	uint64_t relative_bytes;
	uint64_t packable, packable_bytes; // of these: RELR can hold them
	struct relr relr;		   // of packable and what is in RELR now
	uint64_t relr_bytes;		   // now
	uint64_t relative_only_pages;	   // that hold nothing but relative slots

	uint64_t jump_slots, jump_slot_entry;
	uint64_t lookups; // when the object is loaded, without jump slots
	// Of symbols that the object itself defines; [1]: functions only.
	uint64_t own[2], own_jump_slots[2], own_lookups[2], own_bytes[2];

	struct interposers interposers;
	// Of these: that a program has as well, and one of them.
	uint64_t replaced[2];
	const char *replaced_name[2];
	struct interposition replaced_by[2];
};

static void tally_deinit(struct tally *tally)
{
	free(tally->facts);
	vec_deinit(&tally->interposers.programs);
}

/** Note @symbol, which the object would bind to itself, if a program has one of that name. */
static void note_replaced(struct tally *tally, const struct elfmap_dynamic_symbol *symbol)
{
	struct interposition by;

	if (!interposers_have(&tally->interposers, symbol, &by))
		return;
	for (int i = 0; i < (symbol->type == STT_FUNC ? 2 : 1); i++) {
		if (tally->replaced[i]++ > 0)
			continue;
		tally->replaced_name[i] = symbol->name;
		tally->replaced_by[i] = by;
	}
}

static uint8_t facts_of(struct tally *tally, struct elfmap *map, uint32_t symbol)
{
	struct elfmap_dynamic_symbol of;

	if (symbol == 0 || symbol >= tally->symbol_count)
		return 0;
	uint8_t *facts = &tally->facts[symbol];
	if (*facts || !elfmap_dynamic_symbol(map, symbol, &of))
		return *facts;

	*facts = FACT_KNOWN;
	if (of.binding != STB_LOCAL && of.visibility != STV_HIDDEN && of.visibility != STV_INTERNAL)
		*facts |= FACT_LOOKED_UP;
	// GNU ld leaves unique symbols alone: there must be one in the process.
	if (of.is_defined && of.visibility == STV_DEFAULT &&
	    (of.binding == STB_GLOBAL || of.binding == STB_WEAK))
		*facts |= FACT_OWN;
	if (of.type == STT_FUNC)
		*facts |= FACT_FUNCTION;
	if (*facts & FACT_OWN)
		note_replaced(tally, &of);
	return *facts;
}

static void tally_relative(struct tally *tally, const struct elfmap_relocation *slot,
			   const struct elfmap_relocation_table *table)
{
	bool is_packed = table->encoding == ELFMAP_ENCODING_RELR;

	if (!is_packed) {
		tally->relative++;
		tally->relative_bytes += table->entry_size;
	}
	if (!relr_can_hold(slot->vaddr))
		return;
	relr_add(&tally->relr, slot->vaddr);
	if (!is_packed) {
		tally->packable++;
		tally->packable_bytes += table->entry_size;
	}
}

static void tally_symbol(struct tally *tally, struct elfmap *map,
			 const struct elfmap_relocation *slot,
			 const struct elfmap_relocation_table *table)
{
	uint8_t facts = facts_of(tally, map, slot->symbol);
	bool is_jump_slot = slot->class == ELFMAP_RELOCATION_JUMP_SLOT;
	// ld.so keeps the symbol looked up last, and linkers sort relocations by symbol.
	bool is_lookup = (facts & FACT_LOOKED_UP) && !is_jump_slot && !(facts & FACT_COUNTED);

	if (is_jump_slot) {
		tally->jump_slots++;
		tally->jump_slot_entry = table->entry_size;
	} else if (facts) {
		tally->facts[slot->symbol] |= FACT_COUNTED;
	}
	tally->lookups += is_lookup;
	if (!(facts & FACT_OWN))
		return;
	for (int i = 0; i < (facts & FACT_FUNCTION ? 2 : 1); i++) {
		tally->own_lookups[i] += is_lookup;
		tally->own_jump_slots[i] += is_jump_slot;
		if (slot->class == ELFMAP_RELOCATION_SYMBOLIC) {
			tally->own[i]++;
			tally->own_bytes[i] += table->entry_size;
		}
	}
}

static void tally_all(struct tally *tally, const struct relocation_count *count)
{
	size_t slot_count, table_count;
	const struct elfmap_relocation_table *tables =
		elfmap_relocation_tables(count->map, &table_count);
	const struct elfmap_relocation *slots = elfmap_relocations(count->map, &slot_count);
	struct range page = { 0, 0 };
	bool is_relative_only = false;

	for (size_t i = 0; i < table_count; i++)
		if (tables[i].encoding == ELFMAP_ENCODING_RELR)
			tally->relr_bytes += tables[i].size;
	for (size_t i = 0; i < slot_count; i++) {
		const struct elfmap_relocation *slot = &slots[i];
		bool is_relative = slot->class == ELFMAP_RELOCATION_RELATIVE;

		if (i == 0 || !range_contains(page, slot->vaddr)) {
			tally->relative_only_pages += is_relative_only;
			page.start = align_down(slot->vaddr, count->page_size);
			page.end = page.start + count->page_size;
			is_relative_only = true;
		}
		is_relative_only &= is_relative;
		if (is_relative)
			tally_relative(tally, slot, &tables[slot->table]);
		else
			tally_symbol(tally, count->map, slot, &tables[slot->table]);
	}
	tally->relative_only_pages += is_relative_only;
}

// ---- The ways to link -----------------------------------------------------------------------

enum { RELINKS_MAX = 16 };

struct relinks {
	struct arena *arena;
	struct model_relink items[RELINKS_MAX];
	size_t count;
};

static void add(struct relinks *relinks, struct model_relink relink)
{
	relinks->items[relinks->count++] = relink;
}

/** Change in pages of tables when their bytes become @bytes, wherever they then begin. */
static int64_t page_change(const struct relocation_count *count, int64_t bytes)
{
	int64_t page = (int64_t)count->page_size; // at most 4 GiB
	int64_t before = (int64_t)count->to->table_bytes, after = before + bytes;

	return (after + page - 1) / page - (before + page - 1) / page;
}

static void add_relr(struct relinks *relinks, const struct tally *tally,
		     const struct relocation_count *count)
{
	struct model_relink relink = { .option = "-z pack-relative-relocs" };
	uint64_t size = relr_size(&tally->relr);

	relink.applies = tally->packable > 0 && size < tally->packable_bytes + tally->relr_bytes;
	if (!relink.applies) {
		relink.reason = tally->relr_bytes > 0 ? "relative relocations are already packed"
				: tally->packable > 0 ? "packing would not make them smaller"
						      : "there are no relative relocations to pack";
		add(relinks, relink);
		return;
	}
	relink.relocations = tally->packable;
	relink.table_bytes = (int64_t)size - (int64_t)(tally->packable_bytes + tally->relr_bytes);
	relink.table_pages = page_change(count, relink.table_bytes);
	relink.reason = arena_printf(
		relinks->arena,
		"%" PRIu64 " relative relocations of %" PRIu64 " bytes would take %" PRIu64
		" bytes in .relr.dyn (glibc 2.36 or later); the pages they write stay the same",
		tally->packable, tally->packable_bytes, size - tally->relr_bytes);
	add(relinks, relink);
}

static void add_no_pie(struct relinks *relinks, const struct tally *tally,
		       const struct relocation_count *count)
{
	struct model_relink relink = { .option = "-no-pie" };
	uint64_t relative = count->to->counts[MODEL_RELOCATION_RELATIVE];

	relink.applies = tally->linkage.is_pie && relative > 0;
	if (!relink.applies) {
		relink.reason = tally->linkage.is_library ? "a library has no fixed address"
				: tally->linkage.is_pie	  ? "there are no relative relocations"
							  : "it already has a fixed address";
		add(relinks, relink);
		return;
	}
	relink.relocations = relative;
	relink.table_bytes = -(int64_t)(tally->relative_bytes + tally->relr_bytes);
	relink.table_pages = page_change(count, relink.table_bytes);
	relink.written_pages = -(int64_t)tally->relative_only_pages;
	relink.reason = "a fixed address needs no relative relocations, nor copies of pages that "
			"hold nothing else; address randomisation is lost";
	add(relinks, relink);
}

/** "m replaces setting_of_3 and 2 others"; NULL: no program has one of its symbols. */
static const char *describe_replaced(const struct tally *tally,
				     const struct relocation_count *count, bool functions_only)
{
	struct arena *arena = &count->rows->model->arena;
	const struct interposition *by = &tally->replaced_by[functions_only];
	const char *name = tally->replaced_name[functions_only];
	const uint64_t others = tally->replaced[functions_only] - 1;

	if (!name)
		return NULL;
	return arena_printf(arena, "%s %s %s%s", by->program,
			    by->is_copy ? "has a copy of" : "replaces",
			    count->rows->demangle ? elfmap_demangle(count->map, name) : name,
			    others == 0	  ? ""
			    : others == 1 ? " and 1 other"
					  : arena_printf(arena, " and %" PRIu64 " others", others));
}

static void add_symbolic(struct relinks *relinks, const struct tally *tally,
			 const struct relocation_count *count, bool functions_only)
{
	struct model_relink relink = { .option = functions_only ? "-Bsymbolic-functions"
								: "-Bsymbolic" };
	const uint64_t own = tally->own[functions_only];
	const uint64_t jump_slots = tally->own_jump_slots[functions_only];
	uint64_t lookups = tally->own_lookups[functions_only];

	relink.applies =
		tally->linkage.is_library && !tally->linkage.is_symbolic && own + jump_slots > 0;
	relink.replaced = relink.applies ? describe_replaced(tally, count, functions_only) : NULL;
	if (relink.replaced) {
		relink.applies = false;
		relink.reason =
			arena_printf(relinks->arena, "%s: the library would use its own instead",
				     relink.replaced);
		add(relinks, relink);
		return;
	}
	if (!relink.applies) {
		relink.reason = !tally->linkage.is_library ? "a program already binds to itself"
				: tally->linkage.is_symbolic
					? "it is already linked this way"
					: "it refers to none of its own symbols "
					  "by name";
		add(relinks, relink);
		return;
	}
	if (count->to->bind_now)
		lookups += jump_slots;
	relink.relocations = own + jump_slots;
	relink.table_bytes = -(int64_t)(jump_slots * tally->jump_slot_entry);
	// What becomes relative is packed where the others are.
	if (tally->relr_bytes > 0)
		relink.table_bytes -= (int64_t)tally->own_bytes[functions_only];
	relink.table_pages = page_change(count, relink.table_bytes);
	relink.lookups = -(int64_t)lookups;
	relink.reason = arena_printf(
		relinks->arena,
		"%" PRIu64 " slots of its own symbols become relative or vanish, and "
		"%" PRIu64
		" PLT slots vanish; other objects can then no longer replace these symbols",
		own, jump_slots);
	add(relinks, relink);
}

static void add_no_plt(struct relinks *relinks, const struct tally *tally,
		       const struct relocation_count *count)
{
	struct model_relink relink = { .option = "-fno-plt" };

	relink.applies = tally->jump_slots > 0 && !count->to->bind_now;
	if (relink.applies) {
		relink.relocations = tally->jump_slots;
		relink.lookups = (int64_t)tally->jump_slots;
		relink.reason = "calls go through the GOT: functions now bound at their first call "
				"are all bound at the start; PLT stubs vanish";
	} else {
		relink.reason =
			tally->jump_slots > 0
				? "PLT slots are already bound at the start; only the stubs "
				  "would vanish"
				: "there are no PLT slots";
	}
	add(relinks, relink);
}

/** -z now and its opposite: one of them is how the object is linked. */
static void add_binding(struct relinks *relinks, const struct tally *tally,
			const struct relocation_count *count, bool now)
{
	struct model_relink relink = { .option = now ? "-z now" : "-z lazy" };

	relink.applies = tally->jump_slots > 0 && count->to->bind_now != now;
	if (relink.applies) {
		relink.relocations = tally->jump_slots;
		relink.lookups = now ? (int64_t)tally->jump_slots : -(int64_t)tally->jump_slots;
		relink.reason = now ? "every PLT slot is bound at the start, and .got.plt becomes "
				      "read-only (RELRO) after that"
				    : "PLT slots are bound at their first call, if any; "
				      ".got.plt stays writable";
	} else {
		relink.reason = tally->jump_slots == 0 ? "there are no PLT slots"
						       : "it is already linked this way";
	}
	add(relinks, relink);
}

static void add_hash(struct relinks *relinks, const struct tally *tally)
{
	struct model_relink relink = { .option = "--hash-style=gnu" };

	relink.applies = tally->linkage.has_hash && !tally->linkage.has_gnu_hash;
	relink.reason =
		relink.applies ? "it has only .hash: looking up a name that it lacks walks through "
				 ".dynsym and .dynstr, which .gnu.hash mostly avoids"
		: tally->linkage.has_hash
			? "it has .gnu.hash, which ld.so prefers; its .hash is not "
			  "read"
		: tally->linkage.has_gnu_hash ? "it is already linked this way"
					      : "it has no symbols to find by name";
	add(relinks, relink);
}

/** Not an option of any linker, but what people ask for. */
static void add_prelink(struct relinks *relinks)
{
	add(relinks,
	    (struct model_relink){
		    .option = "prelink",
		    .reason = "prelink stored final addresses in the file; it is no longer "
			      "maintained and address randomisation undoes it. Fewer pages are "
			      "written only where fewer pointers are stored: offsets in tables of "
			      "strings and vtables, or a program without -pie",
	    });
}

void relocation_add_relinks(struct relocation_count *count)
{
	struct arena *arena = &count->rows->model->arena;
	CLEANUP(tally_deinit)
	struct tally tally = {
		.linkage = elfmap_linkage(count->map),
		.word = elfmap_info(count->map)->is_64bit ? 8 : 4,
		.symbol_count = elfmap_dynamic_symbol_count(count->map),
	};
	struct relinks relinks = { .arena = arena };

	tally.relr = relr_start((unsigned)tally.word);
	tally.facts = xcalloc(tally.symbol_count, sizeof(*tally.facts));
	if (tally.linkage.is_library && !tally.linkage.is_symbolic)
		interposers_find(&tally.interposers, count);
	tally_all(&tally, count);
	count->to->lookups_at_load = tally.lookups + (count->to->bind_now ? tally.jump_slots : 0);

	add_relr(&relinks, &tally, count);
	add_no_pie(&relinks, &tally, count);
	add_symbolic(&relinks, &tally, count, false);
	add_symbolic(&relinks, &tally, count, true);
	add_no_plt(&relinks, &tally, count);
	add_binding(&relinks, &tally, count, true);
	add_binding(&relinks, &tally, count, false);
	add_hash(&relinks, &tally);
	add_prelink(&relinks);

	count->to->relinks =
		arena_copy(arena, relinks.items, relinks.count * sizeof(*relinks.items));
	count->to->relink_count = relinks.count;
}
