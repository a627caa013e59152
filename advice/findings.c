// SPDX-License-Identifier: Apache-2.0
// Tries every rule and puts what they found in order.
#include "advice/findings.h"

#include "derive/codeuse.h"
#include "advice/trace/rule.h"

#include <stdlib.h>
#include <string.h>

static rule_function *const rules[] = {
	rule_backward,	   rule_coldstart,	rule_forkcopies,   rule_initializers,
	rule_lazybinding,  rule_lookupscope,	rule_manyprograms, rule_relocateddata,
	rule_relr,	   rule_returnedmemory, rule_scatteredbss, rule_sparsecode,
	rule_symboltables, rule_unusedlibrary,	rule_unwinding,	   rule_zeroedtail,
};

static void sum_up(struct findings *findings)
{
	const struct model *model = findings->model;
	struct rule_section *sections = xcalloc(model->section_count + 1, sizeof(*sections));

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];

		findings->totals.by_initiator[fault->initiator]++;
		findings->totals.by_mechanism[fault->mechanism]++;
		findings->totals.in_initializers += fault->initializer != MODEL_NONE;
		if (fault->at_section != MODEL_NONE)
			model_count_fault(&sections[fault->at_section].by[fault->initiator], fault);
	}
	findings->by_section = sections;
	// Who runs a file's code shows in faults on other files.
	if (!findings->is_partial)
		findings->codeuse = codeuse_find(model);
}

/** Most time first where it is known, then most faults, then by name. */
static int compare(const void *a, const void *b)
{
	const struct model_finding *x = a, *y = b;
	int order = (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);

	if (!order)
		order = (x->faults < y->faults) - (x->faults > y->faults);
	if (!order)
		order = strcmp(x->id, y->id);
	return order ? order : (x->object > y->object) - (x->object < y->object);
}

void findings_find(struct model *model)
{
	struct findings findings = {
		.model = model,
		.arena = &model->arena,
		.is_partial = model->is_narrowed || model->filter,
	};

	sum_up(&findings);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		rules[i](&findings);

	size_t count = findings.list.count;
	struct model_finding *list = arena_array(&model->arena, count, sizeof(*list));
	if (count > 0) {
		qsort(findings.list.items, count, sizeof(*list), compare);
		memcpy(list, findings.list.items, count * sizeof(*list));
	}
	model->findings = list;
	model->finding_count = count;
	vec_deinit(&findings.list);
	free((void *)findings.by_section);
	free((void *)findings.codeuse);
}
