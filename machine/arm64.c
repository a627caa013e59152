// SPDX-License-Identifier: Apache-2.0
// 64-bit ARM.
#include "machine/processors.h"

#include <elf.h>
#include <endian.h>
#include <string.h>

enum { SIZE = 4 }; // of any instruction

/** Instructions are little-endian whatever the data is. */
static uint32_t read_instruction(const uint8_t *code)
{
	uint32_t instruction;

	memcpy(&instruction, code, sizeof(instruction));
	return le32toh(instruction);
}

/** Read the page that an `adrp` at @vaddr takes the address of. */
static uint64_t adrp_page(uint32_t adrp, uint64_t vaddr)
{
	enum { PAGE = 4096 }; // what adrp counts in, whatever pages the kernel has
	uint64_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	return align_down(vaddr, PAGE) + ((pages ^ 0x100000) - 0x100000) * PAGE; // 21 bits, signed
}

/**
 * Read the slot that `adrp @page_register, page` and `ldr @to, [@page_register, #low]`, the first
 * two instructions of @code, load from.
 */
static bool loads_slot(const uint8_t *code, uint64_t vaddr, unsigned page_register, unsigned to,
		       uint64_t *ret_slot)
{
	uint32_t adrp = read_instruction(code), ldr = read_instruction(code + 4);

	if ((adrp & 0x9f00001f) != (0x90000000 | page_register) ||
	    (ldr & 0xffc003ff) != (0xf9400000 | page_register << 5 | to))
		return false;
	*ret_slot = adrp_page(adrp, vaddr) + (ldr >> 10 & 0xfff) * 8;
	return true;
}

static enum machine_target stub(const uint8_t *code, uint64_t size, uint64_t vaddr,
				uint64_t *ret_operand)
{
	for (uint64_t at = 0; at + 8 <= size; at += SIZE)
		if (loads_slot(code + at, vaddr + at, 16, 17, ret_operand))
			return MACHINE_TARGET_SLOT;
	return MACHINE_TARGET_UNKNOWN;
}

/** As crt1.o of position-independent programs loads main; else it loads a jump to it. */
static enum machine_target first_argument(const uint8_t *code, uint64_t size, uint64_t vaddr,
					  uint64_t *ret_size, uint64_t *ret_operand)
{
	*ret_size = 8;
	return size >= 8 && vaddr % SIZE == 0 && loads_slot(code, vaddr, 0, 0, ret_operand)
		       ? MACHINE_TARGET_SLOT
		       : MACHINE_TARGET_UNKNOWN;
}

// ---- Jumps ------------------------------------------------------------------------------------

/** Bytes to the first instruction: all are at multiples of 4. */
static uint64_t first_instruction(uint64_t vaddr)
{
	return align_up(vaddr, SIZE) - vaddr;
}

/** @vaddr plus the signed count of instructions in the @bits bits of @instruction from @low. */
static uint64_t ahead(uint64_t vaddr, uint32_t instruction, unsigned low, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1), count = instruction >> low & (2 * sign - 1);

	return vaddr + ((count ^ sign) - sign) * SIZE;
}

static bool read_branch(uint32_t instruction, uint64_t vaddr, struct machine_branch *branch)
{
	branch->target = MACHINE_TARGET_ADDRESS;
	if ((instruction & 0x7c000000) == 0x14000000) { // b, bl
		branch->is_call = instruction >> 31;
		branch->operand = ahead(vaddr, instruction, 0, 26);
		return true;
	}
	branch->is_near = true;
	branch->operand = ahead(vaddr, instruction, 5, 19);
	if ((instruction & 0xff000000) == 0x54000000 || // b.cond
	    (instruction & 0x7e000000) == 0x34000000)	// cbz, cbnz
		return true;
	branch->operand = ahead(vaddr, instruction, 5, 14);
	return (instruction & 0x7e000000) == 0x36000000; // tbz, tbnz
}

