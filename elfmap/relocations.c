// SPDX-License-Identifier: Apache-2.0
// Dynamic relocations: the tables, and every slot that they make the dynamic linker write.
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "elfmap/machine.h"
#include "elfmap/packedrelocations.h"

#include <stdio.h>
#include <string.h>

enum { TABLES_MAX = 16 }; // of a static program; a dynamic one has four, and Android's

// Types of sections that elf.h lacks (bionic, libc/include/elf.h).
enum { SHT_ANDROID_REL = 0x60000001, SHT_ANDROID_RELA, SHT_ANDROID_RELR = 0x6fffff00 };

enum { PACKED = 1 }; // the size of an entry that has none of its own

struct elfmap_relocation_set {
	struct elfmap_relocation_table *tables;
	size_t table_count;
	struct elfmap_relocation *items;
	size_t count;
};

/** State of reading the tables. */
struct reader {
	struct elfmap *map;
	struct elfmap_relocation_table tables[TABLES_MAX];
	size_t table_count;
	struct elfmap_relocation *slots; // room for all that the tables claim
	size_t slot_count;
	uint64_t relr_limit; // words of the file: no more slots can hold a value in place
	// The type looked up last: tables are long runs of one type.
	uint32_t last_type;
	enum elfmap_relocation_class last_class;
	bool last_known, last_has_symbol;
	// Oddities of the table being read, said once at its end: a damaged one has millions.
	uint64_t unknown_count;
	uint32_t unknown_type;
	uint64_t outside_count;
};

/** A machine in a message. */
struct machine_text {
	char text[24];
};

static struct machine_text machine_text(const struct elfmap *map)
{
	const char *name = elfmap_machine_name(&map->info);
	struct machine_text text;

	if (name)
		snprintf(text.text, sizeof(text.text), "%s", name);
	else
		snprintf(text.text, sizeof(text.text), "machine %u", map->info.machine);
	return text;
}

/** The word in the file at @vaddr, 0 in .bss. */
static uint64_t word_at(struct elfmap *map, uint64_t vaddr)
{
	const uint8_t *bytes = elfmap_bytes(map, vaddr, elfmap_word_size(map));

	return bytes ? elfmap_word(map, bytes) : 0;
}

static bool is_relocation_section(const struct elfmap_section *section)
{
	return (section->flags & SHF_ALLOC) &&
	       (section->type == SHT_REL || section->type == SHT_RELA ||
		section->type == SHT_RELR || section->type == SHT_ANDROID_REL ||
		section->type == SHT_ANDROID_RELA || section->type == SHT_ANDROID_RELR);
}

/** The name of the section at @vaddr, or @otherwise. */
static const char *table_name(const struct elfmap *map, uint64_t vaddr, const char *otherwise)
{
	array_foreach (section, map->sections, map->section_count) {
		if (is_relocation_section(section) && section->vaddr == vaddr && section->size > 0)
			return section->name;
	}
	return otherwise;
}

/** Size in bytes of one entry of @encoding. */
static unsigned encoded_size(const struct elfmap *map, enum elfmap_relocation_encoding encoding)
{
	unsigned word = elfmap_word_size(map);

	switch (encoding) {
	case ELFMAP_ENCODING_RELR:
		return word;
	case ELFMAP_ENCODING_REL:
		return 2 * word;
	case ELFMAP_ENCODING_RELA:
		return 3 * word;
	}
	return 0;
}

/** @stated_entry_size: PACKED, Android's table of @encoding. */
static void add_table(struct reader *reader, const char *tag, uint64_t vaddr, uint64_t size,
		      uint64_t stated_entry_size, enum elfmap_relocation_encoding encoding,
		      bool is_plt)
{
	struct elfmap *map = reader->map;
	unsigned entry_size = stated_entry_size == PACKED ? PACKED : encoded_size(map, encoding);
	const char *name = table_name(map, vaddr, tag);

	if (size == 0)
		return;
	if (reader->table_count == TABLES_MAX) {
		notes_add(&map->notes, "%s: more than %d relocation tables; %s skipped",
			  map->info.path, TABLES_MAX, name);
		return;
	}
	if (stated_entry_size != 0 && stated_entry_size != entry_size) {
		notes_add(&map->notes, "%s: %s: entries of %lu bytes, not %u; skipped",
			  map->info.path, name, stated_entry_size, entry_size);
		return;
	}
	if (size > UINT32_MAX) {
		notes_add(&map->notes, "%s: %s: %lu bytes, which is too large; skipped",
			  map->info.path, name, size);
		return;
	}
	struct elfmap_relocation_table table = {
		.name = name,
		.encoding = encoding,
		.is_plt = is_plt,
		.is_packed = entry_size == PACKED,
		.vaddr = vaddr,
		.size = size,
		.entry_size = entry_size,
	};

	if (!elfmap_bytes(map, vaddr, size) || !elfmap_vaddr_to_offset(map, vaddr, &table.offset)) {
		notes_add(&map->notes,
			  "%s: %s: %lu bytes at vaddr 0x%lx are not in the file; skipped",
			  map->info.path, name, size, vaddr);
		return;
	}
	if (size % entry_size != 0)
		notes_add(&map->notes, "%s: %s: %lu bytes are not a multiple of the entry size %u",
			  map->info.path, name, size, entry_size);
	reader->tables[reader->table_count++] = table;
}

