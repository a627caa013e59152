// SPDX-License-Identifier: Apache-2.0
// PLT entries are bound at their first call while the program starts.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "derive/pageset.h"
#include "derive/progress.h"
#include "model/relocation.h"

#include <stdlib.h>

enum { NAMED = 3 };

/** By index of the rule's cures. */
enum { CURE_FUNCTIONS = 1 << 0, CURE_STATIC = 1 << 1, CURE_HIDE = 1 << 2 };

/** "libfoo.so 123, bar 4": what calls itself by name most, by relocations; NULL: nothing does. */
static const char *describe_libraries(struct findings *findings)
{
	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *calls = xcalloc(model->object_count + 1, sizeof(*calls));
	uint64_t all = 0;

	for (size_t i = 0; i < model->object_count; i++) {
		const struct model_relink *relink =
			rule_relink(&model->objects[i], "-Bsymbolic-functions");

		calls[i] = relink ? relink->relocations : 0;
		all += calls[i];
	}
	return all > 0 ? rule_most(findings, calls, NAMED) : NULL;
}

static void find(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_initiator[MODEL_LAZY_BINDING]))
		return;

	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *by_object = xcalloc(model->object_count + 1, sizeof(*by_object));
	struct model_count cost = { 0 };
	CLEANUP(progress_deinit) struct progress_map progress = { 0 };
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (progress_at(&progress, model, fault) != PROGRESS_BEFORE_MAIN ||
		    fault->initiator != MODEL_LAZY_BINDING)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		if (fault->at.object != MODEL_NONE)
			by_object[fault->at.object]++;
	}
	// What is computed is known of the whole run only.
	bool is_all = cost.faults == findings->totals.by_initiator[MODEL_LAZY_BINDING];
	uint64_t error_ns, cpu_ns = rule_computing(findings, MODEL_LAZY_BINDING, &error_ns);

	const char *libraries = describe_libraries(findings);

	if (rule_is_worth(findings, cost.faults))
		rule_add_found(
			findings,
			&(struct rule_found){
				.object = MODEL_NONE,
				.cost = cost,
				.pages = pageset_count(&pages),
				.saves = cost.faults,
				.cpu_ns = is_all ? cpu_ns : 0,
				.cpu_error_ns = error_ns,
				.cures = CURE_STATIC | CURE_HIDE | (libraries ? CURE_FUNCTIONS : 0),
			},
			KIT_VALUES({ "libraries", libraries ? libraries : "" },
				   { "faults", kit_plural(findings->arena, cost.faults, "fault") },
				   { "most", rule_most(findings, by_object, NAMED) }));
}

const struct rule rule_lazybinding = {
	.prose = {
		.id = "lazy-binding-at-start",
		.title = "Names are bound lazily before main",
		.evidence = "{faults} before main bound PLT entries at their first call; most of "
			    "them touched {most}.",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Bind calls within a library at link time: "
				  "`-Wl,-Bsymbolic-functions`, of {libraries}.",
		  "where libraries call themselves by name" },
		{ MODEL_FOR_LINK, "Link the libraries statically. `-Wl,-z,now` binds all entries in one "
				  "pass over the table, including those that are never called: "
				  "measure it." },
		{ MODEL_FOR_BUILD, "Keep calls within a library off the PLT: `-fvisibility=hidden`." },
	},
	.about = "PLT entries are bound at their first call, before `main`. Each binding is a "
		 "detour through hash table, symbols and strings.",
	.when = "Reported for the run when lazy-binding faults before the first fault of `main` "
		"reach the threshold. A process whose start is not in the trace is not counted.",
	.limits = "What `-z now` would cost is not known: it depends on the entries that were "
		  "never bound.",
	.where = "initiator=lazy-binding",
	.saves_storage = true,
	.find = find,
};
