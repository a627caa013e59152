// SPDX-License-Identifier: Apache-2.0
// The slots of an object: on which pages of which sections they lie, and which of those pages
// relocation wrote.
#include "correlate/linking/relocation.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"

#include <elf.h>
#include <string.h>

enum { NO_ROW = UINT32_MAX };

/** Neighbouring pages that hold slots of one section. Numbers of pages, half-open. */
struct run {
	uint64_t first, end;
	uint32_t row; // into slots.rows; NO_ROW: of all sections together
};

/** A section while its slots are counted. */
struct row {
	const struct elfmap_section *section;
	struct model_relocated_section counts;
	uint64_t next; // the first page not counted yet
};

/** The slots of one object, gathered. */
struct slots {
	VEC(struct run) all;	  // disjoint, in order
	VEC(struct run) by_row;	  // disjoint for one row
	VEC(struct row) rows;	  // in the order of their first slot
	struct u64map row_index;  // section index -> row
	VEC(uint64_t) written;	  // numbers of pages, sorted and distinct
	struct u64map is_written; // by page
	struct range row_range;	  // vaddrs that belong to the row found last
	uint32_t row;
};

static void slots_deinit(struct slots *slots)
{
	vec_deinit(&slots->all);
	vec_deinit(&slots->by_row);
	vec_deinit(&slots->rows);
	vec_deinit(&slots->written);
	u64map_deinit(&slots->row_index);
	u64map_deinit(&slots->is_written);
}

/** The row of the section that holds @vaddr, NO_ROW if there is none. */
static uint32_t row_of(struct slots *slots, struct elfmap *map, uint64_t vaddr)
{
	if (range_contains(slots->row_range, vaddr))
		return slots->row;
	const struct elfmap_section *section = elfmap_section_at(map, vaddr);
	if (!section)
		return NO_ROW;
	uint32_t index = u64map_row(&slots->row_index, section->index, &slots->rows,
				    (struct row){ .section = section });
	// What holds a vaddr does not wrap around. Where sections overlap, as no linker lays them
	// out, slots go to the section met first.
	slots->row_range = (struct range){ vaddr, section->vaddr + section->size };
	slots->row = index;
	return index;
}

/** Add the pages [@first, @end) to the last run where they go on with it. */
#define ADD_RUN(runs, first_, end_, row_)                                                     \
	do {                                                                                  \
		struct run *last_ = (runs)->count ? &(runs)->items[(runs)->count - 1] : NULL; \
		if (last_ && last_->row == (row_) && (first_) <= last_->end)                  \
			last_->end = (end_) > last_->end ? (end_) : last_->end;               \
		else                                                                          \
			vec_push((runs), (struct run){ (first_), (end_), (row_) });           \
	} while (0)

static void add_pages(struct slots *slots, uint32_t row, uint64_t first, uint64_t end)
{
	ADD_RUN(&slots->all, first, end, NO_ROW);
	if (row == NO_ROW)
		return;
	uint64_t *next = &slots->rows.items[row].next;

	first = first < *next ? *next : first;
	if (first >= end)
		return;
	ADD_RUN(&slots->by_row, first, end, row);
	slots->rows.items[row].counts.pages_holding += end - first;
	*next = end;
}

static void count_slot(struct model_relocated_section *section, enum elfmap_relocation_class class)
{
	section->relocations++;
	section->copies += class == ELFMAP_RELOCATION_COPY;
}

/** Slots come sorted by vaddr, and nearly all lie in the section and the page of the one before. */
static void gather(struct slots *slots, const struct relocation_count *count)
{
	size_t slot_count;
	const struct elfmap_relocation *items = elfmap_relocations(count->map, &slot_count);
	uint64_t word = elfmap_info(count->map)->is_64bit ? 8 : 4;
	struct range page = { 0, 0 };
	uint32_t page_row = NO_ROW;

	for (size_t i = 0; i < slot_count; i++) {
		uint64_t vaddr = items[i].vaddr;
		uint32_t row = row_of(slots, count->map, vaddr);

		if (row != NO_ROW)
			count_slot(&slots->rows.items[row].counts, items[i].class);
		if (range_contains(page, vaddr) && page.end - vaddr >= word && row == page_row &&
		    items[i].class != ELFMAP_RELOCATION_COPY)
			continue;

		uint64_t size = elfmap_relocation_size(count->map, &items[i]);
		if (size == 0)
			continue;
		uint64_t last = (vaddr + size - 1) / count->page_size;
		add_pages(slots, row, vaddr / count->page_size, last + 1);
		page = (struct range){ last * count->page_size, (last + 1) * count->page_size };
		page_row = row;
	}
}

/** Note that relocation wrote page number @page, whether it holds slots or not. */
static void note_written(struct slots *slots, uint64_t page)
{
	if (slots->written.count > 0 && slots->written.items[slots->written.count - 1] == page)
		return;
	if (u64map_add(&slots->is_written, page))
		vec_push(&slots->written, page);
}

