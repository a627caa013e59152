// SPDX-License-Identifier: Apache-2.0
// The command starts other programs, and each pays for its own start.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/executables.h"
#include "derive/pageset.h"
#include "derive/phases.h"

enum { MIN_PROGRAMS = 8, MIN_PERCENT = 10 };

/** By index of the rule's cures. */
enum { CURE_SCRIPT = 1 << 0, CURE_FEWER = 1 << 1, CURE_STATIC = 1 << 2 };

/** Is @fault of starting a program, rather than of what it then does? */
static bool is_of_start(const struct model_fault *fault)
{
	enum phase phase = phase_of_initiator((enum model_initiator)fault->initiator);

	if (fault->initiator == MODEL_EXEC)
		return true;
	return (phase < PHASE_MAIN || phase == PHASE_START) && fault->dlopen != MODEL_DLOPEN_YES;
}

/** The faults of one program: of its start, and all. */
struct part {
	struct model_count start, all;
};

/**
 * Sum up the saving of every program but the first: its start and, if that is most of it, the rest
 * as well; with all forks, and what the first one copies for them.
 */
static struct model_count sum_up(const struct model *model, const struct part *parts)
{
	struct model_count gone = { 0 };
	uint32_t first = MODEL_NONE;

	for (uint32_t i = 0; i < model->program_count; i++) {
		const struct part *part = &parts[i];
		bool is_start =
			!model->programs[i].has_exec || 2 * part->start.faults >= part->all.faults;

		if (model->programs[i].has_exec && first == MODEL_NONE)
			first = i;
		else
			model_count_add(&gone, is_start ? &part->all : &part->start);
	}
	array_foreach (fault, model->faults, model->fault_count)
		if (fault->mechanism == MODEL_FORK_COW &&
		    model_thread(model, fault)->program == first)
			model_count_fault(&gone, fault);
	return gone;
}

static bool is_started_by(const struct model *model, const bool *are_shells, uint32_t program)
{
	const uint32_t parent = model->programs[program].parent;

	return parent < model->program_count && are_shells[parent];
}

static void find(struct findings *findings)
{
	if (findings->totals.by_initiator[MODEL_EXEC] < MIN_PROGRAMS)
		return;

	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *by_comm = xcalloc(model->comm_count + 1, sizeof(*by_comm));
	CLEANUP(freep) struct part *parts = xcalloc(model->program_count + 1, sizeof(*parts));
	CLEANUP(pageset_deinit) struct pageset runs = { 0 }, named = { 0 }, pages = { 0 };
	CLEANUP(freep) bool *are_shells = executables_find_shells(model);
	struct model_count cost = { 0 };
	uint64_t by_shells = 0;

	array_foreach (fault, model->faults, model->fault_count) {
		const struct model_thread *thread = model_thread(model, fault);

		model_count_fault(&parts[thread->program].all, fault);
		if (!is_of_start(fault))
			continue;
		model_count_fault(&parts[thread->program].start, fault);
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		by_shells += is_started_by(model, are_shells, thread->program);
		if (fault->initiator == MODEL_EXEC)
			pageset_add_pair(&runs, 0, thread->program);
		// Until the exec is done, the name is that of the program before.
		else if (model->programs[thread->program].has_exec &&
			 pageset_add_pair(&named, 0, thread->program) && thread->comm != MODEL_NONE)
			by_comm[thread->comm]++;
	}
	uint64_t count = pageset_count(&runs);
	if (count < MIN_PROGRAMS || !rule_is_worth(findings, &cost, 0, 0) ||
	    !kit_is_share((double)cost.faults, (double)model->total.faults, MIN_PERCENT))
		return;
	const struct model_count gone = sum_up(model, parts);

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = MODEL_NONE,
			.cost = cost,
			.pages = pageset_count(&pages),
			.gone = &gone,
			.cures = CURE_STATIC |
				 (2 * by_shells >= cost.faults ? CURE_SCRIPT : CURE_FEWER),
		},
		KIT_VALUES(
			{ "programs", figure_number(findings->arena, count) },
			{ "command", rule_command(findings, by_comm) },
			{ "times",
			  figure_number(findings->arena,
					by_comm[kit_largest(by_comm, model->comm_count)]) },
			{ "faults", kit_plural(findings->arena, cost.faults / count, "fault") }));
}

const struct rule rule_manyprograms = {
	.prose = {
		.id = "many-programs",
		.title = "Many programs are started",
		.evidence = "{programs} programs were started, most often {command} ({times} "
			    "times); a start takes {faults} on average.",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Do the work in fewer programs: in the shell script, use builtins and parameter expansion instead of sed, cut and the like.",
		  "where shells cause at least half of the starts' faults" },
		{ MODEL_FOR_BUILD, "Do the work in fewer programs: in threads, or in a process that is kept for the next piece of work.",
		  "where they cause fewer" },
		{ MODEL_FOR_LINK, "Link small programs that are started often statically." },
	},
	.about = "The command starts other programs, as shell scripts do, and each pays for its "
		 "own start: exec, dynamic linker, lookup, relocation and initializers.",
	.when = "Reported for the run from 8 programs on, when what happens before `main` is at "
		"least 10 % of all faults.",
	.details = "The saving is all starts except the first, with all forks; a program whose start is "
		   "at least half of its faults is counted as a whole.",
	.limits = "Nothing is reported where the perf backend does not see exec.",
	.needs_all_faults = true,
	.find = find,
};
