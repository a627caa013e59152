// SPDX-License-Identifier: Apache-2.0
// The tables that relocating an object reads: how much of them came into memory, and for which
// names.
#include "correlate/linking/relocation.h"

#include "base/checked.h"
#include "base/order.h"

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

struct relocation_tables {
	const struct relocation_count *count;
	struct table items[TABLES_MAX];
	size_t item_count;
	struct range pages;		  // of the file: from the first table to the last
	VEC(struct model_lookup) lookups; // one for each fault
};

static void add_table(struct relocation_tables *tables, const char *name, bool is_lookup,
		      uint64_t offset, uint64_t size)
{
	const struct relocation_count *count = tables->count;
	struct range *span = &tables->pages;

	// Also bounds what is allocated for the pages.
	if (tables->item_count == TABLES_MAX || size == 0 ||
	    !checked_within(offset, size, elfmap_info(count->map)->size))
		return;
	uint64_t pages = relocation_pages(offset, size, count->page_size);
	uint64_t first = offset / count->page_size;

	if (tables->item_count == 0)
		*span = (struct range){ first, first + pages };
	span->start = first < span->start ? first : span->start;
	span->end = first + pages > span->end ? first + pages : span->end;
	tables->items[tables->item_count++] = (struct table){
		.counts = {
			.name = arena_strdup(&count->rows->model->arena, name),
			.is_lookup = is_lookup,
			.size = size,
			.pages = pages,
		},
		.offset = offset,
		.first = first,
		.is_mapped = xcalloc(pages, sizeof(bool)),
	};
}

/** The first loaded section of each type that looking names up reads. */
static void add_lookup_tables(struct relocation_tables *tables)
{
	static const uint32_t types[] = { SHT_GNU_HASH,	 SHT_HASH,	 SHT_DYNSYM,
					  SHT_STRTAB,	 SHT_GNU_versym, SHT_GNU_verneed,
					  SHT_GNU_verdef };
	size_t section_count;
	const struct elfmap_section *sections = elfmap_sections(tables->count->map, &section_count);

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		for (size_t i = 1; i < section_count; i++) {
			const struct elfmap_section *section = &sections[i];

			if (section->type != types[t] || !(section->flags & SHF_ALLOC))
				continue;
			add_table(tables, section->name, true, section->offset, section->size);
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

static void count_fault(struct relocation_tables *tables, const struct model_fault *fault)
{
	uint64_t page = fault->at.offset / tables->count->page_size;
	struct range around = { 0, 0 };

	if (fault->has_around) {
		around.start = model_around_offset(fault) / tables->count->page_size;
		around.end = around.start + model_around_pages(fault);
	}
	// Most faults of relocation are on the slots, far from all tables.
	if (!range_contains(tables->pages, page) && !range_overlaps(tables->pages, around))
		return;
	array_foreach (table, tables->items, tables->item_count) {
		table->counts.faults += fault->at.offset >= table->offset &&
					fault->at.offset - table->offset < table->counts.size;
		if (table->counts.pages_mapped == table->counts.pages)
			continue;
		mark(table, page, page + 1);
		mark(table, around.start, around.end);
	}
}

ORDER_OF(compare_tables, table,
	 ORDER(x->offset, y->offset) ?: strcmp(x->counts.name, y->counts.name))

// ---- Names ----------------------------------------------------------------------------------

ORDER_OF(compare_lookup_names, model_lookup, strcmp(x->name, y->name))

ORDER_OF(compare_lookups, model_lookup, ORDER(y->faults, x->faults) ?: strcmp(x->name, y->name))

/** The name that @source, a row called @name, stands for, if it is a symbol or string; else NULL.
 */
static const char *looked_up(const struct row_source *source, const char *name)
{
	enum elfmap_entry_kind kind = source->entry.kind;

	if (source->symbol || (kind != ELFMAP_ENTRY_DYNSYM && kind != ELFMAP_ENTRY_DYNSTR) || !name)
		return NULL;
	name = strchr(name, ':'); // "dynsym:" or "dynstr:"
	return name && name[1] ? name + 1 : NULL;
}

/** Hand the names to the model, each once. */
static void list_lookups(struct relocation_tables *tables)
{
	struct model_relocation *to = tables->count->to;
	struct model_lookup *items = tables->lookups.items;
	size_t kept = 0;

	if (tables->lookups.count)
		qsort(items, tables->lookups.count, sizeof(*items), compare_lookup_names);
	for (size_t i = 0; i < tables->lookups.count; i++) {
		if (kept > 0 && strcmp(items[kept - 1].name, items[i].name) == 0)
			items[kept - 1].faults += items[i].faults;
		else
			items[kept++] = items[i];
	}
	struct model_lookup *copy =
		arena_array(&tables->count->rows->model->arena, kept, sizeof(*copy));

	if (kept) {
		memcpy(copy, items, kept * sizeof(*copy));
		qsort(copy, kept, sizeof(*copy), compare_lookups);
	}
	to->lookups = copy;
	to->lookup_count = kept;
}

struct relocation_tables *relocation_tables_create(const struct relocation_count *count)
{
	struct relocation_tables *tables = xcalloc(1, sizeof(*tables));
	size_t table_count;
	const struct elfmap_relocation_table *of =
		elfmap_relocation_tables(count->map, &table_count);

	tables->count = count;
	for (size_t i = 0; i < table_count; i++)
		add_table(tables, of[i].name, false, of[i].offset, of[i].size);
	add_lookup_tables(tables);
	return tables;
}

void relocation_tables_fault(struct relocation_tables *tables, const struct model_fault *fault)
{
	const struct rows *rows = tables->count->rows;

	if (fault->at.has_offset)
		count_fault(tables, fault);
	if (fault->initiator != MODEL_SYMBOL_LOOKUP || fault->at.name == MODEL_NONE)
		return;
	const char *name = looked_up(&rows->symbol_sources.items[fault->at.name],
				     rows->symbols.items[fault->at.name].name);
	if (name)
		vec_push(&tables->lookups, (struct model_lookup){ name, 1 });
}

void relocation_tables_finish(struct relocation_tables *tables)
{
	struct model_relocation *to = tables->count->to;
	struct model_relocation_table *list =
		arena_array(&tables->count->rows->model->arena, tables->item_count, sizeof(*list));

	qsort(tables->items, tables->item_count, sizeof(tables->items[0]), compare_tables);
	for (size_t i = 0; i < tables->item_count; i++) {
		list[i] = tables->items[i].counts;
		free(tables->items[i].is_mapped);
	}
	to->tables = list;
	to->table_count = tables->item_count;
	list_lookups(tables);
	vec_deinit(&tables->lookups);
	free(tables);
}
