// SPDX-License-Identifier: Apache-2.0
// unwinding-at-start: exceptions thrown before main or right after it read the unwinding tables.
//
// Speaks for the whole run when the faults of unwinding at the start of processes (before main, or
// within PROGRESS_EARLY_FAULTS faults of the program) are worth a finding.
#include "advice/trace/rule.h"

#include "derive/pageset.h"
#include "derive/progress.h"

#include <stdlib.h>

enum { NAMED = 3 };

void rule_unwinding(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_initiator[MODEL_UNWIND]))
		return;

	const struct model *model = findings->model;
	uint64_t *by_object = xcalloc(model->object_count + 1, sizeof(*by_object));
	struct model_count cost = { 0 };
	uint64_t before_main = 0;
	struct progress_map progress = { 0 };
	struct pageset pages = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		enum progress at = progress_at(&progress, fault);

		if (fault->initiator != MODEL_UNWIND ||
		    (at != PROGRESS_BEFORE_MAIN && at != PROGRESS_AFTER_MAIN))
			continue;
		model_count_fault(&cost, fault);
		before_main += at == PROGRESS_BEFORE_MAIN;
		pageset_add(&pages, fault, model->trace.page_size);
		if (fault->at_object != MODEL_NONE)
			by_object[fault->at_object]++;
	}
	if (rule_is_worth(findings, cost.faults))
		rule_add(findings,
			 &(struct model_finding){
				 .id = "unwinding-at-start",
				 .where = "initiator=unwind",
				 .title = "Exceptions are thrown while the program starts",
				 .object = MODEL_NONE,
				 .faults = cost.faults,
				 .pages = pageset_count(&pages),
				 .duration_ns = cost.duration_ns,
				 .saves_faults = cost.faults,
				 .evidence = rule_text(
					 findings,
					 "%s of unwinding, %s before main, the others soon after; "
					 "they "
					 "touched %s.",
					 rule_plural(findings, cost.faults, "fault", "faults"),
					 rule_number(findings, before_main),
					 rule_most(findings, by_object, NAMED)),
				 .advice = "Do not throw on the way to a normal start: return an "
					   "error "
					   "code or std::optional where failing is expected (a "
					   "missing "
					   "file, an option that is not set).",
			 });
	progress_deinit(&progress);
	pageset_deinit(&pages);
	free(by_object);
}