static bool find_branch(const uint8_t *code, uint64_t size, uint64_t vaddr,
			struct machine_branch *ret_branch)
{
	for (uint64_t at = first_instruction(vaddr); at + SIZE <= size; at += SIZE) {
		struct machine_branch branch = { .offset = at };

		if (read_branch(read_instruction(code + at), vaddr + at, &branch)) {
			*ret_branch = branch;
			return true;
		}
	}
	return false;
}

/** `br`, and its forms that authenticate a pointer. */
static bool is_indirect_jump(uint32_t instruction)
{
	return (instruction & 0xfefff000) == 0xd61f0000;
}

static bool last_indirect_jump(const uint8_t *code, uint64_t size, uint64_t vaddr,
			       struct range file, uint64_t *ret_offset)
{
	bool found = false;

	for (uint64_t at = first_instruction(vaddr); at + SIZE <= size; at += SIZE)
		if (is_indirect_jump(read_instruction(code + at))) {
			*ret_offset = at;
			found = true;
		}
	return found;
}

/**
 * Read the slot of `br x16` at @at behind `cbz`, as in register_tm_clones(), which every program
 * has (GCC's crtstuff.c): adrp xN, page; ldr xN, [xN, #low]; cbz xN; mov x16, xN.
 */
static bool jumps_if_set(const uint8_t *code, uint64_t at, uint64_t vaddr, uint64_t *ret_slot)
{
	enum { BEFORE = 4 * SIZE };
	uint32_t move = at >= BEFORE ? read_instruction(code + at - SIZE) : 0;
	unsigned from = move >> 16 & 0x1f;

	return move == (0xaa0003f0 | from << 16) &&
	       (read_instruction(code + at - 2 * SIZE) & 0xff00001f) == (0xb4000000 | from) &&
	       loads_slot(code + at - BEFORE, vaddr + at - BEFORE, from, from, ret_slot);
}

static bool indirect_jump(const uint8_t *code, struct range at, uint64_t vaddr,
			  struct machine_branch *ret_branch)
{
	enum { BY_X16 = 0xd61f0200 };
	uint32_t instruction = range_size(at) == SIZE ? read_instruction(code + at.start) : 0;

	*ret_branch = (struct machine_branch){ .offset = at.start };
	if (instruction == BY_X16 && jumps_if_set(code, at.start, vaddr, &ret_branch->operand))
		ret_branch->target = MACHINE_TARGET_IF_SET;
	return is_indirect_jump(instruction);
}

static enum machine_call_kind call_before(const uint8_t *code, uint64_t end, uint64_t *ret_target)
{
	struct machine_branch branch = { 0 };

	if (!read_branch(read_instruction(code), end - SIZE, &branch) || !branch.is_call)
		return MACHINE_CALL_NONE;
	*ret_target = branch.operand;
	return MACHINE_CALL_DIRECT;
}

/** `msr tpidr_el0, xN`: it takes no system call. */
static bool sets_thread_pointer(const uint8_t *code, uint64_t size)
{
	for (uint64_t at = 0; at + SIZE <= size; at += SIZE)
		if ((read_instruction(code + at) & 0xffffffe0) == 0xd51bd040)
			return true;
	return false;
}

/** `mov wN, #5381`. */
static bool hashes_names(const uint8_t *code, uint64_t size)
{
	for (uint64_t at = 0; at + SIZE <= size; at += SIZE)
		if ((read_instruction(code + at) & 0xffffffe0) == 0x5282a0a0)
			return true;
	return false;
}

const struct machine machine_arm64 = {
	.elf = EM_AARCH64,
	.name = "aarch64",
	.calls = machine_generic_calls,
	.call_count = MACHINE_GENERIC_CALLS,
	.marker_letters = "adtx",
	.stub = stub,
	.call_size = SIZE,
	.call_before = call_before,
	.find_branch = find_branch,
	.last_indirect_jump = last_indirect_jump,
	.indirect_jump = indirect_jump,
	.first_argument = first_argument,
	.sets_thread_pointer = sets_thread_pointer,
	.hashes_names = hashes_names,
	.operands = &arm64_operands,
};
