// SPDX-License-Identifier: Apache-2.0
// A program is linked without or with relative relocations of its own, or a file has relocations on
// another number of pages, and relocation faults on another number of them.
#include "advice/change/rule.h"

#include "base/figure.h"

enum { FIXED, ANY, FEWER_PAGES, MORE_PAGES };

/** The classes whose number changed: "relative 12,000 -> 9,600, symbolic 3 -> 0". */
static const char *describe_classes(struct changes *changes, const struct compare_layout *before,
				    const struct compare_layout *after)
{
	struct arena *arena = changes->arena;
	const char *list = NULL;

	for (int i = 0; i < MODEL_RELOCATION_CLASSES; i++) {
		uint64_t was = before->relocations[i], is = after->relocations[i];

		if (was != is)
			list = kit_append(
				arena, list, ", ",
				arena_printf(
					arena, "%s %s -> %s",
					model_relocation_class_name((enum model_relocation_class)i),
					figure_number(arena, was), figure_number(arena, is)));
	}
	return list;
}

/** The program's address was made fixed, or free. */
static bool add_fixed(struct changes *changes, uint32_t id, const struct compare_layout *before,
		      const struct compare_layout *after)
{
	const struct change_choice relocating = { .object = id,
						  .initiators = CHANGE_BY(MODEL_RELOCATION) };
	const struct compare_figure cost = change_cost(changes, &relocating);
	struct arena *arena = changes->arena;

	if (before->is_fixed == after->is_fixed || before->is_library || after->is_library)
		return false;
	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != after->is_fixed)
		return false;
	change_add(changes, after->is_fixed ? FIXED : ANY,
		   &(struct compare_finding){ .object = id,
					      .where = "object={object},initiator=relocation",
					      .figure = cost,
					      .is_cause = true },
		   KIT_VALUES({ "effect", change_effect(changes, &cost) },
			      { "classes", describe_classes(changes, before, after) },
			      { "was", figure_number(arena, before->pages_holding) },
			      { "is", figure_number(arena, after->pages_holding) },
			      { "faults", change_arrow(changes, &cost) }));
	return true;
}

static void find_in(struct changes *changes, uint32_t id)
{
	const struct compare_layout *before, *after;
	struct arena *arena = changes->arena;
	const char *classes;

	if (!change_layouts(&changes->comparison->objects[id], &before, &after) ||
	    !(classes = describe_classes(changes, before, after)) ||
	    add_fixed(changes, id, before, after) || before->pages_holding == after->pages_holding)
		return;
	const struct change_choice writing = { .object = id,
					       .initiators = CHANGE_BY(MODEL_RELOCATION),
					       .sections = change_relocation_tables,
					       .outside = true };
	const struct compare_figure cost = change_cost(changes, &writing);
	bool is_less = after->pages_holding < before->pages_holding;

	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != is_less)
		return;
	change_add(
		changes, is_less ? FEWER_PAGES : MORE_PAGES,
		&(struct compare_finding){
			.object = id,
			.where = "object={object},initiator=relocation,section!=.rel.dyn|.rela."
				 "dyn|.relr.dyn|.rel.plt|.rela.plt",
			.figure = cost,
			.is_cause = true },
		KIT_VALUES({ "was", figure_number(arena, before->pages_holding) },
			   { "is", figure_number(arena, after->pages_holding) },
			   { "effect", change_effect(changes, &cost) },
			   { "before", figure_number(arena, compare_layout_relocations(before)) },
			   { "after", figure_number(arena, compare_layout_relocations(after)) },
			   { "classes", classes }, { "faults", change_arrow(changes, &cost) }));
}

#define ADDRESS_EVIDENCE                                                                       \
	"Relocations: {classes}; pages that hold a relocated slot: {was} -> {is}. Relocation " \
	"faults: {faults}."
#define PAGES_TITLE \
	"Its relocations lie on {is} pages instead of {was}, which {effect} in relocation there"
#define PAGES_EVIDENCE                                                                         \
	"Relocations: {before} -> {after} ({classes}). Relocation faults outside its tables: " \
	"{faults}."

const struct change_rule change_relocations = {
	.prose = {
		[FIXED] = {
			.id = "fixed-address",
			.title = "Linked at a fixed address (-no-pie) it needs no relative "
				 "relocations, which {effect} in relocation",
			.evidence = ADDRESS_EVIDENCE,
		},
		[ANY] = {
			.id = "any-address",
			.title = "Linked for any address (-pie) it has relative relocations, which "
				 "{effect} in relocation",
			.evidence = ADDRESS_EVIDENCE,
			.fix = "Reduce the number of pointers in constant data, which keeps the "
			       "random address that protects the program. `-no-pie` removes the "
			       "relocations, and that protection with them.",
		},
		[FEWER_PAGES] = {
			.id = "relocated-pages",
			.title = PAGES_TITLE,
			.evidence = PAGES_EVIDENCE,
		},
		[MORE_PAGES] = {
			.id = "relocated-pages",
			.title = PAGES_TITLE,
			.evidence = PAGES_EVIDENCE,
			.fix = "Reduce the number of pointers in constant data: use tables of "
			       "offsets into one string, fewer virtual classes, `-fno-rtti` where "
			       "RTTI is unused, and `-fdata-sections` with `-Wl,--gc-sections`. "
			       "`elfault map` shows where they lie.",
		},
	},
	.counts = "relocation faults on a program; `relocated-pages`: those of a file outside its "
		  "relocation tables",
	.shown_by = "a fixed address (`-no-pie`) on one side; `relocated-pages`: another number of "
		    "relocations and of pages that hold them",
	.cause = "yes",
	.find_in = find_in,
};