/**
 * A DT_REL(A) range may end in the DT_JMPREL range: some linkers count both together, and ld.so
 * takes the shared end off the first (glibc, elf/do-rel.h).
 */
static uint64_t size_without_jmprel(const struct elfmap_dynamic *dynamic, uint64_t vaddr,
				    uint64_t size, bool is_rela)
{
	uint64_t end, jmprel_end;

	if (dynamic->jmprel_size == 0 || dynamic->jmprel_is_rela != is_rela ||
	    !checked_add(vaddr, size, &end) ||
	    !checked_add(dynamic->jmprel, dynamic->jmprel_size, &jmprel_end))
		return size;
	if (end == jmprel_end && dynamic->jmprel >= vaddr)
		return dynamic->jmprel - vaddr;
	return size;
}

static void find_dynamic_tables(struct reader *reader)
{
	const struct elfmap_dynamic *dynamic = &reader->map->dynamic;

	add_table(reader, "[DT_RELR]", dynamic->relr, dynamic->relr_size, dynamic->relr_entry,
		  ELFMAP_ENCODING_RELR, false);
	add_table(reader, "[DT_REL]", dynamic->rel,
		  size_without_jmprel(dynamic, dynamic->rel, dynamic->rel_size, false),
		  dynamic->rel_entry, ELFMAP_ENCODING_REL, false);
	add_table(reader, "[DT_RELA]", dynamic->rela,
		  size_without_jmprel(dynamic, dynamic->rela, dynamic->rela_size, true),
		  dynamic->rela_entry, ELFMAP_ENCODING_RELA, false);
	add_table(reader, "[DT_ANDROID_REL]", dynamic->packed_rel, dynamic->packed_rel_size, PACKED,
		  ELFMAP_ENCODING_REL, false);
	add_table(reader, "[DT_ANDROID_RELA]", dynamic->packed_rela, dynamic->packed_rela_size,
		  PACKED, ELFMAP_ENCODING_RELA, false);
	add_table(reader, "[DT_JMPREL]", dynamic->jmprel, dynamic->jmprel_size, 0,
		  dynamic->jmprel_is_rela ? ELFMAP_ENCODING_RELA : ELFMAP_ENCODING_REL, true);
}

/**
 * A static program at fixed addresses has no dynamic table. Its start code applies IRELATIVE from
 * __rela_iplt_start to __rela_iplt_end, which the linker sets around the loaded relocation section.
 */
static void find_static_tables(struct reader *reader)
{
	struct elfmap *map = reader->map;

	array_foreach (section, map->sections, map->section_count) {
		if (!is_relocation_section(section) || section->type == SHT_RELR)
			continue;
		add_table(reader, section->name, section->vaddr, section->size, section->entry_size,
			  section->type == SHT_RELA ? ELFMAP_ENCODING_RELA : ELFMAP_ENCODING_REL,
			  true);
	}
}

static enum elfmap_relocation_class class_of(struct reader *reader, uint32_t type, bool has_symbol)
{
	if (reader->last_known && reader->last_type == type &&
	    reader->last_has_symbol == has_symbol)
		return reader->last_class;
	reader->last_known = false;
	if (!elfmap_relocation_class(reader->map->info.machine, type, has_symbol,
				     &reader->last_class)) {
		// A slot is written all the same; what goes there is not known to be a vaddr.
		if (reader->unknown_count++ == 0)
			reader->unknown_type = type;
		return ELFMAP_RELOCATION_SYMBOLIC;
	}
	reader->last_type = type;
	reader->last_has_symbol = has_symbol;
	reader->last_known = true;
	return reader->last_class;
}

