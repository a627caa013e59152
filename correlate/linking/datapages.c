// SPDX-License-Identifier: Apache-2.0
// Fills struct model_data of an object: which pages of its writable segments faulted, and why.
#include "correlate/linking/relocation.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"

#include <elf.h>
#include <string.h>

enum { NOT_LISTED = UINT32_MAX };

/** The memory of a writable PT_LOAD, in vaddrs. */
struct area {
	struct range pages;  // whole pages; areas are sorted by them and disjoint
	uint64_t data_end;   // end of the file's part
	uint64_t memory_end; // end of the segment
};

/** A page that faulted. */
struct page {
	uint64_t number;
	uint32_t area;
	uint32_t first;	   // fault: the first one
	uint32_t decisive; // fault: the one that made it the process's own, MODEL_NONE: none did
	enum model_data_cause cause;
	struct model_count count;
	uint32_t listed; // place in the list, or NOT_LISTED
};

/** A symbol that faults touched on a page of the list. */
struct touch {
	uint32_t listed; // page
	uint32_t symbol; // row
	uint64_t vaddr;
	uint64_t faults, writes;
};

struct datapages {
	const struct rows *rows;
	struct elfmap *map;
	const struct objectfaults *faults;
	uint64_t page_size;
	VEC(struct area) areas;
	VEC(struct page) pages;
	struct u64map by_number;   // values index pages
	uint32_t *page_of;	   // by position in faults, NOT_LISTED: in no area
	VEC(struct touch) touches; // then sorted by page, then vaddr
	struct u64map touch_index; // page << 32 | symbol
	struct model_data *to;
};

static void datapages_deinit(struct datapages *data)
{
	vec_deinit(&data->areas);
	vec_deinit(&data->pages);
	u64map_deinit(&data->by_number);
	free(data->page_of);
	vec_deinit(&data->touches);
	u64map_deinit(&data->touch_index);
}

ORDER_OF(compare_areas, area, ORDER(x->pages.start, y->pages.start))

static void find_areas(struct datapages *data)
{
	size_t count, kept = 0;
	const struct elfmap_segment *segments = elfmap_segments(data->map, &count);

	array_foreach (segment, segments, count) {
		struct area area;
		uint64_t past;

		if (segment->type != PT_LOAD || !(segment->flags & PF_W) ||
		    segment->file_size > segment->memory_size ||
		    !checked_add(segment->vaddr, segment->memory_size, &area.memory_end) ||
		    !checked_add(area.memory_end, data->page_size, &past))
			continue;
		area.data_end = segment->vaddr + segment->file_size;
		area.pages.start = align_down(segment->vaddr, data->page_size);
		area.pages.end = align_up(area.memory_end, data->page_size);
		vec_push(&data->areas, area);
	}
	vec_sort(&data->areas, compare_areas);
	for (size_t i = 0; i < data->areas.count; i++) {
		struct area area = data->areas.items[i];

		// A page that two segments share is the later one's: ld.so maps it last.
		if (kept > 0 && data->areas.items[kept - 1].pages.end > area.pages.start)
			data->areas.items[kept - 1].pages.end = area.pages.start;
		data->areas.items[kept++] = area;
	}
}

/** The area that holds @vaddr, NOT_LISTED if none does. */
static uint32_t area_of(const struct datapages *data, uint64_t vaddr)
{
	size_t low = search_first(data->areas.count, i, data->areas.items[i].pages.start > vaddr);
	if (low == 0 || !range_contains(data->areas.items[low - 1].pages, vaddr))
		return NOT_LISTED;
	return (uint32_t)low - 1; // segments are 16-bit many
}

