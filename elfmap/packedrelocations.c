// SPDX-License-Identifier: Apache-2.0
#include "elfmap/packedrelocations.h"

#include "elfmap/private.h"

#include <string.h>

/** Facts that all entries of a group share. */
enum group_flag {
	SAME_INFO = 1 << 0,
	SAME_STEP = 1 << 1,
	SAME_ADDEND = 1 << 2,
	HAS_ADDEND = 1 << 3,
};

static bool take(struct packedrelocations *packed, uint64_t *ret_value)
{
	return elfmap_leb128(&packed->at, packed->end, true, ret_value);
}

/** Add the next number to @sum, as the table has differences. */
static bool take_difference(struct packedrelocations *packed, uint64_t *sum)
{
	uint64_t difference;

	if (!take(packed, &difference))
		return false;
	*sum += difference;
	return true;
}

bool packedrelocations_begin(struct packedrelocations *packed, const uint8_t *bytes, uint64_t size)
{
	static const char magic[] = { 'A', 'P', 'S', '2' };

	if (size < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	*packed = (struct packedrelocations){ .at = bytes + sizeof(magic), .end = bytes + size };
	return take(packed, &packed->left) && take(packed, &packed->vaddr);
}

static bool begin_group(struct packedrelocations *packed)
{
	if (!take(packed, &packed->group_left) || packed->group_left == 0 ||
	    !take(packed, &packed->flags))
		return false;
	if (packed->flags & SAME_STEP && !take(packed, &packed->step))
		return false;
	if (packed->flags & SAME_INFO && !take(packed, &packed->info))
		return false;
	if (!(packed->flags & HAS_ADDEND))
		packed->addend = 0;
	else if (packed->flags & SAME_ADDEND)
		return take_difference(packed, &packed->addend);
	return true;
}

bool packedrelocations_next(struct packedrelocations *packed)
{
	if (packed->left == 0 || (packed->group_left == 0 && !begin_group(packed)))
		return false;
	if (packed->flags & SAME_STEP)
		packed->vaddr += packed->step;
	else if (!take_difference(packed, &packed->vaddr))
		return false;
	if (!(packed->flags & SAME_INFO) && !take(packed, &packed->info))
		return false;
	if (packed->flags & HAS_ADDEND && !(packed->flags & SAME_ADDEND) &&
	    !take_difference(packed, &packed->addend))
		return false;
	packed->left--;
	packed->group_left--;
	return true;
}