/** The number stored in place by a REL table; the linker leaves PLT addresses in jump slots. */
static uint64_t addend_in_place(struct elfmap *map, const struct elfmap_relocation *slot)
{
	if (slot->class == ELFMAP_RELOCATION_JUMP_SLOT || slot->class == ELFMAP_RELOCATION_COPY)
		return 0;
	return word_at(map, slot->vaddr);
}

/** Return @count, or what the file has room for; a table that claims more is damaged. */
static uint64_t at_most_words(struct reader *reader, const struct elfmap_relocation_table *table,
			      uint64_t count)
{
	if (count <= reader->relr_limit)
		return count;
	notes_add(&reader->map->notes,
		  "%s: %s: more slots than the file has words; the rest is skipped",
		  reader->map->info.path, table->name);
	return reader->relr_limit;
}

/** Entries of @table; slots of a RELR or packed table, at most as many as the file has words. */
static uint64_t count_relocations(struct reader *reader,
				  const struct elfmap_relocation_table *table)
{
	struct elfmap *map = reader->map;
	uint64_t entries = table->size / table->entry_size;
	uint64_t count = 0;
	struct packedrelocations packed;

	if (table->encoding != ELFMAP_ENCODING_RELR && !table->is_packed)
		return entries;

	const uint8_t *bytes = elfmap_bytes(map, table->vaddr, table->size);

	if (table->is_packed && packedrelocations_begin(&packed, bytes, table->size))
		return at_most_words(reader, table, packed.left);
	if (table->is_packed) {
		notes_add(&map->notes, "%s: %s: packed in an unknown way; skipped", map->info.path,
			  table->name);
		return 0;
	}
	for (uint64_t i = 0; i < entries; i++) {
		uint64_t encoded = elfmap_word(map, bytes + i * table->entry_size);

		count += encoded & 1 ? (uint64_t)__builtin_popcountll(encoded) - 1 : 1;
	}
	return at_most_words(reader, table, count);
}

/** Add what the entry has the dynamic linker write, if anything; @addend: NULL: in place. */
static void add_rel_slot(struct reader *reader, struct elfmap_relocation slot, uint64_t info,
			 const uint64_t *addend)
{
	struct elfmap *map = reader->map;

	elfmap_relocation_info(&map->info, info, &slot.type, &slot.symbol);
	if (!elfmap_relocation_writes(&map->info, slot.type))
		return;
	slot.class = class_of(reader, slot.type, slot.symbol != 0);
	slot.value = addend ? *addend : addend_in_place(map, &slot);
	reader->slots[reader->slot_count++] = slot;
}

static void read_packed(struct reader *reader, uint32_t table_index)
{
	struct elfmap *map = reader->map;
	const struct elfmap_relocation_table *table = &reader->tables[table_index];
	const uint64_t mask = elfmap_word_size(map) == 4 ? UINT32_MAX : UINT64_MAX;
	struct packedrelocations packed;
	uint64_t i = 0;

	// count_relocations() has told of another format.
	if (!packedrelocations_begin(&packed, elfmap_bytes(map, table->vaddr, table->size),
				     table->size))
		return;
	for (; i < table->relocation_count && packedrelocations_next(&packed); i++) {
		const struct elfmap_relocation slot = {
			.vaddr = packed.vaddr & mask,
			.table = table_index,
			.entry = (uint32_t)i, // add_table() refused tables of 2^32 bytes
		};
		const uint64_t addend = packed.addend & mask;

		add_rel_slot(reader, slot, packed.info & mask,
			     table->encoding == ELFMAP_ENCODING_RELA ? &addend : NULL);
	}
	if (i < table->relocation_count)
		notes_add(&map->notes, "%s: %s: damaged at entry %lu; the rest is skipped",
			  map->info.path, table->name, i);
}

static void read_rel(struct reader *reader, uint32_t table_index)
{
	struct elfmap *map = reader->map;
	const struct elfmap_relocation_table *table = &reader->tables[table_index];
	bool has_addend = table->encoding == ELFMAP_ENCODING_RELA;
	unsigned word = elfmap_word_size(map);
	const uint8_t *bytes = elfmap_bytes(map, table->vaddr, table->size);

	for (uint64_t i = 0; i < table->relocation_count; i++, bytes += table->entry_size) {
		struct elfmap_relocation slot = {
			.vaddr = elfmap_word(map, bytes),
			.table = table_index,
			.entry = (uint32_t)i, // add_table() refused tables of 2^32 bytes
		};
		const uint64_t addend = has_addend ? elfmap_word(map, bytes + 2 * word) : 0;

		add_rel_slot(reader, slot, elfmap_word(map, bytes + word),
			     has_addend ? &addend : NULL);
	}
}

