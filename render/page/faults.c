// SPDX-License-Identifier: Apache-2.0
#include "render/page/making.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "model/io.h"
#include "model/moments.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const struct column layout[] = {
#define COLUMN(identifier, name, width, encoding) { name, width, COLUMN_##encoding, { 0 } },
#include "render/page/columns.def"
};
_Static_assert((int)PAGE_COLUMNS + (int)PAGEFAULTS_LINKS <= (int)PAGEFAULTS_COLUMNS,
	       "room for all columns");

enum { MERGE_COLUMNS = 8192 }; // distinct moments and places that merging keeps apart
enum { AROUND_NONE = 0 };

static void making_deinit(struct making *making)
{
	free(making->memory_pages);
	free(making->node_of_stack);
	free(making->symbol_of_model);
	free(making->object_pages);
	free(making->finding_set);
	u64map_deinit(&making->combinations);
	making_deinit_threads(making);
	u64map_deinit(&making->nodes);
	u64map_deinit(&making->frames);
	u64map_deinit(&making->cells);
}

static enum lane lane_of(const struct model_fault *fault, uint64_t page_size)
{
	if (fault->at.object == MODEL_NONE)
		return LANE_UNMAPPED;
	if (fault->at.has_offset)
		return LANE_FILE;
	return fault->at.has_vaddr && fault->at.vaddr / page_size <= UINT32_MAX ? LANE_BSS
										: LANE_MEMORY;
}

static void list_memory_pages(struct making *making)
{
	const struct model *model = making->model;
	uint64_t page_size = model->trace.page_size;
	size_t count = 0, distinct = 0;

	making->memory_pages = xcalloc(model->fault_count, sizeof(uint64_t));
	for (size_t i = 0; i < model->fault_count; i++)
		if (lane_of(&model->faults[i], page_size) >= LANE_MEMORY)
			making->memory_pages[count++] = model->faults[i].addr / page_size;
	qsort(making->memory_pages, count, sizeof(uint64_t), order_u64);
	for (size_t i = 0; i < count; i++)
		if (distinct == 0 || making->memory_pages[i] != making->memory_pages[distinct - 1])
			making->memory_pages[distinct++] = making->memory_pages[i];
	making->memory_page_count = distinct;
	for (size_t i = 0; i < distinct; i++) {
		push(making, PAGE_MEMORY_PAGE_LOW, making->memory_pages[i] & UINT32_MAX);
		push(making, PAGE_MEMORY_PAGE_HIGH, making->memory_pages[i] >> 32);
	}
}

static uint64_t memory_index(const struct making *making, uint64_t page)
{
	const uint64_t *found = bsearch(&page, making->memory_pages, making->memory_page_count,
					sizeof(uint64_t), order_u64);

	return (uint64_t)(found - making->memory_pages);
}

/** @ns as far as the fault has a duration at all. */
static uint32_t short_known(const struct model_fault *fault, uint64_t ns)
{
	return fault->has_duration ? short_duration(ns) : UINT16_MAX;
}

/** Return the part of its duration that is neither its own nor late. */
static uint64_t rest_of(const struct model_fault *fault)
{
	uint64_t told = model_fault_own(fault) + model_fault_late(fault);

	return told < fault->duration_ns ? fault->duration_ns - told : 0;
}

static uint32_t combination_of(struct making *making, const struct model_fault *fault,
			       enum lane lane)
{
	const struct making_combination what = {
		.object = fault->at.object == MODEL_NONE ? UINT16_MAX : fault->at.object,
		.section = fault->at.section + 1, // MODEL_NONE: 0
		.lane = lane,
		.kind = fault->kind,
		.access = fault->access,
		.mode = fault->mode,
		.mechanism = fault->mechanism,
		.initiator = fault->initiator,
		.certainty = fault->certainty,
		.dlopen = fault->dlopen,
		.step = fault->step,
		.thread = making_thread(making, model_thread(making->model, fault), fault->time_ns),
		.initializer = fault->initializer + 1,
		.blame = fault->blame + 1,
		.findings = making->finding_set[fault - making->model->faults],
	};

