// SPDX-License-Identifier: Apache-2.0
// The tables that relocating an object reads: how much of them came into memory, and for which
// names.
#include "correlate/relocation.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <elf.h>
#include <string.h>

/** Room for what elfmap_relocation_tables() can give, 16, and one section of each other type. */
enum { TABLES_MAX = 32 };

/** A table while its faults are counted. */
struct table {
	struct model_relocation_table counts;
	uint64_t offset;
	uint64_t first;	 // page of the file
	bool *is_mapped; // by page
};

struct tables {
	struct table items[TABLES_MAX];
	size_t count;
};

static void tables_deinit(struct tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		free(tables->items[i].is_mapped);
}

static void add_table(struct tables *tables, const struct relocation_count *count, const char *name,
		      bool is_lookup, uint64_t offset, uint64_t size)
{
	// Also bounds what is allocated for the pages.
	if (tables->count == TABLES_MAX || size == 0 ||
	    !checked_within(offset, size, elfmap_info(count->map)->size))
		return;
	uint64_t pages = relocation_pages(offset, size, count->page_size);

	tables->items[tables->count++] = (struct table){
		.counts = {
			.name = arena_strdup(&count->builder->model->arena, name),
			.is_lookup = is_lookup,
			.size = size,
			.pages = pages,
		},
		.offset = offset,
		.first = offset / count->page_size,
		.is_mapped = xcalloc(pages, sizeof(bool)),
	};
}

/** The first loaded section of each type that looking names up reads. */
static void add_lookup_tables(struct tables *tables, const struct relocation_count *count)
{
	static const uint32_t types[] = { SHT_GNU_HASH,	 SHT_HASH,	 SHT_DYNSYM,
					  SHT_STRTAB,	 SHT_GNU_versym, SHT_GNU_verneed,
					  SHT_GNU_verdef };
	size_t section_count;
	const struct elfmap_section *sections = elfmap_sections(count->map, &section_count);

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		for (size_t i = 1; i < section_count; i++) {
			const struct elfmap_section *section = &sections[i];

			if (section->type != types[t] || !(section->flags & SHF_ALLOC))
				continue;
			add_table(tables, count, section->name, true, section->offset,
				  section->size);
			break;
		}
	}
}

/** Mark the pages of the file [@first, @end) of @table as mapped. */
static void mark(struct table *table, uint64_t first, uint64_t end)
{
	uint64_t from = first > table->first ? first : table->first;
	uint64_t to = table->first + table->counts.pages;

	for (uint64_t page = from; page < to && page < end; page++) {
		bool *is_mapped = &table->is_mapped[page - table->first];

		table->counts.pages_mapped += !*is_mapped;
		*is_mapped = true;
	}
}

static void count_fault(struct tables *tables, const struct model_fault *fault, uint64_t page_size)
{
	uint64_t page = fault->at_offset / page_size;
	uint64_t around = fault->around_offset / page_size, around_end = around;

	if (fault->has_around)
		around_end += fault->around_pages;
	for (size_t i = 0; i < tables->count; i++) {
		struct table *table = &tables->items[i];

		table->counts.faults += fault->at_offset >= table->offset &&
					fault->at_offset - table->offset < table->counts.size;
		if (table->counts.pages_mapped == table->counts.pages)
			continue;
		mark(table, page, page + 1);
		mark(table, around, around_end);
	}
}

static int compare_tables(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->counts.name, y->counts.name);
}

// ---- Names ----------------------------------------------------------------------------------

struct lookups {
	VEC(struct model_lookup) list;
};

static int compare_lookup_names(const void *a, const void *b)
{
	return strcmp(((const struct model_lookup *)a)->name,
		      ((const struct model_lookup *)b)->name);
}

static int compare_lookups(const void *a, const void *b)
{
	const struct model_lookup *x = a, *y = b;

	if (x->faults != y->faults)
		return x->faults < y->faults ? 1 : -1;
	return strcmp(x->name, y->name);
}

/** The name that row @symbol of the model stands for, if it is a symbol or string; else NULL. */
static const char *looked_up(const struct builder *builder, uint32_t symbol)
{
	if (symbol == MODEL_NONE || builder->symbol_sources.items[symbol].symbol)
		return NULL;
	enum elfmap_entry_kind kind = builder->symbol_sources.items[symbol].entry.kind;
	const char *name = builder->symbols.items[symbol].name;

	if ((kind != ELFMAP_ENTRY_DYNSYM && kind != ELFMAP_ENTRY_DYNSTR) || !name)
		return NULL;
	name = strchr(name, ':'); // "dynsym:" or "dynstr:"
	return name && name[1] ? name + 1 : NULL;
}

static void add_lookup(struct lookups *lookups, const struct builder *builder,
		       const struct model_fault *fault)
{
	const char *name = looked_up(builder, fault->at_symbol);

	if (name)
		vec_push(&lookups->list, (struct model_lookup){ name, 1 });
}

/** Hand the names to the model, each once, and release them. */
static void list_lookups(struct lookups *lookups, const struct relocation_count *count)
{
	struct model_lookup *items = lookups->list.items;
	size_t kept = 0;

	if (lookups->list.count)
		qsort(items, lookups->list.count, sizeof(*items), compare_lookup_names);
	for (size_t i = 0; i < lookups->list.count; i++) {
		if (kept > 0 && strcmp(items[kept - 1].name, items[i].name) == 0)
			items[kept - 1].faults += items[i].faults;
		else
			items[kept++] = items[i];
	}
	struct model_lookup *copy = arena_array(&count->builder->model->arena, kept, sizeof(*copy));

	if (kept) {
		memcpy(copy, items, kept * sizeof(*copy));
		qsort(copy, kept, sizeof(*copy), compare_lookups);
	}
	count->to->lookups = copy;
	count->to->lookup_count = kept;
	vec_deinit(&lookups->list);
}

void relocation_count_tables(struct relocation_count *count)
{
	size_t table_count;
	const struct elfmap_relocation_table *of =
		elfmap_relocation_tables(count->map, &table_count);
	CLEANUP(tables_deinit) struct tables tables = { 0 };
	struct lookups names = { 0 };

	for (size_t i = 0; i < table_count; i++)
		add_table(&tables, count, of[i].name, false, of[i].offset, of[i].size);
	add_lookup_tables(&tables, count);
	qsort(tables.items, tables.count, sizeof(tables.items[0]), compare_tables);
	vec_foreach (index, &count->faults->indexes) {
		const struct model_fault *fault = &count->builder->faults.items[*index];

		if (fault->initiator != MODEL_RELOCATION && fault->initiator != MODEL_SYMBOL_LOOKUP)
			continue;
		if (fault->at_has_offset)
			count_fault(&tables, fault, count->page_size);
		if (fault->initiator == MODEL_SYMBOL_LOOKUP)
			add_lookup(&names, count->builder, fault);
	}

	struct model_relocation_table *list =
		arena_array(&count->builder->model->arena, tables.count, sizeof(*list));
	for (size_t i = 0; i < tables.count; i++)
		list[i] = tables.items[i].counts;
	count->to->tables = list;
	count->to->table_count = tables.count;
	list_lookups(&names, count);
}
