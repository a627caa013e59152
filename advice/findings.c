// SPDX-License-Identifier: Apache-2.0
// Tries every rule and puts what they found in order.
#include "advice/findings.h"

#include "advice/trace/rule.h"
#include "derive/codeuse.h"

#include <stdlib.h>

static void sum_up(struct findings *findings)
{
	const struct model *model = findings->model;
	struct rule_section *sections = xcalloc(model->section_count + 1, sizeof(*sections));

	array_foreach (fault, model->faults, model->fault_count) {
		findings->totals.by_initiator[fault->initiator]++;
		findings->totals.ns_by_initiator[fault->initiator] += model_fault_own(fault);
		findings->totals.by_mechanism[fault->mechanism]++;
		if (fault->at.section != MODEL_NONE)
			model_count_fault(&sections[fault->at.section].by[fault->initiator], fault);
	}
	findings->by_section = sections;
	// Who runs a file's code shows in faults on other files.
	if (!findings->is_partial)
		findings->codeuse = codeuse_find(model);
}

static void try_rule(struct findings *findings, const struct rule *rule)
{
	findings->rule = rule;
	if (rule->needs_all_faults && findings->is_partial)
		return;
	if (rule->find)
		rule->find(findings);
	for (size_t i = 0; rule->find_in && i < findings->model->shown_count; i++)
		rule->find_in(findings, findings->model->shown[i]);
}

void findings_find_apart(struct model *model)
{
	struct findings findings = {
		.model = model,
		.arena = &model->arena,
		.page_size = model_page_size(model),
		.is_partial = model->is_narrowed || model->filter,
	};

	sum_up(&findings);
	for (const struct rule *const *rule = trace_rules; *rule; rule++)
		try_rule(&findings, *rule);

	model->findings = vec_keep_counted(&findings.list, &model->arena, &model->finding_count);
	free((void *)findings.by_section);
	free((void *)findings.codeuse);
}

static bool is_shown(const struct model *model, uint32_t object)
{
	for (size_t i = 0; i < model->shown_count; i++)
		if (model->shown[i] == object)
			return true;
	return false;
}

void findings_narrow(struct model *model)
{
	struct model_finding *kept =
		arena_array(&model->arena, model->finding_count, sizeof(*kept));
	size_t count = 0;

	array_foreach (finding, model->findings, model->finding_count)
		if (is_shown(model, finding->object))
			kept[count++] = *finding;
	model->findings = kept;
	model->finding_count = count;
	model->findings_are_whole = true;
}

void findings_find(struct model *model)
{
	findings_find_apart(model);
	findings_join(model);
}
