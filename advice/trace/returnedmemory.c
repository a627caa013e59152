// SPDX-License-Identifier: Apache-2.0
// Anonymous memory was given back to the kernel, mapped or touched again, and had to be made anew.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "derive/pageset.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_PERCENT_HEAP = 10 };

/** By index of the rule's cures. */
enum { CURE_BUILD = 1 << 0, CURE_RUN = 1 << 1 };

static void find(struct findings *findings)
{
	if (findings->totals.by_mechanism[MODEL_ZERO_FILL] == 0)
		return;

	const struct model *model = findings->model;
	CLEANUP(freep)
	uint64_t *by_function = xcalloc(model->function_count + 1, sizeof(*by_function));
	CLEANUP(pageset_deinit) struct pageset made = { 0 }, again = { 0 };
	struct model_count cost = { 0 };
	uint64_t on_heap = 0;

	array_foreach (fault, model->faults, model->fault_count) {
		uint64_t program = model_thread(model, fault)->program;

		if (fault->mechanism != MODEL_ZERO_FILL ||
		    pageset_add_pair(&made, program, fault->addr / findings->page_size))
			continue;
		model_count_fault(&cost, fault);
		on_heap += model_is_in_section(model, fault, "[heap]");
		pageset_add_pair(&again, program, fault->addr / findings->page_size);
		if (fault->blame != MODEL_NONE)
			by_function[fault->blame]++;
	}
	// Other allocators, such as Firefox's and V8's, take memory by mmap() alone.
	bool is_malloc = rule_has_glibc(findings) &&
			 kit_is_share((double)on_heap, (double)cost.faults, MIN_PERCENT_HEAP);

	if (rule_is_worth(findings, &cost, 0, 0))
		rule_add_found(
			findings,
			&(struct rule_found){
				.object = MODEL_NONE,
				.cost = cost,
				.pages = pageset_count(&again),
				.saves = cost.faults,
				.cures = CURE_BUILD | (is_malloc ? CURE_RUN : 0),
			},
			KIT_VALUES({ "faults", kit_plural(findings->arena, cost.faults, "fault") },
				   { "pages",
				     kit_plural(findings->arena, pageset_count(&again), "page") },
				   { "blame",
				     rule_busiest(findings, "Most were needed by", by_function) }));
}

const struct rule rule_returnedmemory = {
	.prose = {
		.id = "returned-memory",
		.title = "Memory is given back and made anew",
		.evidence = "{faults} made a page at an address that had one before, on "
			    "{pages}.{blame}",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Keep what is needed again: reuse buffers instead of freeing and allocating them." },
		{ MODEL_FOR_RUN, "Let malloc return memory later: `env GLIBC_TUNABLES=glibc.malloc.trim_threshold=268435456:glibc.malloc.mmap_threshold=33554432 {run}`. It has no effect on memory that another allocator mapped.", "where a tenth of them is the heap of glibc's malloc" },
	},
	.about = "Anonymous memory was given back (`munmap`, `madvise`, a shrinking heap), mapped "
		 "or touched again, and made anew.",
	.when = "Reported for the run when new pages at an address that had one before in the same "
		"program reach the threshold.",
	.limits = "Whether it is the same memory is not known: another mapping may have been "
		  "placed at the address.",
	.where = "mechanism=zero-fill",
	.find = find,
};
