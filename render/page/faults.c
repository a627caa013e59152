// SPDX-License-Identifier: Apache-2.0
#include "render/page/faults.h"

#include "base/cleanup.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum lane { LANE_FILE, LANE_BSS, LANE_MEMORY, LANE_UNMAPPED };

/** The columns, in the order of the file. */
enum {
	TIME,
	DURATION,
	OWN,
	LATE,
	COMBINATION,
	PAGE,
	BYTE,
	SYMBOL,
	STACK,
	AROUND_BEFORE,
	AROUND_PAGES,
	READ_PAGES,
	C_OBJECT,
	C_SECTION,
	C_LANE,
	C_KIND,
	C_ACCESS,
	C_MODE,
	C_MECHANISM,
	C_INITIATOR,
	C_CERTAINTY,
	C_DLOPEN,
	C_STEP,
	C_THREAD,
	C_INITIALIZER,
	C_BLAME,
	MEMORY_PAGE_LOW,
	MEMORY_PAGE_HIGH,
	NODE_PARENT,
	NODE_FRAME,
	NODE_FLAGS,
	FRAME_FUNCTION,
	FRAME_OBJECT,
	FRAME_OFFSET,
	FRAME_FUNCTION_OFFSET,
	FRAME_CODE,
	READ_ENTRY,
	READ_PAGE,
	READ_SPAN,
	MERGED, // last: not always there
	COLUMNS,
};
_Static_assert((int)COLUMNS + (int)PAGEFAULTS_LINKS <= (int)PAGEFAULTS_COLUMNS,
	       "room for all columns");

static const struct column layout[COLUMNS] = {
	[TIME] = { "time", 4, COLUMN_DELTA, { 0 } },
	[DURATION] = { "duration", 2, COLUMN_PLAIN, { 0 } },
	[OWN] = { "own", 2, COLUMN_PLAIN, { 0 } },
	[LATE] = { "late", 2, COLUMN_PLAIN, { 0 } },
	[COMBINATION] = { "combination", 4, COLUMN_RECENT, { 0 } },
	[PAGE] = { "page", 4, COLUMN_ZIGZAG, { 0 } },
	[BYTE] = { "byte", 2, COLUMN_PLAIN, { 0 } },
	[SYMBOL] = { "symbol", 4, COLUMN_RECENT, { 0 } },
	[STACK] = { "stack", 4, COLUMN_RECENT, { 0 } },
	[AROUND_BEFORE] = { "around_before", 2, COLUMN_PLAIN, { 0 } },
	[AROUND_PAGES] = { "around_pages", 2, COLUMN_PLAIN, { 0 } },
	[READ_PAGES] = { "read_pages", 4, COLUMN_PLAIN, { 0 } },
	[READ_ENTRY] = { "read_entry", 4, COLUMN_ZIGZAG, { 0 } },
	[READ_PAGE] = { "read_page", 4, COLUMN_PLAIN, { 0 } },
	[READ_SPAN] = { "read_span", 4, COLUMN_PLAIN, { 0 } },
	[C_OBJECT] = { "combination_object", 2, COLUMN_PLAIN, { 0 } },
	[C_SECTION] = { "combination_section", 4, COLUMN_PLAIN, { 0 } },
	[C_LANE] = { "combination_lane", 1, COLUMN_PLAIN, { 0 } },
	[C_KIND] = { "combination_kind", 1, COLUMN_PLAIN, { 0 } },
	[C_ACCESS] = { "combination_access", 1, COLUMN_PLAIN, { 0 } },
	[C_MODE] = { "combination_mode", 1, COLUMN_PLAIN, { 0 } },
	[C_MECHANISM] = { "combination_mechanism", 1, COLUMN_PLAIN, { 0 } },
	[C_INITIATOR] = { "combination_initiator", 1, COLUMN_PLAIN, { 0 } },
	[C_CERTAINTY] = { "combination_certainty", 1, COLUMN_PLAIN, { 0 } },
	[C_DLOPEN] = { "combination_dlopen", 1, COLUMN_PLAIN, { 0 } },
	[C_STEP] = { "combination_step", 1, COLUMN_PLAIN, { 0 } },
	[C_THREAD] = { "combination_thread", 2, COLUMN_PLAIN, { 0 } },
	[C_INITIALIZER] = { "combination_initializer", 4, COLUMN_PLAIN, { 0 } },
	[C_BLAME] = { "combination_blame", 4, COLUMN_PLAIN, { 0 } },
	[MEMORY_PAGE_LOW] = { "memory_page_low", 4, COLUMN_DELTA, { 0 } },
	[MEMORY_PAGE_HIGH] = { "memory_page_high", 4, COLUMN_PLAIN, { 0 } },
	[NODE_PARENT] = { "node_parent", 4, COLUMN_RECENT, { 0 } },
	[NODE_FRAME] = { "node_frame", 4, COLUMN_RECENT, { 0 } },
	[NODE_FLAGS] = { "node_flags", 1, COLUMN_PLAIN, { 0 } },
	[FRAME_FUNCTION] = { "frame_function", 4, COLUMN_PLAIN, { 0 } },
	[FRAME_OBJECT] = { "frame_object", 2, COLUMN_PLAIN, { 0 } },
	[FRAME_OFFSET] = { "frame_offset", 4, COLUMN_PLAIN, { 0 } },
	[FRAME_FUNCTION_OFFSET] = { "frame_function_offset", 4, COLUMN_PLAIN, { 0 } },
	[FRAME_CODE] = { "frame_code", 4, COLUMN_PLAIN, { 0 } },
	[MERGED] = { "merged", 4, COLUMN_PLAIN, { 0 } },
};

