// SPDX-License-Identifier: Apache-2.0
// Combinations of what many faults, moments and operations of a report page have in common, and the
// sets of findings that speak of faults.
#include "render/page/making.h"

#include "base/cleanup.h"
#include "model/filter.h"

#include <string.h>
#include <xxhash.h>

_Static_assert(sizeof(struct making_combination) / sizeof(uint32_t) ==
		       PAGE_C_FINDINGS - PAGE_C_OBJECT + 1,
	       "a column each, in order");

uint32_t making_combine(struct making *making, const struct making_combination *what)
{
	uint32_t parts[sizeof(*what) / sizeof(uint32_t)];
	bool is_new;
	uint32_t *index =
		u64map_put(&making->combinations, XXH3_64bits(what, sizeof(*what)), &is_new);

	if (is_new) {
		*index = (uint32_t)count_of(making, PAGE_C_OBJECT);
		memcpy(parts, what, sizeof(parts));
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			push(making, PAGE_C_OBJECT + i, parts[i]);
	}
	return *index;
}

void making_find_findings(struct making *making, const char *const *wheres, size_t count)
{
	const struct model *model = making->model;
	CLEANUP(freep) bool *chosen = xcalloc(model->fault_count + 1, sizeof(*chosen));
	CLEANUP(u64map_deinit) struct u64map larger = { 0 }; // set and finding -> the set of both

	making->finding_set = xcalloc(model->fault_count + 1, sizeof(*making->finding_set));
	for (uint32_t f = 0; f < count; f++) {
		struct filter *filter = filter_create();
		struct err err = { 0 };

		// Rules write conditions as people have to: one that cannot be read is a mistake
		// of the rule's, and leaves no fault.
		if (!wheres[f] || filter_add(filter, wheres[f], &err))
			filter_choose(filter, model, model->faults, model->fault_count, chosen,
				      NULL);
		for (size_t i = 0; i < model->fault_count && !err.code; i++) {
			const struct pagefaults_set set = { making->finding_set[i], f };

			if (chosen[i])
				making->finding_set[i] =
					1 + u64map_row(&larger, (uint64_t)set.parent << 32 | f,
						       &making->page->finding_sets, set);
		}
		filter_destroy(filter);
	}
}
