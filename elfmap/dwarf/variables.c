// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/variables.h"

#include "elfmap/dwarf/dwarffile.h"
#include "elfmap/dwarf/dwarfwalk.h"

#include "base/checked.h"
#include "base/cleanup.h"

#include <dwarf.h>

enum { STEPS_A_BYTE = 32, STEPS_AT_LEAST = 1 << 16 }; // as in codeunits.c

/** The vaddr of @die if that is all that its location says. */
static bool find_vaddr(Dwarf_Die *die, uint64_t *ret_vaddr)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t count;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1)
		return false;
	if (operations[0].atom == DW_OP_addr) {
		*ret_vaddr = operations[0].number;
		return true;
	}
	if (operations[0].atom != DW_OP_addrx)
		return false;
	return dwarf_getlocation_attr(&attribute, &operations[0], &attribute) == 0 &&
	       dwarf_formaddr(&attribute, ret_vaddr) == 0;
}

/** One copy of @name for many variables in a row that have it. */
static uint32_t file_of(struct variables *variables, struct elfmap *map, const char *name)
{
	size_t count = variables->files.count;

	if (count == 0 || strcmp(variables->files.items[count - 1], name) != 0)
		vec_push(&variables->files, arena_strdup(&map->arena, name));
	return (uint32_t)variables->files.count - 1;
}

static void add_variable(struct variables *variables, struct elfmap *map, Dwarf_Die *die,
			 Dwarf_Die *unit)
{
	uint64_t vaddr;
	bool is_new;

	if (!find_vaddr(die, &vaddr))
		return;
	const char *name = dwarf_decl_file(die) ?: dwarf_diename(unit);

	if (!name)
		return;
	uint32_t *file = u64map_put(&variables->by_vaddr, vaddr, &is_new);
	if (is_new)
		*file = file_of(variables, map, name);
}

static bool holds_variables(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block;
}

/** Add the variables of @unit, whose entries end before offset @end of .debug_info. */
static void read_unit(struct variables *variables, struct elfmap *map, struct dwarfwalk *walk,
		      struct dwarfwalk_budget *budget, Dwarf_Die *unit, uint64_t end)
{
	struct dwarfwalk_level *level;

	dwarfwalk_start(walk, budget, unit, end, 0);
	while ((level = dwarfwalk_next(walk))) {
		int tag = dwarf_tag(&level->die);

		walk->descend = holds_variables(tag);
		if (tag == DW_TAG_variable)
			add_variable(variables, map, &level->die, unit);
	}
}

void variables_read(struct variables *variables, struct elfmap *map)
{
	const struct elfmap_dwarf *dwarf = elfmap_dwarf(map);
	struct dwarfwalk_budget budget;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	if (!dwarf->dwarf)
		return;
	if (!checked_mul(dwarf->bytes, STEPS_A_BYTE, &budget.steps) ||
	    !checked_add(budget.steps, STEPS_AT_LEAST, &budget.steps))
		budget.steps = UINT64_MAX;
	CLEANUP(freep) struct dwarfwalk *walk = xcalloc(1, sizeof(*walk));

	while (budget.steps > 0 &&
	       dwarf_get_units(dwarf->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		Dwarf_Off next;

		budget.steps--;
		if (type == DW_UT_compile &&
		    dwarf_next_unit(dwarf->dwarf, dwarf_dieoffset(&die) - dwarf_cuoffset(&die),
				    &next, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == 0)
			read_unit(variables, map, walk, &budget, &die, next);
	}
}

void variables_deinit(struct variables *variables)
{
	u64map_deinit(&variables->by_vaddr);
	vec_deinit(&variables->files);
}

const char *variables_file_at(const struct variables *variables, uint64_t vaddr)
{
	const uint32_t *file = u64map_get(&variables->by_vaddr, vaddr);

	return file ? variables->files.items[*file] : NULL;
}
