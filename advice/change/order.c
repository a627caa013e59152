// SPDX-License-Identifier: Apache-2.0
// The functions of a file that both sides were seen to run begin on another number of pages, and
// the faults on its code differ.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { CLOSER, FARTHER };
enum {
	MIN_FUNCTIONS = 8, // seen on both sides
	MIN_PAGES = 4,	   // that they differ by
	MIN_PERCENT = 10,
	MAX_PERCENT_OTHER = 20, // functions seen only where they lie closer, against these
};

/**
 * The faults of running on the code of @object: its sections .text, .text.hot and the like. Where
 * there are more initializers or fewer, theirs are for the rule on initializers.
 */
static struct compare_figure cost_of_code(struct changes *changes, uint32_t id)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	const struct compare_layout *layouts = object->layout;
	uint32_t initiators = change_use;
	CLEANUP(vec_release) VEC(const char *) names = { 0 };

	if (layouts[COMPARE_BEFORE].initializers != layouts[COMPARE_AFTER].initializers)
		initiators &= ~CHANGE_BY(MODEL_STATIC_INIT);
	for (size_t i = 0; i < object->section_count; i++)
		if (strncmp(object->sections[i].name, ".text", 5) == 0)
			vec_push(&names, object->sections[i].name);
	vec_push(&names, NULL);
	const struct change_choice running = { .object = id,
					       .initiators = initiators,
					       .sections = names.items };
	return change_cost(changes, &running);
}

/** Pages of @side that functions seen on both sides begin on. */
static uint64_t count_pages(const struct compare_locality *locality, enum compare_side side)
{
	CLEANUP(freep) uint64_t *pages = xcalloc(locality->move_count + 1, sizeof(*pages));
	uint64_t count = 0;

	for (size_t i = 0; i < locality->move_count; i++)
		pages[i] = locality->moves[i].page[side];
	qsort(pages, locality->move_count, sizeof(*pages), order_u64);
	for (size_t i = 0; i < locality->move_count; i++)
		count += i == 0 || pages[i] != pages[i - 1];
	return count;
}

static void find_in(struct changes *changes, uint32_t id)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	const struct compare_locality *locality = object->locality;
	struct arena *arena = changes->arena;

	if (!locality || !object->path[COMPARE_BEFORE] || !object->path[COMPARE_AFTER] ||
	    locality->move_count < MIN_FUNCTIONS)
		return;
	uint64_t before = count_pages(locality, COMPARE_BEFORE);
	uint64_t after = count_pages(locality, COMPARE_AFTER);
	bool is_closer = after < before;
	uint64_t most = is_closer ? before : after, least = is_closer ? after : before;
	if (most - least < MIN_PAGES || (most - least) * 100 < most * MIN_PERCENT)
		return;
	const struct compare_figure cost = cost_of_code(changes, id);
	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != is_closer)
		return;
	// Functions are seen by faults. Where they lie closer, fewer fault; but hardly any should
	// be seen there alone.
	uint64_t others = locality->only[is_closer ? COMPARE_AFTER : COMPARE_BEFORE];
	change_add(
		changes, is_closer ? CLOSER : FARTHER,
		&(struct compare_finding){ .object = id,
					   .figure = cost,
					   .is_cause = others * 100 <=
						       locality->move_count * MAX_PERCENT_OTHER },
		KIT_VALUES({ "functions", figure_number(arena, locality->move_count) },
			   { "before", figure_number(arena, before) },
			   { "after", figure_number(arena, after) },
			   { "difference", change_fewer(changes, &cost) },
			   { "only_before", figure_number(arena, locality->only[COMPARE_BEFORE]) },
			   { "only_after", figure_number(arena, locality->only[COMPARE_AFTER]) },
			   { "faults", change_arrow(changes, &cost) },
			   { "toolchain", change_toolchain(changes, id) }));
}

#define TITLE                                                                                      \
	"The same {functions} functions begin on {after} code pages instead of {before}, and its " \
	"code has {difference}"
#define EVIDENCE                                                                         \
	"Functions seen to run: {functions} on both sides, {only_before} only before, "  \
	"{only_after} only after. Faults on .text, except those of the dynamic linker: " \
	"{faults}.{toolchain}"

const struct change_rule change_order = {
	.prose = {
		[CLOSER] = { .id = "functions-closer", .title = TITLE, .evidence = EVIDENCE },
		[FARTHER] = {
			.id = "functions-farther",
			.title = TITLE,
			.evidence = EVIDENCE,
			.fix = "Order the functions that run: `elfault order --exact` lists them, for "
			       "`-ffunction-sections` with lld's `-Wl,--symbol-ordering-file` or "
			       "gold's `-Wl,--section-ordering-file`.",
		},
	},
	.counts = "faults on the code of a file, except those of the dynamic linker",
	.shown_by = "at least eight functions that both sides were seen to run begin on another "
		    "number of pages, by at least four and 10 %",
	.cause = "if hardly any function was seen only where they lie closer",
	.find_in = find_in,
};
