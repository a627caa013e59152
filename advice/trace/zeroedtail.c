// SPDX-License-Identifier: Apache-2.0
// .data ends within a page that .bss continues. The rest of it is zeroed when the file is loaded,
// which copies the page.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "derive/pageset.h"
#include "model/data.h"

static bool is_tail(const struct model *model, const struct model_fault *fault, uint64_t page_size)
{
	const struct model_data *data =
		fault->at.object == MODEL_NONE ? NULL : model->objects[fault->at.object].data;

	return data && data->tail_is_shared && fault->at.has_vaddr &&
	       fault->at.vaddr / page_size == data->tail_vaddr / page_size &&
	       (fault->initiator == MODEL_LOADER || fault->initiator == MODEL_EXEC) &&
	       (fault->mechanism == MODEL_PRIVATE_WRITE || fault->mechanism == MODEL_COW_BREAK);
}

static void find(struct findings *findings)
{
	const struct model *model = findings->model;
	CLEANUP(pageset_deinit) struct pageset objects = { 0 }, processes = { 0 };
	struct model_count cost = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (!is_tail(model, fault, findings->page_size))
			continue;
		model_count_fault(&cost, fault);
		pageset_add_pair(&objects, 0, fault->at.object);
		pageset_add_pair(&processes, 0, model_thread(model, fault)->pid);
	}
	if (rule_is_worth(findings, &cost, 0, 0))
		// One page of each.
		rule_add(findings, MODEL_NONE, &cost, pageset_count(&objects), cost.faults,
			 KIT_VALUES({ "files", kit_plural(findings->arena, pageset_count(&objects),
							  "file") },
				    { "processes",
				      kit_plural(findings->arena, pageset_count(&processes),
						 "process") }));
}

const struct rule rule_zeroedtail = {
	.prose = {
		.id = "zeroed-tail",
		.title = "The last page of .data is copied to be zeroed",
		.evidence = "In {files} .data ends within a page and .bss begins there; "
			    "{processes} loaded them.",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Link fewer libraries: each costs this page in each process. A library without `.bss` has nothing to zero." },
	},
	.about = "`.data` ends within a page and `.bss` begins on the rest of it. The kernel or "
		 "ld.so zeroes that rest when the file is loaded, so that each process copies the "
		 "page.",
	.when = "Reported for the run when these copies reach the threshold.",
	.limits = "Whether the program would have written to the page anyway is not known; often "
		  "it would. Waiting for storage does not count: whatever touches the page first "
		  "waits for it.",
	.where = "initiator=loader|exec,mechanism=private-write|cow-break",
	.find = find,
};
