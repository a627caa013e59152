// SPDX-License-Identifier: Apache-2.0
// fork-copies: after a fork, parent and child copy the pages that either writes.
//
// Speaks for the whole run when these copies are worth a finding.
#include "advice/trace/rule.h"

#include "derive/pageset.h"

#include <stdlib.h>

void rule_forkcopies(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_mechanism[MODEL_FORK_COW]))
		return;

	const struct model *model = findings->model;
	uint64_t page_size = model->trace.page_size > 0 ? model->trace.page_size : 4096;
	uint64_t *by_comm = xcalloc(model->comm_count + 1, sizeof(*by_comm));
	struct pageset pages = { 0 }, processes = { 0 };
	struct model_count cost = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (fault->mechanism != MODEL_FORK_COW)
			continue;
		model_count_fault(&cost, fault);
		pageset_add_pair(&pages, fault->pid, fault->addr / page_size);
		pageset_add_pair(&processes, 0, fault->pid);
		if (fault->comm != MODEL_NONE)
			by_comm[fault->comm]++;
	}
	if (rule_is_worth(findings, cost.faults)) {
		size_t most = 0;

		for (size_t i = 1; i < model->comm_count; i++)
			if (by_comm[i] > by_comm[most])
				most = i;
		rule_add(
			findings,
			&(struct model_finding){
				.id = "fork-copies",
				.where = "mechanism=fork-cow",
				.title = "Forks copy memory",
				.object = MODEL_NONE,
				.faults = cost.faults,
				.pages = pageset_count(&pages),
				.duration_ns = cost.duration_ns,
				.saves_faults = cost.faults,
				.evidence = rule_text(
					findings,
					"%s copied pages that a fork shared, in %s; most in %s, "
					"%s.",
					rule_plural(findings, cost.faults, "fault", "faults"),
					rule_plural(findings, pageset_count(&processes), "process",
						    "processes"),
					model->comm_count > 0
						? rule_name(findings, model->comms[most])
						: "(no name)",
					rule_number(findings, by_comm[most])),
				.advice =
					"Start programs with posix_spawn() or vfork(), which share "
					"the parent's memory until the exec; in a shell script, "
					"start fewer of them. Where the child goes on itself, fork "
					"before memory is filled, or madvise(MADV_DONTFORK) what "
					"it "
					"does not need.",
			});
	}
	pageset_deinit(&pages);
	pageset_deinit(&processes);
	free(by_comm);
}
