// SPDX-License-Identifier: Apache-2.0
// Most of what symbol lookup reads lies in one file, whose tables are large since it exports much.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "model/layout.h"
#include "model/relocation.h"

/** By index of the rule's cures. */
enum {
	CURE_LIST = 1 << 0,
	CURE_SCRIPT = 1 << 1,
	CURE_FUNCTIONS = 1 << 2,
	CURE_HIDE = 1 << 3,
};

enum { MIN_PERCENT_OF_LOOKUP = 50 };

/** Are the faults of @cost most of symbol lookup, by their own time or by their number? */
static bool is_most(const struct findings *findings, const struct model_count *cost)
{
	const struct rule_totals *totals = &findings->totals;

	return kit_is_share((double)cost->own_ns,
			    (double)totals->ns_by_initiator[MODEL_SYMBOL_LOOKUP],
			    MIN_PERCENT_OF_LOOKUP) ||
	       kit_is_share((double)cost->faults, (double)totals->by_initiator[MODEL_SYMBOL_LOOKUP],
			    MIN_PERCENT_OF_LOOKUP);
}

static void find_in(struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	const struct model_relocation *relocation = object->relocation;
	uint64_t all = findings->totals.by_initiator[MODEL_SYMBOL_LOOKUP], bytes = 0, pages = 0;
	struct arena *arena = findings->arena;
	struct model_count cost = { 0 };

	for (size_t i = 0; i < object->section_count; i++)
		model_count_add(&cost,
				&findings->by_section[object->sections[i]].by[MODEL_SYMBOL_LOOKUP]);
	if (!relocation || !rule_is_worth(findings, &cost, 0, 0) || !is_most(findings, &cost))
		return;
	struct model_count gone = cost;

	for (size_t i = 0; i < relocation->table_count; i++) {
		if (!relocation->tables[i].is_lookup) {
			// Relocations that name what is no longer exported become relative ones.
			const struct model_count reads = rule_on_section(
				findings, object, relocation->tables[i].name, MODEL_RELOCATION);

			model_count_add(&gone, &reads);
			continue;
		}
		bytes += relocation->tables[i].size;
		pages += relocation->tables[i].pages_mapped;
	}

	const struct model_relink *relink = rule_relink(object, "-Bsymbolic-functions");
	uint64_t saved = relink && relink->lookups < 0 ? (uint64_t)-relink->lookups : 0;

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = id,
			.cost = cost,
			.pages = pages,
			.gone = &gone,
			.cures = CURE_HIDE | (saved > 0 ? CURE_FUNCTIONS : 0) |
				 (object->layout && !object->layout->is_library ? CURE_LIST
										: CURE_SCRIPT),
		},
		KIT_VALUES({ "functions", kit_plural(arena, saved, "lookup") },
			   { "size", figure_size(arena, bytes) },
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
		{ MODEL_FOR_LINK, "Export only what plugins need: `-Wl,--dynamic-list=FILE` with these "
				  "names, instead of `-rdynamic`.",
		  "of a program" },
		{ MODEL_FOR_LINK, "Export less, by a version script: `-Wl,--version-script=FILE`.",
		  "of a library" },
		{ MODEL_FOR_LINK, "Bind its own functions at link time: `-Wl,-Bsymbolic-functions` "
				  "saves {functions}.",
		  "of a library that calls itself by name" },
		{ MODEL_FOR_BUILD, "Export less: `-fvisibility=hidden`." },
	},
	.about = "Most of what symbol lookup reads lies in one file, which exports much: a name "
		 "that another file defines is searched in the program's own tables first.",
	.when = "Reported for an object when symbol-lookup faults on it reach the threshold and "
		"are at least half of all symbol-lookup faults, by number or by own time.",
	.limits = "Which of the exported names are needed is not known.",
	.where = "object={object},initiator=symbol-lookup",
	.saves_storage = true,
	.needs_all_faults = true,
	.relinks = true,
	.find_in = find_in,
};
