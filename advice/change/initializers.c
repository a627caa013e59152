// SPDX-License-Identifier: Apache-2.0
// A file has another number of functions that run before main, and the faults inside them differ.
//
// That link-time optimisation merged them is shown by what it calls the function that it made.
#include "advice/change/rule.h"

#include "base/figure.h"

enum { MERGED, SPLIT, FEWER, MORE };
enum { NAMED = 3 };

/** The sections on which the faults of initializers differ most. */
static const char *describe_sections(struct changes *changes, uint32_t object)
{
	const struct comparison *comparison = changes->comparison;
	struct arena *arena = changes->arena;
	const char *list = NULL;
	size_t named = 0;

	// Rows are in order of their differences.
	for (size_t i = 0; i < comparison->row_count[COMPARE_BY_CAUSE] && named < NAMED; i++) {
		const struct compare_row *row = &comparison->rows[COMPARE_BY_CAUSE][i];
		const struct compare_figure *figure = &row->figures[COMPARE_FAULTS];

		if (row->object != object || row->initiator != MODEL_STATIC_INIT || !row->name ||
		    !change_is_believed(figure))
			continue;
		list = kit_append(
			arena, list, ", ",
			arena_printf(arena, "%s %s", row->name, change_arrow(changes, figure)));
		named++;
	}
	return list ? arena_printf(arena, " By section: %s.", list) : "";
}

/** How many went into those that LTO made: "12 of 14 initializers", "103 initializers". */
static const char *merged(struct changes *changes, const struct compare_layout *before,
			  const struct compare_layout *after)
{
	// What it did not make is what it left alone.
	uint64_t left_alone = after->initializers - after->merged_initializers;
	const char *all = kit_plural(changes->arena, before->initializers, "initializer");

	if (left_alone == 0 || left_alone >= before->initializers)
		return all;
	return arena_printf(changes->arena, "%s of %s",
			    figure_number(changes->arena, before->initializers - left_alone), all);
}

static unsigned outcome(const struct compare_layout *before, const struct compare_layout *after)
{
	if (after->initializers < before->initializers)
		return after->merged_initializers > before->merged_initializers ? MERGED : FEWER;
	return after->merged_initializers < before->merged_initializers ? SPLIT : MORE;
}

static void find_in(struct changes *changes, uint32_t id)
{
	const struct compare_layout *before, *after;
	struct arena *arena = changes->arena;

	if (!change_layouts(&changes->comparison->objects[id], &before, &after) ||
	    before->initializers == after->initializers)
		return;
	const struct change_choice starting = { .object = id,
						.initiators = CHANGE_BY(MODEL_STATIC_INIT) };
	const struct compare_figure cost = change_cost(changes, &starting);
	if (!change_is_worth(changes, &cost))
		return;

	const struct change_choice relocating = { .object = id,
						  .initiators = CHANGE_BY(MODEL_RELOCATION) };
	const struct compare_figure relocation = change_figure(changes, &relocating, cost.metric);
	unsigned prose = outcome(before, after);
	change_add(changes, prose,
		   &(struct compare_finding){ .object = id,
					      .figure = cost,
					      .is_cause = prose == MERGED || prose == SPLIT },
		   KIT_VALUES({ "was", kit_plural(arena, before->initializers, "initializer") },
			      { "before", figure_number(arena, before->initializers) },
			      { "after", figure_number(arena, after->initializers) },
			      { "merged", merged(changes, before, after) },
			      { "into", figure_number(arena, after->merged_initializers) },
			      { "effect", change_effect(changes, &cost) },
			      { "difference", change_fewer(changes, &cost) },
			      { "unchanged", change_unchanged(changes, "relocation", &relocation) },
			      { "faults", change_arrow(changes, &cost) },
			      { "sections", describe_sections(changes, id) }));
}

#define EVIDENCE "static-init faults on it: {faults}.{sections}"
#define FIX                                                                                        \
	"Make these objects `constinit` or `constexpr`, or construct them on first use (a static " \
	"variable inside a function); clang's `-Wglobal-constructors` finds them. `elfault "       \
	"analyze --initializers` lists the cost of each."

const struct change_rule change_initializers = {
	.prose = {
		[MERGED] = {
			.id = "initializers-merged",
			.title = "LTO merged {merged} into {into} and {effect} in "
				 "static-init{unchanged}",
			.evidence = EVIDENCE,
			.fix = FIX,
		},
		[SPLIT] = {
			.id = "initializers-split",
			.title = "LTO no longer merges initializers: {after} instead of {before}, "
				 "and {difference} in static-init{unchanged}",
			.evidence = EVIDENCE,
			.fix = "Compile and link with `-flto` again (gcc): it merges initializers "
			       "into few functions.",
		},
		[FEWER] = {
			.id = "fewer-initializers",
			.title = "{was} -> {after}, and {difference} in static-init{unchanged}",
			.evidence = EVIDENCE,
			.fix = FIX,
		},
		[MORE] = {
			.id = "more-initializers",
			.title = "{was} -> {after}, and {difference} in static-init{unchanged}",
			.evidence = EVIDENCE,
			.fix = FIX,
		},
	},
	.counts = "static-init faults on a file",
	.shown_by = "another number of initializers; `initializers-merged` (`initializers-split`) "
		    "if there are fewer (more) and some (none) of them were made by LTO: GCC calls "
		    "them `_sub_I_65535_0`, or their DWARF names several sources",
	.cause = "`initializers-merged`, `initializers-split`: yes; the others: no",
	.where = "object={object},initiator=static-init",
	.find_in = find_in,
};
