// SPDX-License-Identifier: Apache-2.0
// large-symbol-tables: most of what symbol lookup reads lies in one file, whose tables are large
// because it exports much.
//
// Speaks for an object when symbol lookup's faults on it are worth a finding and at least half of
// all that symbol lookup caused. With faults left out that half is not known: then it is silent.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "model/relocation.h"

enum { MIN_PERCENT_OF_LOOKUP = 50 };

static void look_at(struct findings *findings, uint32_t id, uint64_t all)
{
	const struct model *model = findings->model;
	const struct model_object *object = &model->objects[id];
	const struct model_relocation *relocation = object->relocation;
	uint64_t bytes = 0, pages = 0;
	struct model_count cost = { 0 };

	for (size_t i = 0; i < object->section_count; i++)
		rule_sum(&cost, &findings->by_section[object->sections[i]].by[MODEL_SYMBOL_LOOKUP]);
	if (!relocation || !rule_is_worth(findings, cost.faults) ||
	    !rule_is_share(cost.faults, all, MIN_PERCENT_OF_LOOKUP))
		return;
	for (size_t i = 0; i < relocation->table_count; i++) {
		if (!relocation->tables[i].is_lookup)
			continue;
		bytes += relocation->tables[i].size;
		pages += relocation->tables[i].pages_mapped;
	}
	rule_add(findings,
		 &(struct model_finding){
			 .id = "large-symbol-tables",
			 .where = rule_where(findings, "object", id, "initiator=symbol-lookup"),
			 .title = "Names are looked up in large tables",
			 .object = id,
			 .faults = cost.faults,
			 .pages = pages,
			 .duration_ns = cost.duration_ns,
			 .saves_faults = cost.faults,
			 .evidence = rule_text(findings,
					       "Its tables of dynamic symbols take %s, of which %s "
					       "were mapped. %s "
					       "of the %s of symbol lookup are on this file; "
					       "loading it looks up %s.",
					       figure_size(findings->arena, bytes),
					       rule_plural(findings, pages, "page", "pages"),
					       rule_number(findings, cost.faults),
					       rule_plural(findings, all, "fault", "faults"),
					       rule_plural(findings, relocation->lookups_at_load,
							   "name", "names")),
			 .advice =
				 "Export less: -fvisibility=hidden, or a version script "
				 "(-Wl,--version-script); for a program -Wl,--dynamic-list instead "
				 "of -rdynamic. In a library -Wl,-Bsymbolic-functions spares the "
				 "lookups of its own functions.",
		 });
}

void rule_symboltables(struct findings *findings)
{
	if (findings->is_partial)
		return;
	for (size_t i = 0; i < findings->model->shown_count; i++)
		look_at(findings, findings->model->shown[i],
			findings->totals.by_initiator[MODEL_SYMBOL_LOOKUP]);
}
