// SPDX-License-Identifier: Apache-2.0
// fixed-address, any-address: a program is linked without or with relative relocations of its own.
// relocated-pages: a file has relocations on another number of pages, and relocation faults on
// another number of them.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

static uint64_t all_relocations(const struct compare_layout *layout)
{
	uint64_t sum = 0;

	for (int i = 0; i < MODEL_RELOCATION_CLASSES; i++)
		sum += layout->relocations[i];
	return sum;
}

/** The classes whose number changed: "relative 12,000 -> 9,600, symbolic 3 -> 0". */
static const char *describe_classes(struct changes *changes, const struct compare_layout *before,
				    const struct compare_layout *after)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (int i = 0; i < MODEL_RELOCATION_CLASSES; i++) {
		if (before->relocations[i] == after->relocations[i])
			continue;
		strbuf_printf(&text, "%s%s %s -> %s", text.length > 0 ? ", " : "",
			      model_relocation_class_name((enum model_relocation_class)i),
			      figure_number(changes->arena, before->relocations[i]),
			      figure_number(changes->arena, after->relocations[i]));
	}
	return text.length > 0 ? arena_strdup(changes->arena, strbuf_text(&text)) : NULL;
}

/** The program's address was made fixed, or free. */
static bool add_fixed(struct changes *changes, uint32_t id, const struct compare_layout *before,
		      const struct compare_layout *after)
{
	const struct change_choice relocating = { .object = id,
						  .initiators = CHANGE_BY(MODEL_RELOCATION) };
	const struct compare_figure cost = change_faults(changes, &relocating);

	if (before->is_fixed == after->is_fixed || before->is_library || after->is_library)
		return false;
	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != after->is_fixed)
		return false;
	change_add(
		changes,
		&(struct compare_finding){
			.id = after->is_fixed ? "fixed-address" : "any-address",
			.title = change_text(
				changes,
				after->is_fixed ? "Linked at a fixed address (-no-pie) it needs no "
						  "relative "
						  "relocations, which %s of relocation"
						: "Linked for any address (-pie) it has relative "
						  "relocations, which %s of relocation",
				change_effect(changes, &cost)),
			.object = id,
			.where = change_where(changes, "object", id, "initiator=relocation"),
			.figure = cost,
			.is_cause = true,
			.evidence =
				change_text(changes,
					    "Relocations: %s; pages that hold a relocated slot %s "
					    "-> %s. Faults "
					    "of relocation: %s.",
					    describe_classes(changes, before, after),
					    figure_number(changes->arena, before->pages_holding),
					    figure_number(changes->arena, after->pages_holding),
					    change_arrow(changes, &cost)),
			.advice = after->is_fixed
					  ? NULL
					  : "-no-pie takes them away, and with them the random "
					    "address that protects the program; fewer pointers in "
					    "constant data keep both.",
		});
	return true;
}

static void look_at(struct changes *changes, uint32_t id)
{
	const struct compare_layout *before, *after;
	const char *classes;

	if (!change_layouts(&changes->comparison->objects[id], &before, &after) ||
	    !(classes = describe_classes(changes, before, after)) ||
	    add_fixed(changes, id, before, after) || before->pages_holding == after->pages_holding)
		return;
	const struct change_choice writing = { .object = id,
					       .initiators = CHANGE_BY(MODEL_RELOCATION),
					       .sections = change_relocation_tables,
					       .outside = true };
	const struct compare_figure cost = change_faults(changes, &writing);
	bool is_less = after->pages_holding < before->pages_holding;

	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != is_less)
		return;
	change_add(
		changes,
		&(struct compare_finding){
			.id = "relocated-pages",
			.title = change_text(
				changes,
				"Its relocations lie on %s pages instead of %s, and %s of "
				"relocation %s there",
				figure_number(changes->arena, after->pages_holding),
				figure_number(changes->arena, before->pages_holding),
				change_count(changes, &cost), is_less ? "are gone" : "are new"),
			.object = id,
			.where = change_where(
				changes, "object", id,
				"initiator=relocation,section!=.rel.dyn|.rela.dyn|.relr.dyn|"
				".rel.plt|.rela.plt"),
			.figure = cost,
			.is_cause = true,
			.evidence = change_text(
				changes,
				"Relocations: %s -> %s (%s). Faults of relocation outside its "
				"tables: %s.",
				figure_number(changes->arena, all_relocations(before)),
				figure_number(changes->arena, all_relocations(after)), classes,
				change_arrow(changes, &cost)),
			.advice = is_less ? NULL
					  : "Have fewer pointers in constant data: tables of "
					    "offsets into one string, fewer virtual classes, "
					    "-fno-rtti where it is not used, -fdata-sections with "
					    "-Wl,--gc-sections. elfault map shows where they lie.",
		});
}

void change_relocations(struct changes *changes)
{
	for (uint32_t i = 0; i < changes->comparison->object_count; i++)
		look_at(changes, i);
}
