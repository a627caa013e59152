// SPDX-License-Identifier: Apache-2.0
// Costs of each initializer, and the pages it needed.
#include "correlate/answer/phases.h"

#include "base/cleanup.h"
#include "base/key.h"

/** A page on which code was seen to run. */
struct code_page {
	uint32_t initializer; // that it ran in first; MODEL_NONE: outside any
	bool ran_elsewhere;   // also in another, or outside
};

/** One page of code that one initializer needed. */
struct needed {
	uint32_t initializer;
	uint32_t page; // into pages
};

struct initcounts {
	struct rows *rows;
	uint64_t page_size;
	VEC(struct code_page) pages;
	VEC(struct needed) needed;
	struct u64map page_index;   // (object, page) -> index in pages
	struct u64map needed_index; // (initializer, page): only whether it is there
	struct u64map touched;	    // (initializer, page that faulted): the same
};

static void initcounts_deinit(struct initcounts *counts)
{
	vec_deinit(&counts->pages);
	vec_deinit(&counts->needed);
	u64map_deinit(&counts->page_index);
	u64map_deinit(&counts->needed_index);
	u64map_deinit(&counts->touched);
}

/** Code at @vaddr ran in @initializer, MODEL_NONE: in none. */
static void see_code(struct initcounts *counts, uint32_t object, uint64_t vaddr,
		     uint32_t initializer)
{
	uint64_t page = vaddr / counts->page_size;
	uint32_t at = u64map_row(&counts->page_index, key_of(object, page, 0), &counts->pages,
				 (struct code_page){ initializer, false });

	if (counts->pages.items[at].initializer != initializer)
		counts->pages.items[at].ran_elsewhere = true;
	if (initializer == MODEL_NONE)
		return;
	if (u64map_add(&counts->needed_index, (uint64_t)initializer << 32 | at))
		vec_push(&counts->needed, (struct needed){ initializer, at });
}

/** Each stack once, however many faults it has; runs are sorted as stacks are. */
static void see_stacks(struct initcounts *counts, const struct init_runs *of)
{
	const struct rows *rows = counts->rows;
	size_t run = 0, run_count = of->list.count;
	const struct init_run *runs = of->list.items;

	for (size_t s = 0; s < rows->stacks.count; s++) {
		const struct model_stack *stack = &rows->stacks.items[s];

		if (of->is_of_fault && !of->is_of_fault[s])
			continue;
		for (uint32_t i = 0; i < stack->frame_count; i++) {
			const struct model_frame *frame = stack->frames[i];

			while (run < run_count && (runs[run].stack < s ||
						   (runs[run].stack == s && runs[run].frame < i)))
				run++;
			uint32_t initializer = run < run_count && runs[run].stack == s
						       ? runs[run].initializer
						       : MODEL_NONE;
			if (frame->object != MODEL_NONE && frame->has_vaddr)
				see_code(counts, frame->object, frame->vaddr, initializer);
		}
	}
}

/** True if the stack of @fault begins with its ip, as stacks do. */
static bool begins_stack(const struct model_stack *stacks, const struct model_fault *fault)
{
	const struct model_stack *stack = fault->stack == MODEL_NONE ? NULL : &stacks[fault->stack];

	return stack && stack->frame_count > 0 && stack->frames[0]->object == fault->by->object &&
	       stack->frames[0]->has_vaddr && stack->frames[0]->vaddr == fault->by->vaddr;
}

/** The ip of a fault whose stack does not begin with it. */
static void see_ip(struct initcounts *counts, const struct model_fault *fault)
{
	if (!fault->has_ip || !fault->by->has_vaddr || fault->by->object == MODEL_NONE ||
	    begins_stack(counts->rows->stacks.items, fault))
		return;
	see_code(counts, fault->by->object, fault->by->vaddr, fault->initializer);
}

static bool is_new_page(struct initcounts *counts, const struct model_fault *fault)
{
	bool is_of_file;
	uint64_t page = model_page(fault, counts->page_size, &is_of_file);
	uint64_t owner = is_of_file
				 ? (uint64_t)fault->at.object << 1 | fault->at.has_vaddr
				 : (uint64_t)counts->rows->threads.items[fault->thread].pid << 1 |
					   UINT64_C(1) << 63;

	return u64map_add(&counts->touched, key_of(fault->initializer, owner, page));
}

static void count_fault(struct initcounts *counts, const struct model_fault *fault)
{
	struct model_initializer *initializer =
		&counts->rows->initializers.items[fault->initializer];

	if (initializer->count.faults == 0)
		initializer->first_ns = fault->time_ns;
	initializer->last_ns = fault->time_ns; // faults are in time order
	model_count_fault(&initializer->count, fault);
	initializer->lazy_binding += fault->initiator == MODEL_LAZY_BINDING;
	initializer->pages += is_new_page(counts, fault);
}

void initcounts_fill(struct rows *rows, const struct all_faults *faults,
		     const struct init_runs *runs, uint64_t page_size)
{
	CLEANUP(initcounts_deinit)
	struct initcounts counts = { .rows = rows, .page_size = page_size };
	bool any_ran = runs->list.count > 0; // else no code is of any

	if (any_ran)
		see_stacks(&counts, runs);
	vec_foreach (fault, &faults->list) {
		if (any_ran)
			see_ip(&counts, fault);
		if (!model_window_has(&rows->model->window, fault->time_ns))
			continue;
		if (fault->initializer != MODEL_NONE)
			count_fault(&counts, fault);
		else if (fault->initiator == MODEL_STATIC_INIT)
			model_count_fault(&rows->model->untold, fault);
	}
	vec_foreach (needed, &counts.needed) {
		const struct code_page *page = &counts.pages.items[needed->page];
		struct model_initializer *initializer =
			&rows->initializers.items[needed->initializer];

		initializer->code_pages++;
		initializer->code_pages_only += !page->ran_elsewhere;
	}
}
