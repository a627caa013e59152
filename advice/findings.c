// SPDX-License-Identifier: Apache-2.0
// Tries every rule and puts what they found in order.
#include "advice/findings.h"

#include "base/order.h"
#include "advice/rules.h"
#include "advice/trace/rule.h"
#include "derive/codeuse.h"

#include <stdlib.h>
#include <string.h>

#define DECLARE(name) extern const struct rule rule_##name;
#define ADDRESS(name) &rule_##name,
TRACE_RULES(DECLARE)
const struct rule *const trace_rules[] = { TRACE_RULES(ADDRESS) NULL };

static void sum_up(struct findings *findings)
{
	const struct model *model = findings->model;
	struct rule_section *sections = xcalloc(model->section_count + 1, sizeof(*sections));

	array_foreach (fault, model->faults, model->fault_count) {
		findings->totals.by_initiator[fault->initiator]++;
		findings->totals.by_mechanism[fault->mechanism]++;
		findings->totals.in_initializers += fault->initializer != MODEL_NONE;
		if (fault->at.section != MODEL_NONE)
			model_count_fault(&sections[fault->at.section].by[fault->initiator], fault);
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

	return ORDER(y->duration_ns, x->duration_ns) ?: ORDER(y->faults, x->faults) ?:
	       strcmp(x->id, y->id) ?: ORDER(x->object, y->object);
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

void findings_find(struct model *model)
{
	struct findings findings = {
		.model = model,
		.arena = &model->arena,
		.page_size = model->trace.page_size > 0 ? model->trace.page_size : 4096,
		.is_partial = model->is_narrowed || model->filter,
	};

	sum_up(&findings);
	for (const struct rule *const *rule = trace_rules; *rule; rule++)
		try_rule(&findings, *rule);

	model->finding_count = findings.list.count;
	model->findings = kit_sorted(&model->arena, findings.list.items, findings.list.count,
				     sizeof(*model->findings), compare);
	vec_deinit(&findings.list);
	free((void *)findings.by_section);
	free((void *)findings.codeuse);
}
