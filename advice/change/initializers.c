// SPDX-License-Identifier: Apache-2.0
// initializers-merged, initializers-split, fewer-initializers, more-initializers: a file has
// another number of functions that run before main, and the faults inside them differ.
//
// That link-time optimisation merged them is shown by what it calls the function that it made.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

#include <math.h>

enum { NAMED = 3 };

/** The sections on which the faults of initializers differ most. */
static const char *describe_sections(struct changes *changes, uint32_t object)
{
	const struct comparison *comparison = changes->comparison;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	size_t named = 0;

	// Rows are in order of their differences.
	for (size_t i = 0; i < comparison->row_count[COMPARE_BY_CAUSE] && named < NAMED; i++) {
		const struct compare_row *row = &comparison->rows[COMPARE_BY_CAUSE][i];
		const struct compare_figure *figure = &row->figures[COMPARE_FAULTS];

		if (row->object != object || row->initiator != MODEL_STATIC_INIT || !row->name ||
		    !change_is_believed(figure))
			continue;
		strbuf_printf(&text, "%s%s %s", named++ > 0 ? ", " : "", row->name,
			      change_arrow(changes, figure));
	}
	return named > 0 ? change_text(changes, " By section: %s.", strbuf_text(&text)) : "";
}

static const char *plural(struct changes *changes, uint64_t count)
{
	return change_text(changes, "%s %s", figure_number(changes->arena, count),
			   count == 1 ? "initializer" : "initializers");
}

/** How many went into those that LTO made: "12 of 14 initializers", "103 initializers". */
static const char *merged(struct changes *changes, const struct compare_layout *before,
			  const struct compare_layout *after)
{
	// What it did not make is what it left alone.
	uint64_t left_alone = after->initializers - after->merged_initializers;

	if (left_alone == 0 || left_alone >= before->initializers)
		return plural(changes, before->initializers);
	return change_text(changes, "%s of %s",
			   figure_number(changes->arena, before->initializers - left_alone),
			   plural(changes, before->initializers));
}

static void look_at(struct changes *changes, uint32_t id)
{
	const struct compare_layout *before, *after;

	if (!change_layouts(&changes->comparison->objects[id], &before, &after) ||
	    before->initializers == after->initializers)
		return;
	const struct change_choice starting = { .object = id,
						.initiators = CHANGE_BY(MODEL_STATIC_INIT) };
	const struct compare_figure cost = change_faults(changes, &starting);
	if (!change_is_worth(changes, &cost))
		return;

	const struct change_choice relocating = { .object = id,
						  .initiators = CHANGE_BY(MODEL_RELOCATION) };
	const struct compare_figure relocation = change_faults(changes, &relocating);
	const char *unchanged = change_unchanged(changes, "relocation", &relocation);
	const char *was = plural(changes, before->initializers);
	const char *is = figure_number(changes->arena, after->initializers);
	bool is_merged = after->initializers < before->initializers &&
			 after->merged_initializers > before->merged_initializers;
	bool is_split = after->initializers > before->initializers &&
			after->merged_initializers < before->merged_initializers;
	struct compare_finding finding = {
		.object = id,
		.where = change_where(changes, "object", id, "initiator=static-init"),
		.figure = cost,
		.is_cause = is_merged || is_split,
	};

	if (is_merged) {
		finding.id = "initializers-merged";
		finding.title =
			change_text(changes, "LTO merged %s into %s and %s in static-init%s",
				    merged(changes, before, after),
				    figure_number(changes->arena, after->merged_initializers),
				    change_effect(changes, &cost), unchanged);
	} else if (is_split) {
		finding.id = "initializers-split";
		finding.title = change_text(changes,
					    "LTO merges initializers no longer: %s instead of %s, "
					    "and %s %s in static-init%s",
					    is, figure_number(changes->arena, before->initializers),
					    change_count(changes, &cost),
					    cost.difference < 0 ? "fewer" : "more", unchanged);
	} else {
		bool is_less = after->initializers < before->initializers;

		finding.id = is_less ? "fewer-initializers" : "more-initializers";
		finding.title = change_text(changes, "%s -> %s, and %s %s in static-init%s", was,
					    is, change_count(changes, &cost),
					    cost.difference < 0 ? "fewer" : "more", unchanged);
	}
	finding.evidence =
		change_text(changes, "Faults of static-init on it: %s.%s",
			    change_arrow(changes, &cost), describe_sections(changes, id));
	if (cost.difference > 0)
		finding.advice =
			is_split ? "Link with -flto again (gcc; each file compiled with it, too): "
				   "it merges initializers into few functions."
				 : "Make these objects constinit or constexpr, or build them at "
				   "their first use (a static variable inside a function); clang's "
				   "-Wglobal-constructors finds them. elfault analyze "
				   "--initializers lists all.";
	change_add(changes, &finding);
}

void change_initializers(struct changes *changes)
{
	for (uint32_t i = 0; i < changes->comparison->object_count; i++)
		look_at(changes, i);
}
