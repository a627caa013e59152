// SPDX-License-Identifier: Apache-2.0
// The relative relocations of a file moved into or out of .relr.dyn.
#include "advice/change/rule.h"

#include "base/figure.h"

enum { INTRODUCED, LOST };

static const char *describe_relative(struct changes *changes, uint64_t was, uint64_t is)
{
	const char *before = figure_number(changes->arena, was);

	if (was == is)
		return arena_printf(changes->arena, "%s relative relocations on both sides",
				    before);
	return arena_printf(changes->arena, "%s relative relocations before and %s after", before,
			    figure_number(changes->arena, is));
}

static void find_in(struct changes *changes, uint32_t id)
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
	const struct compare_figure cost = change_cost(changes, &reading);
	const struct compare_figure written = change_figure(changes, &writing, cost.metric);
	uint64_t was = before->relocations[MODEL_RELOCATION_RELATIVE];
	uint64_t is = after->relocations[MODEL_RELOCATION_RELATIVE];

	// The tables may have become smaller or larger for other reasons.
	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != is_new ||
	    (after->table_bytes < before->table_bytes) != is_new)
		return;
	change_add(changes, is_new ? INTRODUCED : LOST,
		   &(struct compare_finding){ .object = id, .figure = cost, .is_cause = was == is },
		   KIT_VALUES({ "effect", change_effect(changes, &cost) },
			      { "unchanged",
				change_unchanged(changes, "writing relocated pages", &written) },
			      { "tables",
				change_sizes(changes, before->table_bytes, after->table_bytes) },
			      { "relative", describe_relative(changes, was, is) },
			      { "faults", change_arrow(changes, &cost) }));
}

#define EVIDENCE \
	"Relocation tables: {tables}, with {relative}. Relocation faults on them: {faults}."

const struct change_rule change_relr = {
	.prose = {
		[INTRODUCED] = {
			.id = "relr-introduced",
			.title = "RELR shrank the relocation tables and {effect} in reading "
				 "them{unchanged}",
			.evidence = EVIDENCE,
		},
		[LOST] = {
			.id = "relr-lost",
			.title = "Without RELR the relocation tables grew and {effect} in reading "
				 "them{unchanged}",
			.evidence = EVIDENCE,
			.fix = "Link with `-Wl,-z,pack-relative-relocs` again (GNU ld 2.38 on x86, "
			       "lld 15, mold 2.1; the result needs glibc 2.36).",
		},
	},
	.counts = "relocation faults on the relocation tables of a file",
	.shown_by = "`.relr.dyn` on one side, and smaller tables there",
	.cause = "if both sides have as many relative relocations",
	.where = ""
		 "object={object},initiator=relocation,section=.rel.dyn|.rela.dyn|.relr.dyn|.rel.plt|.rela.plt",
	.find_in = find_in,
};
