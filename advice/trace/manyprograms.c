// SPDX-License-Identifier: Apache-2.0
// The command starts other programs, and each pays for its own start.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/pageset.h"
#include "derive/phases.h"

#include <stdlib.h>

enum { MIN_PROGRAMS = 8, MIN_PERCENT = 10 };

/** Is @fault of starting a program, rather than of what it then does? */
static bool is_of_start(const struct model_fault *fault)
{
	enum phase phase = phase_of_initiator((enum model_initiator)fault->initiator);

	if (fault->initiator == MODEL_EXEC)
		return true;
	return (phase < PHASE_MAIN || phase == PHASE_START) && fault->dlopen != MODEL_DLOPEN_YES;
}

static void find(struct findings *findings)
{
	if (findings->totals.by_initiator[MODEL_EXEC] < MIN_PROGRAMS)
		return;

	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *by_comm = xcalloc(model->comm_count + 1, sizeof(*by_comm));
	CLEANUP(pageset_deinit) struct pageset runs = { 0 }, named = { 0 }, pages = { 0 };
	struct model_count cost = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		const struct model_thread *thread = model_thread(model, fault);

		if (!is_of_start(fault))
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		if (fault->initiator == MODEL_EXEC)
			pageset_add_pair(&runs, 0, thread->program);
		// Until the exec is done, the name is that of the program before.
		else if (model->programs[thread->program].has_exec &&
			 pageset_add_pair(&named, 0, thread->program) && thread->comm != MODEL_NONE)
			by_comm[thread->comm]++;
	}
	uint64_t count = pageset_count(&runs);
	if (count >= MIN_PROGRAMS && rule_is_worth(findings, cost.faults) &&
	    kit_is_share((double)cost.faults, (double)model->total.faults, MIN_PERCENT))
		// One start remains.
		rule_add(findings, MODEL_NONE, &cost, pageset_count(&pages),
			 cost.faults - cost.faults / count,
			 KIT_VALUES({ "programs", figure_number(findings->arena, count) },
				    { "command", rule_command(findings, by_comm) },
				    { "times",
				      figure_number(
					      findings->arena,
					      by_comm[kit_largest(by_comm, model->comm_count)]) },
				    { "faults",
				      kit_plural(findings->arena, cost.faults / count, "fault") }));
}

const struct rule rule_manyprograms = {
	.prose = {
		.id = "many-programs",
		.title = "Many programs are started",
		.evidence = "{programs} programs were started, most often {command} ({times} "
			    "times); a start takes {faults} on average.",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Do the work in fewer programs: in a shell script, use builtins and parameter expansion instead of sed, cut and the like." },
		{ MODEL_FOR_LINK, "Link small programs that are started often statically." },
	},
	.about = "The command starts other programs, as shell scripts do, and each pays for its "
		 "own start: exec, dynamic linker, lookup, relocation and initializers.",
	.when = "Reported for the run from 8 programs on, when what happens before `main` is at "
		"least 10 % of all faults.",
	.details = "The saving is all starts except one.",
	.limits = "Nothing is reported where the perf backend does not see exec.",
	.needs_all_faults = true,
	.find = find,
};
