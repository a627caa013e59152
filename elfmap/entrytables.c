// SPDX-License-Identifier: Apache-2.0
// The tables whose entries have names: by section, else by the dynamic table and program headers.
#include "elfmap/entries.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <string.h>

/** Return the kind of entry that a section's type shows, whatever its name. */
static enum elfmap_entry_kind kind_by_type(uint32_t type)
{
	switch (type) {
	case SHT_DYNSYM:
		return ELFMAP_ENTRY_DYNSYM;
	case SHT_REL:
	case SHT_RELA:
	case SHT_RELR:
		return ELFMAP_ENTRY_RELOCATION;
	case SHT_GNU_versym:
		return ELFMAP_ENTRY_VERSYM;
	case SHT_GNU_verneed:
	case SHT_GNU_verdef:
		return ELFMAP_ENTRY_VERSION;
	case SHT_GNU_HASH:
	case SHT_HASH:
		return ELFMAP_ENTRY_HASH;
	case SHT_DYNAMIC:
		return ELFMAP_ENTRY_DYNAMIC;
	case SHT_NOTE:
		return ELFMAP_ENTRY_NOTE;
	case SHT_INIT_ARRAY:
	case SHT_FINI_ARRAY:
	case SHT_PREINIT_ARRAY:
		return ELFMAP_ENTRY_INIT_ARRAY;
	default:
		return ELFMAP_ENTRY_NONE;
	}
}

/** Return the kind of entry that only the section's name shows. */
static enum elfmap_entry_kind kind_by_name(const char *name)
{
	static const struct {
		const char *name;
		enum elfmap_entry_kind kind;
	} known[] = {
		{ ".got", ELFMAP_ENTRY_GOT },
		{ ".got.plt", ELFMAP_ENTRY_GOT },
		{ ".igot", ELFMAP_ENTRY_GOT },
		{ ".igot.plt", ELFMAP_ENTRY_GOT },
		{ ".plt", ELFMAP_ENTRY_PLT },
		{ ".plt.sec", ELFMAP_ENTRY_PLT },
		{ ".plt.got", ELFMAP_ENTRY_PLT },
		{ ".plt.bnd", ELFMAP_ENTRY_PLT },
		{ ".iplt", ELFMAP_ENTRY_PLT },
		{ ".dynstr", ELFMAP_ENTRY_DYNSTR },
		{ ".interp", ELFMAP_ENTRY_INTERP },
		{ ".eh_frame", ELFMAP_ENTRY_EH_FRAME },
		{ ".ctors", ELFMAP_ENTRY_INIT_ARRAY },
		{ ".dtors", ELFMAP_ENTRY_INIT_ARRAY },
		{ ".eh_frame_hdr", ELFMAP_ENTRY_EH_FRAME_HDR },
		{ ".gcc_except_table", ELFMAP_ENTRY_EXCEPT_TABLE },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) == 0)
			return known[i].kind;
	}
	return ELFMAP_ENTRY_NONE;
}

/** Slots that the PLT table of relocations fills: stubs follow it one by one. */
static uint64_t plt_slot_count(struct elfmap *map)
{
	size_t count;
	const struct elfmap_relocation_table *tables = elfmap_relocation_tables(map, &count);

	for (size_t i = 0; i < count; i++) {
		if (tables[i].is_plt)
			return tables[i].relocation_count;
	}
	return 0;
}

/**
 * Size of a PLT's stubs, and of what stands before the first. Stubs of some processors show
 * their size; elsewhere the sizes that fit the number of slots are taken: linkers differ.
 */
static void measure_plt(struct elfmap *map, const struct elfmap_section *section,
			struct entry_table *table)
{
	static const uint64_t sizes[] = { 16, 12, 24, 32, 20 };
	static const uint64_t headers[] = { 32, 0, 16, 20, 24, 36 };
	const struct machine *machine = machine_of(map->info.machine);
	uint64_t slots = plt_slot_count(map);

	table->entry_size = machine->stub_size ? machine->stub_size : 16;
	if (machine->stub_size_at) {
		enum { FIRST = 8 };
		const uint8_t *code = elfmap_bytes(map, section->vaddr, FIRST);
		uint8_t shown = code ? machine->stub_size_at(code, FIRST) : 0;

		if (section->entry_size == 8 || section->entry_size == 16)
			table->entry_size = section->entry_size;
		else if (shown)
			table->entry_size = shown;
		return;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t j = 0; j < sizeof(headers) / sizeof(headers[0]); j++) {
			if (slots && section->size == headers[j] + slots * sizes[i]) {
				table->entry_size = sizes[i];
				table->header_size = headers[j];
				return;
			}
		}
	}
}

