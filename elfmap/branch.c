// SPDX-License-Identifier: Apache-2.0
// Targets of the jumps and calls in a piece of code: direct, by a PLT stub, by a slot.
#include "base/cleanup.h"
#include "elfmap/coderefs.h"
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

/**
 * Whether `jmp *%rax` at @at goes to a weak symbol that this file does not define, or nowhere: that
 * of register_tm_clones(), which every program has (GCC's crtstuff.c).
 */
static bool goes_to_weak(struct elfmap *map, const uint8_t *bytes, size_t at, size_t size,
			 uint64_t vaddr)
{
	static const uint8_t jump[] = { 0xff, 0xe0 }, test[] = { 0x48, 0x85, 0xc0, 0x74 };
	static const uint8_t load_slot[] = { 0x48, 0x8b, 0x05 }, load_zero[] = { 0xb8, 0, 0, 0, 0 };
	enum { LOAD_SIZE = 7, TEST_SIZE = 5, ARGUMENT = 0xbf, ARGUMENT_SIZE = 5 };
	struct elfmap_branch branch = { 0 };

	if (map->info.machine != EM_X86_64 || size - at < sizeof(jump) ||
	    memcmp(bytes + at, jump, sizeof(jump)) != 0)
		return false;
	if (at >= ARGUMENT_SIZE && bytes[at - ARGUMENT_SIZE] == ARGUMENT)
		at -= ARGUMENT_SIZE;
	if (at < TEST_SIZE + LOAD_SIZE || memcmp(bytes + at - TEST_SIZE, test, sizeof(test)) != 0)
		return false;
	at -= TEST_SIZE;
	if (memcmp(bytes + at - sizeof(load_zero), load_zero, sizeof(load_zero)) == 0)
		return true;
	return memcmp(bytes + at - LOAD_SIZE, load_slot, sizeof(load_slot)) == 0 &&
	       goes_through(map, ahead(map, vaddr + at, (int32_t)elfmap_u32(map, bytes + at - 4)),
			    &branch) &&
	       !branch.has_vaddr;
}

/**
 * Whether the byte at @at is one of the distance of a direct jump or call, or of an instruction
 * with a 64-bit operand beside %rip: four bytes that lead to a place of this file are no accident.
 */
static bool is_in_distance(const struct elfmap *map, const uint8_t *bytes, size_t at, size_t size,
			   uint64_t vaddr)
{
	enum { DISTANCE = 4, REX_W = 0x48, BESIDE_RIP = 5, PLACE = 0xc7 };

	for (size_t start = at > DISTANCE ? at - DISTANCE + 1 : 1; start <= at; start++) {
		bool is_branch = bytes[start - 1] == X86_CALL || bytes[start - 1] == X86_JUMP;
		bool is_operand = start >= 3 && (bytes[start - 3] & 0xf8) == REX_W &&
				  (bytes[start - 1] & PLACE) == BESIDE_RIP;

		if ((is_branch || is_operand) && size - start >= DISTANCE &&
		    elfmap_load_at(map, ahead(map, vaddr + start + DISTANCE,
					      (int32_t)elfmap_u32(map, bytes + start))))
			return true;
	}
	return false;
}

/** Find the last place in the @size bytes that looks like a jump by a register or memory. */
static bool last_indirect_jump(const struct elfmap *map, const uint8_t *bytes, size_t size,
			       uint64_t vaddr, size_t *ret_at)
{
	for (size_t i = size; i-- > 1;)
		if (bytes[i - 1] == X86_INDIRECT && (bytes[i] >> 3 & 7) == X86_INDIRECT_JUMP &&
		    !is_in_distance(map, bytes, i - 1, size, vaddr)) {
			*ret_at = i - 1;
			return true;
		}
	return false;
}

bool elfmap_jumps_unseen(struct elfmap *map, struct range code)
{
	enum { LONGEST = 15 }; // bytes of an instruction
	const uint8_t *bytes = elfmap_bytes(map, code.start, range_size(code));
	size_t size = range_size(code), last;
	struct elfmap_branch branch;
	uint64_t vaddr;

	if (!bytes || (map->info.machine != EM_X86_64 && map->info.machine != EM_386))
		return true;
	if (!last_indirect_jump(map, bytes, size, code.start, &last))
		return false;
	if (size - last > LONGEST)
		code.end = code.start + last + LONGEST;
	CLEANUP(coderefs_destroyp) struct coderefs *refs = coderefs_create(map, code);
	if (!refs)
		return true;
	while (coderefs_next_jump(refs, &vaddr) && vaddr - code.start <= last) {
		size_t at = vaddr - code.start;

		if (!goes_to_weak(map, bytes, at, size, code.start) &&
		    !decode(map, bytes + at, size - at, vaddr, &branch))
			return true;
	}
	return false;
}