/** One pass over the object's faults, of which there may be a million. */
static void count_faults(struct slots *slots, const struct relocation_count *count)
{
	struct relocation_tables *tables = relocation_tables_create(count);

	vec_foreach (index, &count->faults->indexes) {
		const struct model_fault *fault = &count->faults->all[*index];

		if (!objectfaults_counts(count->faults, fault))
			continue;
		if (fault->initiator == MODEL_RELOCATION) {
			model_count_fault(&count->to->relocation, fault);
			if (objectfaults_is_write(fault))
				note_written(slots, fault->at.vaddr / count->page_size);
		} else if (fault->initiator == MODEL_SYMBOL_LOOKUP) {
			model_count_fault(&count->to->lookup, fault);
		} else {
			continue;
		}
		relocation_tables_fault(tables, fault);
	}
	relocation_tables_finish(tables);
	if (slots->written.count)
		qsort(slots->written.items, slots->written.count, sizeof(uint64_t), order_u64);
}

/** How many of the written pages are below @page. */
static size_t written_below(const struct slots *slots, uint64_t page)
{
	return search_first(slots->written.count, i, slots->written.items[i] >= page);
}

static uint64_t written_within(const struct slots *slots, uint64_t first, uint64_t end)
{
	return written_below(slots, end) - written_below(slots, first);
}

static void count_pages(struct slots *slots, struct model_relocation *to)
{
	vec_foreach (run, &slots->all) {
		to->pages_holding += run->end - run->first;
		to->pages_written += written_within(slots, run->first, run->end);
	}
	vec_foreach (run, &slots->by_row)
		slots->rows.items[run->row].counts.pages_written +=
			written_within(slots, run->first, run->end);
}

/** RELRO, and what of it was written: slots within it are what it is for. */
static void count_relro(const struct slots *slots, const struct relocation_count *count)
{
	size_t segment_count;
	const struct elfmap_segment *segments = elfmap_segments(count->map, &segment_count);
	uint64_t page_size = count->page_size, pages = 0, first = 0;

	for (size_t i = 0; i < segment_count; i++) {
		if (segments[i].type != PT_GNU_RELRO)
			continue;
		first = segments[i].vaddr / page_size; // the last one, as elfmap_load() has it
		pages = relocation_pages(segments[i].vaddr, segments[i].memory_size, page_size);
	}
	count->to->relro_pages = pages;
	if (pages == 0)
		return;
	vec_foreach (run, &slots->all) {
		uint64_t start = run->first > first ? run->first : first;
		uint64_t end = run->end < first + pages ? run->end : first + pages;

		if (start < end)
			count->to->relro_pages_written += written_within(slots, start, end);
	}
}

ORDER_OF(compare_sections, model_relocated_section, ORDER(y->pages_written, x->pages_written) ?: strcmp(x->name, y->name) ?: ORDER(x->size, y->size))

static void list_sections(const struct slots *slots, const struct relocation_count *count)
{
	struct arena *arena = &count->rows->model->arena;
	struct model_relocated_section *list = arena_array(arena, slots->rows.count, sizeof(*list));

	for (size_t i = 0; i < slots->rows.count; i++) {
		const struct row *row = &slots->rows.items[i];

		list[i] = row->counts;
		list[i].name = arena_strdup(arena, row->section->name);
		list[i].size = row->section->size;
	}
	qsort(list, slots->rows.count, sizeof(*list), compare_sections);
	count->to->sections = list;
	count->to->section_count = slots->rows.count;
}

/** The classes are the same in the same order: the model knows nothing of elfmap. */
_Static_assert((int)MODEL_RELOCATION_CLASSES == (int)ELFMAP_RELOCATION_CLASSES &&
		       (int)MODEL_RELOCATION_JUMP_SLOT == (int)ELFMAP_RELOCATION_JUMP_SLOT &&
		       (int)MODEL_RELOCATION_IRELATIVE == (int)ELFMAP_RELOCATION_IRELATIVE,
	       "classes of relocations");

const struct model_relocation *relocation_new(const struct rows *rows, uint32_t id,
					      const struct objectfaults *faults,
					      struct targets *targets, uint64_t page_size)
{
	struct elfmap *map = objects_opened(rows->objects, id);
	size_t table_count;

	if (!map || (elfmap_relocation_tables(map, &table_count), table_count == 0))
		return NULL;

	struct model_relocation *to = arena_alloc(&rows->model->arena, sizeof(*to));
	struct relocation_count count = { rows, map, faults, page_size, to };
	const struct elfmap_load *load = elfmap_load(map, page_size);
	CLEANUP(slots_deinit) struct slots slots = { 0 };

	memcpy(to->counts, load->relocation_counts, sizeof(to->counts));
	to->uses_rel = load->uses_rel;
	to->uses_rela = load->uses_rela;
	to->uses_relr = load->uses_relr;
	to->bind_now = load->bind_now;
	to->relro_bytes = load->relro_bytes;
	to->table_bytes = load->relocation_table_bytes;
	gather(&slots, &count);
	count_faults(&slots, &count);
	count_pages(&slots, to);
	count_relro(&slots, &count);
	list_sections(&slots, &count);
	relocation_add_relinks(&count);
	targets_fill(targets, &count);
	ownership_fill(&count);
	return to;
}