/** Size of the entries of a table whose entries are all alike; 0 elsewhere. */
static uint64_t size_of_entries(const struct elfmap *map, enum elfmap_entry_kind kind,
				uint32_t section_type)
{
	unsigned word = elfmap_word_size(map);

	switch (kind) {
	case ELFMAP_ENTRY_GOT:
	case ELFMAP_ENTRY_INIT_ARRAY:
		return word;
	case ELFMAP_ENTRY_DYNSYM:
		return elfmap_symbol_size(map);
	case ELFMAP_ENTRY_DYNAMIC:
		return 2 * word;
	case ELFMAP_ENTRY_VERSYM:
		return 2;
	case ELFMAP_ENTRY_RELOCATION:
		return section_type == SHT_RELR	 ? word
		       : section_type == SHT_REL ? 2 * word
						 : 3 * word;
	default:
		return 0;
	}
}

static void add_table(struct elfmap_entry_set *set, struct entry_table table, uint64_t size)
{
	if (size && checked_add(table.vaddrs.start, size, &table.vaddrs.end))
		set->tables[set->table_count++] = table;
}

static void add_section(struct elfmap *map, struct elfmap_entry_set *set,
			const struct elfmap_section *section)
{
	enum elfmap_entry_kind kind = kind_by_type(section->type);

	if (!(section->flags & SHF_ALLOC))
		return;
	if (kind == ELFMAP_ENTRY_NONE)
		kind = kind_by_name(section->name);
	if (kind == ELFMAP_ENTRY_NONE)
		return;
	// On 64-bit PowerPC .plt holds addresses, not code.
	if (kind == ELFMAP_ENTRY_PLT && !(section->flags & SHF_EXECINSTR))
		kind = ELFMAP_ENTRY_GOT;

	struct entry_table table = {
		.vaddrs = { section->vaddr, 0 },
		.kind = kind,
		.section = section->index,
		.entry_size = size_of_entries(map, kind, section->type),
		.name = section->name[0] == '.' ? section->name + 1 : section->name,
	};

	if (kind == ELFMAP_ENTRY_PLT)
		measure_plt(map, section, &table);
	// s390x and Alpha have 8-byte hash tables, told apart by the section's entry size only.
	if (kind == ELFMAP_ENTRY_HASH && section->type == SHT_HASH && section->entry_size == 8)
		table.entry_size = 8;
	if (kind == ELFMAP_ENTRY_NOTE)
		table.name = section->name;
	add_table(set, table, section->size);
}

static void add_dynamic(struct elfmap *map, struct elfmap_entry_set *set, const char *name,
			enum elfmap_entry_kind kind, uint64_t vaddr, uint64_t size)
{
	struct entry_table table = {
		.vaddrs = { vaddr, 0 },
		.kind = kind,
		.entry_size = size_of_entries(map, kind, SHT_NULL),
		.name = name,
	};

	if (vaddr)
		add_table(set, table, size);
}

/** Bytes of the hash table at @vaddr, 0 if its header is not sound. */
static uint64_t hash_size(struct elfmap *map, uint64_t vaddr, bool is_gnu)
{
	const uint8_t *header = vaddr ? elfmap_bytes(map, vaddr, 16) : NULL;
	uint64_t symbols = elfmap_dynsym_count(map);

	if (!header)
		return 0;
	uint64_t buckets = elfmap_u32(map, header);
	uint64_t second = elfmap_u32(map, header + 4); // first hashed symbol, or chains
	if (!is_gnu)
		return 8 + (buckets + second) * 4;
	return 16 + (uint64_t)elfmap_u32(map, header + 8) * elfmap_word_size(map) + buckets * 4 +
	       (symbols > second ? (symbols - second) * 4 : 0);
}

/** The slots from DT_PLTGOT on that relocations fill, after three reserved ones. */
static uint64_t pltgot_size(struct elfmap *map)
{
	unsigned word = elfmap_word_size(map);
	uint64_t end;

	if (!checked_add(map->dynamic.pltgot, 3 * word, &end))
		return 0;
	while (elfmap_relocation_at(map, end))
		end += word;
	return end - map->dynamic.pltgot;
}

