// SPDX-License-Identifier: Apache-2.0
// gnu-hash-introduced, gnu-hash-lost: names of a file are found by another kind of hash table, and
// the faults of looking them up there differ.
#include "advice/change/rule.h"

#include "base/figure.h"

static const uint32_t looking_up = CHANGE_BY(MODEL_SYMBOL_LOOKUP) | CHANGE_BY(MODEL_LAZY_BINDING);

static void look_at(struct changes *changes, uint32_t id)
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
					       .initiators = looking_up,
					       .sections = change_lookup_tables };
	const struct compare_figure cost = change_faults(changes, &looking);
	if (!is_alone || !change_is_worth(changes, &cost) || (cost.difference < 0) != has_gnu)
		return;
	change_add(
		changes,
		&(struct compare_finding){
			.id = has_gnu ? "gnu-hash-introduced" : "gnu-hash-lost",
			.title = change_text(changes, "%s, and looking names up in it %s",
					     has_gnu ? "It has .gnu.hash instead of .hash alone"
						     : "It has .hash alone, .gnu.hash no longer",
					     change_effect(changes, &cost)),
			.object = id,
			.where = change_where(changes, "object", id,
					      "initiator=symbol-lookup|lazy-binding"),
			.figure = cost,
			.is_cause = before->lookups_at_load == after->lookups_at_load,
			.evidence = change_text(
				changes,
				".hash %s; .gnu.hash %s. Faults of lookups on the tables of names: "
				"%s.",
				figure_size(changes->arena, other),
				figure_size(changes->arena, size[!without]),
				change_arrow(changes, &cost)),
			.advice = has_gnu ? NULL : "Link with -Wl,--hash-style=gnu.",
		});
}

void change_hashtable(struct changes *changes)
{
	for (uint32_t i = 0; i < changes->comparison->object_count; i++)
		look_at(changes, i);
}
