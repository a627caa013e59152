// SPDX-License-Identifier: Apache-2.0
// Which compilation unit code came from: DW_AT_name of the unit whose ranges hold it, by libdw.
#include "elfmap/source.h"

#include "base/cleanup.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>

/** One initializer that still looks for its unit. */
struct wanted {
	uint64_t vaddr;
	struct elfmap_initializer *initializer;
};

static int compare_wanted(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static void dwarf_endp(Dwarf **dwarf)
{
	if (*dwarf)
		dwarf_end(*dwarf);
}

static void elf_endp(Elf **elf)
{
	if (*elf)
		elf_end(*elf);
}

/** The first of @wanted at or past @vaddr. */
static size_t first_at(const struct wanted *wanted, size_t count, uint64_t vaddr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (wanted[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** Give the unit's name to all that lie in [@start, @end) and have none yet. */
static size_t name_range(struct elfmap *map, const struct wanted *wanted, size_t count,
			 struct range range, Dwarf_Die *unit, const char **ret_name,
			 uint64_t *steps_left)
{
	size_t named = 0;

	for (size_t i = first_at(wanted, count, range.start);
	     i < count && wanted[i].vaddr<range.end && * steps_left> 0; i++, --*steps_left) {
		if (wanted[i].initializer->source)
			continue;
		if (!*ret_name) {
			const char *name = dwarf_diename(unit);

			if (!name)
				return named;
			*ret_name = arena_strdup(&map->arena, name);
		}
		wanted[i].initializer->source = *ret_name;
		named++;
	}
	return named;
}

/**
 * Walk the units and their ranges. .debug_aranges would be quicker, but clang does not write it.
 * Damaged units may all claim one huge range list, or ranges that hold everything, so the steps in
 * all are limited by the size of the file: an honest range takes at least two bytes and names one.
 */
static void name_units(struct elfmap *map, Dwarf *dwarf, uint64_t file_size,
		       const struct wanted *wanted, size_t count)
{
	uint64_t steps_left = file_size;
	size_t named = 0;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t unit_type;

	while (named < count &&
	       dwarf_get_units(dwarf, unit, &unit, NULL, &unit_type, &die, NULL) == 0) {
		const char *name = NULL;
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		if (unit_type != DW_UT_compile && unit_type != DW_UT_skeleton)
			continue;
		while ((at = dwarf_ranges(&die, at, &base, &start, &end)) > 0) {
			if (steps_left == 0) {
				notes_add(&map->notes,
					  "%s: DWARF has more ranges than its size can hold; some "
					  "initializers have no source",
					  map->info.path);
				return;
			}
			steps_left--;
			named += name_range(map, wanted, count, (struct range){ start, end }, &die,
					    &name, &steps_left);
		}
	}
}

/** The initializers whose function is known, sorted by its vaddr. */
static struct wanted *sort_wanted(struct elfmap_initializer *initializers, size_t count)
{
	struct wanted *wanted = xcalloc(count, sizeof(*wanted));

	for (size_t i = 0; i < count; i++)
		wanted[i] = (struct wanted){ initializers[i].vaddr, &initializers[i] };
	qsort(wanted, count, sizeof(*wanted), compare_wanted);
	return wanted;
}

/** True if a section .debug_info (also compressed) is there. */
static bool has_dwarf(const struct elfmap *map)
{
	return elfmap_section_named(map, ".debug_info") ||
	       elfmap_section_named(map, ".zdebug_info");
}

void elfmap_fill_sources(struct elfmap *map, struct elfmap_initializer *initializers, size_t count)
{
	const struct elfmap *from = has_dwarf(map) ? map : map->debug;

	if (count == 0 || !from || !has_dwarf(from))
		return;

	// A descriptor and an Elf of its own: libdw applies decompression to the Elf it is given.
	CLEANUP(fd_close) int fd = open(from->info.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	CLEANUP(elf_endp) Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	CLEANUP(dwarf_endp) Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	if (!dwarf) {
		notes_add(&map->notes, "%s: its DWARF cannot be read: %s", from->info.path,
			  fd < 0 ? "it cannot be opened again"
			  : elf	 ? dwarf_errmsg(-1)
				 : elf_errmsg(-1));
		return;
	}
	CLEANUP(freep) struct wanted *wanted = sort_wanted(initializers, count);
	name_units(map, dwarf, from->info.size, wanted, count);
}