	return making_combine(making, &what);
}

static uint32_t symbol_of(struct making *making, uint32_t symbol)
{
	if (symbol == MODEL_NONE)
		return 0;
	if (!making->symbol_of_model[symbol]) {
		vec_push(&making->page->symbols, symbol);
		making->symbol_of_model[symbol] = (uint32_t)making->page->symbols.count;
	}
	return making->symbol_of_model[symbol];
}

/** Return the place of the fault in its lane. */
static void place_of(const struct making *making, const struct model_fault *fault, enum lane lane,
		     uint64_t *ret_page, uint64_t *ret_byte)
{
	uint64_t page_size = making->model->trace.page_size;
	uint64_t at = lane == LANE_FILE	 ? fault->at.offset
		      : lane == LANE_BSS ? fault->at.vaddr
					 : fault->addr;

	*ret_byte = at % page_size;
	*ret_page = lane >= LANE_MEMORY ? memory_index(making, at / page_size) : at / page_size;
}

/**
 * The entry that already stands for such a fault at this moment and place, as exact as a screen is;
 * otherwise the next entry is remembered for those that follow.
 */
static bool find_cell(struct making *making, const struct model_fault *fault, uint32_t combination,
		      uint64_t page, uint32_t *ret_entry)
{
	uint64_t span = making->model->trace.duration_ns / MERGE_COLUMNS + 1;
	uint64_t moment = fault->time_ns / span;
	uint64_t pages = fault->at.object == MODEL_NONE ? making->memory_page_count
							: making->object_pages[fault->at.object];
	const uint64_t parts[] = { combination, page / (pages / MERGE_COLUMNS + 1) };
	bool is_new;

	if (moment != making->cell_moment) {
		u64map_deinit(&making->cells);
		making->cells = (struct u64map){ 0 };
		making->cell_moment = moment;
	}
	uint32_t *entry = u64map_put(&making->cells, XXH3_64bits(parts, sizeof(parts)), &is_new);
	if (is_new)
		*entry = (uint32_t)making->page->count;
	*ret_entry = *entry;
	return !is_new;
}

/**
 * Add the bytes that @fault read of its file, if any: few do, so these columns are not as long as
 * the others. The first page of .bss is one of the file, too.
 */
static void add_read(struct making *making, const struct model_fault *fault, enum lane lane,
		     uint32_t entry)
{
	if (!fault->has_read || (lane != LANE_FILE && lane != LANE_BSS))
		return;
	push(making, PAGE_READ_ENTRY, entry);
	push(making, PAGE_READ_PAGE, model_read_offset(fault) / making->model->trace.page_size);
	push(making, PAGE_READ_SPAN, model_read_span(fault));
}

/** @own: of the entry that @fault is merged into. */
static void add_own(uint32_t *own, const struct model_fault *fault)
{
	const uint64_t before = *own == UINT32_MAX ? 0 : exact_duration_ns(*own);

	if (fault->has_duration)
		*own = exact_duration(before + model_fault_own(fault));
}

