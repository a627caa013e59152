// SPDX-License-Identifier: Apache-2.0
// Exceptions thrown before main, or soon after it began, read the unwinding tables.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/pageset.h"
#include "derive/progress.h"

enum { NAMED = 3 };

static void find(struct findings *findings)
{
	// Computing is known of the whole run only.
	uint64_t error_ns, cpu_ns = rule_computing(findings, MODEL_UNWIND, &error_ns);

	if (findings->totals.by_initiator[MODEL_UNWIND] == 0)
		return;
	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *by_object = xcalloc(model->object_count + 1, sizeof(*by_object));
	struct model_count cost = { 0 };
	uint64_t before_main = 0;
	CLEANUP(progress_deinit) struct progress_map progress = { 0 };
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		const uint32_t pid = model_thread(model, fault)->pid;
		enum progress at = progress_at(&progress, pid, fault);

		if (fault->initiator != MODEL_UNWIND ||
		    (at != PROGRESS_BEFORE_MAIN && at != PROGRESS_AFTER_MAIN))
			continue;
		model_count_fault(&cost, fault);
		before_main += at == PROGRESS_BEFORE_MAIN;
		pageset_add(&pages, model, fault);
		if (fault->at.object != MODEL_NONE)
			by_object[fault->at.object]++;
	}
	if (cost.faults != findings->totals.by_initiator[MODEL_UNWIND])
		cpu_ns = 0;
	if (rule_is_worth(findings, &cost, cpu_ns, error_ns))
		rule_add_found(findings,
			       &(struct rule_found){
				       .object = MODEL_NONE,
				       .cost = cost,
				       .pages = pageset_count(&pages),
				       .saves = cost.faults,
				       .cpu_ns = cpu_ns,
				       .cpu_error_ns = error_ns,
			       },
			       KIT_VALUES({ "faults", kit_plural(findings->arena, cost.faults,
								 "unwinding fault") },
					  { "before", figure_number(findings->arena, before_main) },
					  { "most", rule_most(findings, by_object, NAMED) }));
}

const struct rule rule_unwinding = {
	.prose = {
		.id = "unwinding-at-start",
		.title = "Exceptions are thrown while the program starts",
		.evidence = "{faults}, {before} before main, the others soon after; they touched "
			    "{most}.",
		.fix = "Do not throw during a normal start: return an error code or "
		       "`std::optional` where failure is expected (a missing file, an option that "
		       "is not set).",
	},
	.about = "An exception thrown while the program starts reads `.eh_frame_hdr`, `.eh_frame` "
		 "and `.gcc_except_table` of each file that it passes through.",
	.when = "Reported for the run when unwinding faults before `main`, and until the program "
		"itself has faulted 256 times, reach the threshold.",
	.limits = "What was thrown is not known. Profilers and sanitizers also unwind.",
	.where = "initiator=unwind",
	.saves_storage = true,
	.find = find,
};
