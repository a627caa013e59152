// SPDX-License-Identifier: Apache-2.0
// Targets of the jumps and calls in a piece of code: direct, by a PLT stub, by a slot.
#include "base/cleanup.h"
#include "elfmap/entries.h"
#include "machine/disassembler.h"

/** True if code may stand at @vaddr. */
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

/** Fill @branch with where @found leads. */
static bool follow(struct elfmap *map, const struct machine_branch *found,
		   struct elfmap_branch *branch)
{
	uint64_t slot;

	*branch = (struct elfmap_branch){ .is_call = found->is_call };
	switch (found->target) {
	case MACHINE_TARGET_ADDRESS:
		return goes_by(map, found->operand, branch);
	case MACHINE_TARGET_SLOT:
		return goes_through(map, found->operand, branch);
	case MACHINE_TARGET_GOT:
		return elfmap_slot_by_got(map, found->operand, &slot) &&
		       goes_through(map, slot, branch);
	default:
		return false;
	}
}

bool elfmap_branch_next(struct elfmap *map, struct range *code, struct elfmap_branch *ret_branch)
{
	const struct machine *machine = machine_of(map->info.machine);
	const uint8_t *bytes =
		machine->find_branch ? elfmap_bytes(map, code->start, range_size(*code)) : NULL;
	struct machine_branch found;

	while (bytes && machine->find_branch(bytes, range_size(*code), code->start, &found)) {
		bytes += found.offset + 1;
		code->start += found.offset + 1;
		if (follow(map, &found, ret_branch))
			return true;
	}
	return false;
}

bool elfmap_jumps_to(struct elfmap *map, struct range code, uint64_t target)
{
	enum { LIMIT = 4 << 10 };
	struct elfmap_branch branch;

	if (range_size(code) > LIMIT)
		code.end = code.start + LIMIT;
	while (elfmap_branch_next(map, &code, &branch))
		if (!branch.is_call && branch.has_vaddr && branch.vaddr == target)
			return true;
	return false;
}

/** Addresses from the first to the last segment. */
static struct range file_range(const struct elfmap *map)
{
	struct range range = { UINT64_MAX, 0 };

	array_foreach (segment, map->segments, map->segment_count) {
		if (segment->type != PT_LOAD)
			continue;
		if (segment->vaddr < range.start)
			range.start = segment->vaddr;
		if (segment->vaddr + segment->memory_size > range.end)
			range.end = segment->vaddr + segment->memory_size;
	}
	return range;
}

/** True if @found leads to a place that is known: in this file, or to a symbol. */
static bool is_seen(struct elfmap *map, const struct machine_branch *found)
{
	struct elfmap_branch branch = { 0 };

	switch (found->target) {
	case MACHINE_TARGET_NOWHERE:
		return true;
	case MACHINE_TARGET_IF_SET: // a weak symbol that this file does not define
		return goes_through(map, found->operand, &branch) && !branch.has_vaddr;
	default:
		return follow(map, found, &branch);
	}
}

bool elfmap_jumps_unseen(struct elfmap *map, struct range code)
{
	enum {
		LONGEST = 15,	    // bytes of an instruction
		CODE_MAX = 1 << 20, // bytes of one function
	};
	const struct machine *machine = machine_of(map->info.machine);
	const uint8_t *bytes = machine->last_indirect_jump
				       ? elfmap_bytes(map, code.start, range_size(code))
				       : NULL;
	uint64_t size = range_size(code), vaddr = code.start, last;
	struct machine_branch found;

	if (!bytes)
		return true;
	if (!machine->last_indirect_jump(bytes, size, vaddr, file_range(map), &last))
		return false;
	size_t left = size - last > LONGEST ? last + LONGEST : size;
	CLEANUP(disassembler_destroyp)
	struct disassembler *by = left <= CODE_MAX ? disassembler_create(machine, false) : NULL;
	if (!by)
		return true;

	const uint8_t *next = bytes;
	while (vaddr - code.start <= last) {
		struct range at = { vaddr - code.start, 0 };

		if (!disassembler_next(by, &next, &left, &vaddr))
			return true; // no instruction: what follows would be read out of step
		at.end = vaddr - code.start;
		if (machine->indirect_jump(bytes, at, code.start, &found) && found.offset <= last &&
		    !is_seen(map, &found))
			return true;
	}
	return false;
}
