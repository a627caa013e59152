// SPDX-License-Identifier: Apache-2.0
#include "derive/pageset.h"

#include "base/hash.h"

bool pageset_add_pair(struct pageset *set, uint64_t a, uint64_t b)
{
	return u64map_add(&set->map, hash_number(a, b));
}

bool pageset_add_for(struct pageset *set, uint32_t owner, const struct model *model,
		     const struct model_fault *fault)
{
	uint64_t page_size = model_page_size(model);
	bool is_of_file;
	uint64_t page = model_page(fault, page_size, &is_of_file);
	// Memory that is of no file is of a process.
	uint64_t of = is_of_file ? fault->at.object : model_thread(model, fault)->pid;
	uint64_t whose = of << 1 | is_of_file;

	return pageset_add_pair(set, hash_mix(whose) ^ owner, page);
}

bool pageset_add(struct pageset *set, const struct model *model, const struct model_fault *fault)
{
	return pageset_add_for(set, 0, model, fault);
}

void pageset_deinit(struct pageset *set)
{
	u64map_deinit(&set->map);
}
