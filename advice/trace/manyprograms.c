// SPDX-License-Identifier: Apache-2.0
// many-programs: the command starts other programs, and each pays for its own start.
//
// Speaks for the whole run from MIN_PROGRAMS runs of programs on, when the faults of starting them
// are at least MIN_PERCENT of those shown. With faults left out, programs are missing: then it is
// silent.
#include "advice/trace/rule.h"

#include "derive/pageset.h"
#include "derive/phases.h"
#include "derive/programs.h"

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

void rule_manyprograms(struct findings *findings)
{
	if (findings->is_partial || findings->totals.by_initiator[MODEL_EXEC] < MIN_PROGRAMS)
		return;

	const struct model *model = findings->model;
	uint64_t *by_comm = xcalloc(model->comm_count + 1, sizeof(*by_comm));
	struct pageset runs = { 0 }, named = { 0 }, pages = { 0 };
	struct programs programs = { 0 };
	struct model_count cost = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		uint64_t program = programs_at(&programs, fault);

		if (!is_of_start(fault))
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, fault, model->trace.page_size);
		if (fault->initiator == MODEL_EXEC)
			pageset_add_pair(&runs, 0, program);
		// Until the exec is done, the name is that of the program before.
		else if (programs_is_known(program) && pageset_add_pair(&named, 0, program) &&
			 fault->comm != MODEL_NONE)
			by_comm[fault->comm]++;
	}
	uint64_t count = pageset_count(&runs);
	if (count >= MIN_PROGRAMS && rule_is_worth(findings, cost.faults) &&
	    rule_is_share(cost.faults, model->total.faults, MIN_PERCENT)) {
		size_t most = 0;

		for (size_t i = 1; i < model->comm_count; i++)
			if (by_comm[i] > by_comm[most])
				most = i;
		rule_add(
			findings,
			&(struct model_finding){
				.id = "many-programs",
				.title = "Many programs are started",
				.object = MODEL_NONE,
				.faults = cost.faults,
				.pages = pageset_count(&pages),
				.duration_ns = cost.duration_ns,
				// One start remains.
				.saves_faults = cost.faults - cost.faults / count,
				.evidence =
					rule_text(findings,
						  "%s programs were started, most often %s (%s "
						  "times); a start "
						  "takes %s on average.",
						  rule_number(findings, count),
						  model->comm_count > 0
							  ? rule_name(findings, model->comms[most])
							  : "(no name)",
						  rule_number(findings, by_comm[most]),
						  rule_plural(findings, cost.faults / count,
							      "fault", "faults")),
				.advice =
					"Do the work in fewer programs: in a shell script, "
					"builtins "
					"and parameter expansion instead of sed, cut and the like. "
					"Programs that are started often gain from static linking.",
			});
	}
	free(by_comm);
	pageset_deinit(&runs);
	pageset_deinit(&named);
	pageset_deinit(&pages);
	programs_deinit(&programs);
}
