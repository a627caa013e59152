// SPDX-License-Identifier: Apache-2.0
// functions-closer, functions-farther: the functions of a file that were seen to run lie on another
// number of pages for each of them, many of them moved, and the faults on its code differ.
//
// Where both sides ran nearly the same functions, their places are what is left to explain it.
#include "changes/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum {
	MIN_PERCENT = 10,	// that pages for each function differ
	MIN_FUNCTIONS = 8,	// seen on both sides
	MIN_PERCENT_MOVED = 25, // of these
	MAX_PERCENT_OTHER = 20, // functions of one side only, against these
};

/** The faults of running on the code of @object: its sections .text, .text.hot and the like. */
static struct compare_figure faults_on_code(struct changes *changes, uint32_t id)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	VEC(const char *) names = { 0 };

	for (size_t i = 0; i < object->section_count; i++)
		if (strncmp(object->sections[i].name, ".text", 5) == 0)
			vec_push(&names, object->sections[i].name);
	vec_push(&names, NULL);
	const struct change_choice running = { .object = id,
					       .initiators = change_use,
					       .sections = names.items };
	const struct compare_figure figure = change_faults(changes, &running);
	vec_deinit(&names);
	return figure;
}

static void look_at(struct changes *changes, uint32_t id)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	const struct compare_locality *locality = object->locality;
	double before, after;

	if (!locality || !object->path[COMPARE_BEFORE] || !object->path[COMPARE_AFTER] ||
	    locality->move_count < MIN_FUNCTIONS ||
	    !compare_pages_per_function(locality, COMPARE_BEFORE, &before) ||
	    !compare_pages_per_function(locality, COMPARE_AFTER, &after) ||
	    fabs(after - before) * 100 < fmax(before, after) * MIN_PERCENT ||
	    locality->moved_count * 100 < locality->move_count * MIN_PERCENT_MOVED)
		return;
	const struct compare_figure *pages = &locality->figures[COMPARE_CODE_PAGES];
	const struct compare_figure *functions = &locality->figures[COMPARE_FUNCTIONS];
	const struct compare_figure cost = faults_on_code(changes, id);
	bool is_closer = after < before;

	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != is_closer ||
	    !change_is_believed(pages) || (pages->difference < 0) != is_closer)
		return;
	uint64_t others = locality->only[COMPARE_BEFORE] + locality->only[COMPARE_AFTER];
	change_add(
		changes,
		&(struct compare_finding){
			.id = is_closer ? "functions-closer" : "functions-farther",
			.title = change_text(
				changes,
				"Its functions lie %s: %s code pages for %s functions, and %s "
				"%s on its code",
				is_closer ? "closer together" : "farther apart",
				change_arrow(changes, pages),
				functions->difference == 0
					? change_number(changes, functions->median[COMPARE_AFTER])
					: change_arrow(changes, functions),
				change_count(changes, &cost), is_closer ? "fewer" : "more"),
			.object = id,
			.figure = cost,
			.is_cause = others * 100 <= locality->move_count * MAX_PERCENT_OTHER,
			.evidence = change_text(
				changes,
				"Of %s functions seen on both sides %s moved against others; %s "
				"were "
				"seen only before, %s only after. Faults on .text of the program "
				"and "
				"its initializers: %s.",
				figure_number(changes->arena, locality->move_count),
				figure_number(changes->arena, locality->moved_count),
				figure_number(changes->arena, locality->only[COMPARE_BEFORE]),
				figure_number(changes->arena, locality->only[COMPARE_AFTER]),
				change_arrow(changes, &cost)),
			.advice =
				is_closer
					? NULL
					: "Order functions by first use: -ffunction-sections with "
					  "lld's -Wl,--symbol-ordering-file or gold's "
					  "-Wl,--section-ordering-file; gcc's -flto "
					  "-fprofile-use places them so, too.",
		});
}

void change_order(struct changes *changes)
{
	for (uint32_t i = 0; i < changes->comparison->object_count; i++)
		look_at(changes, i);
}