/** Tables that need no section headers. They come last: a section that is there goes first. */
static void add_dynamic_tables(struct elfmap *map, struct elfmap_entry_set *set)
{
	const struct elfmap_dynamic *dynamic = &map->dynamic;
	size_t count;
	const struct elfmap_relocation_table *tables = elfmap_relocation_tables(map, &count);

	for (size_t i = 0; i < count; i++) {
		struct entry_table table = {
			.vaddrs = { tables[i].vaddr, 0 },
			.kind = ELFMAP_ENTRY_RELOCATION,
			.entry_size = tables[i].entry_size,
			.name = tables[i].name,
		};
		size_t length = strlen(tables[i].name);

		if (length > 2 && table.name[0] == '[') // [DT_RELA] becomes DT_RELA[7]
			table.name = arena_strndup(&map->arena, table.name + 1, length - 2);
		add_table(set, table, tables[i].size);
	}
	array_foreach (segment, map->segments, map->segment_count) {
		if (segment->type == PT_NOTE)
			add_dynamic(map, set, "PT_NOTE", ELFMAP_ENTRY_NOTE, segment->vaddr,
				    segment->file_size);
		else if (segment->type == PT_INTERP)
			add_dynamic(map, set, "interp", ELFMAP_ENTRY_INTERP, segment->vaddr,
				    segment->file_size);
		else if (segment->type == PT_GNU_EH_FRAME)
			add_dynamic(map, set, "eh_frame_hdr", ELFMAP_ENTRY_EH_FRAME_HDR,
				    segment->vaddr, segment->file_size);
	}
	if (!dynamic->present)
		return;
	add_dynamic(map, set, "dynamic", ELFMAP_ENTRY_DYNAMIC, dynamic->vaddr,
		    dynamic->entry_count * 2 * elfmap_word_size(map));
	add_dynamic(map, set, "dynsym", ELFMAP_ENTRY_DYNSYM, dynamic->symtab,
		    elfmap_dynsym_count(map) * elfmap_symbol_size(map));
	add_dynamic(map, set, "dynstr", ELFMAP_ENTRY_DYNSTR, dynamic->strtab, dynamic->strtab_size);
	add_dynamic(map, set, "gnu.version", ELFMAP_ENTRY_VERSYM, dynamic->versym,
		    elfmap_dynsym_count(map) * 2);
	add_dynamic(map, set, "gnu.hash", ELFMAP_ENTRY_HASH, dynamic->gnu_hash,
		    hash_size(map, dynamic->gnu_hash, true));
	add_dynamic(map, set, "hash", ELFMAP_ENTRY_HASH, dynamic->hash,
		    hash_size(map, dynamic->hash, false));
	add_dynamic(map, set, "preinit_array", ELFMAP_ENTRY_INIT_ARRAY, dynamic->preinit_array,
		    dynamic->preinit_array_size);
	add_dynamic(map, set, "init_array", ELFMAP_ENTRY_INIT_ARRAY, dynamic->init_array,
		    dynamic->init_array_size);
	if (map->section_count == 0 && dynamic->pltgot)
		add_dynamic(map, set, "got", ELFMAP_ENTRY_GOT, dynamic->pltgot, pltgot_size(map));

	struct range eh_frame;
	if (elfmap_eh_frame(map, &eh_frame))
		add_dynamic(map, set, "eh_frame", ELFMAP_ENTRY_EH_FRAME, eh_frame.start,
			    range_size(eh_frame));
}

struct elfmap_entry_set *elfmap_entry_set(struct elfmap *map)
{
	enum { DYNAMIC_TABLES = 10 }; // add_dynamic() calls outside the loops

	if (map->entry_set)
		return map->entry_set;

	struct elfmap_entry_set *set = arena_alloc(&map->arena, sizeof(*set));
	size_t relocation_tables;

	elfmap_relocation_tables(map, &relocation_tables);
	set->tables = arena_array(&map->arena,
				  map->section_count + map->segment_count + relocation_tables +
					  DYNAMIC_TABLES,
				  sizeof(*set->tables));
	for (size_t i = 0; i < map->section_count; i++)
		add_section(map, set, &map->sections[i]);
	add_dynamic_tables(map, set);

	CLEANUP(freep)
	struct rangemap_item *items = xcalloc(set->table_count, sizeof(*items));
	for (size_t i = 0; i < set->table_count; i++)
		items[i] = (struct rangemap_item){ set->tables[i].vaddrs, (uint32_t)i };
	rangemap_build(&set->tables_by_vaddr, &map->arena, items, set->table_count,
		       rangemap_first_wins, NULL);
	map->entry_set = set;
	return set;
}

const struct entry_table *elfmap_entry_table(struct elfmap *map, uint64_t vaddr)
{
	struct elfmap_entry_set *set = elfmap_entry_set(map);
	const struct rangemap_item *item = rangemap_find(&set->tables_by_vaddr, vaddr);

	return item ? &set->tables[item->id] : NULL;
}
