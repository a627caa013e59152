// SPDX-License-Identifier: Apache-2.0
// .data or .bss of a file have another number of faults, though their sizes are nearly the same:
// other data is used, or the same lies elsewhere. Which of both is not known.
#include "advice/change/rule.h"

#include <math.h>

enum { MORE, LESS };
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
	if (!change_is_large(changes, &cost) ||
	    !kit_is_share(fabs(cost.difference), change_larger(&cost), MIN_PERCENT))
		return;
	change_add(changes, cost.difference > 0 ? MORE : LESS,
		   &(struct compare_finding){ .object = id, .figure = cost },
		   KIT_VALUES({ "section", name }, { "difference", change_fewer(changes, &cost) },
			      { "size", change_sizes(changes, was, is) },
			      { "faults", change_arrow(changes, &cost) },
			      { "toolchain", change_toolchain(changes, id) },
			      { "use", change_use_words }));
}

static void find_in(struct changes *changes, uint32_t id)
{
	const struct compare_layout *before, *after;

	if (!change_layouts(&changes->comparison->objects[id], &before, &after) ||
	    change_is_same_build(before, after))
		return;
	look_at(changes, id, ".data");
	look_at(changes, id, ".bss");
}

#define TITLE                                                                                  \
	"{section} has {difference} at nearly the same size: other data is used, or the same " \
	"data lies elsewhere"
#define EVIDENCE                                                                \
	"{section}: {size}. Faults of the program and its initializers on it: " \
	"{faults}.{toolchain}"

const struct change_rule change_data = {
	.prose = {
		[MORE] = {
			.id = "more-data",
			.title = TITLE,
			.evidence = EVIDENCE,
			.fix = "Keep the variables that are written at startup together, as one "
			       "struct or with `-fdata-sections` and lld's "
			       "`-Wl,--symbol-ordering-file`, which also orders data; the table by "
			       "symbol names what is touched.",
		},
		[LESS] = { .id = "less-data", .title = TITLE, .evidence = EVIDENCE },
	},
	.counts = "faults on `.data` or `.bss`, except those of the dynamic linker",
	.shown_by = "nearly the same size, and faults that differ by 25 % or more; whether other "
		    "data is used or the same data lies elsewhere is not known",
	.cause = "no",
	.where = "object={object},section={section},initiator={use}",
	.find_in = find_in,
};
