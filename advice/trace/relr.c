// SPDX-License-Identifier: Apache-2.0
// relative-relocations-without-relr: relocation tables are read page by page at every start, though
// most of their entries are relative and RELR writes those in a hundredth of the space.
//
// Speaks for an object without RELR when faults on the tables that hold its relocations are worth a
// finding, and RELR would take away at least half of the tables' bytes.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "model/relocation.h"

#include <string.h>

enum { MIN_PERCENT_SAVED = 50 };

static const struct model_relink *find_relr(const struct model_relocation *relocation)
{
	for (size_t i = 0; i < relocation->relink_count; i++)
		if (strstr(relocation->relinks[i].option, "pack-relative-relocs"))
			return &relocation->relinks[i];
	return NULL;
}

static void look_at(struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	const struct model_relocation *relocation = object->relocation;
	const struct model_relink *relink = relocation ? find_relr(relocation) : NULL;
	struct model_count cost = { 0 };
	uint64_t mapped = 0, bytes = 0;

	if (!relink || !relink->applies || relink->table_bytes >= 0 || relocation->uses_relr)
		return;
	for (size_t i = 0; i < relocation->table_count; i++) {
		const struct model_relocation_table *table = &relocation->tables[i];
		struct model_count count =
			rule_on_section(findings, object, table->name, MODEL_RELOCATION);

		if (table->is_lookup)
			continue;
		rule_sum(&cost, &count);
		mapped += table->pages_mapped;
		bytes += table->size;
	}
	uint64_t saved = (uint64_t)-relink->table_bytes;
	if (saved > bytes)
		saved = bytes;
	if (!rule_is_worth(findings, cost.faults) ||
	    !rule_is_share(saved, bytes, MIN_PERCENT_SAVED))
		return;

	uint64_t relative = relocation->counts[MODEL_RELOCATION_RELATIVE], all = 0;
	for (size_t i = 0; i < MODEL_RELOCATION_CLASSES; i++)
		all += relocation->counts[i];
	rule_add(
		findings,
		&(struct model_finding){
			.id = "relative-relocations-without-relr",
			.where = rule_where(findings, "object", id,
					    "initiator=relocation,section=.rel*"),
			.title = "Relative relocations without RELR",
			.object = id,
			.faults = cost.faults,
			.pages = mapped,
			.duration_ns = cost.duration_ns,
			// Rounded down: part of a page is still a page.
			.saves_faults =
				(uint64_t)((double)cost.faults * (double)saved / (double)bytes),
			.evidence = rule_text(
				findings,
				"%s of its %s are relative. The tables take %s, of which %s "
				"were mapped; with RELR they would take %s.",
				rule_number(findings, relative),
				rule_plural(findings, all, "relocation", "relocations"),
				figure_size(findings->arena, bytes),
				rule_plural(findings, mapped, "page", "pages"),
				figure_size(findings->arena, bytes - saved)),
			.advice =
				"Link it with -Wl,-z,pack-relative-relocs (GNU ld 2.38 on x86, lld "
				"15, mold 2.1); it then needs glibc 2.36 or newer. The pages that "
				"relocation writes stay the same.",
		});
}

void rule_relr(struct findings *findings)
{
	for (size_t i = 0; i < findings->model->shown_count; i++)
		look_at(findings, findings->model->shown[i]);
}
