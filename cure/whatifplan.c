// SPDX-License-Identifier: Apache-2.0
#include "cure/whatiftables.h"

#include "base/cleanup.h"
#include "model/layout.h"
#include "model/library.h"

#include <stdlib.h>

/** Whether @link puts a library of this kind into the program. */
static bool merges(const struct whatif_way *link, enum model_library library)
{
	return link->all || (library == MODEL_LIBRARY_CXX && link->cxx) ||
	       (library == MODEL_LIBRARY_OTHER && link->libraries);
}

/**
 * Mark what @object needs and, as far as that goes on to be needed, what that needs. What only
 * libstdc++ needs is dropped with it: of libm it uses next to nothing.
 */
static void reach(struct whatif_plan *plan, uint32_t object)
{
	const struct model *model = plan->kit->model;
	const struct model_object *row = &model->objects[object];

	for (size_t i = 0; i < row->needed_count; i++) {
		uint32_t needed = row->needed[i];
		enum model_library library = model_library_of(&model->objects[needed]);
		bool is_merged = merges(plan->way, library) && library != MODEL_LIBRARY_LOADER;

		// A library that stays has its own need of libstdc++, so that both would be loaded.
		if (is_merged && library == MODEL_LIBRARY_CXX &&
		    plan->fates[object] == FATE_STAYS &&
		    model_library_of(row) == MODEL_LIBRARY_OTHER) {
			plan->needs_cxx = true;
			continue;
		}
		if (plan->fates[needed] != FATE_OTHER && plan->fates[needed] != FATE_GONE)
			continue;
		plan->fates[needed] = is_merged ? FATE_MERGED : FATE_STAYS;
		if (is_merged && library == MODEL_LIBRARY_CXX && !plan->way->all)
			continue;
		reach(plan, needed);
	}
}

/** Reach the files that only merged libraries of the language need. */
static void reach_gone(struct whatif_plan *plan, uint32_t object, bool *seen)
{
	const struct model_object *row = &plan->kit->model->objects[object];

	if (seen[object])
		return;
	seen[object] = true;
	for (size_t i = 0; i < row->needed_count; i++) {
		uint32_t needed = row->needed[i];

		if (plan->fates[needed] == FATE_OTHER)
			plan->fates[needed] =
				merges(plan->way,
				       model_library_of(&plan->kit->model->objects[needed]))
					? FATE_MERGED
					: FATE_GONE;
		reach_gone(plan, needed, seen);
	}
}

/** Does a relocation bound to @target still have to be done, in what is linked in? */
static bool is_left(const struct whatif_plan *plan, enum model_target target)
{
	bool is_inside = target == MODEL_TARGET_SELF || target == MODEL_TARGET_OWN ||
			 (target == MODEL_TARGET_CXX && plan->way->cxx) ||
			 (target == MODEL_TARGET_LIBRARY && plan->way->libraries) ||
			 (plan->way->all && target != MODEL_TARGET_CHOSEN);

	// Within the program, addresses are known if its own is; else it takes a relative one.
	return !is_inside || !plan->is_fixed;
}

static bool is_relinked(const struct whatif_plan *plan, uint32_t object)
{
	return object == plan->kit->answer->program || plan->fates[object] == FATE_MERGED;
}

bool whatif_is_page_left(const struct whatif_plan *plan, unsigned targets)
{
	for (int target = 0; target < MODEL_TARGETS; target++)
		if ((targets & 1u << target) && is_left(plan, target))
			return true;
	return targets == 0;
}

static void count_object(struct whatif_plan *plan, uint32_t object)
{
	const struct model_object *row = &plan->kit->model->objects[object];
	const struct model_relocation *relocation = row->relocation;
	bool is_gone = plan->fates[object] == FATE_GONE;
	uint64_t left = 0, slots = 0;

	plan->objects++;
	plan->objects_left += !is_gone && plan->fates[object] != FATE_MERGED;
	if (!relocation)
		return;
	for (int target = 0; target < MODEL_TARGETS; target++) {
		const uint64_t count = relocation->targets.slots[target];
		const uint64_t lookups = relocation->targets.lookups[target];
		bool is_bound = !is_relinked(plan, object) || is_left(plan, target);
		bool is_named = target != MODEL_TARGET_SELF && target != MODEL_TARGET_CHOSEN;
		// What is within the program needs no name any more.
		bool is_looked_up = !is_relinked(plan, object) || target == MODEL_TARGET_SYSTEM ||
				    (target == MODEL_TARGET_CXX && !plan->way->cxx) ||
				    (target == MODEL_TARGET_LIBRARY && !plan->way->libraries);

		slots += count;
		left += is_bound ? count : 0;
		plan->lookups += is_named ? lookups : 0;
		if (!is_gone && !plan->way->all && is_named && is_looked_up)
			plan->lookups_left += lookups;
	}
	plan->slots += slots;
	plan->slots_left += is_gone ? 0 : left;
	if (!is_relinked(plan, object))
		return;
	plan->tables[object] = whatif_table_of(row);
	if (slots > 0)
		plan->tables[object].left = (uint64_t)((double)plan->tables[object].bytes *
						       (double)left / (double)slots);
}

bool whatif_plan_init(struct whatif_plan *plan, struct whatif_kit *kit,
		      const struct whatif_way *way)
{
	const struct model *model = kit->model;
	uint32_t program = kit->answer->program;
	CLEANUP(freep) bool *seen = xcalloc(model->object_count + 1, sizeof(*seen));

	*plan = (struct whatif_plan){
		.kit = kit,
		.way = way,
		.fates = xcalloc(model->object_count + 1, sizeof(*plan->fates)),
		.tables = xcalloc(model->object_count + 1, sizeof(*plan->tables)),
		.merged = xcalloc(model->object_count + 1, sizeof(*plan->merged)),
	};
	if (program == MODEL_NONE)
		return false;
	plan->is_fixed = way->is_fixed || model->objects[program].layout->is_fixed;
	reach(plan, program);
	reach_gone(plan, program, seen);
	for (uint32_t i = 0; i < model->object_count; i++) {
		if (plan->fates[i] == FATE_MERGED)
			plan->merged[plan->merged_count++] = i;
		if (i == program || plan->fates[i] != FATE_OTHER)
			count_object(plan, i);
	}
	return true;
}

void whatif_plan_deinit(struct whatif_plan *plan)
{
	free(plan->fates);
	free(plan->tables);
	free(plan->merged);
}