/** Add one RELR slot; false when the room that count_relocations() found is used up. */
static bool add_relr_slot(struct reader *reader, struct elfmap_relocation slot)
{
	struct elfmap *map = reader->map;
	struct elfmap_relocation_table *table = &reader->tables[slot.table];

	if (table->relocation_count == 0)
		return false;
	table->relocation_count--;

	const uint8_t *place = elfmap_bytes(map, slot.vaddr, elfmap_word_size(map));
	if (!place) {
		reader->outside_count++;
		return true;
	}
	slot.value = elfmap_word(map, place);
	reader->slots[reader->slot_count++] = slot;
	return true;
}

/**
 * RELR: an even word is the vaddr of a slot; an odd one is a bitmap of the 63 (31) words that
 * follow the last slot or bitmap. Source: the gABI proposal "Proposal for a new section type
 * SHT_RELR", now gABI ch. 5.
 */
static void read_relr(struct reader *reader, uint32_t table_index)
{
	struct elfmap *map = reader->map;
	struct elfmap_relocation_table *table = &reader->tables[table_index];
	unsigned word = elfmap_word_size(map);
	const uint8_t *bytes = elfmap_bytes(map, table->vaddr, table->size);
	uint64_t next = 0;
	struct elfmap_relocation slot = {
		.class = ELFMAP_RELOCATION_RELATIVE,
		.table = table_index,
	};

	if (!elfmap_relative_type(map->info.machine, &slot.type))
		notes_add(&map->notes, "%s: %s: relative relocation type of %s is unknown",
			  map->info.path, table->name, machine_text(map).text);
	for (uint64_t i = 0; i < table->size / word; i++, bytes += word) {
		uint64_t encoded = elfmap_word(map, bytes);

		slot.entry = (uint32_t)i; // add_table() refused tables of 2^32 bytes
		if ((encoded & 1) == 0) {
			slot.vaddr = encoded;
			if (!add_relr_slot(reader, slot))
				return;
			next = encoded + word;
			continue;
		}
		slot.vaddr = next;
		for (uint64_t bits = encoded >> 1; bits; bits >>= 1, slot.vaddr += word) {
			if ((bits & 1) && !add_relr_slot(reader, slot))
				return;
		}
		next += (8ULL * word - 1) * word;
	}
}

/**
 * Sort by vaddr, keeping the order of equal ones; @spare has room for as many. A radix sort over
 * the bits in which the vaddrs differ: linear whatever the file says. The result is in @items.
 */
