// SPDX-License-Identifier: Apache-2.0
// Most of what symbol lookup reads lies in one file, whose tables are large since it exports much.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "model/relocation.h"

enum { MIN_PERCENT_OF_LOOKUP = 50 };

static void find_in(struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	const struct model_relocation *relocation = object->relocation;
	uint64_t all = findings->totals.by_initiator[MODEL_SYMBOL_LOOKUP], bytes = 0, pages = 0;
	struct arena *arena = findings->arena;
	struct model_count cost = { 0 };

	for (size_t i = 0; i < object->section_count; i++)
		rule_sum(&cost, &findings->by_section[object->sections[i]].by[MODEL_SYMBOL_LOOKUP]);
	if (!relocation || !rule_is_worth(findings, cost.faults) ||
	    !kit_is_share((double)cost.faults, (double)all, MIN_PERCENT_OF_LOOKUP))
		return;
	for (size_t i = 0; i < relocation->table_count; i++) {
		if (!relocation->tables[i].is_lookup)
			continue;
		bytes += relocation->tables[i].size;
		pages += relocation->tables[i].pages_mapped;
	}
	rule_add(findings, id, &cost, pages, cost.faults,
		 KIT_VALUES({ "size", figure_size(arena, bytes) },
			    { "pages", kit_plural(arena, pages, "page") },
			    { "here", figure_number(arena, cost.faults) },
			    { "all", kit_plural(arena, all, "symbol-lookup fault") },
			    { "names", kit_plural(arena, relocation->lookups_at_load, "name") }));
}

const struct rule rule_symboltables = {
	.prose = {
		.id = "large-symbol-tables",
		.title = "Names are looked up in large tables",
		.evidence = "Its dynamic symbol tables take {size}, of which {pages} were mapped. "
			    "{here} of the {all} are on this file; loading it looks up {names}.",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Export less: a version script (`-Wl,--version-script=FILE`); for a program, `-Wl,--dynamic-list=FILE` instead of `-rdynamic`. In a library, `-Wl,-Bsymbolic-functions` saves the lookups of its own functions." },
		{ MODEL_FOR_BUILD, "Export less: `-fvisibility=hidden`." },
	},
	.about = "Most of what symbol lookup reads lies in one file, which exports much: a name "
		 "that another file defines is searched in the program's own tables first.",
	.when = "Reported for an object when symbol-lookup faults on it reach the threshold and "
		"are at least half of all symbol-lookup faults.",
	.details = "A program with plugins can list the names they need in "
		   "`-Wl,--dynamic-list=FILE`.",
	.limits = "Which of the exported names are needed is not known.",
	.where = "object={object},initiator=symbol-lookup",
	.saves_storage = true,
	.needs_all_faults = true,
	.find_in = find_in,
};
