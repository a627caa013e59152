// SPDX-License-Identifier: Apache-2.0
// relr-introduced, relr-lost: the relative relocations of a file moved into or out of .relr.dyn,
// and the faults of reading relocation tables differ.
#include "advice/change/rule.h"

#include "base/figure.h"

static void look_at(struct changes *changes, uint32_t id)
{
	const struct compare_layout *before, *after;

	if (!change_layouts(&changes->comparison->objects[id], &before, &after) ||
	    !before->has_relocation || !after->has_relocation ||
	    before->uses_relr == after->uses_relr)
		return;
	bool is_new = after->uses_relr;
	const struct change_choice reading = { .object = id,
					       .initiators = CHANGE_BY(MODEL_RELOCATION),
					       .sections = change_relocation_tables };
	const struct change_choice writing = { .object = id,
					       .initiators = CHANGE_BY(MODEL_RELOCATION),
					       .sections = change_relocation_tables,
					       .outside = true };
	const struct compare_figure cost = change_faults(changes, &reading);
	const struct compare_figure written = change_faults(changes, &writing);
	uint64_t was = before->relocations[MODEL_RELOCATION_RELATIVE];
	uint64_t is = after->relocations[MODEL_RELOCATION_RELATIVE];

	// Tables may be smaller or larger for other reasons, too.
	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != is_new ||
	    (after->table_bytes < before->table_bytes) != is_new)
		return;
	change_add(
		changes,
		&(struct compare_finding){
			.id = is_new ? "relr-introduced" : "relr-lost",
			.title = change_text(
				changes, "%s and %s that read relocation tables%s",
				is_new ? "RELR makes the relocation tables small"
				       : "Without RELR the relocation tables are large",
				change_effect(changes, &cost),
				change_unchanged(changes, "writing relocated pages", &written)),
			.object = id,
			.where = change_where(
				changes, "object", id,
				"initiator=relocation,section=.rel.dyn|.rela.dyn|.relr.dyn|"
				".rel.plt|.rela.plt"),
			.figure = cost,
			.is_cause = was == is,
			.evidence = change_text(
				changes,
				"Relocation tables: %s, with %s relative relocations%s. Faults of "
				"relocation on them: %s.",
				change_sizes(changes, before->table_bytes, after->table_bytes),
				figure_number(changes->arena, was),
				was == is ? " on both sides"
					  : change_text(changes, " before and %s after",
							figure_number(changes->arena, is)),
				change_arrow(changes, &cost)),
			.advice = is_new ? NULL
					 : "Link with -Wl,-z,pack-relative-relocs again (GNU ld "
					   "2.38 for x86, lld 15, mold 2.1; the result needs glibc "
					   "2.36).",
		});
}

void change_relr(struct changes *changes)
{
	for (uint32_t i = 0; i < changes->comparison->object_count; i++)
		look_at(changes, i);
}
