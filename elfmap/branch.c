// SPDX-License-Identifier: Apache-2.0
// Where the jumps and calls in a piece of code go: directly, by a PLT stub, by a slot.
#include "elfmap/entries.h"

enum {
	X86_CALL = 0xe8,
	X86_JUMP = 0xe9,
	X86_SHORT_JUMP = 0xeb,
	X86_TWO_BYTES = 0x0f,	// the first of an instruction's two; the second one of a
	X86_CONDITIONAL = 0x80, // conditional jump has its condition in the low half
	X86_INDIRECT = 0xff,	// the byte behind says what
	X86_INDIRECT_CALL = 2,
	X86_INDIRECT_JUMP = 4,
	X86_BRANCH_SIZE = 5, // with 32 bits
	X86_SHORT_JUMP_SIZE = 2,
	X86_CONDITIONAL_SIZE = 6,
	X86_INDIRECT_SIZE = 6,
};

/** Whether code may stand at @vaddr. */
static bool is_code(const struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);

	return segment && (segment->flags & PF_X);
}

static bool goes_to(const struct elfmap *map, uint64_t vaddr, struct elfmap_branch *branch)
{
	branch->has_vaddr = is_code(map, vaddr);
	branch->vaddr = vaddr;
	return branch->has_vaddr;
}

/** Fill @branch with what symbol @index of .dynsym is bound to. */
static bool goes_to_symbol(struct elfmap *map, uint32_t index, struct elfmap_branch *branch)
{
	struct elfmap_dynamic_symbol symbol;

	if (!elfmap_dynamic_symbol(map, index, &symbol) || !symbol.name[0])
		return false;
	branch->name = symbol.name;
	// An IFUNC's own address is that of what chooses.
	if (symbol.is_defined && symbol.type != STT_GNU_IFUNC)
		goes_to(map, symbol.vaddr, branch);
	return true;
}

/** Fill @branch with what the dynamic linker, or the linker, puts into @slot. */
static bool goes_through(struct elfmap *map, uint64_t slot, struct elfmap_branch *branch)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, slot);

	if (!relocation) {
		const uint8_t *bytes = map->info.type == ET_EXEC
					       ? elfmap_bytes(map, slot, elfmap_word_size(map))
					       : NULL;

		return bytes && goes_to(map, elfmap_word(map, bytes), branch);
	}
	if (relocation->vaddr != slot)
		return false;
	switch (relocation->class) {
	case ELFMAP_RELOCATION_RELATIVE:
		return goes_to(map, relocation->value, branch);
	case ELFMAP_RELOCATION_SYMBOLIC:
		return relocation->value == 0 && goes_to_symbol(map, relocation->symbol, branch);
	case ELFMAP_RELOCATION_JUMP_SLOT:
		return goes_to_symbol(map, relocation->symbol, branch);
	default:
		return false;
	}
}

/** Fill @branch with where @vaddr leads: it is there, unless a PLT stub leads on. */
static bool goes_by(struct elfmap *map, uint64_t vaddr, struct elfmap_branch *branch)
{
	const struct entry_table *table = elfmap_entry_table(map, vaddr);
	const struct elfmap_place place = { .has_vaddr = true, .vaddr = vaddr };
	struct elfmap_entry stub;
	uint64_t slot;

	if (!table || table->kind != ELFMAP_ENTRY_PLT)
		return goes_to(map, vaddr, branch);
	elfmap_entry_at(map, &place, &stub);
	return stub.vaddr == vaddr && elfmap_plt_slot(map, &stub, stub.index, &slot) &&
	       goes_through(map, slot, branch);
}

/** @base plus @distance, signed, as the machine counts. */
static uint64_t ahead(const struct elfmap *map, uint64_t base, int64_t distance)
{
	uint64_t vaddr = base + (uint64_t)distance;

	return map->info.machine == EM_386 ? vaddr & UINT32_MAX : vaddr;
}

/** `jmp *slot` and `call *slot`, whose second byte is @mode; the slot is told by @operand. */
static bool indirect(struct elfmap *map, uint64_t vaddr, uint8_t mode, uint32_t operand,
		     struct elfmap_branch *branch)
{
	unsigned what = mode >> 3 & 7, base = mode & 7;
	uint64_t slot;

