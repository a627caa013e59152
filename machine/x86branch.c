// SPDX-License-Identifier: Apache-2.0
// Jumps and calls of x86, found without disassembly.
#include "machine/x86.h"

enum {
	SHORT_JUMP = 0xeb,
	TWO_BYTES = 0x0f,   // the first of an opcode's two
	CONDITIONAL = 0x80, // the second one of a conditional jump; its low half is the condition
	SHORT_JUMP_SIZE = 2,
	CONDITIONAL_SIZE = 6,
	INDIRECT_SIZE = 6, // with a distance or an address
};

static uint64_t wrap(uint64_t vaddr, bool is_64bit)
{
	return is_64bit ? vaddr : vaddr & UINT32_MAX;
}

static bool goes_to(struct machine_branch *branch, uint64_t vaddr, bool is_64bit)
{
	branch->target = MACHINE_TARGET_ADDRESS;
	branch->operand = wrap(vaddr, is_64bit);
	return true;
}

/** `jmp *slot` and `call *slot`, the latter of 6 bytes at @code. */
static bool read_indirect(const uint8_t *code, uint64_t vaddr, bool is_64bit,
			  struct machine_branch *branch)
{
	enum { MODE_AND_BASE = 0xc7, ADDRESS = 5, LONG_DISTANCE = 2, HAS_INDEX = 4 };
	unsigned what = code[1] >> 3 & 7, mode = code[1] >> 6, base = code[1] & 7;

	if (what != X86_INDIRECT_CALL && what != X86_INDIRECT_JUMP)
		return false;
	branch->is_call = what == X86_INDIRECT_CALL;
	branch->operand = x86_u32(code + 2);
	if ((code[1] & MODE_AND_BASE) == ADDRESS) {
		branch->target = MACHINE_TARGET_SLOT;
		if (is_64bit) // from behind the instruction
			branch->operand = x86_ahead(vaddr + INDIRECT_SIZE, code + 2);
		return true;
	}
	branch->target = MACHINE_TARGET_GOT;
	return !is_64bit && mode == LONG_DISTANCE && base != HAS_INDEX;
}

/** Read the jump or call that the @size bytes at @code begin with. */
static bool read_branch(const uint8_t *code, uint64_t size, uint64_t vaddr, bool is_64bit,
			struct machine_branch *branch)
{
	switch (code[0]) {
	case SHORT_JUMP:
		branch->is_near = true;
		return size >= SHORT_JUMP_SIZE &&
		       goes_to(branch, vaddr + SHORT_JUMP_SIZE + (uint64_t)(int8_t)code[1],
			       is_64bit);
	case X86_CALL:
	case X86_JUMP:
		branch->is_call = code[0] == X86_CALL;
		return size >= X86_CALL_SIZE &&
		       goes_to(branch, x86_ahead(vaddr + X86_CALL_SIZE, code + 1), is_64bit);
	case TWO_BYTES:
		branch->is_near = true;
		return size >= CONDITIONAL_SIZE && (code[1] & 0xf0) == CONDITIONAL &&
		       goes_to(branch, x86_ahead(vaddr + CONDITIONAL_SIZE, code + 2), is_64bit);
	case X86_INDIRECT:
		return size >= INDIRECT_SIZE && read_indirect(code, vaddr, is_64bit, branch);
	default:
		return false;
	}
}

/**
 * Every byte is tried, since where instructions begin is not known: a false hit on a function would
 * need the exact distance to it behind a byte that happens to be a jump's.
 */
static bool find_branch(const uint8_t *code, uint64_t size, uint64_t vaddr, bool is_64bit,
			struct machine_branch *ret_branch)
{
	for (uint64_t at = 0; at < size; at++) {
		struct machine_branch branch = { .offset = at };

		if (read_branch(code + at, size - at, vaddr + at, is_64bit, &branch)) {
			*ret_branch = branch;
			return true;
		}
	}
	return false;
}

bool x86_64_find_branch(const uint8_t *code, uint64_t size, uint64_t vaddr,
			struct machine_branch *ret_branch)
{
	return find_branch(code, size, vaddr, true, ret_branch);
}

bool i386_find_branch(const uint8_t *code, uint64_t size, uint64_t vaddr,
		      struct machine_branch *ret_branch)
{
	return find_branch(code, size, vaddr, false, ret_branch);
}

// ---- Jumps through a register or memory -------------------------------------------------------

/**
 * True if the byte at @at is one of the distance of a direct jump or call, or of an instruction
 * with a 64-bit operand beside %rip: four bytes that lead to a place of this file are no accident.
 */