/** The page of @vaddr, added when new; NOT_LISTED if it is in no area. */
static uint32_t page_index(struct datapages *data, uint64_t vaddr, uint32_t fault)
{
	uint64_t number = vaddr / data->page_size;
	const uint32_t *known = u64map_get(&data->by_number, number);

	if (known)
		return *known;
	uint32_t area = area_of(data, vaddr);
	if (area == NOT_LISTED)
		return NOT_LISTED;
	uint32_t index = (uint32_t)data->pages.count; // faults are 32-bit many
	*u64map_put(&data->by_number, number, NULL) = index;
	vec_push(&data->pages, (struct page){
				       .number = number,
				       .area = area,
				       .first = fault,
				       .decisive = MODEL_NONE,
				       .cause = MODEL_DATA_READ,
				       .listed = NOT_LISTED,
			       });
	return index;
}

/** True if the page has no bytes in the file. */
static bool is_anonymous(const struct datapages *data, const struct page *page)
{
	return page->number >=
	       align_up(data->areas.items[page->area].data_end, data->page_size) / data->page_size;
}

static bool has_tail(const struct datapages *data, const struct area *area)
{
	return area->data_end % data->page_size != 0 && area->memory_end > area->data_end;
}

static enum model_data_cause cause_of(const struct datapages *data, const struct page *page,
				      const struct model_fault *fault)
{
	const struct area *area = &data->areas.items[page->area];

	if (fault->initiator == MODEL_RELOCATION)
		return MODEL_DATA_RELOCATED;
	if (is_anonymous(data, page))
		return MODEL_DATA_FIRST_TOUCH;
	if (has_tail(data, area) && page->number == area->data_end / data->page_size &&
	    fault->at.vaddr >= area->data_end &&
	    (fault->initiator == MODEL_EXEC || fault->initiator == MODEL_LOADER))
		return MODEL_DATA_ZEROED_TAIL;
	return MODEL_DATA_WRITTEN;
}

/** Drop the pages on which no fault is counted, now that their causes are known. */
static void keep_counted(struct datapages *data)
{
	const size_t count = data->faults->indexes.count;
	CLEANUP(freep) uint32_t *places = xcalloc(data->pages.count + 1, sizeof(*places));
	size_t kept = 0;

	for (size_t i = 0; i < data->pages.count; i++) {
		const struct page page = data->pages.items[i];

		places[i] = page.count.faults > 0 ? (uint32_t)kept : NOT_LISTED;
		*u64map_put(&data->by_number, page.number, NULL) = places[i];
		if (page.count.faults > 0)
			data->pages.items[kept++] = page;
	}
	data->pages.count = kept;
	for (size_t i = 0; i < count; i++)
		if (data->page_of[i] != NOT_LISTED)
			data->page_of[i] = places[data->page_of[i]];
}

static void gather_pages(struct datapages *data)
{
	uint64_t last_number = 0;
	uint32_t last = NOT_LISTED;

	data->page_of = xcalloc(data->faults->indexes.count, sizeof(*data->page_of));
	for (size_t i = 0; i < data->faults->indexes.count; i++) {
		uint32_t index = data->faults->indexes.items[i];
		const struct model_fault *fault = &data->faults->all[index];

		if (last == NOT_LISTED || fault->at.vaddr / data->page_size != last_number) {
			last_number = fault->at.vaddr / data->page_size;
			last = page_index(data, fault->at.vaddr, index);
		}
		data->page_of[i] = last;
		if (last == NOT_LISTED)
			continue;
		struct page *page = &data->pages.items[last];
		if (objectfaults_counts(data->faults, fault))
			model_count_fault(&page->count, fault);
		if (page->decisive == MODEL_NONE &&
		    (objectfaults_is_write(fault) || is_anonymous(data, page))) {
			page->decisive = index;
			page->cause = cause_of(data, page, fault);
		}
	}
	if (data->faults->window->is_set)
		keep_counted(data);
}

