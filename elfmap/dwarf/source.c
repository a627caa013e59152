// SPDX-License-Identifier: Apache-2.0
// Source files of code: DW_AT_name of the unit whose ranges hold it, by libdw; if LTO made a unit
// of its own, the files put into it; without DWARF, the symbol table.
#include "elfmap/dwarf/source.h"

#include "base/cleanup.h"
#include "elfmap/dwarf/dwarffile.h"
#include "elfmap/dwarf/filesymbol.h"
#include "elfmap/dwarf/ltounit.h"
#include "elfmap/dwarf/sourcelist.h"
#include "elfmap/dwarf/wanted.h"

#include <dwarf.h>

/** Give the name of @unit to all that lie in @range and have none yet; one copy, *@ret_name. */
static void name_range(struct elfmap *map, const struct wanted *wanted, size_t count,
		       struct range range, Dwarf_Die *unit, const char **ret_name,
		       uint64_t *steps_left)
{
	for (size_t i = wanted_first(wanted, count, range.start); i < count; i++, --*steps_left) {
		if (*steps_left == 0 || wanted[i].vaddr >= range.end)
			return;
		if (wanted[i].initializer->source)
			continue;
		if (!*ret_name) {
			const char *name = dwarf_diename(unit);

			if (!name)
				return;
			*ret_name =
				arena_strndup(&map->arena, name, strnlen(name, SOURCELIST_LENGTH));
		}
		wanted[i].initializer->source = *ret_name;
	}
}

/**
 * Walk the units and their ranges. .debug_aranges would be quicker, but clang does not write it.
 * Damaged units may all claim one huge range list, or ranges that hold everything, so the steps in
 * all are limited by the size of the DWARF: an honest range takes at least two bytes and names one.
 * What units of LTO hold is put into @lto instead.
 */
static void name_units(struct elfmap *map, Dwarf *dwarf, uint64_t dwarf_size,
		       const struct wanted *wanted, size_t count, struct ltounits *lto)
{
	uint64_t steps_left = dwarf_size;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t unit_type;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, &unit_type, &die, NULL) == 0) {
		const char *name = NULL;
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		if (unit_type != DW_UT_compile && unit_type != DW_UT_skeleton)
			continue;
		if (ltounits_is_one(&die)) {
			ltounits_add(lto, &die);
			continue;
		}
		while (steps_left > 0 && (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0) {
			steps_left--;
			name_range(map, wanted, count, (struct range){ start, end }, &die, &name,
				   &steps_left);
		}
		if (steps_left == 0) {
			notes_add(&map->notes,
				  "%s: its DWARF has more ranges than its size allows; some "
				  "initializers have no source",
				  map->info.path);
			return;
		}
	}
}

static void fill_by_dwarf(struct elfmap *map, struct elfmap_initializer *initializers, size_t count)
{
	const struct elfmap_dwarf *from = elfmap_dwarf(map);

	if (!from->dwarf)
		return;
	size_t wanted_count;
	CLEANUP(freep)
	struct wanted *wanted = wanted_sort(initializers, count, &wanted_count);
	CLEANUP(vec_release)
	struct ltounits lto = { .steps_left = from->bytes, .code_left = map->info.size };

	name_units(map, from->dwarf, from->bytes, wanted, wanted_count, &lto);
	ltounits_sort(&lto);
	for (size_t i = 0; i < wanted_count; i++)
		if (!wanted[i].initializer->source)
			wanted[i].initializer->source =
				ltounits_source(&lto, map, wanted[i].initializer);
}

const struct elfmap_initializer *elfmap_initializers(struct elfmap *map, size_t *ret_count)
{
	elfmap_initializers_without_source(map, ret_count);

	struct elfmap_initializer_set *set = map->initializer_set;
	if (!set->has_sources && set->count > 0) {
		fill_by_dwarf(map, set->items, set->count);
		filesymbol_fill(map, set->items, set->count);
	}
	set->has_sources = true;
	return set->items;
}
