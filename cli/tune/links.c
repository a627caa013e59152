// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/links.h"

#include "base/vec.h"
#include "cure/whatif.h"

static int by_faults(const void *a, const void *b)
{
	const struct tunedstart_link *x = a, *y = b;

	return x->faults < y->faults ? 1 : x->faults > y->faults ? -1 : 0;
}

const struct tunedstart_link *links_find(const struct model *model, struct arena *arena,
					 size_t *ret_count)
{
	const struct whatif_options options = { .links_only = true };
	CLEANUP(whatif_destroyp) struct whatif_answer *answer = whatif_predict(model, &options);
	VEC(struct tunedstart_link) links = { 0 };

	array_foreach (cure, answer->items, answer->count)
		if (cure->applies && cure->group == WHATIF_LINK && cure->saves.faults > 0)
			vec_push(&links, (struct tunedstart_link){
						 arena_strdup(arena, cure->how),
						 cure->saves.faults,
						 model_bound_name(cure->saves.is),
					 });
	vec_sort(&links, by_faults);
	*ret_count = links.count;
	const struct tunedstart_link *list =
		arena_copy(arena, links.items, links.count * sizeof(*list));

	vec_deinit(&links);
	return list;
}
