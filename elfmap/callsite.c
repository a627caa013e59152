// SPDX-License-Identifier: Apache-2.0
// Where a direct call goes, told from the bytes before its return address.
#include "elfmap/private.h"

enum {
	X86_CALL = 0xe8,
	X86_CALL_SIZE = 5,
	A64_CALL_SIZE = 4,
};

/** A 26-bit signed count of instructions, as `bl` has it. */
static uint64_t a64_displacement(uint32_t instruction)
{
	uint64_t words = instruction & 0x03ffffff;

	return (words ^ 0x02000000) * 4 - UINT64_C(0x08000000);
}

bool elfmap_call_target(struct elfmap *map, uint64_t last_byte, uint64_t *ret_vaddr)
{
	uint8_t code[X86_CALL_SIZE];

	switch (map->info.machine) {
	case EM_X86_64:
	case EM_386:
		if (last_byte < X86_CALL_SIZE ||
		    elfmap_read(map, last_byte + 1 - X86_CALL_SIZE, code, X86_CALL_SIZE) !=
			    X86_CALL_SIZE ||
		    code[0] != X86_CALL)
			return false;
		*ret_vaddr = last_byte + 1 + (uint64_t)(int64_t)(int32_t)elfmap_u32(map, code + 1);
		if (map->info.machine == EM_386)
			*ret_vaddr &= UINT32_MAX;
		return true;
	case EM_AARCH64: {
		uint32_t instruction;

		if (last_byte < A64_CALL_SIZE || elfmap_read(map, last_byte + 1 - A64_CALL_SIZE,
							     code, A64_CALL_SIZE) != A64_CALL_SIZE)
			return false;
		// Instructions are little-endian whatever the data is.
		memcpy(&instruction, code, sizeof(instruction));
		instruction = le32toh(instruction);
		if (instruction >> 26 != 0x25)
			return false;
		*ret_vaddr = last_byte + 1 - A64_CALL_SIZE + a64_displacement(instruction);
		return true;
	}
	default:
		return false;
	}
}
