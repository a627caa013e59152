// SPDX-License-Identifier: Apache-2.0
// bound-at-load, bound-lazily: files have their PLT entries bound at another time, and the faults
// of binding moved with it.
//
// A name is searched in file after file, so that the faults are those of the whole run. What counts
// as the difference is lookup and lazy binding together: the one grows by what the other loses.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

enum { NAMED = 3 };

/** The files of which binding became @is_now, each with the PLT entries it has; NULL: none. */
static const char *list_files(struct changes *changes, bool is_now, uint32_t *ret_object)
{
	const struct comparison *comparison = changes->comparison;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	size_t count = 0;

	for (uint32_t i = 0; i < comparison->object_count; i++) {
		const struct compare_layout *before, *after;

		if (!change_layouts(&comparison->objects[i], &before, &after) ||
		    !before->has_relocation || !after->has_relocation ||
		    before->bind_now == after->bind_now || after->bind_now != is_now)
			continue;
		*ret_object = count == 0 ? i : MODEL_NONE;
		if (count++ < NAMED)
			strbuf_printf(
				&text, "%s%s (%s PLT entries)", count > 1 ? ", " : "",
				comparison->objects[i].label,
				figure_number(changes->arena,
					      after->relocations[MODEL_RELOCATION_JUMP_SLOT]));
	}
	if (count > NAMED)
		strbuf_printf(&text, " and %zu files more", count - NAMED);
	return count > 0 ? arena_strdup(changes->arena, strbuf_text(&text)) : NULL;
}

static struct compare_figure faults_by(struct changes *changes, uint32_t initiators)
{
	const struct change_choice choice = { .object = CHANGE_ANY, .initiators = initiators };

	return change_faults(changes, &choice);
}

void change_binding(struct changes *changes)
{
	uint32_t now_object = MODEL_NONE, lazy_object = MODEL_NONE;
	const char *now = list_files(changes, true, &now_object);
	const char *lazy = list_files(changes, false, &lazy_object);

	if (!now == !lazy)
		return; // nothing, or both ways at once
	const struct compare_figure lookup = faults_by(changes, CHANGE_BY(MODEL_SYMBOL_LOOKUP));
	const struct compare_figure binding = faults_by(changes, CHANGE_BY(MODEL_LAZY_BINDING));
	const struct compare_figure both =
		faults_by(changes, CHANGE_BY(MODEL_SYMBOL_LOOKUP) | CHANGE_BY(MODEL_LAZY_BINDING));
	const struct compare_figure relocation = faults_by(changes, CHANGE_BY(MODEL_RELOCATION));
	bool is_worse = change_is_worth(changes, &both) && both.difference > 0;

	if (!change_is_worth(changes, &binding) || (binding.difference < 0) != (now != NULL))
		return;
	change_add(
		changes,
		&(struct compare_finding){
			.id = now ? "bound-at-load" : "bound-lazily",
			.title = change_text(
				changes,
				"Names are bound %s: lazy-binding %s faults, symbol-lookup %s%s",
				now ? "at load (-z now), no longer at first calls"
				    : "at first calls, no longer at load (-z now)",
				change_arrow(changes, &binding), change_arrow(changes, &lookup),
				change_unchanged(changes, "relocation", &relocation)),
			.object = now ? now_object : lazy_object,
			.where = "initiator=symbol-lookup|lazy-binding",
			.figure = both,
			.is_cause = true,
			.evidence =
				change_text(changes, "%s: %s. Both together: %s faults.",
					    now ? "Linked with -z now" : "Linked without -z now",
					    now ? now : lazy, change_arrow(changes, &both)),
			.advice = !is_worse ? NULL
				  : now	    ? "-Wl,-z,lazy binds only the names that are called; "
					      "-fvisibility=hidden or -Wl,-Bsymbolic-functions leaves "
					      "fewer of them and keeps full RELRO, which needs -z now."
					    : "-Wl,-z,now binds all names in one pass.",
		});
}
