// SPDX-License-Identifier: Apache-2.0
// lazy-binding-at-start: PLT entries are bound at their first call while the program starts: each
// is a detour through the lookup tables.
//
// Speaks for the whole run when the faults of lazy binding before main are worth a finding.
#include "advice/trace/rule.h"

#include "base/strbuf.h"
#include "derive/pageset.h"
#include "derive/progress.h"

#include <stdlib.h>

enum { NAMED = 3 };

void rule_lazybinding(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_initiator[MODEL_LAZY_BINDING]))
		return;

	const struct model *model = findings->model;
	uint64_t *by_object = xcalloc(model->object_count + 1, sizeof(*by_object));
	struct model_count cost = { 0 };
	struct progress_map progress = { 0 };
	struct pageset pages = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (progress_at(&progress, fault) != PROGRESS_BEFORE_MAIN ||
		    fault->initiator != MODEL_LAZY_BINDING)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, fault, model->trace.page_size);
		if (fault->at_object != MODEL_NONE)
			by_object[fault->at_object]++;
	}
	if (rule_is_worth(findings, cost.faults))
		rule_add(
			findings,
			&(struct model_finding){
				.id = "lazy-binding-at-start",
				.where = "initiator=lazy-binding",
				.title = "Names are bound lazily before main",
				.object = MODEL_NONE,
				.faults = cost.faults,
				.pages = pageset_count(&pages),
				.duration_ns = cost.duration_ns,
				.saves_faults = cost.faults,
				.evidence = rule_text(
					findings,
					"%s before main bound PLT entries at their "
					"first call; most of them touched %s.",
					rule_plural(findings, cost.faults, "fault", "faults"),
					rule_most(findings, by_object, NAMED)),
				.advice =
					"Let calls within a library not go through the PLT: "
					"-fvisibility=hidden or -Wl,-Bsymbolic-functions; or link "
					"statically. -Wl,-z,now binds all entries in one pass over "
					"the table: fewer detours, but also the names that are "
					"never called.",
			});
	progress_deinit(&progress);
	pageset_deinit(&pages);
	free(by_object);
}
