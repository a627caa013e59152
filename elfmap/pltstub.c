// SPDX-License-Identifier: Apache-2.0
// PLT stubs: the slot that each one jumps through, by its instructions where they are simple.
#include "elfmap/entries.h"

#include <string.h>

/** The slot that entry @index of the PLT's relocation table fills. */
static bool slot_of_relocation(struct elfmap *map, uint64_t index, uint64_t *ret_slot)
{
	size_t count;
	const struct elfmap_relocation_table *tables = elfmap_relocation_tables(map, &count);

	for (size_t i = 0; i < count; i++) {
		if (!tables[i].is_plt || index >= tables[i].relocation_count)
			continue;
		const uint8_t *entry = elfmap_bytes(
			map, tables[i].vaddr + index * tables[i].entry_size, tables[i].entry_size);

		if (!entry)
			return false;
		*ret_slot = elfmap_word(map, entry);
		return true;
	}
	return false;
}

/** True if a relocation writes exactly this slot. */
static bool is_slot(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, vaddr);

	return relocation && relocation->vaddr == vaddr;
}

/** True if the stubs of the PLT count from .got. */
static bool counts_from_got(struct elfmap *map)
{
	const struct machine *machine = machine_of(map->info.machine);
	const uint64_t size = machine->plt_from_got_size;
	const struct elfmap_section *plt = size ? elfmap_section_named(map, ".plt") : NULL;
	const uint8_t *code = plt ? elfmap_bytes(map, plt->vaddr, size) : NULL;

	return code && memcmp(code, machine->plt_from_got, size) == 0;
}

bool elfmap_slot_by_got(struct elfmap *map, uint64_t operand, uint64_t *ret_slot)
{
	const struct elfmap_section *got = elfmap_section_named(map, ".got");

	*ret_slot = ((got && counts_from_got(map) ? got->vaddr : map->dynamic.pltgot) + operand) &
		    UINT32_MAX;
	if (is_slot(map, *ret_slot))
		return true;
	// mold without a .plt.
	if (got)
		*ret_slot = (got->vaddr + operand) & UINT32_MAX;
	return got && is_slot(map, *ret_slot);
}

bool elfmap_plt_slot(struct elfmap *map, const struct elfmap_entry *stub, uint64_t index,
		     uint64_t *ret_slot)
{
	const struct machine *machine = machine_of(map->info.machine);
	const uint8_t *code = elfmap_bytes(map, stub->vaddr, stub->size);

	if (!code)
		return false;
	if (!machine->stub)
		return slot_of_relocation(map, index, ret_slot);
	switch (machine->stub(code, stub->size, stub->vaddr, &index)) {
	case MACHINE_TARGET_SLOT:
		*ret_slot = index;
		return true;
	case MACHINE_TARGET_GOT:
		return elfmap_slot_by_got(map, index, ret_slot);
	case MACHINE_TARGET_RELOCATION:
		return slot_of_relocation(map, index, ret_slot);
	default:
		return false;
	}
}
