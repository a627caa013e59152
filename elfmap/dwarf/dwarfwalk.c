// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/dwarfwalk.h"

#include <dwarf.h>

static void spend(struct dwarfwalk_budget *budget, uint64_t steps)
{
	budget->steps -= steps < budget->steps ? steps : budget->steps;
}

uint64_t dwarfwalk_end(struct dwarfwalk_level *level)
{
	return level->has_next ? dwarf_dieoffset(&level->next) : level->end;
}

/** Find the sibling of the entry of @level; false if the walk has to end. */
static bool find_next(struct dwarfwalk *walk, struct dwarfwalk_level *level)
{
	uint64_t offset = dwarf_dieoffset(&level->die);
	// Without a pointer to it, the sibling is found by reading all entries in between.
	bool is_read =
		dwarf_haschildren(&level->die) == 1 && !dwarf_hasattr(&level->die, DW_AT_sibling);

	if (walk->budget->steps == 0)
		return false;
	int status = dwarf_siblingof(&level->die, &level->next);
	if (status < 0)
		return false;
	level->has_next = status == 0;
	// The last entry of a level is read up to its parent's end, at most.
	uint64_t next = dwarfwalk_end(level);
	spend(walk->budget, is_read && next > offset ? next - offset : 1);
	// Never back, never out of its parent.
	return !level->has_next || (next > offset && next < level->end);
}

/** Make @die the entry that is looked at, one level below the last. */
static struct dwarfwalk_level *push(struct dwarfwalk *walk, const Dwarf_Die *die, uint64_t end,
				    uint32_t mark)
{
	struct dwarfwalk_level *level = &walk->levels[walk->depth++];

	*level = (struct dwarfwalk_level){ .die = *die, .end = end, .mark = mark };
	if (find_next(walk, level))
		return level;
	walk->depth = 0;
	return NULL;
}

void dwarfwalk_start(struct dwarfwalk *walk, struct dwarfwalk_budget *budget, Dwarf_Die *root,
		     uint64_t end, uint32_t mark)
{
	walk->budget = budget;
	walk->depth = 1;
	walk->descend = true;
	// The root stands as an entry without siblings, whose children come first.
	walk->levels[0] = (struct dwarfwalk_level){ .die = *root, .end = end, .mark = mark };
}

struct dwarfwalk_level *dwarfwalk_next(struct dwarfwalk *walk)
{
	if (walk->depth == 0)
		return NULL;
	struct dwarfwalk_level *level = &walk->levels[walk->depth - 1];
	Dwarf_Die child;

	if (walk->descend && walk->depth < DWARFWALK_DEPTH_MAX &&
	    dwarf_child(&level->die, &child) == 0) {
		uint64_t end = dwarfwalk_end(level);

		walk->descend = false;
		return push(walk, &child, end, level->mark);
	}
	walk->descend = false;
	while (walk->depth > 0) {
		level = &walk->levels[--walk->depth];
		if (!level->has_next)
			continue;
		Dwarf_Die next = level->next;

		return push(walk, &next, level->end, walk->levels[walk->depth - 1].mark);
	}
	return NULL;
}
