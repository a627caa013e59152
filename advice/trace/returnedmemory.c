// SPDX-License-Identifier: Apache-2.0
// returned-memory: anonymous memory was given back to the kernel, mapped or touched again, and had
// to be made anew.
//
// Counts new pages at an address that had one in the same program before. Speaks for the whole run
// when these are worth a finding.
#include "advice/trace/rule.h"

#include "derive/pageset.h"
#include "derive/programs.h"

#include <stdlib.h>

void rule_returnedmemory(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_mechanism[MODEL_ZERO_FILL]))
		return;

	const struct model *model = findings->model;
	uint64_t page_size = model->trace.page_size > 0 ? model->trace.page_size : 4096;
	uint64_t *by_function = xcalloc(model->function_count + 1, sizeof(*by_function));
	struct pageset made = { 0 }, again = { 0 };
	struct programs programs = { 0 };
	struct model_count cost = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		uint64_t program = programs_at(&programs, fault);

		if (fault->mechanism != MODEL_ZERO_FILL ||
		    pageset_add_pair(&made, program, fault->addr / page_size))
			continue;
		model_count_fault(&cost, fault);
		pageset_add_pair(&again, program, fault->addr / page_size);
		if (fault->blame != MODEL_NONE)
			by_function[fault->blame]++;
	}
	if (rule_is_worth(findings, cost.faults)) {
		const char *blame = "";
		size_t most = 0;

		for (size_t i = 1; i < model->function_count; i++)
			if (by_function[i] > by_function[most])
				most = i;
		if (by_function[most] > 0)
			blame = rule_text(findings, " Most were needed by %s, %s.",
					  rule_name(findings, model->functions[most].name),
					  rule_number(findings, by_function[most]));
		rule_add(findings,
			 &(struct model_finding){
				 .id = "returned-memory",
				 .where = "mechanism=zero-fill",
				 .title = "Memory is given back and made anew",
				 .object = MODEL_NONE,
				 .faults = cost.faults,
				 .pages = pageset_count(&again),
				 .duration_ns = cost.duration_ns,
				 .saves_faults = cost.faults,
				 .evidence = rule_text(
					 findings,
					 "%s made a page at an address that had one before, on "
					 "%s.%s",
					 rule_plural(findings, cost.faults, "fault", "faults"),
					 rule_plural(findings, pageset_count(&again), "page",
						     "pages"),
					 blame),
				 .advice = "Keep what is needed again: reuse buffers, or have "
					   "malloc give "
					   "back later (glibc: GLIBC_TUNABLES="
					   "glibc.malloc.trim_threshold=N:glibc.malloc.mmap_"
					   "threshold=N; "
					   "jemalloc: dirty_decay_ms).",
			 });
	}
	pageset_deinit(&made);
	pageset_deinit(&again);
	programs_deinit(&programs);
	free(by_function);
}
