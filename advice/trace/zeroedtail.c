// SPDX-License-Identifier: Apache-2.0
// zeroed-tail: .data ends within a page that .bss goes on with. The kernel or ld.so zeroes the rest
// of it, which copies the page, in every object and every process.
//
// Speaks for the whole run when these copies are worth a finding.
#include "advice/trace/rule.h"

#include "model/data.h"
#include "derive/pageset.h"

static bool is_tail(const struct model *model, const struct model_fault *fault, uint64_t page_size)
{
	const struct model_data *data =
		fault->at_object == MODEL_NONE ? NULL : model->objects[fault->at_object].data;

	return data && data->tail_is_shared && fault->at_has_vaddr &&
	       fault->at_vaddr / page_size == data->tail_vaddr / page_size &&
	       (fault->initiator == MODEL_LOADER || fault->initiator == MODEL_EXEC) &&
	       (fault->mechanism == MODEL_PRIVATE_WRITE || fault->mechanism == MODEL_COW_BREAK);
}

void rule_zeroedtail(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_initiator[MODEL_LOADER] +
					     findings->totals.by_initiator[MODEL_EXEC]))
		return;

	const struct model *model = findings->model;
	uint64_t page_size = model->trace.page_size > 0 ? model->trace.page_size : 4096;
	struct pageset objects = { 0 }, processes = { 0 };
	struct model_count cost = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (!is_tail(model, fault, page_size))
			continue;
		model_count_fault(&cost, fault);
		pageset_add_pair(&objects, 0, fault->at_object);
		pageset_add_pair(&processes, 0, fault->pid);
	}
	if (rule_is_worth(findings, cost.faults))
		rule_add(
			findings,
			&(struct model_finding){
				.id = "zeroed-tail",
				.where = "initiator=loader|exec,mechanism=private-write|cow-break",
				.title = "The last page of .data is copied to be zeroed",
				.object = MODEL_NONE,
				.faults = cost.faults,
				.pages = pageset_count(&objects), // one each
				.duration_ns = cost.duration_ns,
				.saves_faults = cost.faults,
				.evidence = rule_text(
					findings,
					"In %s .data ends within a page and .bss begins there; %s "
					"loaded them.",
					rule_plural(findings, pageset_count(&objects), "file",
						    "files"),
					rule_plural(findings, pageset_count(&processes), "process",
						    "processes")),
				.advice =
					"Have fewer libraries, or link them statically: each costs "
					"this page in each process. It is no loss where the "
					"program "
					"writes to the page anyway. A library without .bss has "
					"nothing to zero.",
			});
	pageset_deinit(&objects);
	pageset_deinit(&processes);
}
