// SPDX-License-Identifier: Apache-2.0
#include "derive/mainobject.h"

#include "base/cleanup.h"
#include "base/vec.h"

/** Own time of @count, or the number of its faults. */
static uint64_t weight_of(const struct model_count *count, bool by_time)
{
	return by_time ? count->own_ns : count->faults;
}

/** Mark the objects that were seen mapped as their segments say; on the heap. */
static bool *find_loaded(const struct model *model)
{
	bool *is_loaded = xcalloc(model->object_count + 1, sizeof(*is_loaded));

	array_foreach (fault, model->faults, model->fault_count)
		if (fault->at.object != MODEL_NONE && fault->at.has_vaddr)
			is_loaded[fault->at.object] = true;
	return is_loaded;
}

uint32_t mainobject_find(const struct model *model)
{
	enum { WORTH = 20 }; // a file is, from this part of the whole on
	CLEANUP(freep) bool *is_loaded = find_loaded(model);
	const bool by_time = model->total.own_ns > 0;
	uint32_t best_file = MODEL_NONE, most_faults = MODEL_NONE;
	uint64_t of_file = 0;

	if (model->shown_count == 0)
		return MODEL_NONE;

	for (size_t i = 0; i < model->shown_count; i++) { // most faults first
		const uint32_t index = model->shown[i];
		const struct model_object *object = &model->objects[index];
		const uint64_t weight = weight_of(&object->count, by_time);

		if (object->is_elf && object->was_read && !is_loaded[index])
			continue; // a program's input
		if (most_faults == MODEL_NONE)
			most_faults = index;
		if (object->is_elf && (best_file == MODEL_NONE || weight > of_file)) {
			best_file = index;
			of_file = weight;
		}
	}
	if (best_file != MODEL_NONE && of_file >= weight_of(&model->total, by_time) / WORTH)
		return best_file;
	return most_faults != MODEL_NONE ? most_faults : model->shown[0];
}
