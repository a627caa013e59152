// SPDX-License-Identifier: Apache-2.0
// Names of a file are found by another kind of hash table.
#include "advice/change/rule.h"

#include "base/figure.h"

enum { INTRODUCED, LOST };

static void find_in(struct changes *changes, uint32_t id)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	const struct compare_layout *before, *after;
	uint64_t size[COMPARE_SIDES], other;
	bool had_gnu, has_gnu, is_alone;

	if (!change_layouts(object, &before, &after))
		return;
	had_gnu = change_section_size(object, ".gnu.hash", COMPARE_BEFORE, &size[COMPARE_BEFORE]);
	has_gnu = change_section_size(object, ".gnu.hash", COMPARE_AFTER, &size[COMPARE_AFTER]);
	if (had_gnu == has_gnu)
		return;
	// Without .gnu.hash only .hash is left; a file without either exports nothing.
	enum compare_side without = had_gnu ? COMPARE_AFTER : COMPARE_BEFORE;
	is_alone = change_section_size(object, ".hash", without, &other);
	const struct change_choice looking = { .object = id,
					       .initiators = CHANGE_BY(MODEL_SYMBOL_LOOKUP) |
							     CHANGE_BY(MODEL_LAZY_BINDING),
					       .sections = change_lookup_tables };
	const struct compare_figure cost = change_cost(changes, &looking);
	if (!is_alone || !change_is_worth(changes, &cost) || (cost.difference < 0) != has_gnu)
		return;
	change_add(changes, has_gnu ? INTRODUCED : LOST,
		   &(struct compare_finding){ .object = id,
					      .figure = cost,
					      .is_cause = before->lookups_at_load ==
							  after->lookups_at_load },
		   KIT_VALUES({ "effect", change_effect(changes, &cost) },
			      { "hash", figure_size(changes->arena, other) },
			      { "gnu_hash", figure_size(changes->arena, size[!without]) },
			      { "faults", change_arrow(changes, &cost) }));
}

#define EVIDENCE ".hash {hash}; .gnu.hash {gnu_hash}. Lookup faults on the name tables: {faults}."

const struct change_rule change_hashtable = {
	.prose = {
		[INTRODUCED] = {
			.id = "gnu-hash-introduced",
			.title = "It has .gnu.hash instead of only .hash, which {effect} in "
				 "looking up names in it",
			.evidence = EVIDENCE,
		},
		[LOST] = {
			.id = "gnu-hash-lost",
			.title = "It has only .hash and no longer .gnu.hash, which {effect} in "
				 "looking up names in it",
			.evidence = EVIDENCE,
			.fix = "Link with `-Wl,--hash-style=gnu`.",
		},
	},
	.counts = "lookup faults on the name tables of a file",
	.shown_by = "`.gnu.hash` on one side, only `.hash` on the other",
	.cause = "if as many names are looked up",
	.where = "object={object},initiator=symbol-lookup|lazy-binding",
	.find_in = find_in,
};
