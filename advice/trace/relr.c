// SPDX-License-Identifier: Apache-2.0
// Relocation tables are read page by page at every start, although RELR would make them small.
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

/** The tables of relocations, without those that only lookups read. */
struct tables {
	struct model_count cost;
	uint64_t mapped, bytes;
};

static struct tables sum_up(const struct findings *findings, const struct model_object *object)
{
	struct tables sum = { 0 };

	array_foreach (table, object->relocation->tables, object->relocation->table_count) {
		struct model_count count =
			rule_on_section(findings, object, table->name, MODEL_RELOCATION);

		if (table->is_lookup)
			continue;
		model_count_add(&sum.cost, &count);
		sum.mapped += table->pages_mapped;
		sum.bytes += table->size;
	}
	return sum;
}

static void find_in(struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	const struct model_relocation *relocation = object->relocation;
	const struct model_relink *relink = relocation ? find_relr(relocation) : NULL;
	struct arena *arena = findings->arena;

	if (!relink || !relink->applies || relink->table_bytes >= 0 || relocation->uses_relr)
		return;
	const struct tables tables = sum_up(findings, object);
	uint64_t saved = (uint64_t)-relink->table_bytes;
	if (saved > tables.bytes)
		saved = tables.bytes;
	if (!rule_is_worth(findings, &tables.cost, 0, 0) ||
	    !kit_is_share((double)saved, (double)tables.bytes, MIN_PERCENT_SAVED))
		return;

	uint64_t relocations = 0;
	for (size_t i = 0; i < MODEL_RELOCATION_CLASSES; i++)
		relocations += relocation->counts[i];
	// Rounded down: part of a page is still a page.
	rule_add(findings, id, &tables.cost, tables.mapped,
		 (uint64_t)((double)tables.cost.faults * (double)saved / (double)tables.bytes),
		 KIT_VALUES({ "relative",
			      figure_number(arena, relocation->counts[MODEL_RELOCATION_RELATIVE]) },
			    { "relocations", kit_plural(arena, relocations, "relocation") },
			    { "bytes", figure_size(arena, tables.bytes) },
			    { "pages", kit_plural(arena, tables.mapped, "page") },
			    { "packed", figure_size(arena, tables.bytes - saved) }));
}

const struct rule rule_relr = {
	.prose = {
		.id = "relative-relocations-without-relr",
		.title = "Relative relocations without RELR",
		.evidence = "{relative} of its {relocations} are relative. The tables take "
			    "{bytes}, of which {pages} were mapped; with RELR they would take "
			    "{packed}.",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Link with `-Wl,-z,pack-relative-relocs` (GNU ld 2.38 on x86, lld 15, mold 2.1); it then needs glibc 2.36 or newer." },
	},
	.about = "An object has relative relocations (addresses within itself: vtables, tables of "
		 "pointers) in `.rela.dyn`, at 24 bytes each on 64-bit machines. RELR encodes them "
		 "as an address and bitmaps, in a hundredth of the space.",
	.when = "Reported for an object when relocation faults on the tables reach the threshold "
		"and RELR would "
		"save at least half of their bytes.",
	.details = "The linker adds a dependency on `GLIBC_ABI_DT_RELR`, so that an older glibc "
		   "refuses the file with a message. musl reads RELR since 1.2.4. "
		   "`-Wl,--pack-dyn-relocs=relr`, which lld has supported for longer, omits that "
		   "dependency; glibc refuses such a file if it uses libc.so. Static PIE and musl "
		   "accept it. The saving is the share of the faults on the tables that RELR takes "
		   "off their bytes.",
	.limits = "The number of pages that relocation writes does not change.",
	.where = "object={object},initiator=relocation,section=.rel*",
	.saves_storage = true,
	.relinks = true,
	.error_percent = 3, // ld.lld 19 as a static PIE: 115 predicted, 118 saved
	.find_in = find_in,
};