static void count_pages(struct datapages *data)
{
	struct model_data *to = data->to;

	vec_foreach (page, &data->pages) {
		to->faults[page->cause] += page->count.faults;
		to->pages_of[page->cause]++;
		to->bss_pages_touched += is_anonymous(data, page);
	}
	vec_foreach (area, &data->areas) {
		uint64_t start = align_up(area->data_end, data->page_size);

		to->bss_size += area->memory_end - area->data_end;
		if (area->memory_end > start)
			to->bss_pages += (area->memory_end - start - 1) / data->page_size + 1;
		if (!has_tail(data, area))
			continue;
		to->tail_is_shared = true;
		to->tail_vaddr = area->data_end;
		to->tail_bytes =
			(area->memory_end < start ? area->memory_end : start) - area->data_end;
	}
}

ORDER_OF(compare_pages, page, ORDER(x->number, y->number))

/** Choose the pages of the list and fill them but for their symbols. */
static struct model_data_page *list_pages(struct datapages *data)
{
	struct model_data *to = data->to;
	CLEANUP(freep) struct page *sorted = xcalloc(data->pages.count, sizeof(*sorted));
	struct model_data_page *list;
	size_t room = 0;

	memcpy(sorted, data->pages.items, data->pages.count * sizeof(*sorted));
	qsort(sorted, data->pages.count, sizeof(*sorted), compare_pages);
	for (size_t i = 0; i < data->pages.count; i++)
		room += sorted[i].cause != MODEL_DATA_RELOCATED;
	to->pages_left_out = room > MODEL_DATA_PAGES_MAX ? room - MODEL_DATA_PAGES_MAX : 0;
	room -= to->pages_left_out;
	list = arena_array(&data->rows->model->arena, room, sizeof(*list));
	for (size_t i = 0; i < data->pages.count && to->page_count < room; i++) {
		const struct page *page = &sorted[i];
		uint32_t from = page->decisive == MODEL_NONE ? page->first : page->decisive;
		const struct model_fault *fault = &data->faults->all[from];

		if (page->cause == MODEL_DATA_RELOCATED)
			continue;
		data->pages.items[*u64map_get(&data->by_number, page->number)].listed =
			(uint32_t)to->page_count; // at most MODEL_DATA_PAGES_MAX
		list[to->page_count++] = (struct model_data_page){
			.vaddr = page->number * data->page_size,
			.section = fault->at.section == MODEL_NONE
					   ? NULL
					   : data->rows->sections.items[fault->at.section].name,
			.cause = page->cause,
			.count = page->count,
		};
	}
	to->pages = list;
	return list;
}

// ---- Symbols --------------------------------------------------------------------------------

ORDER_OF(compare_touches, touch, ORDER(x->listed, y->listed) ?: ORDER(x->vaddr, y->vaddr) ?: ORDER(x->symbol, y->symbol))

static void gather_touches(struct datapages *data)
{
	for (size_t i = 0; i < data->faults->indexes.count; i++) {
		const struct model_fault *fault =
			&data->faults->all[data->faults->indexes.items[i]];
		uint32_t page = data->page_of[i];

		if (!objectfaults_counts(data->faults, fault) || page == NOT_LISTED ||
		    data->pages.items[page].listed == NOT_LISTED || fault->at.name == MODEL_NONE ||
		    !data->rows->symbols.items[fault->at.name].name)
			continue;
		uint32_t listed = data->pages.items[page].listed;
		uint32_t index = u64map_row(
			&data->touch_index, (uint64_t)listed << 32 | fault->at.name, &data->touches,
			(struct touch){
				.listed = listed,
				.symbol = fault->at.name,
				.vaddr = data->rows->symbols.items[fault->at.name].vaddr,
			});
		data->touches.items[index].faults++;
		data->touches.items[index].writes += objectfaults_is_write(fault);
	}
	vec_sort(&data->touches, compare_touches);
}

/** True if @symbol is among @count touches of one page. */
static bool is_touched(const struct row_source *sources, const struct touch *touches, size_t count,
		       const struct elfmap_symbol *symbol)
{
	size_t low = search_first(count, i, touches[i].vaddr >= symbol->vaddr);
	for (; low < count && touches[low].vaddr == symbol->vaddr; low++)
		if (sources[touches[low].symbol].symbol == symbol)
			return true;
	return false;
}

