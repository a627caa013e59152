// SPDX-License-Identifier: Apache-2.0
// Compile units and how much code each has, by the ranges that DWARF states.
#include "elfmap/dwarf/codeunits.h"

/** "src/main.c", as the unit has it; "[unit without a name]" where it has none. */
static const char *name_of(struct elfmap *map, struct codeunits_unit *unit)
{
	const char *name = dwarf_diename(&unit->die);

	return arena_strdup(&map->arena, name && *name ? name : "[unit without a name]");
}

const struct elfmap_unit *elfmap_units(struct elfmap *map, size_t *ret_count)
{
	const struct elfmap_dwarf *dwarf = elfmap_dwarf(map);
	struct codeunits units;

	*ret_count = 0;
	if (!dwarf->dwarf)
		return NULL;
	codeunits_init(&units, map, dwarf);
	size_t count = units.units.count;
	struct elfmap_unit *rows = arena_array(&map->arena, count + 1, sizeof(*rows));

	for (size_t i = 0; i < count; i++)
		rows[i].name = name_of(map, &units.units.items[i]);
	array_foreach (item, units.by_vaddr.items, units.by_vaddr.count)
		rows[item->id].code_bytes += item->range.end - item->range.start;
	codeunits_deinit(&units);
	*ret_count = count;
	return rows;
}
