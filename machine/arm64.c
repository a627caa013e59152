// SPDX-License-Identifier: Apache-2.0
// 64-bit ARM.
#include "machine/processors.h"

#include <elf.h>
#include <endian.h>
#include <string.h>

enum { CALL_SIZE = 4 };

/** Instructions are little-endian whatever the data is. */
static uint32_t read_instruction(const uint8_t *code)
{
	uint32_t instruction;

	memcpy(&instruction, code, sizeof(instruction));
	return le32toh(instruction);
}

/** `bl`: a 26-bit signed count of instructions. */
static enum machine_call_kind call_before(const uint8_t *code, uint64_t end, uint64_t *ret_target)
{
	uint32_t instruction = read_instruction(code);
	uint64_t words = instruction & 0x03ffffff;

	if (instruction >> 26 != 0x25)
		return MACHINE_CALL_NONE;
	*ret_target = end - CALL_SIZE + (words ^ 0x02000000) * 4 - UINT64_C(0x08000000);
	return MACHINE_CALL_DIRECT;
}

/** `adrp x16, page` and `ldr x17, [x16, #low]`, one after the other. */
static enum machine_target stub(const uint8_t *code, uint64_t size, uint64_t vaddr,
				uint64_t *ret_operand)
{
	enum { PAGE = 4096 }; // what adrp counts in, whatever pages the kernel has

	for (uint64_t at = 0; at + 8 <= size; at += 4) {
		uint32_t adrp = read_instruction(code + at), ldr = read_instruction(code + at + 4);
		int64_t pages;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		pages = (int64_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3));
		if (pages & 0x100000)
			pages -= 0x200000; // 21 bits, signed
		*ret_operand = align_down(vaddr + at, PAGE) + (uint64_t)pages * PAGE +
			       (ldr >> 10 & 0xfff) * 8;
		return MACHINE_TARGET_SLOT;
	}
	return MACHINE_TARGET_UNKNOWN;
}

const struct machine machine_arm64 = {
	.elf = EM_AARCH64,
	.name = "aarch64",
	.calls = machine_generic_calls,
	.call_count = MACHINE_GENERIC_CALLS,
	.marker_letters = "adtx",
	.stub = stub,
	.call_size = CALL_SIZE,
	.call_before = call_before,
	.operands = &arm64_operands,
};
