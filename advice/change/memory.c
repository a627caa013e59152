// SPDX-License-Identifier: Apache-2.0
// more-memory, less-memory: most of the difference lies on memory outside files, the heap for
// instance, which no layout of a file explains.
#include "advice/change/rule.h"

#include <math.h>
#include <string.h>

enum { MIN_PERCENT = 50 }; // of the difference in all faults

static bool is_memory(const struct compare_object *object)
{
	return !object->is_file &&
	       (strcmp(object->label, "[anon]") == 0 || strcmp(object->label, "[heap]") == 0 ||
		strcmp(object->label, "[stack]") == 0);
}

void change_memory(struct changes *changes)
{
	const struct comparison *comparison = changes->comparison;
	const struct compare_figure *all = &comparison->total.figures[COMPARE_FAULTS];
	struct compare_figure cost = change_on_objects(changes, is_memory);

	if (!change_is_large(changes, &cost) || (cost.difference > 0) != (all->difference > 0) ||
	    fabs(cost.difference) * 100 < fabs(all->difference) * MIN_PERCENT)
		return;
	bool is_more = cost.difference > 0;
	change_add(
		changes,
		&(struct compare_finding){
			.id = is_more ? "more-memory" : "less-memory",
			.title = change_text(changes,
					     "Most of the difference is memory outside files: %s "
					     "%s on heap, stack "
					     "and anonymous memory",
					     change_count(changes, &cost),
					     is_more ? "more" : "fewer"),
			.object = MODEL_NONE,
			.where = "section=[anon]|[heap]|[stack]",
			.figure = cost,
			.evidence = change_text(changes,
						"Faults there: %s; in all: %s. How files are laid "
						"out does not bear on "
						"it; what the program allocates does.",
						change_arrow(changes, &cost),
						change_arrow(changes, all)),
			.advice = is_more ? "elfault analyze --where 'section=[anon]|[heap]' --by "
					    "blame "
					    "names who touches it first; the table by function "
					    "tells what differs."
					  : NULL,
		});
}
