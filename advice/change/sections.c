// SPDX-License-Identifier: Apache-2.0
// section-grew, section-shrank: a section of a file has another size, and another number of faults,
// in the same direction. What relocation and lookups do there is for other rules.
//
// Sizes show that the section is another one, not that each fault comes of it: other code or data
// may have been used. So it goes with it.
#include "advice/change/rule.h"

#include "base/figure.h"

#include <math.h>
#include <string.h>

enum {
	MIN_PERCENT = 5,   // a section of nearly the same size has its faults for other reasons
	MAX_RATIO = 4,	   // as it has faults that grew by so many times what it did itself
	MAX_PERCENT = 300, // beyond, a percentage says less than the numbers
};

static const char *advice_for(const struct compare_section *section)
{
	return strncmp(section->name, ".text", 5) == 0
		       ? "The tables by symbol and by function name what is touched in it; "
			 "-ffunction-sections with -Wl,--gc-sections leaves out what nobody refers "
			 "to."
		       : "The table by symbol names what is touched in it; -fdata-sections with "
			 "-Wl,--gc-sections leaves out data that nobody refers to.";
}

static const char *title_of(struct changes *changes, const struct compare_section *section,
			    double percent, double percent_faults,
			    const struct compare_figure *cost)
{
	const char *verb = percent > 0 ? "grew" : "shrank";

	if (percent > MAX_PERCENT || percent_faults > MAX_PERCENT)
		return change_text(changes, "%s %s, %s, and so did its faults: %s", section->name,
				   verb,
				   change_sizes(changes, section->size[COMPARE_BEFORE],
						section->size[COMPARE_AFTER]),
				   change_arrow(changes, cost));
	return change_text(changes, "%s %s by %.0f %%, and its faults by %.0f %%", section->name,
			   verb, fabs(percent), fabs(percent_faults));
}

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
	change_add(
		changes,
		&(struct compare_finding){
			.id = is_more ? "section-grew" : "section-shrank",
			.title = title_of(changes, section, percent, percent_faults, &cost),
			.object = id,
			.where = change_where(changes, "object", id,
					      change_text(changes, "section=%s,initiator=%s",
							  section->name, change_use_words)),
			.figure = cost,
			.evidence = change_text(
				changes,
				"%s: %s. Faults on it of the program and its initializers: %s.%s",
				section->name,
				change_sizes(changes, size[COMPARE_BEFORE], size[COMPARE_AFTER]),
				change_arrow(changes, &cost), change_toolchain(changes, id)),
			.advice = is_more ? advice_for(section) : NULL,
		});
}

void change_sections(struct changes *changes)
{
	const struct comparison *comparison = changes->comparison;

	for (uint32_t i = 0; i < comparison->object_count; i++) {
		const struct compare_layout *before, *after;

		if (!change_layouts(&comparison->objects[i], &before, &after))
			continue;
		for (size_t n = 0; n < comparison->objects[i].section_count; n++)
			look_at(changes, i, &comparison->objects[i].sections[n]);
	}
}
