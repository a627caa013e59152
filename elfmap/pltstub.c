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

bool elfmap_slot_by_got(struct elfmap *map, uint64_t operand, uint64_t *ret_slot)
{
	static const uint8_t mold_start[] = { 0xf3, 0x0f, 0x1e, 0xfb, 0x51 };
	const struct elfmap_section *plt = elfmap_section_named(map, ".plt");
	const struct elfmap_section *got = elfmap_section_named(map, ".got");
	const uint8_t *code = plt ? elfmap_bytes(map, plt->vaddr, sizeof(mold_start)) : NULL;
	bool is_mold = code && got && memcmp(code, mold_start, sizeof(mold_start)) == 0;

	*ret_slot = ((is_mold ? got->vaddr : map->dynamic.pltgot) + operand) & UINT32_MAX;
	if (is_slot(map, *ret_slot))
		return true;
	// mold without a .plt.
	if (got)
		*ret_slot = (got->vaddr + operand) & UINT32_MAX;
	return got && is_slot(map, *ret_slot);
}

/** Bytes of the instruction at @code that comes before the jump in a stub; 0 for any other. */
static unsigned x86_prefix(const uint8_t *code)
{
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		return 4; // endbr64, endbr32
	if (code[0] == 0xf2)
		return 1; // bnd
	if (code[0] == 0x41 && code[1] == 0x53)
		return 2; // push %r11
	if (code[0] == 0x41 && code[1] == 0xbb)
		return 6; // mov $n,%r11d
	if (code[0] == 0xb9)
		return 5; // mov $n,%ecx
	if (code[0] == 0xff && (code[1] == 0x35 || code[1] == 0xb3))
		return 6; // push of a slot
	return 0;
}

/**
 * x86: the slot of `jmp *slot`, or of the relocation that `push $n` passes to the resolver. All
 * linkers build their stubs of these few instructions.
 */
static bool decode_x86(struct elfmap *map, const struct elfmap_entry *stub, const uint8_t *code,
		       uint64_t *ret_slot)
{
	bool is_64bit = map->info.machine == EM_X86_64;
	uint64_t at = 0;

	while (at + 6 <= stub->size && x86_prefix(code + at))
		at += x86_prefix(code + at);
	if (at + 6 > stub->size)
		return false;
	if (code[at] == 0x68) {
		uint64_t index = elfmap_u32(map, code + at + 1);

		// i386 counts in bytes of its REL table.
		return slot_of_relocation(map, is_64bit ? index : index / 8, ret_slot);
	}
	uint64_t operand = elfmap_u32(map, code + at + 2);
	if (code[at] == 0xff && code[at + 1] == 0x25) {
		// In 64-bit code it counts from the next instruction, and is signed.
		*ret_slot = is_64bit ? stub->vaddr + at + 6 + (uint64_t)(int64_t)(int32_t)operand
				     : operand;
		return true;
	}
	return !is_64bit && code[at] == 0xff && code[at + 1] == 0xa3 &&
	       elfmap_slot_by_got(map, operand, ret_slot);
}

/** AArch64: `adrp x16, page` and `ldr x17, [x16, #low]`, one after the other. */
static bool decode_aarch64(const struct elfmap_entry *stub, const uint8_t *code, uint64_t *ret_slot)
{
	for (uint64_t at = 0; at + 8 <= stub->size; at += 4) {
		// Instructions are little-endian whatever the data is.
		uint32_t adrp, ldr;
		int64_t pages;

		memcpy(&adrp, code + at, sizeof(adrp));
		memcpy(&ldr, code + at + 4, sizeof(ldr));
		adrp = le32toh(adrp);
		ldr = le32toh(ldr);
		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		pages = (int64_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3));
		if (pages & 0x100000)
			pages -= 0x200000; // 21 bits, signed
		*ret_slot = align_down(stub->vaddr + at, 4096) + (uint64_t)pages * 4096 +
			    (ldr >> 10 & 0xfff) * 8;
		return true;
	}
	return false;
}

bool elfmap_plt_slot(struct elfmap *map, const struct elfmap_entry *stub, uint64_t index,
		     uint64_t *ret_slot)
{
	const uint8_t *code = elfmap_bytes(map, stub->vaddr, stub->size);

	if (!code)
		return false;
	switch (map->info.machine) {
	case EM_X86_64:
	case EM_386:
		return decode_x86(map, stub, code, ret_slot);
	case EM_AARCH64:
		return decode_aarch64(stub, code, ret_slot);
	default:
		return slot_of_relocation(map, index, ret_slot);
	}
}