static void radix_sort(struct elfmap_relocation *items, size_t count,
		       struct elfmap_relocation *spare)
{
	enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
	struct elfmap_relocation *from = items, *to = spare;
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < count; i++) {
		low = items[i].vaddr < low ? items[i].vaddr : low;
		high = items[i].vaddr > high ? items[i].vaddr : high;
	}
	for (unsigned shift = 0; shift < 64 && (high - low) >> shift; shift += DIGIT_BITS) {
		size_t starts[DIGITS + 1] = { 0 };

		for (size_t i = 0; i < count; i++)
			starts[((from[i].vaddr - low) >> shift) % DIGITS + 1]++;
		for (size_t digit = 0; digit < DIGITS; digit++)
			starts[digit + 1] += starts[digit];
		for (size_t i = 0; i < count; i++)
			to[starts[((from[i].vaddr - low) >> shift) % DIGITS]++] = from[i];
		struct elfmap_relocation *swap = from;

		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

/**
 * Sort by vaddr, keeping the order of equal ones. Linkers put the relative relocations first and in
 * order, and they are nearly all: only what follows is sorted, and then merged from the back.
 */
static void sort_slots(struct elfmap_relocation *items, size_t count)
{
	size_t head = count ? 1 : 0;

	while (head < count && items[head - 1].vaddr <= items[head].vaddr)
		head++;
	size_t tail = count - head;
	if (tail == 0)
		return;
	CLEANUP(freep) struct elfmap_relocation *spare = xcalloc(tail, sizeof(*spare));
	radix_sort(items + head, tail, spare);
	memcpy(spare, items + head, tail * sizeof(*spare));
	while (tail > 0) {
		struct elfmap_relocation *last = &items[head + tail - 1];

		if (head > 0 && items[head - 1].vaddr > spare[tail - 1].vaddr)
			*last = items[--head];
		else
			*last = spare[--tail];
	}
}

static void note_oddities(struct reader *reader, const char *table_name)
{
	struct elfmap *map = reader->map;

	if (reader->unknown_count)
		notes_add(&map->notes,
			  "%s: %s: %lu entries have a type unknown for %s (the first: %u); counted "
			  "as symbolic",
			  map->info.path, table_name, reader->unknown_count, machine_text(map).text,
			  reader->unknown_type);
	if (reader->outside_count)
		notes_add(&map->notes, "%s: %s: %lu slots outside the file's data; skipped",
			  map->info.path, table_name, reader->outside_count);
	reader->unknown_count = 0;
	reader->outside_count = 0;
}

/** Read one table behind the slots that are there and set its relocation_count. */
static void read_table(struct reader *reader, uint32_t table_index)
{
	struct elfmap_relocation_table *table = &reader->tables[table_index];
	size_t before = reader->slot_count;

	if (table->encoding == ELFMAP_ENCODING_RELR) {
		read_relr(reader, table_index); // uses relocation_count as the room left
		table->relocation_count = reader->slot_count - before;
	} else if (table->is_packed) {
		read_packed(reader, table_index);
		table->relocation_count = reader->slot_count - before;
	} else {
		read_rel(reader, table_index);
	}
	note_oddities(reader, table->name);
}

static const struct elfmap_relocation_set *relocation_set(struct elfmap *map)
{
	if (map->relocation_set)
		return map->relocation_set;

	struct reader reader = {
		.map = map,
		.relr_limit = map->info.size / elfmap_word_size(map),
	};
	struct elfmap_relocation_set *set = arena_alloc(&map->arena, sizeof(*set));
	uint64_t total = 0; // of at most 16 tables within the file

	if (map->dynamic.present)
		find_dynamic_tables(&reader);
	else
		find_static_tables(&reader);
	for (uint32_t i = 0; i < reader.table_count; i++) {
		reader.tables[i].relocation_count = count_relocations(&reader, &reader.tables[i]);
		total += reader.tables[i].relocation_count;
	}
	reader.slots = arena_array(&map->arena, total, sizeof(*reader.slots));
	for (uint32_t i = 0; i < reader.table_count; i++)
		read_table(&reader, i);
	sort_slots(reader.slots, reader.slot_count);

	set->table_count = reader.table_count;
	set->tables =
		arena_copy(&map->arena, reader.tables, set->table_count * sizeof(*set->tables));
	set->count = reader.slot_count;
	set->items = reader.slots;
	map->relocation_set = set;
	return set;
}

const struct elfmap_relocation_table *elfmap_relocation_tables(struct elfmap *map,
							       size_t *ret_count)
{
	const struct elfmap_relocation_set *set = relocation_set(map);

	*ret_count = set->table_count;
	return set->tables;
}

const struct elfmap_relocation *elfmap_relocations(struct elfmap *map, size_t *ret_count)
{
	const struct elfmap_relocation_set *set = relocation_set(map);

	*ret_count = set->count;
	return set->items;
}

const struct elfmap_relocation *elfmap_relocation_at(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_relocation_set *set = relocation_set(map);
	size_t past = search_first(set->count, i, set->items[i].vaddr > vaddr);

	if (past == 0 || vaddr - set->items[past - 1].vaddr >= elfmap_word_size(map))
		return NULL;
	// Of several that write one slot, the first in table order.
	while (past > 1 && set->items[past - 2].vaddr == set->items[past - 1].vaddr)
		past--;
	return &set->items[past - 1];
}

uint64_t elfmap_slot_value(struct elfmap *map, uint64_t slot, const uint8_t *bytes)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, slot);
	GElf_Sym symbol;
	const char *name;

	if (!relocation || relocation->vaddr != slot)
		return elfmap_word(map, bytes);
	if (relocation->class == ELFMAP_RELOCATION_RELATIVE ||
	    relocation->class == ELFMAP_RELOCATION_IRELATIVE)
		return relocation->value;
	if (elfmap_dynsym(map, relocation->symbol, &symbol, &name) && symbol.st_shndx != SHN_UNDEF)
		return symbol.st_value + relocation->value;
	return 0;
}