	if (what != X86_INDIRECT_CALL && what != X86_INDIRECT_JUMP)
		return false;
	branch->is_call = what == X86_INDIRECT_CALL;
	if ((mode & 0xc7) == 5) // behind the instruction, but on i386 anywhere
		slot = map->info.machine == EM_X86_64
			       ? ahead(map, vaddr + X86_INDIRECT_SIZE, (int32_t)operand)
			       : operand;
	else if (map->info.machine != EM_386 || mode >> 6 != 2 || base == 4 ||
		 !elfmap_slot_by_got(map, operand, &slot))
		return false;
	return goes_through(map, slot, branch);
}

/** The jump or call that the @size bytes at @bytes, which stand at @vaddr, begin with. */
static bool decode(struct elfmap *map, const uint8_t *bytes, size_t size, uint64_t vaddr,
		   struct elfmap_branch *branch)
{
	*branch = (struct elfmap_branch){ .is_call = bytes[0] == X86_CALL };
	switch (bytes[0]) {
	case X86_SHORT_JUMP:
		return size >= X86_SHORT_JUMP_SIZE &&
		       goes_by(map, ahead(map, vaddr + X86_SHORT_JUMP_SIZE, (int8_t)bytes[1]),
			       branch);
	case X86_CALL:
	case X86_JUMP:
		return size >= X86_BRANCH_SIZE &&
		       goes_by(map,
			       ahead(map, vaddr + X86_BRANCH_SIZE,
				     (int32_t)elfmap_u32(map, bytes + 1)),
			       branch);
	case X86_TWO_BYTES:
		return size >= X86_CONDITIONAL_SIZE && (bytes[1] & 0xf0) == X86_CONDITIONAL &&
		       goes_by(map,
			       ahead(map, vaddr + X86_CONDITIONAL_SIZE,
				     (int32_t)elfmap_u32(map, bytes + 2)),
			       branch);
	case X86_INDIRECT:
		return size >= X86_INDIRECT_SIZE &&
		       indirect(map, vaddr, bytes[1], elfmap_u32(map, bytes + 2), branch);
	default:
		return false;
	}
}

bool elfmap_branch_next(struct elfmap *map, struct range *code, struct elfmap_branch *ret_branch)
{
	const uint8_t *bytes;

	if (map->info.machine != EM_X86_64 && map->info.machine != EM_386)
		return false;
	bytes = elfmap_bytes(map, code->start, range_size(*code));
	// Every byte is tried, since where instructions begin is not known: a false hit on a
	// function would need the exact distance to it behind a byte that happens to be a jump's.
	while (bytes && code->start < code->end) {
		uint64_t vaddr = code->start++;

		if (decode(map, bytes++, (size_t)(code->end - vaddr), vaddr, ret_branch))
			return true;
	}
	return false;
}

bool elfmap_jumps_to(struct elfmap *map, struct range code, uint64_t target)
{
	enum { LIMIT = 4096 };
	struct elfmap_branch branch;

	if (range_size(code) > LIMIT)
		code.end = code.start + LIMIT;
	while (elfmap_branch_next(map, &code, &branch))
		if (!branch.is_call && branch.has_vaddr && branch.vaddr == target)
			return true;
	return false;
}

/** Whether the byte at @at ends the distance of a direct jump or call backwards. */
static bool ends_distance(const uint8_t *bytes, size_t at)
{
	return (at >= 4 && (bytes[at - 4] == X86_CALL || bytes[at - 4] == X86_JUMP)) ||
	       (at >= 5 && bytes[at - 5] == X86_TWO_BYTES &&
		(bytes[at - 4] & 0xf0) == X86_CONDITIONAL);
}

bool elfmap_jumps_unseen(struct elfmap *map, struct range code)
{
	const uint8_t *bytes;
	size_t size;

	if (map->info.machine != EM_X86_64 && map->info.machine != EM_386)
		return true;
	bytes = elfmap_bytes(map, code.start, range_size(code));
	size = bytes ? range_size(code) : 0;
	for (size_t i = 0; i + 1 < size; i++) {
		struct elfmap_branch branch;

		if (bytes[i] == X86_INDIRECT && (bytes[i + 1] >> 3 & 7) == X86_INDIRECT_JUMP &&
		    !ends_distance(bytes, i) &&
		    !decode(map, bytes + i, size - i, code.start + i, &branch))
			return true;
	}
	return !bytes;
}