/** Symbols of a page being listed; the page owns as many as it counts. */
struct symbol_list {
	struct model_data_symbol items[MODEL_DATA_SYMBOLS_MAX];
	size_t count; // listed
	size_t total;
};

static void add_symbol(struct symbol_list *list, const struct model_data_symbol *symbol)
{
	list->total++;
	if (list->count < MODEL_DATA_SYMBOLS_MAX)
		list->items[list->count++] = *symbol;
}

/** The objects on the page that no fault touched. */
static void add_untouched(struct symbol_list *list, const struct datapages *data, uint64_t vaddr,
			  const struct touch *touches, size_t touch_count)
{
	struct range rest = { vaddr, vaddr + data->page_size }, piece;
	const struct elfmap_symbol *symbol;

	while (rest.start < rest.end &&
	       (symbol = elfmap_symbol_next(data->map, rest, &piece)) != NULL) {
		// One that another lies within covers several pieces: it counts by its first.
		bool is_first = piece.start == symbol->vaddr || piece.start <= vaddr;

		rest.start = piece.end;
		if (!is_first || symbol->type != STT_OBJECT ||
		    is_touched(data->rows->symbol_sources.items, touches, touch_count, symbol))
			continue;
		struct model_data_symbol row = { .vaddr = symbol->vaddr, .size = symbol->size };
		if (list->count < MODEL_DATA_SYMBOLS_MAX)
			row.name = arena_strdup(&data->rows->model->arena,
						data->rows->demangle
							? elfmap_symbol_display(data->map, symbol)
							: symbol->name);
		add_symbol(list, &row);
	}
}

static uint64_t slots_below(const struct elfmap_relocation *slots, size_t count, uint64_t vaddr)
{
	return search_first(count, i, slots[i].vaddr >= vaddr);
}

static void fill_pages(struct datapages *data, struct model_data_page *pages)
{
	size_t slot_count, next = 0;
	const struct elfmap_relocation *slots = elfmap_relocations(data->map, &slot_count);

	for (size_t i = 0; i < data->to->page_count; i++) {
		struct model_data_page *page = &pages[i];
		const struct touch *touches =
			next < data->touches.count ? data->touches.items + next : NULL;
		struct symbol_list list = { .count = 0 };
		size_t touch_count = 0;

		while (next < data->touches.count && data->touches.items[next].listed == i) {
			const struct touch *touch = &data->touches.items[next++];
			const struct model_symbol *row = &data->rows->symbols.items[touch->symbol];

			touch_count++;
			add_symbol(&list, &(struct model_data_symbol){
						  .name = row->name,
						  .vaddr = row->vaddr,
						  .size = row->size,
						  .faults = touch->faults,
						  .writes = touch->writes,
					  });
		}
		add_untouched(&list, data, page->vaddr, touches, touch_count);
		page->symbols = arena_copy(&data->rows->model->arena, list.items,
					   list.count * sizeof(*list.items));
		page->symbol_count = list.count;
		page->symbols_on_page = list.total;
		page->relocations = slots_below(slots, slot_count, page->vaddr + data->page_size) -
				    slots_below(slots, slot_count, page->vaddr);
	}
}

const struct model_data *datapages_new(const struct rows *rows, uint32_t id,
				       const struct objectfaults *faults, uint64_t page_size)
{
	CLEANUP(datapages_deinit)
	struct datapages data = {
		.rows = rows,
		.map = objects_opened(rows->objects, id),
		.faults = faults,
		.page_size = page_size,
	};

	if (!data.map)
		return NULL;
	find_areas(&data);
	gather_pages(&data);
	if (data.pages.count == 0)
		return NULL;
	data.to = arena_alloc(&rows->model->arena, sizeof(*data.to));
	count_pages(&data);
	struct model_data_page *pages = list_pages(&data);
	gather_touches(&data);
	fill_pages(&data, pages);
	return data.to;
}
