// SPDX-License-Identifier: Apache-2.0
// Where a direct call goes, told from the bytes before its return address.
#include "elfmap/private.h"

enum {
	X86_CALL = 0xe8,
	X86_JUMP = 0xe9,
	X86_SHORT_JUMP = 0xeb,
	X86_CALL_SIZE = 5, // also of a jump with 32 bits
	X86_SHORT_JUMP_SIZE = 2,
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

/** Whether the @size bytes at @bytes, which stand at @vaddr, are a jump or call to @target. */
static bool goes_to(const struct elfmap *map, const uint8_t *bytes, size_t size, uint64_t vaddr,
		    uint64_t target, bool or_call)
{
	if (size >= X86_SHORT_JUMP_SIZE && bytes[0] == X86_SHORT_JUMP)
		return vaddr + X86_SHORT_JUMP_SIZE + (uint64_t)(int64_t)(int8_t)bytes[1] == target;
	if (size < X86_CALL_SIZE)
		return false;
	return (bytes[0] == X86_JUMP || (or_call && bytes[0] == X86_CALL)) &&
	       vaddr + X86_CALL_SIZE + (uint64_t)(int64_t)(int32_t)elfmap_u32(map, bytes + 1) ==
		       target;
}

bool elfmap_leads_to(struct elfmap *map, struct range code, uint64_t target, bool or_call)
{
	uint8_t bytes[4096];
	size_t wanted = range_size(code) < sizeof(bytes) ? (size_t)range_size(code) : sizeof(bytes);

	if (map->info.machine != EM_X86_64 && map->info.machine != EM_386)
		return false;
	// Every byte is tried, since where instructions begin is not known: a false hit would need
	// the exact distance to @target behind a byte that happens to be a jump's.
	size_t size = elfmap_read(map, code.start, bytes, wanted);
	for (size_t i = 0; i < size; i++)
		if (goes_to(map, bytes + i, size - i, code.start + i, target, or_call))
			return true;
	return false;
}
