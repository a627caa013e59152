// SPDX-License-Identifier: Apache-2.0
// After a fork, parent and child copy the pages that either writes.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/executables.h"
#include "derive/pageset.h"

/** By index of the rule's cures. */
enum { CURE_PROGRAM = 1 << 0, CURE_SCRIPT = 1 << 1 };

/** Add the faults of children between fork and exec, or their end, beside copying. */
static void add_children(struct model_count *gone, const struct model *model,
			 const uint64_t *copies)
{
	array_foreach (fault, model->faults, model->fault_count) {
		uint32_t program = model_thread(model, fault)->program;

		if (fault->mechanism != MODEL_FORK_COW && fault->initiator != MODEL_EXEC &&
		    copies[program] > 0 && !model->programs[program].has_exec)
			model_count_fault(gone, fault);
	}
}

static void find(struct findings *findings)
{
	if (findings->totals.by_mechanism[MODEL_FORK_COW] == 0)
		return;

	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *by_comm = xcalloc(model->comm_count + 1, sizeof(*by_comm));
	CLEANUP(pageset_deinit) struct pageset pages = { 0 }, processes = { 0 };
	CLEANUP(freep)
	uint64_t *copies = xcalloc(model->program_count + 1, sizeof(*copies));
	CLEANUP(freep) bool *are_shells = executables_find_shells(model);
	struct model_count cost = { 0 };
	uint64_t in_shells = 0;

	array_foreach (fault, model->faults, model->fault_count) {
		const struct model_thread *thread = model_thread(model, fault);

		if (fault->mechanism != MODEL_FORK_COW)
			continue;
		model_count_fault(&cost, fault);
		copies[thread->program]++;
		pageset_add_pair(&pages, thread->pid, fault->addr / findings->page_size);
		pageset_add_pair(&processes, 0, thread->pid);
		if (thread->comm != MODEL_NONE)
			by_comm[thread->comm]++;
		in_shells += are_shells[thread->program];
	}
	if (!rule_is_worth(findings, &cost, 0, 0))
		return;
	struct model_count gone = cost;

	if (!findings->is_partial)
		add_children(&gone, model, copies);

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = MODEL_NONE,
			.cost = cost,
			.pages = pageset_count(&pages),
			.gone = &gone,
			.cures = 2 * in_shells >= cost.faults ? CURE_SCRIPT : CURE_PROGRAM,
		},
		KIT_VALUES({ "faults", kit_plural(findings->arena, cost.faults, "fault") },
			   { "processes",
			     kit_plural(findings->arena, pageset_count(&processes), "process") },
			   { "command", rule_command(findings, by_comm) },
			   { "most",
			     figure_number(findings->arena,
					   by_comm[kit_largest(by_comm, model->comm_count)]) }));
}

const struct rule rule_forkcopies = {
	.prose = {
		.id = "fork-copies",
		.title = "Forks copy memory",
		.evidence = "{faults} copied pages shared by a fork, in {processes}; most in "
			    "{command}, {most}.",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Start programs with `posix_spawn()` or `vfork()`, which share the parent's memory until the exec. Where the child continues without an exec, fork before memory is filled, or use `madvise(MADV_DONTFORK)` for what it does not need." },
		{ MODEL_FOR_BUILD, "In the shell script, start fewer programs and subshells: use builtins and parameter expansion instead of `$(...)`, sed, cut and the like.",
		  "where a shell and its children make at least half of the copies" },
	},
	.about = "After a fork, parent and child share memory until one of them writes.",
	.when = "Reported for the run when the copies reach the threshold.",
	.details = "The saving is these copies and whatever else the children fault before their "
		   "exec, or their end: the kernel leaves pages of files out of a fork, and each is "
		   "mapped anew.",
	.limits = "Whether the child needs its own copy is not known.",
	.where = "mechanism=fork-cow",
	.find = find,
};
