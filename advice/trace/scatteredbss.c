// SPDX-License-Identifier: Apache-2.0
// scattered-bss: small variables lie far apart in .bss, so that the first touch of nearly each one
// makes a page.
//
// Counts the first touches of .bss by a variable smaller than a page, in objects that tell the
// sizes of their variables. Speaks for an object when these are worth a finding and the variables
// seen would fit in at most half as many pages.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "derive/pageset.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_PERCENT_SAVED = 50 };

struct scatter {
	struct model_count count;
	uint64_t variables, bytes, pages, processes;
};

static bool is_first_touch(const struct model *model, const struct model_fault *fault,
			   uint64_t page_size)
{
	const char *section =
		fault->at_section == MODEL_NONE ? NULL : model->sections[fault->at_section].name;

	if (fault->mechanism != MODEL_ZERO_FILL || !section || strcmp(section, ".bss") != 0 ||
	    fault->at_symbol == MODEL_NONE)
		return false;
	const struct model_symbol *symbol = &model->symbols[fault->at_symbol];
	return symbol->kind == MODEL_SYMBOL && symbol->size > 0 && symbol->size < page_size;
}

static void sum_up(const struct model *model, uint64_t page_size, struct scatter *scatters)
{
	struct pageset variables = { 0 }, pages = { 0 }, processes = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		if (!is_first_touch(model, fault, page_size))
			continue;
		struct scatter *scatter = &scatters[fault->at_object];
		model_count_fault(&scatter->count, fault);
		scatter->pages += pageset_add(&pages, fault, page_size);
		scatter->processes += pageset_add_pair(&processes, fault->at_object, fault->pid);
		if (pageset_add_pair(&variables, 0, fault->at_symbol)) {
			scatter->variables++;
			scatter->bytes += model->symbols[fault->at_symbol].size;
		}
	}
	pageset_deinit(&variables);
	pageset_deinit(&pages);
	pageset_deinit(&processes);
}

static void look_at(struct findings *findings, uint32_t id, uint64_t page_size,
		    const struct scatter *scatter)
{
	uint64_t faults = scatter->count.faults;
	uint64_t packed = scatter->bytes / page_size + (scatter->bytes % page_size > 0);
	uint64_t needed = packed * scatter->processes;

	if (!rule_is_worth(findings, faults) || needed >= faults ||
	    !rule_is_share(faults - needed, faults, MIN_PERCENT_SAVED))
		return;
	rule_add(
		findings,
		&(struct model_finding){
			.id = "scattered-bss",
			.where = rule_where(findings, "object", id, "section=.bss"),
			.title = "Small variables are scattered over .bss",
			.object = id,
			.faults = faults,
			.pages = scatter->pages,
			.duration_ns = scatter->count.duration_ns,
			.saves_faults = faults - needed,
			.evidence = rule_text(
				findings,
				"%s, %s together, were the first to touch %s; side by side they "
				"would fill %s.",
				rule_plural(findings, scatter->variables, "variable", "variables"),
				figure_size(findings->arena, scatter->bytes),
				rule_plural(findings, scatter->pages, "page", "pages"),
				rule_plural(findings, packed, "page", "pages")),
			.advice =
				"Bring together what start writes: one struct, or -fdata-sections "
				"and lld's -Wl,--symbol-ordering-file=FILE. What nobody needs yet, "
				"build at its first use.",
		});
}

void rule_scatteredbss(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_mechanism[MODEL_ZERO_FILL]))
		return;

	const struct model *model = findings->model;
	uint64_t page_size = model->trace.page_size > 0 ? model->trace.page_size : 4096;
	struct scatter *scatters = xcalloc(model->object_count + 1, sizeof(*scatters));

	sum_up(model, page_size, scatters);
	for (size_t i = 0; i < model->shown_count; i++)
		look_at(findings, model->shown[i], page_size, &scatters[model->shown[i]]);
	free(scatters);
}
