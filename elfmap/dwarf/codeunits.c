// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/codeunits.h"

#include "base/checked.h"

#include <dwarf.h>

enum {
	STEPS_A_BYTE = 32, // clang writes no pointers to siblings: each level is read again
	STEPS_AT_LEAST = 1 << 16,
	RANGE_STEPS = 16, // a range is kept, an entry is only looked at
	INLINED_DEPTH_MAX = 128,
};

struct ranges {
	VEC(struct rangemap_item);
};

static bool inner_wins(const void *context, uint32_t a, uint32_t b)
{
	return a > b; // what is inlined into a scope was found after it
}

/** True if code can be there: the linker leaves ranges at 0 or 1 for functions that it dropped. */
static bool is_code(const struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);

	return vaddr > 1 && segment && (segment->flags & PF_X);
}

/** Append the ranges of @die that hold code as those of @id; how many, cut short by the budget. */
static size_t add_ranges(struct codeunits *units, Dwarf_Die *die, uint32_t id,
			 struct ranges *ranges)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t added = 0;

	while (units->budget.steps > 0 && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		units->budget.steps -=
			units->budget.steps < RANGE_STEPS ? units->budget.steps : RANGE_STEPS;
		if (start >= end || !is_code(units->map, start))
			continue;
		vec_push(ranges, (struct rangemap_item){ { start, end }, id });
		added++;
	}
	return added;
}

static void find_units(struct codeunits *units)
{
	CLEANUP(vec_release) struct ranges ranges = { 0 };
	bool is_any_split = false;
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;

	while (units->budget.steps > 0 &&
	       dwarf_get_units(units->dwarf, cu, &cu, &version, &type, &die, NULL) == 0) {
		uint32_t id = (uint32_t)units->units.count; // a unit takes more than one byte
		Dwarf_Off next;
		// A unit of DWARF 4 says only by an attribute that the rest of it is elsewhere.
		bool is_split = type == DW_UT_skeleton || dwarf_hasattr(&die, DW_AT_GNU_dwo_name);

		units->budget.steps--;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (!add_ranges(units, &die, id, &ranges))
			continue;
		if (dwarf_next_unit(units->dwarf, dwarf_dieoffset(&die) - dwarf_cuoffset(&die),
				    &next, NULL, NULL, NULL, NULL, NULL, NULL, NULL) != 0)
			next = dwarf_dieoffset(&die) + 1;
		is_any_split |= is_split;
		vec_push(&units->units,
			 (struct codeunits_unit){ .die = die, .end = next, .is_split = is_split });
	}
	rangemap_build(&units->by_vaddr, &units->map->arena, ranges.items, ranges.count,
		       rangemap_first_wins, NULL);
	if (is_any_split)
		notes_add(&units->map->notes,
			  "%s: parts of its DWARF are in .dwo files, which are not read: lines are "
			  "available, inlined functions are not",
			  units->map->info.path);
}

void codeunits_init(struct codeunits *units, struct elfmap *map, const struct elfmap_dwarf *dwarf)
{
	uint64_t steps;

	if (!checked_mul(dwarf->bytes, STEPS_A_BYTE, &steps) ||
	    !checked_add(steps, STEPS_AT_LEAST, &steps))
		steps = UINT64_MAX;
	*units = (struct codeunits){ .map = map, .dwarf = dwarf->dwarf, .budget = { steps } };
	find_units(units);
}

void codeunits_deinit(struct codeunits *units)
{
	vec_deinit(&units->units);
	vec_deinit(&units->scopes);
}

struct codeunits_unit *codeunits_unit_at(struct codeunits *units, uint64_t vaddr)
{
	const struct rangemap_item *item = rangemap_find(&units->by_vaddr, vaddr);

	return item ? &units->units.items[item->id] : NULL;
}

static void note_budget(struct codeunits *units)
{
	if (units->budget.steps == 0)
		notes_add(&units->map->notes,
			  "%s: its DWARF has more entries than its size allows; some inlined "
			  "functions are missing",
			  units->map->info.path);
}

/** True if functions are found in a DIE of this tag: in a function itself only if @is_deep. */
static bool may_hold_functions(int tag, bool is_deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return is_deep;
	default:
		return false;
	}
}

/** Find the functions of @unit. */
static void read_functions(struct codeunits *units, struct codeunits_unit *unit, bool is_deep)
{
	struct dwarfwalk walk;
	struct dwarfwalk_level *level;
	CLEANUP(vec_release) struct ranges ranges = { 0 };

	dwarfwalk_start(&walk, &units->budget, &unit->die, unit->end, 0);
	while ((level = dwarfwalk_next(&walk))) {
		int tag = dwarf_tag(&level->die);
		uint32_t id = (uint32_t)units->scopes.count; // one a step, and memory ends before

		walk.descend = may_hold_functions(tag, is_deep);
		if (tag == DW_TAG_subprogram && id < CODEUNITS_NONE &&
		    add_ranges(units, &level->die, id, &ranges) > 0)
			vec_push(&units->scopes, (struct codeunits_scope){
							 .die = level->die,
							 .end = dwarfwalk_end(level),
							 .outer = CODEUNITS_NONE,
						 });
	}
	// A function within a function comes later and may lie within its range.
	rangemap_build(&unit->functions, &units->map->arena, ranges.items, ranges.count, inner_wins,
		       NULL);
	unit->is_read = true;
	unit->is_read_deep = is_deep;
	note_budget(units);
}

/** Find what is inlined into @function, a scope. */
static void read_inlined(struct codeunits *units, uint32_t function)
{
	struct dwarfwalk walk;
	struct dwarfwalk_level *level;
	CLEANUP(vec_release) struct ranges ranges = { 0 };
	struct rangemap inner;
	Dwarf_Die root = units->scopes.items[function].die;

	dwarfwalk_start(&walk, &units->budget, &root, units->scopes.items[function].end, function);
	while ((level = dwarfwalk_next(&walk))) {
		int tag = dwarf_tag(&level->die);
		uint32_t id = (uint32_t)units->scopes.count, outer = level->mark;
		uint32_t ancestors = units->scopes.items[outer].ancestors + 1;

		walk.descend = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
			       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
		if (tag != DW_TAG_inlined_subroutine || id == CODEUNITS_NONE ||
		    ancestors > INLINED_DEPTH_MAX)
			continue;
		level->mark = id;
		add_ranges(units, &level->die, id, &ranges);
		vec_push(&units->scopes, (struct codeunits_scope){ .die = level->die,
								   .outer = outer,
								   .ancestors = ancestors });
	}
	rangemap_build(&inner, &units->map->arena, ranges.items, ranges.count, inner_wins, NULL);
	units->scopes.items[function].inner = inner;
	units->scopes.items[function].is_read = true;
	note_budget(units);
}

uint32_t codeunits_scope_at(struct codeunits *units, struct codeunits_unit *unit, uint64_t vaddr)
{
	if (unit->is_split)
		return CODEUNITS_NONE;
	if (!unit->is_read)
		read_functions(units, unit, false);
	const struct rangemap_item *item = rangemap_find(&unit->functions, vaddr);
	if (!item && !unit->is_read_deep) {
		// gcc puts functions within functions where C or OpenMP has them there.
		read_functions(units, unit, true);
		item = rangemap_find(&unit->functions, vaddr);
	}
	if (!item)
		return CODEUNITS_NONE;
	uint32_t function = item->id;
	if (!units->scopes.items[function].is_read)
		read_inlined(units, function);
	item = rangemap_find(&units->scopes.items[function].inner, vaddr);
	return item ? item->id : function;
}
