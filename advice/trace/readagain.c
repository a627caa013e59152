// SPDX-License-Identifier: Apache-2.0
// Memory did not suffice: pages of files were evicted and had to be read again.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/pageset.h"

/** By index of the rule's cures. */
enum { CURE_MEMORY = 1 << 0, CURE_ORDER = 1 << 1 };

enum { MIN_PERCENT_CODE = 10 };

/** " Storage delivered 1.1 GiB again."; what their faults read, where that is not known. */
static const char *describe_reading(struct findings *findings, const struct model_count *cost)
{
	const struct model_counts *counts = &findings->model->counts;

	if (!counts->has_read_again || findings->is_partial)
		return rule_read(findings, cost);
	return arena_printf(findings->arena, " Storage delivered %s again.",
			    figure_size(findings->arena, counts->read_again_bytes));
}

static void find(struct findings *findings)
{
	if (findings->totals.by_mechanism[MODEL_REFAULT] == 0)
		return;

	const struct model *model = findings->model;
	CLEANUP(freep)
	uint64_t *by_object = xcalloc(model->object_count + 1, sizeof(*by_object));
	CLEANUP(freep)
	uint64_t *by_function = xcalloc(model->function_count + 1, sizeof(*by_function));
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	struct model_count cost = { 0 };
	uint64_t on_code = 0;

	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->mechanism != MODEL_REFAULT)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		by_object[fault->at.object]++;
		on_code += fault->access == MODEL_ACCESS_EXEC;
		if (fault->by->name != MODEL_NONE && model->functions[fault->by->name].name)
			by_function[fault->by->name]++;
	}
	if (!rule_is_worth(findings, &cost, 0, 0))
		return;
	bool is_code = kit_is_share((double)on_code, (double)cost.faults, MIN_PERCENT_CODE);

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = MODEL_NONE,
			.cost = cost,
			.pages = pageset_count(&pages),
			.saves = cost.faults,
			.cures = CURE_MEMORY | (is_code ? CURE_ORDER : 0),
		},
		KIT_VALUES({ "faults", kit_plural(findings->arena, cost.faults, "fault") },
			   { "pages", kit_plural(findings->arena, pageset_count(&pages), "page") },
			   { "most", rule_most(findings, by_object, 3) },
			   { "function", rule_busiest(findings, "Most happened in", by_function) },
			   { "read", describe_reading(findings, &cost) }));
}

const struct rule rule_readagain = {
	.prose = {
		.id = "read-again",
		.title = "Pages of files are evicted and read again",
		.evidence = "{faults} were on {pages} of files that the run had had in memory; most: "
			    "{most}.{read}{function}",
	},
	.cures = {
		{ MODEL_FOR_RUN, "Give the run more memory: raise the limit of its cgroup (`memory.max`, `MemoryMax=` in its unit), or let less run beside it." },
		{ MODEL_FOR_LINK, "Let the code that runs fill fewer pages: `elfault order --exact -o functions.order -- {run}` lists its functions; compile with `-ffunction-sections` and link with `-Wl,--symbol-ordering-file=functions.order` (lld).",
		  "where a tenth of them ran code" },
	},
	.about = "Memory did not suffice, in the run's cgroup or on the machine: the kernel evicted "
		 "pages of files that were needed again. `refault` is their mechanism.",
	.when = "Reported for the run when faults on such pages reach the threshold.",
	.details = "The bytes are those of mapped files that storage delivered although the run had "
		   "had them in memory, read-ahead included: within 2 % of `workingset_refault_file` in the `memory.stat` of "
		   "the run's cgroup. Faults on pages that read-ahead brought back count as well: they "
		   "are minor.",
	.limits = "Pages that the run gave back itself (`MADV_PAGEOUT`, `POSIX_FADV_DONTNEED`) do not count. Who else evicted "
		  "pages is not known: `drop_caches` looks the same. The perf backend does not see these calls, and only knows major faults on pages that a fault had mapped before.",
	.where = "mechanism=refault",
	.saves_storage = true,
	.find = find,
};