static bool is_in_distance(const uint8_t *code, uint64_t at, uint64_t size, uint64_t vaddr,
			   bool is_64bit, struct range file)
{
	enum { DISTANCE = 4, REX_W = 0x48, BESIDE_RIP = 5, PLACE = 0xc7 };

	for (uint64_t start = at > DISTANCE ? at - DISTANCE + 1 : 1; start <= at; start++) {
		bool is_branch = code[start - 1] == X86_CALL || code[start - 1] == X86_JUMP;
		bool is_operand = start >= 3 && (code[start - 3] & 0xf8) == REX_W &&
				  (code[start - 1] & PLACE) == BESIDE_RIP;

		if ((is_branch || is_operand) && size - start >= DISTANCE &&
		    range_contains(file, wrap(x86_ahead(vaddr + start + DISTANCE, code + start),
					      is_64bit)))
			return true;
	}
	return false;
}

static bool last_indirect_jump(const uint8_t *code, uint64_t size, uint64_t vaddr, bool is_64bit,
			       struct range file, uint64_t *ret_offset)
{
	for (uint64_t i = size; i-- > 1;)
		if (code[i - 1] == X86_INDIRECT && (code[i] >> 3 & 7) == X86_INDIRECT_JUMP &&
		    !is_in_distance(code, i - 1, size, vaddr, is_64bit, file)) {
			*ret_offset = i - 1;
			return true;
		}
	return false;
}

bool x86_64_last_indirect_jump(const uint8_t *code, uint64_t size, uint64_t vaddr,
			       struct range file, uint64_t *ret_offset)
{
	return last_indirect_jump(code, size, vaddr, true, file, ret_offset);
}

bool i386_last_indirect_jump(const uint8_t *code, uint64_t size, uint64_t vaddr, struct range file,
			     uint64_t *ret_offset)
{
	return last_indirect_jump(code, size, vaddr, false, file, ret_offset);
}

/**
 * `jmp *%rax` at @at behind `test %rax,%rax; je`, as in register_tm_clones(), which every program
 * has (GCC's crtstuff.c): to a weak symbol, or nowhere.
 */
static void read_jump_if_set(const uint8_t *code, uint64_t at, uint64_t vaddr,
			     struct machine_branch *branch)
{
	static const uint8_t test[] = { 0x48, 0x85, 0xc0, 0x74 };
	static const uint8_t load_slot[] = { 0x48, 0x8b, 0x05 }, load_zero[] = { 0xb8, 0, 0, 0, 0 };
	enum { LOAD_SIZE = 7, TEST_SIZE = 5, ARGUMENT = 0xbf, ARGUMENT_SIZE = 5 };

	if (at >= ARGUMENT_SIZE && code[at - ARGUMENT_SIZE] == ARGUMENT)
		at -= ARGUMENT_SIZE;
	if (at < TEST_SIZE + LOAD_SIZE || memcmp(code + at - TEST_SIZE, test, sizeof(test)) != 0)
		return;
	at -= TEST_SIZE;
	if (memcmp(code + at - sizeof(load_zero), load_zero, sizeof(load_zero)) == 0) {
		branch->target = MACHINE_TARGET_NOWHERE;
	} else if (memcmp(code + at - LOAD_SIZE, load_slot, sizeof(load_slot)) == 0) {
		branch->target = MACHINE_TARGET_IF_SET;
		branch->operand = x86_ahead(vaddr + at, code + at - 4);
	}
}

/** Prefixes of a jump (SDM volume 2, 2.1.1 and 2.2.1). */
static bool is_prefix(uint8_t byte)
{
	return byte == 0x3e || byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte >> 4 == 4;
}

/** Find the opcode of a jump through a register or memory, at offsets @at. */
static bool find_opcode(const uint8_t *code, struct range at, uint64_t *ret_offset)
{
	while (at.start < at.end && is_prefix(code[at.start]))
		at.start++;
	*ret_offset = at.start;
	return range_size(at) >= 2 && code[at.start] == X86_INDIRECT &&
	       (code[at.start + 1] >> 3 & 7) == X86_INDIRECT_JUMP;
}

bool x86_64_indirect_jump(const uint8_t *code, struct range at, uint64_t vaddr,
			  struct machine_branch *ret_branch)
{
	enum { BY_RAX = 0xe0 };
	struct machine_branch branch = { 0 };

	if (!find_opcode(code, at, &branch.offset))
		return false;
	if (code[branch.offset + 1] == BY_RAX)
		read_jump_if_set(code, branch.offset, vaddr, &branch);
	else if (at.end - branch.offset < INDIRECT_SIZE ||
		 !read_indirect(code + branch.offset, vaddr + branch.offset, true, &branch))
		branch.target = MACHINE_TARGET_UNKNOWN;
	*ret_branch = branch;
	return true;
}

bool i386_indirect_jump(const uint8_t *code, struct range at, uint64_t vaddr,
			struct machine_branch *ret_branch)
{
	struct machine_branch branch = { 0 };

	if (!find_opcode(code, at, &branch.offset))
		return false;
	if (at.end - branch.offset < INDIRECT_SIZE ||
	    !read_indirect(code + branch.offset, vaddr + branch.offset, false, &branch))
		branch.target = MACHINE_TARGET_UNKNOWN;
	*ret_branch = branch;
	return true;
}
