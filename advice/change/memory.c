// SPDX-License-Identifier: Apache-2.0
// Most of the difference lies on memory outside files, the heap for instance, which no layout of a
// file explains.
#include "advice/change/rule.h"

#include <math.h>
#include <string.h>

enum { MORE, LESS };
enum { MIN_PERCENT = 50 }; // of the difference in all faults

static bool is_memory(const struct compare_object *object)
{
	return !object->is_file &&
	       (strcmp(object->label, "[anon]") == 0 || strcmp(object->label, "[heap]") == 0 ||
		strcmp(object->label, "[stack]") == 0);
}

static void find(struct changes *changes)
{
	const struct compare_figure *all = &changes->comparison->total.figures[COMPARE_FAULTS];
	struct compare_figure cost = change_on_objects(changes, is_memory);

	if (!change_is_large(changes, &cost) || (cost.difference > 0) != (all->difference > 0) ||
	    !kit_is_share(fabs(cost.difference), fabs(all->difference), MIN_PERCENT))
		return;
	change_add(changes, cost.difference > 0 ? MORE : LESS,
		   &(struct compare_finding){ .object = MODEL_NONE, .figure = cost },
		   KIT_VALUES({ "difference", change_fewer(changes, &cost) },
			      { "faults", change_arrow(changes, &cost) },
			      { "all", change_arrow(changes, all) }));
}

#define TITLE                                                                              \
	"Most of the difference is memory outside files: {difference} on heap, stack and " \
	"anonymous memory"
#define EVIDENCE                                                                                   \
	"Faults there: {faults}; in total: {all}. They depend on what the program allocates, not " \
	"on the layout of files."

const struct change_rule change_memory = {
	.prose = {
		[MORE] = {
			.id = "more-memory",
			.title = TITLE,
			.evidence = EVIDENCE,
			.fix = "Run `elfault analyze --where 'section=[anon]|[heap]' --by blame` "
			       "to see what touches it first; the table by function shows what "
			       "differs.",
		},
		[LESS] = { .id = "less-memory", .title = TITLE, .evidence = EVIDENCE },
	},
	.counts = "faults on heap, stack and anonymous memory",
	.shown_by = "they are at least half of the difference in all faults",
	.cause = "no",
	.where = "section=[anon]|[heap]|[stack]",
	.find = find,
};
