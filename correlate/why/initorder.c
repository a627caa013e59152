// SPDX-License-Identifier: Apache-2.0
// The choice between several initializers that may have run: they run one after the other.
#include "correlate/why/context.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>

/** A fault in an initializer, or in what one left the stack for. */
struct step {
	uint32_t program;
	uint32_t fault;
	uint32_t object; // whose initializer; MODEL_NONE: not known
	uint32_t low;	 // the first initializer that it may be of, by those before
};

struct steps {
	const struct rows *rows;
	const struct contexts *contexts;
	struct all_faults *faults;
	VEC(struct step) list;
};

/** True if a language's runtime runs it from within main, perhaps of another file. */
static bool is_module(const struct model_initializer *initializer)
{
	return strcmp(initializer->array, "modules") == 0;
}

/** Did the @count initializers of a file run in the order of their rows, each once? */
static bool run_in_order(const struct model_initializer *list, size_t count)
{
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };

	for (size_t i = 0; i < count; i++)
		// .init runs the functions in .ctors.
		if (!u64map_add(&seen, list[i].vaddr) || strcmp(list[i].array, ".ctors") == 0 ||
		    is_module(&list[i]))
			return false;
	return true;
}

/** List the faults in initializers. */
static void list_steps(struct steps *steps)
{
	for (size_t i = 0; i < steps->faults->list.count; i++) {
		const struct model_fault *fault = &steps->faults->list.items[i];

		if (fault->stack == MODEL_NONE)
			continue;
		const struct context *context = contexts_of(steps->contexts, fault->stack);
		const uint32_t row = context->initializer;
		bool runs = context->initializer_frame <
			    steps->rows->stacks.items[fault->stack].frame_count;

		// Initializers of a library that is opened come in between, perhaps more than once;
		// so do modules.
		if (runs && !context->is_nested && context->dlopen != MODEL_DLOPEN_YES &&
		    (row == MODEL_NONE || !is_module(&steps->rows->initializers.items[row])))
			vec_push(&steps->list,
				 (struct step){
					 .program =
						 steps->rows->threads.items[fault->thread].program,
					 .fault = (uint32_t)i, // as all indexes
					 .object = context->init_object,
				 });
	}
}

ORDER_OF(compare, step, ORDER(x->program, y->program) ?: ORDER(x->object, y->object) ?: ORDER(x->fault, y->fault))

static void sort(struct steps *steps)
{
	vec_sort(&steps->list, compare);
}

/** The end of the steps from @start on that are of its process, and of its object if @of_object. */
static size_t end_of(const struct steps *steps, size_t start, bool of_object)
{
	const struct step *first = &steps->list.items[start];
	size_t end = start + 1;

	while (end < steps->list.count && steps->list.items[end].program == first->program &&
	       (!of_object || steps->list.items[end].object == first->object))
		end++;
	return end;
}

static bool is_preinit(const struct steps *steps, const struct step *step)
{
	uint32_t initializer = steps->faults->list.items[step->fault].initializer;

	return initializer != MODEL_NONE &&
	       strcmp(steps->rows->initializers.items[initializer].array, ".preinit_array") == 0;
}

ORDER_OF(compare_faults, step, ORDER(x->fault, y->fault))

/**
 * Fill the object of steps [@start, @end), which are of one process, where those before and after
 * are of one: all initializers of a file run before any of the next. Only .preinit_array is run
 * apart.
 */
static void find_objects(struct steps *steps, size_t start, size_t end)
{
	struct step *list = steps->list.items;
	uint32_t object = MODEL_NONE;
	size_t known = start;

	qsort(list + start, end - start, sizeof(*list), compare_faults);
	for (size_t i = start; i < end; i++) {
		if (list[i].object == MODEL_NONE)
			continue;
		for (size_t j = known; j < i && list[i].object == object; j++)
			steps->faults->list.items[list[j].fault].init_object = list[j].object =
				object;
		object = is_preinit(steps, &list[i]) ? MODEL_NONE : list[i].object;
		known = i + 1;
	}
}

/** The initializers of its object that @step may be in, sorted; none: any. */
static const uint32_t *all_maybe(const struct steps *steps, const struct step *step,
				 size_t *ret_count)
{
	const struct context *context =
		contexts_of(steps->contexts, steps->faults->list.items[step->fault].stack);
	const struct model_object *row = &steps->rows->object_rows.items[step->object];
	uint32_t start = row->first_initializer, count = context->maybe_count;
	// There is no list where no context has any.
	const uint32_t *maybe =
		count ? contexts_maybe(steps->contexts) + context->first_maybe : NULL;

	*ret_count = 1;
	if (context->initializer != MODEL_NONE)
		return &context->initializer;
	for (; count && *maybe < start; count--)
		maybe++;
	while (count && maybe[count - 1] - start >= row->initializer_count)
		count--;
	*ret_count = count;
	return maybe;
}

/** Fill .low of steps [@start, @end), which are of one object; false if they contradict the order.
 */
static bool go_forward(struct steps *steps, size_t start, size_t end)
{
	uint32_t object = steps->list.items[start].object;
	uint32_t low = steps->rows->object_rows.items[object].first_initializer;

	for (size_t i = start; i < end; i++) {
		struct step *step = &steps->list.items[i];
		size_t count, at = 0;
		const uint32_t *maybe = all_maybe(steps, step, &count);

		while (at < count && maybe[at] < low)
			at++;
		if (count && at == count)
			return false;
		step->low = low = count ? maybe[at] : low;
	}
	return true;
}

/** Name those that only one is left for, by those behind them. */
static void go_back(struct steps *steps, size_t start, size_t end)
{
	const struct model_object *row =
		&steps->rows->object_rows.items[steps->list.items[start].object];
	uint32_t high = row->first_initializer + (uint32_t)row->initializer_count - 1; // 32 bits

	for (size_t i = end; i-- > start;) {
		const struct step *step = &steps->list.items[i];
		size_t count;
		const uint32_t *maybe = all_maybe(steps, step, &count);

		// .low is among them, and none behind is lower.
		while (count && maybe[count - 1] > high)
			count--;
		high = count ? maybe[count - 1] : high;
		if (high == step->low)
			steps->faults->list.items[step->fault].initializer = high;
	}
}

void initorder_name(const struct rows *rows, const struct contexts *contexts,
		    struct all_faults *faults)
{
	struct steps steps = { .rows = rows, .contexts = contexts, .faults = faults };
	size_t end;

	list_steps(&steps);
	sort(&steps);
	for (size_t start = 0; start < steps.list.count; start = end) {
		end = end_of(&steps, start, false);
		find_objects(&steps, start, end);
	}
	sort(&steps);
	for (size_t start = 0; start < steps.list.count; start = end) {
		uint32_t object = steps.list.items[start].object;

		end = end_of(&steps, start, true);
		if (object == MODEL_NONE || !rows->object_rows.items[object].initializer_count)
			continue;
		const struct model_object *row = &rows->object_rows.items[object];
		if (run_in_order(&rows->initializers.items[row->first_initializer],
				 row->initializer_count) &&
		    go_forward(&steps, start, end))
			go_back(&steps, start, end);
	}
	vec_deinit(&steps.list);
}
