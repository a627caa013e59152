// SPDX-License-Identifier: Apache-2.0
#include "render/initrows.h"

#include "base/cleanup.h"

#include <stdlib.h>

/** Input of the order. */
struct context {
	const struct model *model;
	const struct render_initializers_options *options;
	const uint64_t *object_first; // by object: the first fault of an initializer, UINT64_MAX
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/** Most of what is sorted by first, then most faults; equals are in order. */
static int compare_costs(const struct model *model, enum render_sort sort,
			 const struct model_initializer *a, const struct model_initializer *b)
{
	int order = 0;

	if (sort == RENDER_SORT_ORDER)
		return 0;
	if (sort == RENDER_SORT_TIME)
		order = compare_numbers(initrows_time(b), initrows_time(a));
	else if (sort == RENDER_SORT_READ)
		order = compare_numbers(model_initializer_read(model, b),
					model_initializer_read(model, a));
	return order ? order : compare_numbers(b->count.faults, a->count.faults);
}

static int compare(const void *left, const void *right, void *argument)
{
	const struct context *context = argument;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct model_initializer *a = &context->model->initializers[x];
	const struct model_initializer *b = &context->model->initializers[y];
	int order = compare_costs(context->model, context->options->sort, a, b);

	if (!order && context->options->all)
		order = compare_numbers(context->object_first[a->object],
					context->object_first[b->object]);
	else if (!order)
		order = compare_numbers(a->first_ns, b->first_ns);
	return order ? order : compare_numbers(x, y); // by object, in the order they run
}

static bool *find_objects(const struct model *model)
{
	bool *is_wanted = xcalloc(model->object_count, sizeof(*is_wanted));

	for (size_t i = 0; i < model->object_count; i++)
		is_wanted[i] = !model->is_narrowed;
	for (size_t i = 0; i < model->shown_count; i++)
		is_wanted[model->shown[i]] = true;
	return is_wanted;
}

static uint64_t *first_faults(const struct model *model)
{
	uint64_t *first = xcalloc(model->object_count, sizeof(*first));

	for (size_t i = 0; i < model->object_count; i++)
		first[i] = UINT64_MAX;
	array_foreach (row, model->initializers, model->initializer_count) {
		if (row->count.faults > 0 && row->first_ns < first[row->object])
			first[row->object] = row->first_ns;
	}
	return first;
}

struct initrows initrows_select(const struct model *model,
				const struct render_initializers_options *options,
				struct arena *arena)
{
	CLEANUP(freep) bool *is_wanted = find_objects(model);
	CLEANUP(freep) uint64_t *object_first = first_faults(model);
	struct context context = { model, options, object_first };
	uint32_t *rows = arena_array(arena, model->initializer_count, sizeof(*rows));
	struct initrows result = { .rows = rows };

	for (size_t i = 0; i < model->initializer_count; i++) {
		const struct model_initializer *row = &model->initializers[i];

		if (!is_wanted[row->object])
			continue;
		bool is_silent = row->count.faults == 0 && row->cpu_ns == 0 && row->wait_ns == 0;

		result.silent += is_silent;
		if (!is_silent || options->all)
			rows[result.count++] = (uint32_t)i; // as model_fault.initializer
	}
	qsort_r(rows, result.count, sizeof(*rows), compare, &context);
	return result;
}
