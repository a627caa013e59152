// SPDX-License-Identifier: Apache-2.0
// A section of a file has another size, and another number of faults, in the same direction. What
// relocation and lookups do there is for other rules.
//
// Sizes show that the section is another one, not that each fault comes of it: other code or data
// may have been used. So it goes with it.
#include "advice/change/rule.h"

#include <math.h>
#include <string.h>

enum { CODE_GREW, DATA_GREW, SHRANK };
enum {
	MIN_PERCENT = 5,   // a section of nearly the same size has its faults for other reasons
	MAX_RATIO = 4,	   // as it has faults that grew by so many times what it did itself
	MAX_PERCENT = 300, // beyond, a percentage says less than the numbers
};

static void look_at(struct changes *changes, uint32_t id, const struct compare_section *section)
{
	const uint64_t *size = section->size;
	const char *const names[] = { section->name, NULL };
	const struct change_choice using = { .object = id,
					     .initiators = change_use,
					     .sections = names };

	if (!section->is_there[COMPARE_BEFORE] || !section->is_there[COMPARE_AFTER] ||
	    size[COMPARE_BEFORE] == 0)
		return;
	double was = (double)size[COMPARE_BEFORE], is = (double)size[COMPARE_AFTER];
	double percent = (is - was) * 100 / was;

	if (fabs(percent) < MIN_PERCENT)
		return;
	const struct compare_figure cost = change_faults(changes, &using);
	bool is_more = cost.difference > 0;
	if (!change_is_large(changes, &cost) || is_more != (percent > 0) ||
	    cost.median[COMPARE_BEFORE] == 0)
		return;
	double percent_faults = cost.difference * 100 / cost.median[COMPARE_BEFORE];
	if (fabs(percent_faults) > fabs(percent) * MAX_RATIO)
		return;
	const char *sizes = change_sizes(changes, size[COMPARE_BEFORE], size[COMPARE_AFTER]);
	const char *faults = change_arrow(changes, &cost);
	bool is_huge = percent > MAX_PERCENT || percent_faults > MAX_PERCENT;

	change_add(
		changes,
		!is_more				  ? SHRANK
		: strncmp(section->name, ".text", 5) == 0 ? CODE_GREW
							  : DATA_GREW,
		&(struct compare_finding){ .object = id, .figure = cost },
		KIT_VALUES({ "section", section->name },
			   { "by", is_huge ? arena_printf(changes->arena,
							  ", %s, and so did its faults: %s", sizes,
							  faults)
					   : arena_printf(changes->arena,
							  " by %.0f %%, and its faults by %.0f %%",
							  fabs(percent), fabs(percent_faults)) },
			   { "size", sizes }, { "faults", faults },
			   { "toolchain", change_toolchain(changes, id) },
			   { "use", change_use_words }));
}

static void find_in(struct changes *changes, uint32_t id)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	const struct compare_layout *before, *after;

	if (!change_layouts(object, &before, &after))
		return;
	for (size_t n = 0; n < object->section_count; n++)
		look_at(changes, id, &object->sections[n]);
}

#define EVIDENCE                                                                \
	"{section}: {size}. Faults of the program and its initializers on it: " \
	"{faults}.{toolchain}"

const struct change_rule change_sections = {
	.prose = {
		[CODE_GREW] = {
			.id = "section-grew",
			.title = "{section} grew{by}",
			.evidence = EVIDENCE,
			.fix = "Compile with `-ffunction-sections` and link with "
			       "`-Wl,--gc-sections`, which omits functions without references. The "
			       "tables by symbol and by function name what is touched in the "
			       "section.",
		},
		[DATA_GREW] = {
			.id = "section-grew",
			.title = "{section} grew{by}",
			.evidence = EVIDENCE,
			.fix = "Compile with `-fdata-sections` and link with `-Wl,--gc-sections`, "
			       "which omits data without references. The table by symbol names "
			       "what is touched in the section.",
		},
		[SHRANK] = {
			.id = "section-shrank",
			.title = "{section} shrank{by}",
			.evidence = EVIDENCE,
		},
	},
	.counts = "faults on a section, except those of the dynamic linker",
	.shown_by = "a size that differs by 5 % or more, in the direction of the faults, which "
		    "differ by at most 4 times that percentage",
	.cause = "no",
	.where = "object={object},section={section},initiator={use}",
	.find_in = find_in,
};