static void add_fault(struct making *making, const struct model_fault *fault)
{
	struct pagefaults *page = making->page;
	uint64_t page_size = making->model->trace.page_size;
	enum lane lane = lane_of(fault, page_size);
	uint32_t combination = combination_of(making, fault, lane), entry;
	uint64_t number, byte;

	uint32_t read_pages = fault->has_read ? model_read_pages(fault) : 0;
	place_of(making, fault, lane, &number, &byte);
	if (page->merged && find_cell(making, fault, combination, number, &entry)) {
		page->columns[PAGE_MERGED].values.items[entry]++;
		page->columns[PAGE_READ_PAGES].values.items[entry] += read_pages;
		add_own(&page->columns[PAGE_OWN].values.items[entry], fault);
		add_read(making, fault, lane, entry);
		return;
	}
	add_read(making, fault, lane, (uint32_t)page->count);
	page->count++;
	push(making, PAGE_TIME, fault->time_ns / page->time_unit_ns);
	push(making, PAGE_OWN,
	     fault->has_duration ? exact_duration(model_fault_own(fault)) : UINT32_MAX);
	push(making, PAGE_LATE, short_known(fault, model_fault_late(fault)));
	push(making, PAGE_REST, short_known(fault, rest_of(fault)));
	push(making, PAGE_COMBINATION, combination);
	push(making, PAGE_PAGE, number);
	push(making, PAGE_BYTE, byte);
	push(making, PAGE_SYMBOL, symbol_of(making, fault->at.name));
	push(making, PAGE_STACK,
	     making_stack(making, fault->stack, fault->has_ip ? fault->by : NULL));
	uint64_t before = fault->has_around && lane == LANE_FILE &&
					  model_around_offset(fault) / page_size <= number
				  ? number - model_around_offset(fault) / page_size
				  : 0;
	bool has_around = fault->has_around && before <= UINT16_MAX &&
			  model_around_pages(fault) <= UINT16_MAX;
	push(making, PAGE_AROUND_BEFORE, has_around ? before : 0);
	push(making, PAGE_AROUND_PAGES, has_around ? model_around_pages(fault) : AROUND_NONE);
	push(making, PAGE_READ_PAGES, read_pages);
	if (page->merged)
		push(making, PAGE_MERGED, 1);
}

/** Return the last moment that a column has. */
static uint64_t last_time(const struct model *model)
{
	const struct model_moments *moments = model->moments;
	uint64_t last = model->fault_count ? model->faults[model->fault_count - 1].time_ns : 0;

	for (size_t i = 0; moments && i < moments->life_count; i++)
		if (moments->lives[i].end_ns > last)
			last = moments->lives[i].end_ns;
	if (model->ios && model->ios->count > 0 &&
	    model->ios->items[model->ios->count - 1].what.time_ns > last)
		last = model->ios->items[model->ios->count - 1].what.time_ns;
	return last;
}

static uint64_t time_unit(const struct model *model)
{
	uint64_t last = last_time(model);
	// Digits that no one sees cost bytes, once there are many.
	uint64_t unit = model->fault_count > 100000 ? 64 : 1;

	while (last / unit > UINT32_MAX)
		unit *= 2;
	return unit;
}

static void list_object_pages(struct making *making)
{
	const struct model *model = making->model;

	making->object_pages = xcalloc(model->object_count + 1, sizeof(uint64_t));
	for (size_t i = 0; i < model->object_count; i++)
		making->object_pages[i] = model->objects[i].is_file
						  ? model->objects[i].size / model->trace.page_size
						  : making->memory_page_count;
}

void pagefaults_init(struct pagefaults *page, const struct model *model, size_t merge_above,
		     const char *const *wheres, size_t where_count)
{
	CLEANUP(making_deinit) struct making making = { .page = page, .model = model };

	*page = (struct pagefaults){ .column_count = PAGE_COLUMNS,
				     .total = model->fault_count,
				     .time_unit_ns = time_unit(model),
				     .merged = model->fault_count > merge_above };
	memcpy(page->columns, layout, sizeof(layout));
	making_order_processes(&making);
	making.node_of_stack = xcalloc(model->stack_count + 1, sizeof(uint32_t));
	making.symbol_of_model = xcalloc(model->symbol_count + 1, sizeof(uint32_t));
	making_find_findings(&making, wheres, where_count);
	list_memory_pages(&making);
	list_object_pages(&making);
	for (size_t i = 0; i < model->fault_count; i++)
		add_fault(&making, &model->faults[i]);
	making_add_moments(&making);
	making_add_operations(&making);
	making_add_runs(&making);
	if (!page->merged)
		page->column_count--;
}

void pagefaults_deinit(struct pagefaults *page)
{
	for (size_t i = 0; i < PAGEFAULTS_COLUMNS; i++)
		column_deinit(&page->columns[i]);
	vec_deinit(&page->symbols);
	vec_deinit(&page->threads);
	vec_deinit(&page->processes);
	vec_deinit(&page->io_sections);
	vec_deinit(&page->finding_sets);
}
