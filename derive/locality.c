// SPDX-License-Identifier: Apache-2.0
#include "derive/locality.h"

#include "base/u64map.h"

#include <string.h>

/** No function is larger; a file that says otherwise is not believed. */
enum { FUNCTION_BYTES_MAX = 1 << 26 };

/** One object while faults are read. */
struct tracked {
	struct locality row;
	VEC(struct locality_function) functions;
	struct u64map pages; // that faulted
	uint64_t last_page;
	uint64_t faults;
	uint64_t next; // the number of the fault that the next point shows
	VEC(struct locality_point) points;
};

struct search {
	const struct model *model;
	uint64_t page_size;
	struct tracked *objects; // by index of model.objects
	uint32_t *functions;	 // by index of model.functions: index in its object, MODEL_NONE
	bool *stacks;		 // by index of model.stacks: seen
};

/** Stubs of the linker are code that runs, but nobody orders them. */
static bool is_stub(const struct model_function *function)
{
	return function->section && strncmp(function->section, ".plt", strlen(".plt")) == 0;
}

/** A function runs at @vaddr, which is @function_offset bytes behind its start. */
static void see(struct search *search, uint32_t index, uint64_t vaddr, uint64_t function_offset,
		uint64_t time_ns)
{
	if (index == MODEL_NONE || search->functions[index] != MODEL_NONE)
		return;
	const struct model_function *function = &search->model->functions[index];
	const struct model_object *object = &search->model->objects[function->object];
	if (!function->name || !object->is_file || function_offset > vaddr || is_stub(function))
		return;
	struct tracked *tracked = &search->objects[function->object];
	uint64_t limit = object->size > 0 && object->size < FUNCTION_BYTES_MAX ? object->size
									       : FUNCTION_BYTES_MAX;
	uint64_t size = function->size < limit ? function->size : limit;
	uint64_t start = vaddr - function_offset;

	// The bytes up to the one that ran are there, whatever the symbol says.
	if (size <= function_offset)
		size = function_offset < limit ? function_offset + 1 : limit;
	if (start == UINT64_MAX)
		return;
	if (size > UINT64_MAX - start)
		size = UINT64_MAX - start;
	search->functions[index] = (uint32_t)tracked->functions.count;
	vec_push(&tracked->functions,
		 (struct locality_function){
			 .function = index, .vaddr = start, .size = size, .first_ns = time_ns });
}

static void see_code(struct search *search, const struct model_fault *fault)
{
	if (fault->stack == MODEL_NONE) {
		if (fault->by->has_vaddr)
			see(search, fault->by->name, fault->by->vaddr, fault->by->name_offset,
			    fault->time_ns);
		return;
	}
	if (search->stacks[fault->stack])
		return;
	search->stacks[fault->stack] = true;
	const struct model_stack *stack = &search->model->stacks[fault->stack];
	// Callers ran first.
	for (uint32_t i = stack->frame_count; i > 0; i--) {
		const struct model_frame *frame = stack->frames[i - 1];

		if (frame->has_vaddr)
			see(search, frame->function, frame->vaddr, frame->function_offset,
			    fault->time_ns);
	}
}

static void count_page(struct search *search, const struct model_fault *fault)
{
	struct tracked *tracked = &search->objects[fault->at.object];
	bool is_of_file;
	uint64_t page = model_page(fault, search->page_size, &is_of_file);

	tracked->row.steps[fault->step]++;
	if (tracked->faults == 0 || page != tracked->last_page)
		u64map_put(&tracked->pages, page, NULL);
	tracked->last_page = page;
	tracked->faults++;
	if (tracked->faults < tracked->next)
		return;
	vec_push(&tracked->points, (struct locality_point){ .count = tracked->faults,
							    .time_ns = fault->time_ns,
							    .pages = tracked->pages.count });
	tracked->next = locality_sample(tracked->points.count,
					search->model->objects[fault->at.object].count.faults) +
			1;
}

static void read_fault(struct search *search, const struct model_fault *fault)
{
	see_code(search, fault);
	if (fault->at.object == MODEL_NONE || !search->model->objects[fault->at.object].is_file)
		return;
	count_page(search, fault);
	if (fault->access != MODEL_ACCESS_EXEC || fault->by->object != fault->at.object ||
	    fault->by->name == MODEL_NONE)
		return;
	uint32_t index = search->functions[fault->by->name];
	if (index != MODEL_NONE)
		search->objects[fault->at.object].functions.items[index].faults++;
}

