// SPDX-License-Identifier: Apache-2.0
#include "findings/pageset.h"

/** Spreads every bit of @value over the whole; one to one. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

bool pageset_add_pair(struct pageset *set, uint64_t a, uint64_t b)
{
	bool is_new;

	u64map_put(&set->map, mix(mix(a + 0x9e3779b97f4a7c15) ^ b), &is_new);
	return is_new;
}

bool pageset_add(struct pageset *set, const struct model_fault *fault, uint64_t page_size)
{
	const uint64_t size = page_size > 0 ? page_size : 4096;
	// The kind of address keeps numbers of different spaces apart.
	enum {
		VADDR,
		OFFSET,
		ADDR
	} space = fault->at_has_vaddr	 ? VADDR
		  : fault->at_has_offset ? OFFSET
					 : ADDR;
	uint64_t where = space == VADDR	   ? fault->at_vaddr
			 : space == OFFSET ? fault->at_offset
					   : fault->addr;
	uint64_t owner = space == ADDR ? fault->pid : fault->at_object;

	return pageset_add_pair(set, owner << 2 | space, where / size);
}

void pageset_deinit(struct pageset *set)
{
	u64map_deinit(&set->map);
}
