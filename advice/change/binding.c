// SPDX-License-Identifier: Apache-2.0
// Files have their PLT entries bound at another time, and the faults of binding moved with it.
//
// A name is searched in file after file, so that the faults are those of the whole run. What counts
// as the difference is lookup and lazy binding together: the one grows by what the other loses.
#include "advice/change/rule.h"

#include "base/figure.h"

enum { NOW, LAZY };
enum { NAMED = 3 };

/** The files of which binding became @is_now, each with the PLT entries it has; NULL: none. */
static const char *list_files(struct changes *changes, bool is_now, uint32_t *ret_object)
{
	const struct comparison *comparison = changes->comparison;
	struct arena *arena = changes->arena;
	const char *list = NULL;
	size_t count = 0;

	for (uint32_t i = 0; i < comparison->object_count; i++) {
		const struct compare_layout *before, *after;

		if (!change_layouts(&comparison->objects[i], &before, &after) ||
		    !before->has_relocation || !after->has_relocation ||
		    before->bind_now == after->bind_now || after->bind_now != is_now)
			continue;
		*ret_object = count == 0 ? i : MODEL_NONE;
		if (count++ >= NAMED)
			continue;
		uint64_t entries = after->relocations[MODEL_RELOCATION_JUMP_SLOT];
		list = kit_append(arena, list, ", ",
				  arena_printf(arena, "%s (%s PLT entries)",
					       comparison->objects[i].label,
					       figure_number(arena, entries)));
	}
	if (count > NAMED)
		return arena_printf(arena, "%s and %zu more files", list, count - NAMED);
	return list;
}

static struct compare_figure figure_by(struct changes *changes, uint32_t initiators,
				       enum compare_metric metric)
{
	const struct change_choice choice = { .object = CHANGE_ANY, .initiators = initiators };

	return change_figure(changes, &choice, metric);
}

static void find(struct changes *changes)
{
	uint32_t now_object = MODEL_NONE, lazy_object = MODEL_NONE;
	const char *now = list_files(changes, true, &now_object);
	const char *lazy = list_files(changes, false, &lazy_object);

	if (!now == !lazy)
		return; // nothing, or both ways at once
	const struct change_choice first_calls = { .object = CHANGE_ANY,
						   .initiators = CHANGE_BY(MODEL_LAZY_BINDING) };
	const struct compare_figure binding = change_cost(changes, &first_calls);
	const enum compare_metric metric = binding.metric;
	const struct compare_figure lookup =
		figure_by(changes, CHANGE_BY(MODEL_SYMBOL_LOOKUP), metric);
	const struct compare_figure both = figure_by(
		changes, CHANGE_BY(MODEL_SYMBOL_LOOKUP) | CHANGE_BY(MODEL_LAZY_BINDING), metric);
	const struct compare_figure relocation =
		figure_by(changes, CHANGE_BY(MODEL_RELOCATION), metric);

	if (!change_is_worth(changes, &binding) || (binding.difference < 0) != (now != NULL))
		return;
	change_add(
		changes, now ? NOW : LAZY,
		&(struct compare_finding){ .object = now ? now_object : lazy_object,
					   .figure = both,
					   .is_cause = true },
		KIT_VALUES({ "files", now ? now : lazy },
			   { "unit", metric == COMPARE_OWN ? "of own time" : "faults" },
			   { "binding", change_arrow(changes, &binding) },
			   { "lookup", change_arrow(changes, &lookup) },
			   { "both", change_arrow(changes, &both) },
			   { "unchanged", change_unchanged(changes, "relocation", &relocation) }));
}

const struct change_rule change_binding = {
	.prose = {
		[NOW] = {
			.id = "bound-at-load",
			.title = "Names are bound at load (-z now) instead of at first calls: "
				 "lazy-binding {binding} {unit}, symbol-lookup {lookup}{unchanged}",
			.evidence = "Linked with -z now: {files}. Both together: {both} {unit}.",
			.fix = "Link with `-Wl,-z,lazy`, which binds only the names that are "
			       "called. Or keep full RELRO, which needs `-z now`, and bind fewer "
			       "names: use `-fvisibility=hidden` or `-Wl,-Bsymbolic-functions`.",
		},
		[LAZY] = {
			.id = "bound-lazily",
			.title = "Names are bound at first calls instead of at load (-z now): "
				 "lazy-binding {binding} {unit}, symbol-lookup {lookup}{unchanged}",
			.evidence = "Linked without -z now: {files}. Both together: {both} {unit}.",
			.fix = "Link with `-Wl,-z,now`, which binds all names in one pass.",
		},
	},
	.counts = "lazy-binding and symbol-lookup faults of the run",
	.shown_by = "`-z now` on one side",
	.cause = "yes",
	.where = "initiator=symbol-lookup|lazy-binding",
	.find = find,
};
