// SPDX-License-Identifier: Apache-2.0
// Small variables lie far apart in .bss, so that the first touch of nearly each one makes a page.
// Only objects that tell the sizes of their variables can be judged.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/pageset.h"
#include "model/data.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_PERCENT_SAVED = 50 };

struct scatter {
	struct model_count count;
	uint64_t variables, bytes, pages, processes;
};

/** Are all symbols on the page with @vaddr known to have been touched? What is not seen may be. */
static bool is_seen_whole(const struct model_data *data, uint64_t vaddr, uint64_t page_size)
{
	const struct model_data_page *page = NULL;

	for (size_t i = 0; data && i < data->page_count && !page; i++)
		if (data->pages[i].vaddr / page_size == vaddr / page_size)
			page = &data->pages[i];
	if (!page || page->symbol_count < page->symbols_on_page)
		return false;
	for (size_t i = 0; i < page->symbol_count; i++)
		if (page->symbols[i].faults == 0)
			return false;
	return true;
}

static bool is_first_touch(const struct model *model, const struct model_fault *fault,
			   uint64_t page_size)
{
	const char *section =
		fault->at.section == MODEL_NONE ? NULL : model->sections[fault->at.section].name;

	if (fault->mechanism != MODEL_ZERO_FILL || !section || strcmp(section, ".bss") != 0 ||
	    fault->at.name == MODEL_NONE)
		return false;
	const struct model_symbol *symbol = &model->symbols[fault->at.name];
	return symbol->kind == MODEL_SYMBOL && symbol->size > 0 && symbol->size < page_size &&
	       is_seen_whole(model->objects[fault->at.object].data, fault->at.vaddr, page_size);
}

static void sum_up(const struct model *model, uint64_t page_size, struct scatter *scatters)
{
	CLEANUP(pageset_deinit) struct pageset variables = { 0 }, pages = { 0 }, processes = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (!is_first_touch(model, fault, page_size))
			continue;
		struct scatter *scatter = &scatters[fault->at.object];
		model_count_fault(&scatter->count, fault);
		scatter->pages += pageset_add(&pages, model, fault);
		scatter->processes += pageset_add_pair(&processes, fault->at.object,
						       model_thread(model, fault)->pid);
		if (pageset_add_pair(&variables, 0, fault->at.name)) {
			scatter->variables++;
			scatter->bytes += model->symbols[fault->at.name].size;
		}
	}
}

static void look_at(struct findings *findings, uint32_t id, const struct scatter *scatter)
{
	uint64_t faults = scatter->count.faults, page_size = findings->page_size;
	uint64_t packed = scatter->bytes / page_size + (scatter->bytes % page_size > 0);
	uint64_t needed = packed * scatter->processes;
	struct arena *arena = findings->arena;

	if (!rule_is_worth(findings, faults) || needed >= faults ||
	    !kit_is_share((double)(faults - needed), (double)faults, MIN_PERCENT_SAVED))
		return;
	rule_add(findings, id, &scatter->count, scatter->pages, faults - needed,
		 KIT_VALUES({ "variables", kit_plural(arena, scatter->variables, "variable") },
			    { "bytes", figure_size(arena, scatter->bytes) },
			    { "pages", kit_plural(arena, scatter->pages, "page") },
			    { "packed", kit_plural(arena, packed, "page") }));
}

static void find(struct findings *findings)
{
	if (!rule_is_worth(findings, findings->totals.by_mechanism[MODEL_ZERO_FILL]))
		return;

	const struct model *model = findings->model;
	CLEANUP(freep)
	struct scatter *scatters = xcalloc(model->object_count + 1, sizeof(*scatters));

	sum_up(model, findings->page_size, scatters);
	for (size_t i = 0; i < model->shown_count; i++)
		look_at(findings, model->shown[i], &scatters[model->shown[i]]);
}

const struct rule rule_scatteredbss = {
	.prose = {
		.id = "scattered-bss",
		.title = "Small variables are scattered over .bss",
		.evidence = "{variables}, {bytes} together, were the first to touch {pages}; side "
			    "by side they would fill {packed}.",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Keep these variables together, in one struct or array: each is alone on its pages, for its alignment or its neighbours." },
	},
	.about = "Small zero-initialised variables are each touched first on a page of their own.",
	.when = "Reported for an object when the first touches of `.bss` by variables smaller than "
		"a page, on pages with no other variable, reach the threshold and these variables "
		"would fit in at most half as many pages.",
	.limits = "Pages with other variables are left out: a fault shows one variable, and whether "
		  "the others are touched is not seen. Ordering a real program's `.bss` by first "
		  "touch saved 1 fault where 111 were counted. Variables of a file without "
		  "`.symtab` are not seen.",
	.where = "object={object},section=.bss",
	.find = find,
};
