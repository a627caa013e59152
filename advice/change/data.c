// SPDX-License-Identifier: Apache-2.0
// more-data, less-data: .data or .bss of a file have another number of faults, though their sizes
// are nearly the same: other data is used, or the same lies elsewhere. Which of both is not known.
#include "advice/change/rule.h"

#include <math.h>

enum {
	MAX_PERCENT_SIZE = 5,
	MIN_PERCENT = 25, // that the faults differ
};

static void look_at(struct changes *changes, uint32_t id, const char *name)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	const char *const names[] = { name, NULL };
	const struct change_choice using = { .object = id,
					     .initiators = change_use,
					     .sections = names };
	uint64_t was, is;

	if (!change_section_size(object, name, COMPARE_BEFORE, &was) ||
	    !change_section_size(object, name, COMPARE_AFTER, &is) ||
	    fabs((double)is - (double)was) * 100 >= (double)was * MAX_PERCENT_SIZE)
		return;
	const struct compare_figure cost = change_faults(changes, &using);
	bool is_more = cost.difference > 0;
	if (!change_is_large(changes, &cost) ||
	    fabs(cost.difference) * 100 <
		    fmax(cost.median[COMPARE_BEFORE], cost.median[COMPARE_AFTER]) * MIN_PERCENT)
		return;
	change_add(
		changes,
		&(struct compare_finding){
			.id = is_more ? "more-data" : "less-data",
			.title = change_text(changes,
					     "%s has %s %s at nearly the same size: other data is "
					     "used, or the same lies elsewhere",
					     name, change_count(changes, &cost),
					     is_more ? "more" : "fewer"),
			.object = id,
			.where = change_where(changes, "object", id,
					      change_text(changes, "section=%s,initiator=%s", name,
							  change_use_words)),
			.figure = cost,
			.evidence = change_text(changes,
						"%s: %s. Faults on it of the program and its "
						"initializers: %s.%s",
						name, change_sizes(changes, was, is),
						change_arrow(changes, &cost),
						change_toolchain(changes, id)),
			.advice =
				is_more ? "Bring together what start writes, as one struct or with "
					  "-fdata-sections and lld's -Wl,--symbol-ordering-file, "
					  "which orders data, too; the table by symbol names "
					  "what is touched."
					: NULL,
		});
}

void change_data(struct changes *changes)
{
	const struct comparison *comparison = changes->comparison;

	for (uint32_t i = 0; i < comparison->object_count; i++) {
		const struct compare_layout *before, *after;

		if (!change_layouts(&comparison->objects[i], &before, &after) ||
		    change_is_same_build(before, after))
			continue;
		look_at(changes, i, ".data");
		look_at(changes, i, ".bss");
	}
}