struct locality_area locality_area_of(const struct range *functions, size_t count,
				      uint64_t page_size, uint64_t *ret_pages)
{
	CLEANUP(freep) struct range *spans = xcalloc(count + 1, sizeof(*spans));
	CLEANUP(freep) uint64_t *bytes = xcalloc(count + 1, sizeof(*bytes));
	CLEANUP(freep) uint64_t *pages = xcalloc(count + 1, sizeof(*pages));
	struct locality_area area = { 0 };

	for (size_t i = 0; i < count; i++)
		if (range_size(functions[i]) > 0)
			spans[i] = (struct range){ functions[i].start / page_size,
						   (functions[i].end - 1) / page_size + 1 };
	cover_gains(functions, count, bytes);
	cover_gains(spans, count, pages);
	for (size_t i = 0; i < count; i++) {
		area.code_bytes += bytes[i];
		area.code_pages += pages[i];
		area.area += area.code_pages;
		area.least_area += area.code_bytes / page_size + (area.code_bytes % page_size > 0);
		if (ret_pages)
			ret_pages[i] = area.code_pages;
	}
	return area;
}

static void add_up(struct tracked *tracked, uint64_t page_size)
{
	size_t count = tracked->functions.count;
	CLEANUP(freep) struct range *ranges = xcalloc(count + 1, sizeof(*ranges));
	CLEANUP(freep) uint64_t *pages = xcalloc(count + 1, sizeof(*pages));

	for (size_t i = 0; i < count; i++) {
		const struct locality_function *function = &tracked->functions.items[i];

		ranges[i] = (struct range){ function->vaddr, function->vaddr + function->size };
	}
	tracked->row.area = locality_area_of(ranges, count, page_size, pages);
	for (size_t i = 0; i < count; i++)
		tracked->functions.items[i].pages = pages[i];
}

uint64_t locality_sample(uint64_t point, uint64_t count)
{
	uint64_t last = (count < LOCALITY_POINTS ? count : LOCALITY_POINTS) - 1;

	return point >= last ? count - 1 : point * (count - 1) / last;
}

struct localities *localities_find(const struct model *model)
{
	struct localities *localities = xcalloc(1, sizeof(*localities));
	struct locality *rows =
		arena_array(&localities->arena, model->object_count + 1, sizeof(*rows));
	CLEANUP(freep)
	uint32_t *functions = xcalloc(model->function_count + 1, sizeof(*functions));
	CLEANUP(freep) bool *stacks = xcalloc(model->stack_count + 1, sizeof(*stacks));
	CLEANUP(freep)
	struct tracked *objects = xcalloc(model->object_count + 1, sizeof(*objects));
	struct search search = {
		.model = model,
		.page_size = model_page_size(model),
		.objects = objects,
		.functions = functions,
		.stacks = stacks,
	};

	for (size_t i = 0; i < model->function_count; i++)
		functions[i] = MODEL_NONE;
	for (size_t i = 0; i < model->fault_count; i++)
		read_fault(&search, &model->faults[i]);
	for (size_t i = 0; i < model->object_count; i++) {
		struct tracked *tracked = &objects[i];

		add_up(tracked, search.page_size);
		u64map_deinit(&tracked->pages);
		rows[i] = tracked->row;
		rows[i].functions = vec_keep_counted(&tracked->functions, &localities->arena,
						     &rows[i].function_count);
		rows[i].points = vec_keep_counted(&tracked->points, &localities->arena,
						  &rows[i].point_count);
	}
	localities->objects = rows;
	return localities;
}

void localities_close(struct localities *localities)
{
	if (!localities)
		return;
	arena_deinit(&localities->arena);
	free(localities);
}

struct model_order locality_order(const struct locality *locality)
{
	return (struct model_order){
		.function_count = locality->function_count,
		.code_pages = locality->area.code_pages,
		.area = locality->area.area,
		.least_area = locality->area.least_area,
		.random_steps =
			locality->steps[MODEL_STEP_FORWARD] + locality->steps[MODEL_STEP_BACKWARD],
	};
}

const struct model_order *localities_orders(struct model *model)
{
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);
	struct model_order *orders =
		arena_array(&model->arena, model->object_count, sizeof(*orders));

	for (size_t i = 0; i < model->object_count; i++)
		orders[i] = locality_order(&localities->objects[i]);
	return orders;
}