enum { NODE_CUT = 1, NODE_IP_ALONE = 2 };
enum { MERGE_COLUMNS = 8192 }; // distinct moments and places that merging keeps apart
enum { AROUND_NONE = 0, NO_OFFSET = -1 };

/** State while the columns are made. */
struct making {
	struct pagefaults *page;
	const struct model *model;
	uint64_t *memory_pages; // sorted, distinct
	size_t memory_page_count;
	uint32_t *node_of_stack;   // model stack -> node + 1, 0: not made yet
	uint32_t *symbol_of_model; // model symbol -> index + 1 in the page, 0: not used yet
	uint64_t *object_pages;	   // pages of each object, for merging
	struct u64map combinations, threads, nodes, frames, cells;
	uint64_t cell_moment;
};

static void making_deinit(struct making *making)
{
	free(making->memory_pages);
	free(making->node_of_stack);
	free(making->symbol_of_model);
	free(making->object_pages);
	u64map_deinit(&making->combinations);
	u64map_deinit(&making->threads);
	u64map_deinit(&making->nodes);
	u64map_deinit(&making->frames);
	u64map_deinit(&making->cells);
}

static void push(struct making *making, size_t column, uint64_t value)
{
	column_push(&making->page->columns[column], (uint32_t)value); // what does not fit is cut
}

static size_t count_of(const struct making *making, size_t column)
{
	return making->page->columns[column].values.count;
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
		push(making, MEMORY_PAGE_LOW, making->memory_pages[i] & UINT32_MAX);
		push(making, MEMORY_PAGE_HIGH, making->memory_pages[i] >> 32);
	}
}

static uint64_t memory_index(const struct making *making, uint64_t page)
{
	const uint64_t *found = bsearch(&page, making->memory_pages, making->memory_page_count,
					sizeof(uint64_t), order_u64);

	return (uint64_t)(found - making->memory_pages);
}

/** About 11 bits of precision: docs/inside/page-format.md, column `duration`. */
static uint32_t short_duration(const struct model_fault *fault, uint64_t ns)
{
	uint32_t exponent = 0;

	if (!fault->has_duration)
		return UINT16_MAX;
	if (ns < 1024)
		return (uint32_t)ns;
	while (ns >> (exponent + 1) >= 1024)
		exponent++;
	uint64_t code = 1024 + 512 * (uint64_t)exponent + ((ns >> (exponent + 1)) - 512);
	return code < UINT16_MAX ? (uint32_t)code : UINT16_MAX - 1;
}

static uint32_t thread_of(struct making *making, const struct model_fault *fault)
{
	const struct model_thread *thread = model_thread(making->model, fault);
	const uint32_t parts[] = { thread->pid, thread->tid, thread->comm };
	return u64map_row(&making->threads, XXH3_64bits(parts, sizeof(parts)),
			  &making->page->threads,
			  (struct pagefaults_thread){ thread->pid, thread->tid, thread->comm });
}

static uint32_t combination_of(struct making *making, const struct model_fault *fault,
			       enum lane lane)
{
	uint32_t thread = thread_of(making, fault);
	const uint32_t parts[] = {
		fault->at.object,   fault->at.section, lane,
		fault->kind,	    fault->access,     fault->mode,
		fault->mechanism,   fault->initiator,  fault->certainty,
		fault->dlopen,	    fault->step,       thread,
		fault->initializer, fault->blame,
	};
	bool is_new;
	uint32_t *index =
		u64map_put(&making->combinations, XXH3_64bits(parts, sizeof(parts)), &is_new);

	if (!is_new)
		return *index;
	*index = (uint32_t)count_of(making, C_OBJECT);
	push(making, C_OBJECT, fault->at.object == MODEL_NONE ? UINT16_MAX : fault->at.object);
	push(making, C_SECTION, (uint64_t)(uint32_t)(fault->at.section + 1)); // MODEL_NONE: 0
	push(making, C_LANE, lane);
	push(making, C_KIND, fault->kind);
	push(making, C_ACCESS, fault->access);
	push(making, C_MODE, fault->mode);
	push(making, C_MECHANISM, fault->mechanism);
	push(making, C_INITIATOR, fault->initiator);
	push(making, C_CERTAINTY, fault->certainty);
	push(making, C_DLOPEN, fault->dlopen);
	push(making, C_STEP, fault->step);
	push(making, C_THREAD, thread);
	push(making, C_INITIALIZER, (uint64_t)(uint32_t)(fault->initializer + 1));
	push(making, C_BLAME, (uint64_t)(uint32_t)(fault->blame + 1));
	return *index;
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

static uint32_t frame_of(struct making *making, const struct model_frame *frame)
{
	const uint64_t parts[] = { frame->object, frame->function, frame->has_offset, frame->offset,
				   frame->has_offset ? 0 : frame->addr };
	bool is_new;
	uint32_t *index = u64map_put(&making->frames, XXH3_64bits(parts, sizeof(parts)), &is_new);

	if (is_new) {
		*index = (uint32_t)count_of(making, FRAME_OBJECT);
		push(making, FRAME_FUNCTION, (uint64_t)(uint32_t)(frame->function + 1));
		push(making, FRAME_OBJECT,
		     frame->object >= UINT16_MAX ? 0 : (uint64_t)frame->object + 1);
		push(making, FRAME_OFFSET,
		     frame->has_offset && frame->offset < UINT32_MAX ? frame->offset
								     : (uint64_t)NO_OFFSET);
		push(making, FRAME_FUNCTION_OFFSET, frame->function_offset);
		push(making, FRAME_CODE, (uint64_t)(uint32_t)(frame->code + 1)); // MODEL_NONE: 0
	}
	return *index;
}

/** The node of @frame under @parent (index + 1, 0: none), index + 1. */
static uint32_t node_under(struct making *making, uint32_t parent, uint32_t frame, unsigned flags)
{
	const uint32_t parts[] = { parent, frame, flags };
	bool is_new;
	uint32_t *index = u64map_put(&making->nodes, XXH3_64bits(parts, sizeof(parts)), &is_new);

	if (is_new) {
		*index = (uint32_t)count_of(making, NODE_PARENT);
		push(making, NODE_PARENT, parent);
		push(making, NODE_FRAME, frame);
		push(making, NODE_FLAGS, flags);
	}
	return *index + 1;
}

static uint32_t node_of_stack(struct making *making, uint32_t index, uint32_t code)
{
	const struct model_stack *stack = &making->model->stacks[index];
	uint32_t node = 0;

	if (making->node_of_stack[index])
		return making->node_of_stack[index];
	for (uint32_t i = stack->frame_count; i-- > 0;) {
		bool is_outermost = i + 1 == stack->frame_count;

		struct model_frame frame = *stack->frames[i];
		// Of the innermost more is known: its instruction.
		if (i == 0 && code != MODEL_NONE)
			frame.code = code;
		node = node_under(making, node, frame_of(making, &frame),
				  is_outermost && stack->is_truncated ? NODE_CUT : 0);
	}
	making->node_of_stack[index] = node;
	return node;
}

static uint32_t stack_of(struct making *making, const struct model_fault *fault)
{
	if (fault->stack != MODEL_NONE && making->model->stacks[fault->stack].frame_count)
		return node_of_stack(making, fault->stack, fault->by->code);
	if (!fault->has_ip)
		return 0;
	const struct model_frame frame = {
		.addr = fault->by->ip,
		.object = fault->by->object,
		.function = fault->by->name,
		.has_offset = fault->by->has_offset,
		.offset = fault->by->offset,
		.function_offset = fault->by->name_offset,
		.code = fault->by->code,
	};
	return node_under(making, 0, frame_of(making, &frame), NODE_IP_ALONE);
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
	push(making, READ_ENTRY, entry);
	push(making, READ_PAGE, model_read_offset(fault) / making->model->trace.page_size);
	push(making, READ_SPAN, model_read_span(fault));
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
		page->columns[MERGED].values.items[entry]++;
		page->columns[READ_PAGES].values.items[entry] += read_pages;
		add_read(making, fault, lane, entry);
		return;
	}
	add_read(making, fault, lane, (uint32_t)page->count);
	page->count++;
	push(making, TIME, fault->time_ns / page->time_unit_ns);
	push(making, DURATION, short_duration(fault, fault->duration_ns));
	push(making, OWN, short_duration(fault, model_fault_own(fault)));
	push(making, LATE, short_duration(fault, model_fault_late(fault)));
	push(making, COMBINATION, combination);
	push(making, PAGE, number);
	push(making, BYTE, byte);
	push(making, SYMBOL, symbol_of(making, fault->at.name));
	push(making, STACK, stack_of(making, fault));
	uint64_t before = fault->has_around && lane == LANE_FILE &&
					  model_around_offset(fault) / page_size <= number
				  ? number - model_around_offset(fault) / page_size
				  : 0;
	bool has_around = fault->has_around && before <= UINT16_MAX &&
			  model_around_pages(fault) <= UINT16_MAX;
	push(making, AROUND_BEFORE, has_around ? before : 0);
	push(making, AROUND_PAGES, has_around ? model_around_pages(fault) : AROUND_NONE);
	push(making, READ_PAGES, read_pages);
	if (page->merged)
		push(making, MERGED, 1);
}

static uint64_t time_unit(const struct model *model)
{
	uint64_t last = model->fault_count ? model->faults[model->fault_count - 1].time_ns : 0;
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

void pagefaults_init(struct pagefaults *page, const struct model *model, size_t merge_above)
{
	CLEANUP(making_deinit) struct making making = { .page = page, .model = model };

	*page = (struct pagefaults){ .column_count = COLUMNS,
				     .total = model->fault_count,
				     .time_unit_ns = time_unit(model),
				     .merged = model->fault_count > merge_above };
	memcpy(page->columns, layout, sizeof(layout));
	making.node_of_stack = xcalloc(model->stack_count + 1, sizeof(uint32_t));
	making.symbol_of_model = xcalloc(model->symbol_count + 1, sizeof(uint32_t));
	list_memory_pages(&making);
	list_object_pages(&making);
	for (size_t i = 0; i < model->fault_count; i++)
		add_fault(&making, &model->faults[i]);
	if (!page->merged)
		page->column_count--;
}

void pagefaults_deinit(struct pagefaults *page)
{
	for (size_t i = 0; i < PAGEFAULTS_COLUMNS; i++)
		column_deinit(&page->columns[i]);
	vec_deinit(&page->symbols);
	vec_deinit(&page->threads);
}
